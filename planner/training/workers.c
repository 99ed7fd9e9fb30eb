#include "planner/training/workers.h"

#include "planner/plan/planning.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/training/cluster.h"
#include "planner/training/metrics_address.h"

/* The setting that asks for a job of workers; NULL: none does. */
static const struct setting *first_set(const struct planning *planning)
{
    static const char *const names[] = {"job.min_workers", "job.max_workers", "job.wait"};
    const struct setting *setting = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names && !setting; i++)
        setting = settings_find(planning, names[i]);
    return setting || !planning->plan->cluster.is_wanted ? setting
                                                         : settings_find(planning, "job.where");
}

static uint32_t number_of(const struct planning *planning, const char *name, uint32_t otherwise)
{
    const struct setting *setting = settings_find(planning, name);

    if (!setting)
        return otherwise;
    return setting->value.is_integer ? (uint32_t)setting->value.integer
                                     : (uint32_t)setting->value.number;
}

static bool waits(const struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "job.wait");

    return !setting || setting_is_true(setting);
}

/* Rows that come back as a result come one by one, when they are asked for. */
static enum status check_use(const struct planning *planning, const struct setting *setting)
{
    const struct plan *plan = planning->plan;

    if (plan->has_target || (plan->kind == STATEMENT_EVALUATE && plan->scoring.wait))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "%.*s has a use only where a table is written", SLICE_FORMAT(setting->name.text));
    return error_hint(planning->err, plan->kind == STATEMENT_EVALUATE
                                         ? "Name one: TO EVALUATE model ... INTO table."
                                         : "Name one: TO PREDICT table.column ...");
}

enum status workers_check(const struct planning *planning, uint32_t least, uint32_t most)
{
    const struct {
        const char *name;
        uint32_t wanted;
    } counts[] = {{"job.max_workers", most}, {"job.min_workers", least}};
    const struct catalog_limits *limits = &planning->catalog->limits;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const struct setting *setting = settings_find(planning, counts[i].name);
        if (limits->workers == 0 || counts[i].wanted <= limits->workers || !setting)
            continue;
        fail_at(planning->err, STATUS_LIMIT, setting->value.span.start,
                "%s is %u, and at most %u are allowed here", counts[i].name, counts[i].wanted,
                limits->workers);
        return error_hint(planning->err, "%s says so.", limits->workers_decision);
    }
    return STATUS_OK;
}

enum status workers_plan(struct planning *planning)
{
    const struct setting *setting;
    struct plan *plan = planning->plan;
    struct plan_scoring *scoring = &plan->scoring;

    scoring->wait = waits(planning);
    TRY(cluster_plan(planning));
    setting = first_set(planning);
    scoring->on_workers = setting != NULL;
    if (!setting)
        return STATUS_OK;
    scoring->min_workers = number_of(planning, "job.min_workers", 1);
    scoring->max_workers =
        number_of(planning, "job.max_workers", plan->cluster.is_wanted ? scoring->min_workers : 0);
    if (scoring->max_workers != 0 && scoring->max_workers < scoring->min_workers)
        return fail_at(planning->err, STATUS_INVALID,
                       settings_find(planning, "job.max_workers")->value.span.start,
                       "job.max_workers is %u, below job.min_workers, which is %u",
                       scoring->max_workers, scoring->min_workers);
    TRY(workers_check(planning, scoring->min_workers, scoring->max_workers));
    TRY(metrics_address_plan(planning, &scoring->metrics_host, &scoring->metrics_port));
    TRY(check_use(planning, setting));
    return scoring->wait ? STATUS_OK : file_plan(planning, plan->target_schema, plan->target_table);
}

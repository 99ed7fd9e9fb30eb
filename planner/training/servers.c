#include "planner/training/servers.h"

#include <string.h>

#include "base/process/memory_limit.h"
#include "planner/columns/old_model.h"
#include "planner/plan/parameters.h"
#include "planner/plan/settings.h"
#include "planner/training/search.h"
#include "planner/training/training.h"

#define SERVERS_DEFAULT   2
#define SERVERS_LANES     8  /* lanes of a step, unless the statement says how many */
#define SERVERS_LANES_MAX 64 /* SERVER_LANES_MAX of runtime/ps/server/server_steps.h */

/* Attributes of servers, beside job.strategy. */
static const char *const of_servers[] = {"job.ps",     "job.staleness",   "job.ps_memory",
                                         "job.ps_cpu", "model.min_count", "model.expire_steps"};
#define OF_SERVERS (sizeof of_servers / sizeof *of_servers)

static bool is_of_servers(const struct attribute *attribute)
{
    for (size_t i = 0; i < OF_SERVERS; i++)
        if (strcmp(attribute->name, of_servers[i]) == 0)
            return true;
    return false;
}

static bool says(const struct setting *setting, const char *word)
{
    return setting && slice_is_fold(setting->value.text, word);
}

/* The setting by which the statement asks for servers. */
static const struct setting *asking(const struct planning *planning)
{
    const struct setting *servers = settings_find(planning, "job.ps");

    return servers ? servers : settings_find(planning, "job.strategy");
}

/* ---- without servers ---- */

static enum status refuse_idle(const struct planning *planning, const struct setting *setting,
                               bool is_allreduce)
{
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "attribute \"%.*s\" has no use %s", SLICE_FORMAT(setting->name.text),
            is_allreduce ? "with job.strategy = 'allreduce'" : "without parameter servers");
    return error_hint(planning->err,
                      "job.strategy = 'ps' stores the weights on %d parameter servers, job.ps on "
                      "the number that it gives.",
                      SERVERS_DEFAULT);
}

static enum status check_idle(const struct planning *planning, bool is_allreduce)
{
    for (size_t i = 0; i < OF_SERVERS; i++) {
        const struct setting *setting = settings_find(planning, of_servers[i]);

        if (setting)
            return refuse_idle(planning, setting, is_allreduce);
    }
    return STATUS_OK;
}

/* Either says whether all workers take each step together. */
static const char *const together[] = {"job.sync", "job.reproducible"};
#define TOGETHER (sizeof together / sizeof *together)

/* There is no other way without servers. */
static enum status check_together(const struct planning *planning)
{
    const bool may_have_servers = planning->plan->estimator->kind->lies_on_servers;

    for (size_t i = 0; i < TOGETHER; i++) {
        const struct setting *setting = settings_find(planning, together[i]);

        if (!setting || setting_is_true(setting))
            continue;
        fail_at(planning->err, STATUS_UNSUPPORTED, setting->value.span.start,
                "%s = false is not supported yet", together[i]);
        return error_hint(planning->err, "%s works with true.%s", together[i],
                          may_have_servers ? " On parameter servers, by job.strategy = 'ps', it is "
                                             "false unless it is set."
                                           : "");
    }
    return STATUS_OK;
}

/* ---- with servers ---- */

#define LENGTH_HINT "train.epoch says how long workers learn."
#define CLIP_HINT   "Each server moves its rows by what is pushed, as it is pushed."
#define LINEAR_HINT "There one rule, that of model.optimizer, moves all weights."

/* Attributes that do not go together with servers where they are true, or more than 0. */
/* clang-format off: one row, one attribute. */
static const struct {
    const char *attribute, *hint;
} refusals[] = {
    {"model.batch_norm", "Means and variances need steps that all workers take together."},
    {"train.early_stopping", "Workers are at batches of their own, and the weights of none of them "
                             "are kept. " LENGTH_HINT},
    {"train.max_steps", LENGTH_HINT},
    {"train.max_seconds", LENGTH_HINT},
    {"train.save_checkpoints_steps", "job.checkpoint_seconds sets how often servers save what they "
                                     "have."},
    {"optimizer.clipnorm", CLIP_HINT},
    {"optimizer.clipvalue", CLIP_HINT},
    {"train.folds", "Hold rows out by train.test_size or validation.select."},
    {"linear_optimizer.learning_rate", LINEAR_HINT},
};
/* clang-format on */

static bool is_on(const struct value *value)
{
    return value->kind == VALUE_BOOLEAN ? value->boolean : value->number > 0;
}

static enum status refuse(const struct planning *planning, const struct setting *setting,
                          const char *what, const char *hint)
{
    fail_at(planning->err, STATUS_UNSUPPORTED, setting->name.position,
            "%s does not go together with parameter servers", what);
    return error_hint(planning->err, "%s", hint);
}

/* In the order of the table, whatever the order in the statement is. */
static enum status check_others(const struct planning *planning)
{
    const struct setting *linear = settings_find(planning, "model.linear_optimizer");
    const struct setting *shuffle = settings_find(planning, "train.shuffle");

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct setting *setting = settings_find(planning, refusals[i].attribute);

        if (setting && is_on(&setting->value))
            return refuse(planning, setting, refusals[i].attribute, refusals[i].hint);
    }
    if (linear && !says(linear, "auto"))
        return refuse(planning, linear, "model.linear_optimizer", LINEAR_HINT);
    if (shuffle && !setting_is_true(shuffle))
        return refuse(planning, shuffle, "train.shuffle = false",
                      "Rows are dealt into shards by their keys, and workers take these as they "
                      "come.");
    if (planning->plan->search) {
        fail_at(planning->err, STATUS_UNSUPPORTED, planning->plan->search->position,
                "tune.trials does not go together with parameter servers");
        return error_hint(
            planning->err,
            "Search without them, on some of the rows, and train with the values that were found.");
    }
    if (!old_model_is_named(planning))
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, asking(planning)->name.position,
            "parameter servers do not go together with USING");
    return error_hint(planning->err, "A row of theirs starts from train.seed, not from a model: "
                                     "leave USING out.");
}

/* The administrator's limit of a job's workers holds for its servers, too. */
static bool are_allowed(const struct planning *planning, uint32_t servers)
{
    const uint32_t most = planning->catalog->limits.workers;

    return most == 0 || servers <= most;
}

static enum status check_allowed(const struct planning *planning)
{
    const struct catalog_limits *limits = &planning->catalog->limits;

    if (are_allowed(planning, planning->plan->spec.servers))
        return STATUS_OK;
    fail_at(planning->err, STATUS_LIMIT, asking(planning)->value.span.start,
            "a job of %u parameter servers, and at most %u are allowed here",
            planning->plan->spec.servers, limits->workers);
    return error_hint(planning->err, "%s says so.", limits->workers_decision);
}

/* ---- steps that all workers take together ---- */

static bool are_together(const struct planning *planning)
{
    for (size_t i = 0; i < TOGETHER; i++) {
        const struct setting *setting = settings_find(planning, together[i]);

        if (setting && setting_is_true(setting))
            return true;
    }
    return false;
}

/* The error of an attribute that has no use where there are such steps, or where there are none. */
static enum status refuse_of_steps(const struct planning *planning, const struct setting *setting,
                                   const char *hint)
{
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "attribute \"%.*s\" has no use where %s", SLICE_FORMAT(setting->name.text),
            are_together(planning) ? "all workers take each step together"
                                   : "each worker pushes to parameter servers by itself");
    return error_hint(planning->err, "%s", hint);
}

static enum status check_contradiction(const struct planning *planning)
{
    const struct setting *sync = settings_find(planning, together[0]);
    const struct setting *reproducible = settings_find(planning, together[1]);

    if (!sync || !reproducible || setting_is_true(sync) == setting_is_true(reproducible))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, reproducible->value.span.start,
            "job.sync is %s, and job.reproducible is not",
            setting_is_true(sync) ? "true" : "false");
    return error_hint(planning->err, "On parameter servers a model has the same bits where all "
                                     "workers take each step together, and only there.");
}

/* Lanes are what says so to the job. */
static enum status plan_steps(struct planning *planning)
{
    const struct setting *lanes = settings_find(planning, "job.lanes");
    const struct setting *staleness = settings_find(planning, "job.staleness");
    struct jobspec *spec = &planning->plan->spec;

    TRY(check_contradiction(planning));
    if (!are_together(planning)) {
        if (lanes)
            return refuse_of_steps(planning, lanes,
                                   "Lanes need steps that all workers take together, by job.sync "
                                   "= true; job.max_workers sets the number of workers.");
        return STATUS_OK;
    }
    if (staleness && staleness->value.number > 0)
        return refuse_of_steps(planning, staleness, "Nothing is ever stale there: leave it out.");
    if (spec->lanes > SERVERS_LANES_MAX) {
        fail_at(planning->err, STATUS_LIMIT, lanes->value.span.start,
                "%u lanes, and a step of parameter servers has %d at most", spec->lanes,
                SERVERS_LANES_MAX);
        return error_hint(planning->err,
                          "A lane is a share of train.batch_size; job.lanes is %d "
                          "unless it is set.",
                          SERVERS_LANES);
    }
    spec->staleness = 0;
    if (spec->lanes == 0)
        spec->lanes = SERVERS_LANES;
    return STATUS_OK;
}

enum status servers_plan(struct planning *planning)
{
    const struct setting *strategy = settings_find(planning, "job.strategy");
    struct jobspec *spec = &planning->plan->spec;

    if (says(strategy, "allreduce"))
        TRY(check_idle(planning, true));
    if (says(strategy, "ps") && spec->servers == 0)
        spec->servers = SERVERS_DEFAULT;
    if (spec->servers == 0)
        TRY(check_idle(planning, false));
    if (spec->servers == 0)
        return check_together(planning);
    TRY(check_allowed(planning));
    TRY(plan_steps(planning));
    return check_others(planning);
}

/* ---- where the statement leaves it open ---- */

/* The same as job_memory_of (runtime/role/job.h) for a worker on this machine. */
static double memory_of_worker(const struct jobspec *spec)
{
    const uint32_t workers =
        spec->max_workers > spec->min_workers ? spec->max_workers : spec->min_workers;

    return spec->memory > 0 ? (double)spec->memory : (double)memory_limit() / workers;
}

static enum status notice_choice(const struct planning *planning, double bytes)
{
    const struct plan *plan = planning->plan;
    struct text needed;
    bool failed;

    text_init(&needed, TEXT_MAXIMUM);
    bytes_append(&needed, bytes);
    failed = needed.failed;
    notice_add(plan->notices, NOTICE_DEFAULTS,
               "a worker would need %s for the model, more than it has: the weights are stored on "
               "%u parameter servers%s",
               text_string(&needed), plan->spec.servers,
               plan->spec.lanes > 0 ? "" : ", and learning them again gives other bits");
    notice_hint(plan->notices,
                "job.strategy = 'allreduce' keeps them in the workers; job.ps sets the number of "
                "servers%s.",
                plan->spec.lanes > 0 ? "" : ", job.sync = true gives the same bits always");
    text_deinit(&needed);
    return failed ? fail_no_memory(planning->err) : STATUS_OK;
}

enum status servers_choose(struct planning *planning)
{
    const struct setting *strategy = settings_find(planning, "job.strategy");
    struct plan *plan = planning->plan;
    const struct kind_shape shape = shape_of(plan);
    const struct kind_cost cost = cost_of(plan, &shape);
    const double bytes = bytes_of(plan, &cost);
    struct error ignored, *err = planning->err;

    if (plan->spec.servers > 0 || !plan->estimator->kind->lies_on_servers ||
        plan->cluster.is_wanted || (strategy && !says(strategy, "auto")) ||
        bytes <= memory_of_worker(&plan->spec))
        return STATUS_OK;
    error_clear(&ignored);
    planning->err = &ignored;
    if (are_allowed(planning, SERVERS_DEFAULT) && check_others(planning) == STATUS_OK &&
        plan_steps(planning) == STATUS_OK)
        plan->spec.servers = SERVERS_DEFAULT;
    planning->err = err;
    if (plan->spec.servers == 0)
        return STATUS_OK;
    plan->spec.keeps_best = false;
    TRY(training_record(planning));
    return notice_choice(planning, bytes);
}

enum status servers_check_job(const struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (plan->spec.servers > 0 && plan->cluster.reads_directly)
        return refuse(planning, settings_find(planning, "job.read"), "job.read = 'direct'",
                      "Without it this session reads the rows.");
    return STATUS_OK;
}

/* ---- what people see ---- */

bool servers_use(const struct plan *plan, const struct attribute *attribute)
{
    if (plan->spec.servers == 0)
        return !is_of_servers(attribute);
    return strcmp(attribute->name, plan->spec.lanes > 0 ? "job.staleness" : "job.lanes") != 0;
}

bool servers_append_value(const struct plan *plan, const struct attribute *attribute,
                          const struct setting *setting, struct text *out)
{
    const struct slice name = slice_of(attribute->name);
    const uint32_t servers = plan->spec.servers;
    const bool is_together = slice_is(name, together[0]) || slice_is(name, together[1]);

    if (slice_is(name, "job.strategy") && (!setting || says(setting, "auto")))
        text_printf(out, "auto: %s", servers > 0 ? "ps" : "allreduce");
    else if (slice_is(name, "job.ps")) /* without servers nobody asks */
        text_printf(out, "%u", servers);
    else if (is_together && servers > 0)
        text_append_string(out, plan->spec.lanes > 0 ? "true" : "false");
    else if (slice_is(name, "job.lanes") && servers > 0)
        text_printf(out, "%u", plan->spec.lanes);
    else
        return false;
    return true;
}

static void explain_weights(struct explanation *explanation)
{
    const struct jobspec *spec = &explanation->plan->spec;
    struct text *out = &explanation->detail;

    text_printf(out, "on %u parameter server%s, ", spec->servers, spec->servers == 1 ? "" : "s");
    if (spec->lanes > 0) {
        text_printf(out, "all workers take each step together, of %u lanes: the same bits always",
                    spec->lanes);
        explanation_line(explanation, "weights");
        return;
    }
    text_append_string(out, "asynchronous; ");
    if (spec->staleness == 0)
        text_append_string(out, "any number of batches");
    else
        text_printf(out, "at most %u batch%s", spec->staleness, spec->staleness == 1 ? "" : "es");
    text_append_string(out, " of others between a batch's pull and its push, which weighs less "
                            "the more often each of the others pushes meanwhile");
    explanation_line(explanation, "weights");
}

static void explain_pods(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const int64_t cpu_m = plan->cluster.server_cpu_m;
    struct text *out = &explanation->detail;

    text_printf(out, "%u; of each: processors %g, memory twice that of its rows and 64 MiB",
                plan->spec.servers, cpu_m > 0 ? (double)cpu_m / 1000 : 1);
    explanation_line(explanation, "Pods of servers");
}

void explain_servers(struct explanation *explanation)
{
    const struct jobspec *spec = &explanation->plan->spec;
    const bool is_there = explanation->plan->cluster.is_wanted;

    if (spec->servers == 0)
        return;
    explain_weights(explanation);
    if (is_there)
        explain_pods(explanation);
    if (spec->server_memory > 0)
        bytes_append(&explanation->detail, (double)spec->server_memory);
    else if (is_there)
        text_append_string(&explanation->detail, "480 MiB");
    else
        text_append_string(&explanation->detail,
                           "its share of half the machine's, or of its container's limit");
    explanation_line(explanation, "memory of a server");
}

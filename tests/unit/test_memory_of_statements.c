/* From SQL text to job spec, with every allocation on the way failing in turn. */
#include <glob.h>

#include "codegen/lower_predict.h"
#include "codegen/lower_score.h"
#include "codegen/lower_train.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_write.h"
#include "parser/parser.h"
#include "parser/splitter.h"
#include "parser/statement_json.h"
#include "planner/explain/explain.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/golden_topic.h"

static enum status parse_and_print(void *context, struct text *result, struct error *err)
{
    const struct slice *program = context;
    struct piece piece = {.next = 0};

    while ((size_t)piece.next < program->size) {
        struct statement statement;
        struct arena arena;
        enum status status;

        piece = split_piece(*program, piece.next);
        if (piece.kind == PIECE_EMPTY)
            continue;
        arena_init(&arena, ARENA_MAXIMUM);
        status = parse_piece(*program, &piece, &arena, &statement, err);
        if (status == STATUS_OK)
            status = statement_print_json(&statement, result, err);
        arena_deinit(&arena);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status write_job(const struct plan *plan, struct arena *arena, struct text *result,
                             struct error *err)
{
    struct jobspec spec;

    if (plan->kind == STATEMENT_TRAIN) {
        TRY(lower_train(plan, arena, &spec, err));
    } else {
        TRY(lower_score(plan, arena, &spec, err));
        spec.family = SLICE("network"); /* the engine's, as these are */
        spec.scoring.shard_rows = 1;
        spec.max_workers = spec.max_workers > 0 ? spec.max_workers : spec.min_workers;
    }
    return jobspec_write(&spec, result, err);
}

static enum status write_explanation(const struct plan *plan, struct arena *arena,
                                     struct text *result, struct error *err)
{
    struct plan_line *lines;
    size_t count;

    TRY(plan_explain(plan, 0, NULL, arena, &lines, &count, err));
    for (size_t i = 0; i < count; i++) {
        text_append(result, lines[i].item);
        text_append(result, lines[i].detail);
    }
    return STATUS_OK;
}

static enum status write_plan(const struct plan *plan, struct arena *arena, struct text *result,
                              struct error *err)
{
    if (plan->kind == STATEMENT_TRAIN || plan->explain_only)
        TRY(write_explanation(plan, arena, result, err));
    if (plan->explain_only)
        return STATUS_OK;
    if (plan->kind == STATEMENT_TRAIN || plan->scoring.on_workers)
        TRY(write_job(plan, arena, result, err));
    if (plan->kind == STATEMENT_PREDICT && plan->has_target)
        TRY(lower_predict_table(plan, result, err));
    if (plan->quarantine_table.size > 0) {
        TRY(lower_predict_stage(plan, result, err));
        TRY(lower_quarantine_table(plan, result, err));
        TRY(lower_quarantine(plan, result, err));
    }
    return plan->kind == STATEMENT_PREDICT ? lower_predict(plan, result, err) : STATUS_OK;
}

static enum status plan_and_write(void *context, struct text *result, struct error *err)
{
    const struct slice *text = context;
    struct described_catalog described;
    const size_t start = described_catalog_read(&described, *text);
    const struct slice sql = {text->data + start, text->size - start};
    struct statement statement;
    struct arena arena;
    struct plan plan;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = parse_statement(sql, &arena, &statement, err);
    if (status == STATUS_OK)
        status = plan_statement(&statement, sql, &described.catalog, &arena, &plan, err);
    if (status == STATUS_OK)
        status = write_plan(&plan, &arena, result, err);
    arena_deinit(&arena);
    return status;
}

static void check_topics(const char *pattern, failing_memory_run *run)
{
    struct golden_case now;
    char name[128];
    glob_t topics;

    CHECK_INT(glob(pattern, 0, NULL, &topics), 0);
    for (size_t i = 0; i < topics.gl_pathc; i++) {
        struct golden_topic topic = golden_topic_read(topics.gl_pathv[i]);

        while (golden_topic_next(&topic, &now)) {
            slice_copy(now.name, name, sizeof name);
            check_every_allocation_may_fail(name, run, &now.text);
        }
    }
    globfree(&topics);
}

static void every_allocation_of_parsing_may_fail(void **state)
{
    (void)state;
    check_topics(GOLDEN_FOLDER "/parse/*.txt", parse_and_print);
}

static void every_allocation_of_planning_may_fail(void **state)
{
    (void)state;
    check_topics(GOLDEN_FOLDER "/plan/*.txt", plan_and_write);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_parsing_may_fail),
        cmocka_unit_test(every_allocation_of_planning_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Models written, read, applied and measured, with every allocation failing in turn. */
#include "scoring/label_names.h"
#include "scoring/metrics.h"
#include "scoring/outputs.h"
#include "scoring/tables/model_write.h"
#include "scoring/transform/feature_names.h"
#include "tests/check.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/trees_fixture.h"

static const struct cell row[] = {{.type = CELL_NULL},
                                  {.type = CELL_REAL, .real = 170.5},
                                  {.type = CELL_TEXT, .text = SLICE("green")},
                                  {.type = CELL_REAL, .real = 0.25}};

static enum status append_row(void *context, const struct model_row *kept, struct error *err)
{
    struct text *result = context;

    (void)err;
    text_append(result, kept->part);
    text_append(result, kept->name);
    text_append(result, kept->data);
    return STATUS_OK;
}

static enum status write_model(void *context, struct text *result, struct error *err)
{
    const struct fixture *fixture = context;

    return model_write(&fixture->model, append_row, result, err);
}

static enum status add_rows(const struct fixture *fixture, struct model_reader *reader,
                            struct error *err)
{
    for (size_t i = fixture->row_count; i > 0; i--) /* backwards: meta comes last */
        TRY(model_reader_add(reader, &fixture->rows[i - 1], err));
    return STATUS_OK;
}

static enum status measure(const struct model *model, struct text *result, struct error *err)
{
    struct metrics *metrics = NULL;
    struct scorer scorer;
    enum status status;

    TRY(scorer_init(&scorer, model, 1, err));
    status = metrics_new(model, NULL, &metrics, err);
    for (int64_t label = 0; status == STATUS_OK && label < 2; label++) {
        status = scorer_transform(&scorer, 0, row, err);
        if (status != STATUS_OK)
            break;
        scorer_score(&scorer, 1);
        status =
            metrics_add(metrics, &scorer,
                        model->task == TASK_REGRESSION ? &(struct row_label){.value = (double)label}
                                                       : &(struct row_label){.class = label},
                        err);
    }
    if (status == STATUS_OK)
        text_append_real(result, metrics_loss(metrics));
    metrics_free(metrics);
    scorer_deinit(&scorer);
    return status;
}

static enum status read_and_measure(void *context, struct text *result, struct error *err)
{
    const struct fixture *fixture = context;
    struct model_reader *reader;
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = model_reader_new(kinds, &arena, &reader, err);
    if (status == STATUS_OK) {
        status = add_rows(fixture, reader, err);
        if (status == STATUS_OK)
            status = model_reader_finish(reader, &model, err);
        model_reader_free(reader);
    }
    if (status == STATUS_OK)
        status = measure(&model, result, err);
    arena_deinit(&arena);
    return status;
}

static void check_kinds(failing_memory_run *run)
{
    static const uint32_t deep[] = {4, 3}, linear[] = {1};
    static const char *const names[] = {"regression", "two classes", "three classes, deep"};
    static const uint32_t classes[] = {0, 2, 3};

    for (int i = 0; i < 3; i++) {
        struct fixture fixture;

        fixture_init(&fixture, classes[i]);
        fixture_layers(&fixture, i == 2 ? deep : linear, i == 2 ? 2 : 1);
        fixture_write(&fixture);
        check_every_allocation_may_fail(names[i], run, &fixture);
        fixture_deinit(&fixture);
    }
}

static void every_allocation_of_writing_a_model_may_fail(void **state)
{
    (void)state;
    check_kinds(write_model);
}

static void every_allocation_of_reading_a_model_may_fail(void **state)
{
    (void)state;
    check_kinds(read_and_measure);
}

struct telling {
    const struct model *model;
    enum output output;
};

/* The outputs for a row's cells, with the scorer and its workspace. */
static enum status tell(void *context, struct text *result, struct error *err)
{
    const struct telling *telling = context;
    struct output_workspace workspace;
    struct scorer scorer;
    enum status status;
    struct cell cell;

    TRY(scorer_init(&scorer, telling->model, 1, err));
    status = output_workspace_init(&workspace, telling->model, err);
    if (status == STATUS_OK)
        status = scorer_transform(&scorer, 0, row, err);
    if (status == STATUS_OK) {
        scorer_score(&scorer, 1);
        status = scorer_output(&scorer, telling->output, &workspace, &cell, err);
    }
    if (status == STATUS_OK)
        text_append(result, cell.text);
    output_workspace_deinit(&workspace);
    scorer_deinit(&scorer);
    return status;
}

static enum status name_all(void *context, struct text *result, struct error *err)
{
    const struct model *model = context;
    enum status status;
    struct slice *names;
    struct arena arena;

    arena_init(&arena, ARENA_MAXIMUM);
    status = feature_names(&model->transform, &arena, &names, err);
    for (uint32_t i = 0; status == STATUS_OK && i <= model->transform.dense_width; i++)
        text_append(result, names[i]);
    if (status == STATUS_OK)
        status = label_names(&model->labels, &arena, &names, err);
    for (uint32_t i = 0; status == STATUS_OK && i < model->labels.count; i++)
        text_append(result, names[i]);
    arena_deinit(&arena);
    return status;
}

static void every_allocation_of_a_row_s_outputs_may_fail(void **state)
{
    static const uint32_t width = 3;
    struct trees_fixture made;
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, &width, 1);
    check_every_allocation_may_fail("probabilities", tell,
                                    &(struct telling){&fixture.model, OUTPUT_PROBABILITIES});
    fixture_deinit(&fixture);
    trees_fixture_init(&made, 3);
    for (uint32_t i = 0; i < 3; i++)
        trees_fixture_grow(&made, i, 5, i, true);
    check_every_allocation_may_fail("shap", tell,
                                    &(struct telling){&made.fixture.model, OUTPUT_SHAP});
    check_every_allocation_may_fail("leaf", tell,
                                    &(struct telling){&made.fixture.model, OUTPUT_LEAF});
    fixture_deinit(&made.fixture);
}

static void every_allocation_of_names_may_fail(void **state)
{
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 3);
    check_every_allocation_may_fail("names", name_all, &fixture.model);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_writing_a_model_may_fail),
        cmocka_unit_test(every_allocation_of_reading_a_model_may_fail),
        cmocka_unit_test(every_allocation_of_a_row_s_outputs_may_fail),
        cmocka_unit_test(every_allocation_of_names_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Models as ONNX: of every seed of the fuzzer of models, with any amount of memory. What the files
 * predict is tried by tests/sqlite/test_onnx.py. */
#include "tests/check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "interop/formulas/formula_print.h"
#include "tests/fuzz/made_model.h"
#include "tests/unit/scoring_fixture.h"

#define SEED_BYTES_MAX 8192
#define BYTES_MOST     ((size_t)64 << 20)

static enum status export(const struct model *model, size_t arena_most, size_t text_most,
                          struct text *out, struct error *err) {
    struct arena arena; enum status status;

    error_clear(err);
    arena_init(&arena, arena_most);
    text_init(out, text_most);
    status = formula_export(model, SLICE("m"), FORMULA_ONNX, &arena, out, err);
    arena_deinit(&arena);
    return status;
}

/* The first field of a ModelProto is its format: 10. */
static void check_seed(const struct model *model, uint32_t *exported)
{
    struct text first, second;
    struct error err;
    const enum status status = export(model, BYTES_MOST, BYTES_MOST, &first, &err);

    if (status == STATUS_OK) {
        CHECK_INT(export(model, BYTES_MOST, BYTES_MOST, &second, &err), STATUS_OK);
        CHECK(first.size > 100 && memcmp(text_string(&first), "\x08\x0a", 2) == 0);
        CHECK(slice_equal(text_slice(&first), text_slice(&second)));
        text_deinit(&second);
        ++*exported;
    } else {
        CHECK_INT(status, STATUS_UNSUPPORTED);
        CHECK(err.message[0] && first.size == 0);
    }
    text_deinit(&first);
}

static void every_seed_has_the_same_bytes_twice(void **state)
{
    DIR *folder = opendir(SEEDS);
    uint32_t exported = 0;
    (void)state;

    CHECK(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char bytes[SEED_BYTES_MAX], path[512];
        struct arena arena;
        struct model model;
        struct error err;
        FILE *file;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", SEEDS, entry->d_name);
        file = fopen(path, "rb");
        CHECK(file);
        arena_init(&arena, MADE_MODEL_ARENA_BYTES);
        CHECK_OK(made_model_load((struct slice){bytes, fread(bytes, 1, sizeof bytes, file)}, &arena,
                                 &model, &err));
        fclose(file);
        check_seed(&model, &exported);
        arena_deinit(&arena);
    }
    closedir(folder);
    CHECK(exported >= 10);
}

static void make_model(struct fixture *fixture)
{
    const uint32_t widths[] = {3, 3};

    fixture_init(fixture, 3);
    fixture_dates(fixture);
    fixture_layers(fixture, widths, 2);
}

static size_t export_with_any_memory(const struct model *model)
{
    struct text bytes;
    struct error err;
    enum status status = STATUS_NO_MEMORY;
    uint32_t failed = 0;
    size_t size = 0;

    for (size_t most = 0; status == STATUS_NO_MEMORY; most += 512, failed++) {
        status = export(model, most, BYTES_MOST, &bytes, &err);
        CHECK(status == STATUS_OK || status == STATUS_NO_MEMORY);
        size = bytes.size;
        text_deinit(&bytes);
        CHECK(most < BYTES_MOST);
    }
    CHECK(failed > 50);
    return size;
}

/* Each allocation fails once, and a text that is too short is told. */
static void without_memory_there_is_an_error(void **state)
{
    struct fixture fixture;
    struct text bytes;
    struct error err;
    size_t size;
    (void)state;

    make_model(&fixture);
    size = export_with_any_memory(&fixture.model);
    CHECK_INT(export(&fixture.model, BYTES_MOST, size - 1, &bytes, &err), STATUS_LIMIT);
    text_deinit(&bytes);
    fixture_deinit(&fixture);
}

static void heads_need_memory_too(void **state)
{
    char bytes[SEED_BYTES_MAX];
    FILE *file = fopen(SEEDS "/heads", "rb");
    struct arena arena;
    struct model model;
    struct error err;
    (void)state;

    CHECK(file);
    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    CHECK_OK(made_model_load((struct slice){bytes, fread(bytes, 1, sizeof bytes, file)}, &arena,
                             &model, &err));
    CHECK_INT(fclose(file), 0);
    model.transform.inputs[1].hash_buckets = 0; /* words by their hash are not exported */
    CHECK(export_with_any_memory(&model) > 0);
    arena_deinit(&arena);
}

static void a_column_that_is_called_as_an_output_is_named(void **state)
{
    struct fixture fixture;
    struct text bytes;
    struct error err;
    (void)state;

    make_model(&fixture);
    fixture.model.transform.columns[0] = SLICE("probabilities");
    CHECK_INT(export(&fixture.model, BYTES_MOST, BYTES_MOST, &bytes, &err), STATUS_UNSUPPORTED);
    CHECK(strstr(err.message, "column \"probabilities\" has the name of an output"));
    CHECK(err.hint[0]);
    text_deinit(&bytes);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_has_the_same_bytes_twice),
        cmocka_unit_test(without_memory_there_is_an_error),
        cmocka_unit_test(heads_need_memory_too),
        cmocka_unit_test(a_column_that_is_called_as_an_output_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The seeds of the fuzzer of stored models: where one is no model, the fuzzer never finds one. What
 * each makes of rows stands in model_seed_scores.txt, so that models of all formats go on to be
 * read as they were; TOTRAIN_WRITE=1 writes the file anew.
 */
#include "tests/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "tests/fuzz/made_model.h"

#define SEED_BYTES_MAX 8192

static size_t read_seed(const char *name, char *bytes)
{
    char path[512];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", SEEDS, name);
    file = fopen(path, "rb");
    CHECK(file);
    size = fread(bytes, 1, SEED_BYTES_MAX, file);
    CHECK(size < SEED_BYTES_MAX);
    CHECK_INT(fclose(file), 0);
    return size;
}

/* Formats and kinds that seeds have. */
struct seen {
    size_t seeds;
    bool formats[MODEL_FORMAT_VERSION + 1];
    bool kinds[32]; /* the same order as in kinds */
};

static void look_at(struct seen *seen, const char *name)
{
    char bytes[SEED_BYTES_MAX];
    const size_t size = read_seed(name, bytes);
    struct arena arena;
    struct model model;
    struct error err;

    error_clear(&err);
    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    if (made_model_load((struct slice){bytes, size}, &arena, &model, &err) != STATUS_OK)
        check_failed("the seed %s is no model: %s", name, err.message);
    seen->seeds++;
    seen->formats[model.format] = true;
    for (size_t i = 0; kinds[i]; i++)
        seen->kinds[i] |= kinds[i] == model.kind;
    arena_deinit(&arena);
}

static struct seen look_at_all(void)
{
    struct seen seen = {0};
    DIR *folder = opendir(SEEDS);

    CHECK(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            look_at(&seen, entry->d_name);
    closedir(folder);
    return seen;
}

static void every_seed_is_a_model(void **state)
{
    (void)state;
    CHECK(look_at_all().seeds > 0);
}

/* A kind, or a format, that is added needs a seed. */
static void every_kind_and_the_newest_format_have_a_seed(void **state)
{
    const struct seen seen = look_at_all();
    (void)state;

    for (size_t i = 0; kinds[i]; i++)
        if (!seen.kinds[i])
            check_failed("no seed is of the kind %s", kinds[i]->name);
    CHECK(seen.formats[MODEL_FORMAT_VERSION]);
}

/* Cells of one column, while the others are NULL and an offset is 1. */
static const struct cell values[] = {
    {.type = CELL_NULL},
    {.type = CELL_REAL, .real = 0.5},
    {.type = CELL_REAL, .real = -1e300},
    {.type = CELL_INTEGER, .integer = 2},
    {.type = CELL_TEXT, .text = SLICE("a")},
    {.type = CELL_TEXT, .text = SLICE("a b a 1")},
    {.type = CELL_TEXT, .text = SLICE("1,2")},
    {.type = CELL_TEXT, .text = SLICE("1:0.5 0:2")},
    {.type = CELL_TEXT, .text = SLICE("$1,234.5")},
    {.type = CELL_TEXT, .text = SLICE("2024-03-01 10:00:00")},
};

/* Appends the encoded row, and the model's answer to it: "dense / ids / outputs". */
static void append_row(struct scorer *scorer, const struct cell *cells, struct text *out)
{
    const struct transform *transform = &scorer->model->transform;
    struct error err;

    error_clear(&err);
    if (scorer_transform(scorer, 0, cells, &err) != STATUS_OK) {
        text_printf(out, " %s\n", err.message);
        return;
    }
    scorer_score(scorer, 1);
    for (uint32_t i = 0; i < transform->dense_width; i++)
        text_printf(out, " %.9g", (double)scorer->dense[i]);
    text_append_string(out, " /");
    for (uint32_t i = 0; i < transform->id_count; i++)
        text_printf(out, " %d", scorer->ids[i]);
    text_append_string(out, " /");
    for (uint32_t i = 0; i < model_outputs(scorer->model); i++)
        text_printf(out, " %.9g", (double)scorer->outputs[i]);
    text_append_string(out, "\n");
}

static void append_rows(const char *name, const struct model *model, struct text *out)
{
    const struct transform_input *offset = transform_offset_input(&model->transform);
    const uint32_t columns = model->transform.column_count;
    struct cell *cells = calloc(columns, sizeof *cells);
    struct scorer scorer;
    struct error err;

    CHECK(cells);
    CHECK_OK(scorer_init(&scorer, model, 1, &err));
    if (offset)
        cells[offset->column] = (struct cell){.type = CELL_REAL, .real = 1};
    for (uint32_t i = 0; i < columns; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const struct cell before = cells[i];

            cells[i] = values[v];
            text_printf(out, "%s %u %zu:", name, i, v);
            append_row(&scorer, cells, out);
            cells[i] = before;
        }
    scorer_deinit(&scorer);
    free(cells);
}

static void append_seed(const char *name, struct text *out)
{
    char bytes[SEED_BYTES_MAX];
    const size_t size = read_seed(name, bytes);
    struct arena arena;
    struct model model;
    struct error err;

    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    CHECK_OK(made_model_load((struct slice){bytes, size}, &arena, &model, &err));
    append_rows(name, &model, out);
    arena_deinit(&arena);
}

/* The first line that differs. */
static void check_lines(const char *found, const char *wanted)
{
    size_t at = 0, line = 0;

    while (found[at] && found[at] == wanted[at])
        if (found[at++] == '\n')
            line = at;
    if (found[at] != wanted[at])
        check_failed("\"%.*s\" is no longer what model_seed_scores.txt has",
                     (int)strcspn(found + line, "\n"), found + line);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void seeds_make_of_rows_what_they_did(void **state)
{
    const bool is_written = getenv("TOTRAIN_WRITE") != NULL;
    FILE *file = fopen(SCORES, is_written ? "w+b" : "rb");
    struct dirent **seeds;
    const int count = scandir(SEEDS, &seeds, is_shown, alphasort);
    struct text found, wanted;
    (void)state;

    CHECK(file && count > 0);
    text_init(&found, TEXT_MAXIMUM);
    text_init(&wanted, TEXT_MAXIMUM);
    for (int i = 0; i < count; i++) {
        append_seed(seeds[i]->d_name, &found);
        free(seeds[i]);
    }
    free(seeds);
    if (is_written)
        CHECK_INT(fwrite(found.data, found.size, 1, file), 1);
    rewind(file);
    for (int byte; (byte = fgetc(file)) != EOF;)
        text_append(&wanted, (struct slice){&(char){(char)byte}, 1});
    CHECK_INT(fclose(file), 0);
    check_lines(text_string(&found), text_string(&wanted));
    text_deinit(&found);
    text_deinit(&wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_is_a_model),
        cmocka_unit_test(every_kind_and_the_newest_format_have_a_seed),
        cmocka_unit_test(seeds_make_of_rows_what_they_did),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

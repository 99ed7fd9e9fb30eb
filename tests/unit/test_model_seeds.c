/* Seeds of the fuzzer of stored models: where a seed is no model, it never finds one. */
#include "tests/check.h"

#include <dirent.h>
#include <stdio.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_is_a_model),
        cmocka_unit_test(every_kind_and_the_newest_format_have_a_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

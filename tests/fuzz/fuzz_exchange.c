/*
 * Whatever is imported can be exported in every format, and is imported from there again.
 */
#include <stdlib.h>

#include "interop/exchange.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define BYTES_MAX   ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_format(const struct model *model, enum exchange_format format)
{
    struct text bytes;
    struct arena arena;
    struct model again;
    struct error err;

    text_init(&bytes, BYTES_MAX);
    arena_init(&arena, 4 * ARENA_BYTES);
    switch (exchange_export(model, format, NULL, &bytes, &err)) {
    case STATUS_OK:
        if (exchange_import(text_slice(&bytes), SLICE(""), NULL, &arena, &again, &err) !=
                STATUS_OK ||
            again.transform.input_count != model->transform.input_count ||
            model_outputs(&again) != model_outputs(model))
            abort();
        break;
    case STATUS_UNSUPPORTED: /* codes whose missing values go left */
    case STATUS_LIMIT:
        break;
    default:
        abort();
    }
    arena_deinit(&arena);
    text_deinit(&bytes);
}

/* Whatever is imported scores a row. */
static void check_score(const struct model *model)
{
    struct cell *cells = calloc(model->transform.input_count, sizeof *cells);
    struct scorer scorer;
    struct error err;

    if (!cells || scorer_init(&scorer, model, 1, &err) != STATUS_OK ||
        scorer_transform(&scorer, 0, cells, &err) != STATUS_OK)
        abort();
    scorer_score(&scorer, 1);
    scorer_prediction(&scorer);
    scorer_deinit(&scorer);
    free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct model model;
    struct error err;

    arena_init(&arena, ARENA_BYTES);
    if (exchange_import((struct slice){(const char *)data, size}, SLICE(""), NULL, &arena, &model,
                        &err) == STATUS_OK) {
        check_score(&model);
        for (int format = 0; format < EXCHANGE_FORMATS; format++)
            check_format(&model, (enum exchange_format)format);
    }
    arena_deinit(&arena);
    return 0;
}

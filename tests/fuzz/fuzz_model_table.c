/*
 * A model that loads, written and loaded again, is the same model to its digest. The input:
 * made_model.h.
 */
#include <stdlib.h>

#include "kinds/kinds.h"
#include "scoring/model_bytes.h"
#include "scoring/model_write.h"
#include "tests/fuzz/made_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void collect(void *context, const void *bytes, size_t size)
{
    text_append(context, (struct slice){bytes, size});
}

static void check_again(const struct model *first)
{
    struct text before, after;
    struct model_reader *reader;
    struct model second;
    struct arena arena;
    struct error err;

    arena_init(&arena, 2 * MADE_MODEL_ARENA_BYTES);
    text_init(&before, TEXT_MAXIMUM);
    text_init(&after, TEXT_MAXIMUM);
    if (model_reader_new(kinds, &arena, &reader, &err) != STATUS_OK ||
        model_write(first, model_reader_take, reader, &err) != STATUS_OK ||
        model_reader_finish(reader, &second, &err) != STATUS_OK)
        abort();
    model_reader_free(reader);
    model_feed_bytes(first, collect, &before);
    model_feed_bytes(&second, collect, &after);
    if (!slice_equal(text_slice(&before), text_slice(&after)))
        abort();
    text_deinit(&before);
    text_deinit(&after);
    arena_deinit(&arena);
}

#define ROWS 20 /* scored together: enough for the ways of many */

/* Whatever loads can score rows: of NULLs, but for an offset, without which there is no score. */
static void check_scores(const struct model *model)
{
    struct cell *cells = calloc(model->transform.input_count, sizeof *cells);
    struct scorer scorer;
    struct error err;

    if (!cells || scorer_init(&scorer, model, ROWS, &err) != STATUS_OK)
        abort();
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].offset)
            cells[i] = (struct cell){.type = CELL_REAL, .real = 1};
    for (uint32_t i = 0; i < scorer.rows_max; i++)
        if (scorer_transform(&scorer, i, cells, &err) != STATUS_OK)
            abort();
    scorer_score(&scorer, scorer.rows_max);
    scorer_prediction(&scorer);
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

    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    if (made_model_load((struct slice){(const char *)data, size}, &arena, &model, &err) ==
        STATUS_OK) {
        check_again(&model);
        check_scores(&model);
    }
    arena_deinit(&arena);
    return 0;
}

#include "kinds/scorecard/scorecard_inside.h"

#include "base/cell_values.h"
#include "kinds/scorecard/scorecard_model.h"

/* ---- the card ---- */

enum { CARD_NAME, CARD_BIN, CARD_ROWS, CARD_BAD, CARD_RATE, CARD_WOE, CARD_IV, CARD_POINTS, CARD };

static const char *const *card_columns(enum task task)
{
    static const char *const names[] = {"name", "bin", "rows",   "bad", "bad_rate",
                                        "woe",  "iv",  "points", NULL};
    (void)task;

    return names;
}

static struct slice bin_name(const struct transform_input *input, uint32_t bin)
{
    if (bin < input->word_count)
        return input->words[bin];
    return (int32_t)(input->first_id + bin) == input->null_id ? SLICE("NULL")
                                                              : SLICE("other words");
}

static void put_bin(struct slice name, struct slice bin_name, const struct scorecard_bin *bin,
                    struct cell *cells)
{
    const double rows = bin->bad + bin->good;

    cells[CARD_NAME] = cell_text(name);
    cells[CARD_BIN] = cell_text(bin_name);
    cells[CARD_ROWS] = cell_real(rows);
    cells[CARD_BAD] = cell_real(bin->bad);
    cells[CARD_RATE] = cell_real(bin->bad / rows);
    cells[CARD_WOE] = cell_real(bin->woe);
    cells[CARD_IV] = cell_real(bin->iv);
    cells[CARD_POINTS] = cell_integer((int64_t)bin->points);
}

static void put_base(const struct model *model, struct cell *cells)
{
    const struct scorecard_model *card = scorecard_of(model);
    const struct scorecard_bin all = {
        .bad = card->all_bad, .good = card->all_good, .points = scorecard_base_points(model)};

    put_bin(SLICE("(base)"), SLICE(""), &all, cells);
    cells[CARD_BIN] = cells[CARD_WOE] = cells[CARD_IV] = cell_null();
}

static enum status card_rows(const struct model *model, struct arena *arena, struct cell **cells,
                             size_t *rows, struct error *err)
{
    const struct transform *transform = &model->transform;
    struct cell *end;

    end = *cells = ARENA_NEW(arena, struct cell, (1 + (size_t)transform->id_rows) * CARD);
    if (!end)
        return fail_no_memory(err);
    put_base(model, end);
    end += CARD;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        for (uint32_t j = 0; j < input->id_rows; j++) {
            const struct scorecard_bin bin = scorecard_bin(model, i, j);

            if (bin.bad + bin.good <= 0)
                continue;
            put_bin(input->spec.name, bin_name(input, j), &bin, end);
            end += CARD;
        }
    }
    *rows = (size_t)(end - *cells) / CARD;
    return STATUS_OK;
}

/* ---- the inputs ---- */

static const char *const *input_columns(enum task task)
{
    static const char *const names[] = {"name", "coefficient", "iv", NULL};
    (void)task;

    return names;
}

static enum status input_rows(const struct model *model, struct arena *arena, struct cell **cells,
                              size_t *rows, struct error *err)
{
    const struct scorecard_model *card = scorecard_of(model);
    struct cell *end;

    *rows = 1 + (size_t)card->inputs;
    end = *cells = ARENA_NEW(arena, struct cell, *rows * 3);
    if (!end)
        return fail_no_memory(err);
    *end++ = cell_string("(intercept)");
    *end++ = cell_real(card->coefficients[0]);
    *end++ = cell_null();
    for (uint32_t i = 0; i < card->inputs; i++) {
        const struct transform_input *input = &model->transform.inputs[i];
        double iv = 0;

        for (uint32_t j = 0; j < input->id_rows; j++)
            iv += scorecard_bin(model, i, j).iv;
        *end++ = cell_text(input->spec.name);
        *end++ = cell_real(card->coefficients[1 + i]);
        *end++ = cell_real(iv);
    }
    return STATUS_OK;
}

const struct model_inside scorecard_insides[] = {
    {"scorecard", card_columns, card_rows},
    {"coefficients", input_columns, input_rows},
    {NULL, NULL, NULL},
};

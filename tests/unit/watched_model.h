/*
 * watched_model.h - the model of scoring_fixture.h with statistics of made-up training rows, and
 * such rows.
 */
#pragma once

#include "scoring/statistics/input_statistics.h"
#include "tests/unit/scoring_fixture.h"

#define WATCHED_ROWS 300

/* Row `row`: age from 0 to 90 and then NULL, a height, a colour of two, no size. */
static inline void watched_cells(uint32_t row, struct cell cells[4])
{
    cells[0] = row % 10 == 9 ? (struct cell){.type = CELL_NULL}
                             : (struct cell){.type = CELL_REAL, .real = row * 37 % 91};
    cells[1] = (struct cell){.type = CELL_REAL, .real = 170.5};
    cells[2] = (struct cell){.type = CELL_TEXT, .text = row % 3 ? SLICE("red") : SLICE("green")};
    cells[3] = (struct cell){.type = CELL_NULL};
}

/* Row 0 of the scorer is scored, and selected. */
static inline enum status watched_score(struct scorer *scorer, uint32_t row, struct error *err)
{
    struct cell cells[4];

    watched_cells(row, cells);
    TRY(scorer_transform(scorer, 0, cells, err));
    scorer_score(scorer, 1);
    return STATUS_OK;
}

/* A model without layers yet, of so many classes; 0: it is a regression. */
static inline void watched_init(struct fixture *fixture, uint32_t classes)
{
    const uint32_t widths[] = {classes > 2 ? classes : 1};

    fixture_init(fixture, classes);
    fixture_layers(fixture, widths, 1);
}

/* values (WATCHED_ROWS): of an input of all rows; of input_count those of the predictions. */
static inline enum status watched_values(const struct model *model, uint32_t input,
                                         struct input_value *values, struct error *err)
{
    const struct transform *transform = &model->transform;
    double probabilities[16];
    struct scorer scorer;
    enum status status;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t row = 0; row < WATCHED_ROWS; row++) {
        struct cell cells[4];

        watched_cells(row, cells);
        status = watched_score(&scorer, row, err);
        if (status != STATUS_OK)
            break;
        values[row] = input < transform->input_count
                          ? input_value_of(transform, &transform->inputs[input], scorer.dense,
                                           scorer.ids, &cells[input])
                          : prediction_value_of(&scorer, probabilities);
    }
    scorer_deinit(&scorer);
    return status;
}

/* The model keeps statistics of its rows from now on. */
static inline enum status watched_keep(struct fixture *fixture, struct error *err)
{
    struct model *model = &fixture->model;
    const uint32_t count = model->transform.input_count + 1;
    struct slice *kept = ARENA_NEW(&fixture->arena, struct slice, count);
    static struct input_value values[WATCHED_ROWS];
    static double numbers[WATCHED_ROWS];

    if (!kept)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_number = i + 1 < count ? statistics_are_numbers(&model->transform.inputs[i])
                                             : predictions_are_numbers(model);
        struct input_statistics statistics;

        TRY(watched_values(model, i, values, err));
        input_statistics_make(is_number, values, WATCHED_ROWS, numbers, &statistics);
        TRY(input_statistics_write(&statistics, &fixture->arena, &kept[i], err));
    }
    model->statistics = kept;
    model->statistics_count = count;
    return STATUS_OK;
}

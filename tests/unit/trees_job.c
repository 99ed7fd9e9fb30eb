#include "tests/unit/trees_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Categories have few words; of the last one some rows have any of many. */
static void narrow_ids(struct dataset_part *part)
{
    for (uint32_t row = 0; row < part->rows; row++)
        for (uint32_t j = 0; j < CATEGORIES; j++) {
            int32_t *id = &part->ids[(size_t)row * CATEGORIES + j];
            const int32_t first = (int32_t)j * (WIDE_WORDS + 1);

            if (*id >= 0 && (j + 1 < CATEGORIES || *id % 16 > 0))
                *id = first + (*id - first) % (WORDS + 1);
        }
}

void made_init(struct made *made, uint32_t rows, uint32_t held_out, uint32_t classes)
{
    struct dataset *dataset = &made->dataset;

    *dataset = made_dataset((struct rows_shape){rows, held_out, NUMBERS, CATEGORIES,
                                                CATEGORIES * (WIDE_WORDS + 1), classes});
    show_rows(dataset);
    narrow_ids(&dataset->train);
    narrow_ids(&dataset->validation);
    memset(made->inputs, 0, sizeof made->inputs);
    for (uint32_t i = 0; i < WIDE_WORDS; i++) {
        snprintf(made->spelled[i], sizeof made->spelled[i], "w%u", i);
        made->words[i] = slice_of(made->spelled[i]);
    }
    for (uint32_t i = 0; i < NUMBERS + CATEGORIES; i++) {
        struct transform_input *input = &made->inputs[i];
        const bool is_number = i < NUMBERS;
        const uint32_t words = i + 1 < NUMBERS + CATEGORIES ? WORDS : WIDE_WORDS;

        input->spec.name = slice_of("input");
        input->spec.type = is_number ? INPUT_NUMERIC : INPUT_CATEGORY;
        input->scale = 1;
        input->dense_offset = is_number ? i : 0;
        input->id_offset = is_number ? 0 : i - NUMBERS;
        input->first_id = is_number ? 0 : (i - NUMBERS) * (WIDE_WORDS + 1);
        input->id_rows = is_number ? 0 : words + 1;
        input->word_count = is_number ? 0 : words;
        input->words = is_number ? NULL : made->words;
        input->hash_buckets = !is_number; /* the last id is of other words */
    }
    dataset->transform.inputs = made->inputs;
    dataset->transform.input_count = NUMBERS + CATEGORIES;
    dataset->transform.keeps_numbers = true;
    made->summaries[0] = (struct spool_column_summary){.least = -9, .greatest = 9};
    made->summaries[1] = (struct spool_column_summary){.least = 0, .greatest = 2};
    dataset->spool.summaries =
        made->summaries; /* the label's is 0: the spec of a test has no inputs */
    dataset->label_mean = 0;
    dataset->label_scale = 1;
    for (uint32_t i = 0; i < rows; i++) {
        if (i % 7 == 0)
            dataset->train.dense[(size_t)i * NUMBERS + 2] = NAN;
        if (classes)
            dataset->class_counts[dataset->train.classes[i]]++;
    }
    hide_rows(dataset);
}

void made_deinit(struct made *made)
{
    made_dataset_close(&made->dataset);
}

struct trees_params params_of_test(void)
{
    struct trees_params params = default_trees();

    params.rounds = 6;
    params.growth = TREE_LOSSGUIDE;
    params.max_depth = 0;
    params.max_leaves = 9;
    params.max_bin = 64;
    params.min_child_weight = .1;
    return params;
}

struct jobspec spec_of(const struct dataset *dataset, struct trees_params params)
{
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("trees");
    spec.estimator = SLICE("XGBClassifier");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

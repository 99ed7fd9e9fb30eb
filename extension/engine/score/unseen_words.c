#include "extension/engine/score/unseen_words.h"

#include <string.h>

#include "inputs/encoders.h"
#include "scoring/input_statistics.h"

enum status unseen_words_init(const struct model *model, struct arena *arena,
                              struct unseen_words *words, struct error *err)
{
    const size_t count = model->transform.input_count + (size_t)1;

    words->model = model;
    words->inputs = ARENA_NEW(arena, struct unseen_word, count);
    if (!words->inputs)
        return fail_no_memory(err);
    memset(words->inputs, 0, count * sizeof *words->inputs);
    return STATUS_OK;
}

/* Does the column hold one word in each row, of which the model knows some? */
static bool has_words(const struct transform_input *input)
{
    return input->encoder == &words_encoder && input->word_count > 0;
}

static void keep_example(struct unseen_word *word, const struct cell *cell)
{
    struct slice text, kept = slice_of(word->example);

    if (cell->type != CELL_TEXT)
        return;
    text = slice_prefix(cell->text, sizeof word->example - 1);
    if (text.size > 0 && (kept.size == 0 || slice_compare(text, kept) < 0))
        slice_copy(text, word->example, sizeof word->example);
}

void unseen_words_row(struct unseen_words *words, const struct scorer *scorer, uint32_t place,
                      const struct cell *cells)
{
    const struct transform *transform = &words->model->transform;
    const float *dense = scorer->dense + (size_t)place * transform->dense_width;
    const int32_t *ids = scorer->ids + (size_t)place * transform->id_count;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const int64_t first = input->first_id, id = has_words(input) ? ids[input->id_offset] : 0;

        if (!has_words(input) ||
            input_value_of(transform, input, dense, ids, &cells[input->column]).is_null)
            continue;
        words->inputs[i].rows++;
        if (id >= first && id < first + (int64_t)input->word_count)
            continue;
        words->inputs[i].unseen++;
        keep_example(&words->inputs[i], &cells[input->column]);
    }
}

void unseen_words_note(const struct unseen_words *words, struct notice_list *notices)
{
    for (uint32_t i = 0; i < words->model->transform.input_count; i++) {
        const struct transform_input *input = &words->model->transform.inputs[i];
        const struct unseen_word *word = &words->inputs[i];
        const double share = input->hash_buckets > 0 ? 1 : UNSEEN_SHARE;

        if (word->rows < UNSEEN_ROWS_MIN || (double)word->unseen < share * (double)word->rows)
            continue;
        notice_add(
            notices, NOTICE_MISSING,
            "column \"%.*s\": %llu of %llu rows have a word that the model has not learned%s%s%s",
            SLICE_FORMAT(input->spec.name), (unsigned long long)word->unseen,
            (unsigned long long)word->rows, word->example[0] ? ", as '" : "", word->example,
            word->example[0] ? "'" : "");
        notice_hint(notices, "It knows '%.*s': words that differ in capitals or spaces are others.",
                    SLICE_FORMAT(slice_prefix(input->words[0], sizeof word->example - 1)));
    }
}

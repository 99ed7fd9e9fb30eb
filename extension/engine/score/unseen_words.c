#include "extension/engine/score/unseen_words.h"

#include <string.h>

#include "extension/engine/host/stored_model.h"
#include "inputs/cells/alike.h"
#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/word_table.h"

/* ---- the model's words ---- */

/* Does the column hold one word in each row, of which the model knows some? */
static bool has_words(const struct transform_input *input)
{
    return input->encoder == &words_encoder && input->word_count > 0;
}

static enum status make(struct unseen_words *words, size_t count, struct arena *arena,
                        struct error *err)
{
    words->columns = ARENA_NEW(arena, struct unseen_word, count + 1);
    if (!words->columns)
        return fail_no_memory(err);
    memset(words->columns, 0, (count + 1) * sizeof *words->columns);
    words->count = count;
    return STATUS_OK;
}

enum status unseen_words_borrow(const struct model *model, struct arena *arena,
                                struct unseen_words *words, struct error *err)
{
    const struct transform *transform = &model->transform;

    TRY(make(words, transform->column_count, arena, err));
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (has_words(&transform->inputs[i]))
            words->columns[transform->inputs[i].column].input = &transform->inputs[i];
    return STATUS_OK;
}

static enum status copy_word(struct slice *to, struct slice word, struct arena *arena,
                             struct error *err)
{
    *to = arena_copy(arena, word);
    return to->data || word.size == 0 ? STATUS_OK : fail_no_memory(err);
}

/* The input with words and a table of its own. */
static enum status copy_input(struct unseen_word *column, struct arena *arena, struct error *err)
{
    struct transform_input *copy = ARENA_NEW(arena, struct transform_input, 1);
    const struct transform_input *input = column->input;

    column->input = NULL;
    if (!copy)
        return fail_no_memory(err);
    *copy = *input;
    TRY(copy_word(&copy->spec.name, input->spec.name, arena, err));
    copy->words = ARENA_NEW(arena, struct slice, input->word_count);
    if (!copy->words)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        TRY(copy_word(&copy->words[i], input->words[i], arena, err));
    TRY(word_table_make(copy, arena, err));
    column->input = copy;
    return STATUS_OK;
}

static enum status copy_inputs(struct unseen_words *words, struct arena *arena, struct error *err)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->columns[i].input)
            TRY(copy_input(&words->columns[i], arena, err));
    return STATUS_OK;
}

static bool may_have_words(const struct plan *plan)
{
    if (plan->model.memory == 0 || plan->model.memory > UNSEEN_MODEL_BYTES_MAX)
        return false;
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (plan->model.inputs[i].type == INPUT_CATEGORY)
            return true;
    return false;
}

enum status unseen_words_load(const struct host *host, const struct plan *plan, struct arena *arena,
                              struct unseen_words *words, struct error *err)
{
    enum status status = STATUS_OK;
    struct arena loaded;
    struct model model;
    struct error why;

    *words = (struct unseen_words){.columns = NULL};
    if (!host->models || !may_have_words(plan))
        return STATUS_OK;
    arena_init(&loaded, MODEL_ARENA_MAX);
    /* The scoring of the rows says why it cannot be loaded. */
    if (stored_model_load(host, plan->model_schema, plan->model_name, &loaded, &model, &why) ==
            STATUS_OK &&
        model.transform.column_count == plan->model.input_count) {
        status = unseen_words_borrow(&model, arena, words, err);
        if (status == STATUS_OK)
            status = copy_inputs(words, arena, err);
    }
    arena_deinit(&loaded);
    return status;
}

/* ---- rows ---- */

static void keep_example(struct unseen_word *word, const struct cell *cell)
{
    uint32_t at = 0, last = word->example_count;
    struct slice text;

    if (cell->type != CELL_TEXT)
        return;
    text = slice_prefix(cell->text, UNSEEN_BYTES - 1);
    while (at < last && slice_compare(slice_of(word->examples[at]), text) < 0)
        at++;
    if (text.size == 0 || at == UNSEEN_EXAMPLES ||
        (at < last && slice_is(text, word->examples[at])))
        return;
    last = last < UNSEEN_EXAMPLES ? last : UNSEEN_EXAMPLES - 1;
    memmove(word->examples[at + 1], word->examples[at], (last - at) * UNSEEN_BYTES);
    slice_copy(text, word->examples[at], UNSEEN_BYTES);
    word->example_count = last + 1;
}

void unseen_words_cell(struct unseen_words *words, size_t column, const struct cell *cell)
{
    struct unseen_word *of = &words->columns[column];
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    struct error why;
    bool is_null;

    if (cell_to_word(cell, of->input->spec.name, buffer, &word, &is_null, &why) != STATUS_OK ||
        is_null)
        return;
    if (word_table_has(of->input, word)) {
        of->rows++;
        return;
    }
    if (slice_trim(word).size == 0)
        return;
    of->rows++;
    of->unseen++;
    keep_example(of, cell);
}

/* An example, and the word that the model knows and that looks like it; is_found false: none does,
 * and they are the first ones. */
struct likeness {
    struct slice example, known;
    bool is_found;
};

static struct likeness likeness_of(const struct unseen_word *word)
{
    const struct transform_input *input = word->input;
    char bytes[UNSEEN_EXAMPLES][UNSEEN_BYTES], known_bytes[4 * UNSEEN_BYTES];
    struct slice folded[UNSEEN_EXAMPLES];

    for (uint32_t i = 0; i < word->example_count; i++)
        folded[i] = alike_fold(slice_of(word->examples[i]), bytes[i]);
    for (uint32_t i = 0; i < input->word_count && word->example_count > 0; i++) {
        struct slice known;

        if (input->words[i].size > sizeof known_bytes)
            continue;
        known = alike_fold(input->words[i], known_bytes);
        for (uint32_t j = 0; j < word->example_count; j++)
            if (slice_equal(known, folded[j]))
                return (struct likeness){slice_of(word->examples[j]), input->words[i], true};
    }
    return (struct likeness){word->example_count > 0 ? slice_of(word->examples[0]) : SLICE(""),
                             input->words[0], false};
}

/* Hardly a word is known, or some look like others that are. */
static bool is_told(const struct unseen_word *word, const struct likeness *likeness)
{
    const double share = word->input->hash_buckets > 0 ? 1 : UNSEEN_SHARE;

    return (double)word->unseen >= share * (double)word->rows ||
           (likeness->is_found && word->unseen >= UNSEEN_ALIKE &&
            word->unseen * UNSEEN_ALIKE_OF >= word->rows);
}

void unseen_words_note(const struct unseen_words *words, struct notice_list *notices)
{
    for (size_t i = 0; i < words->count; i++) {
        const struct unseen_word *word = &words->columns[i];
        struct likeness likeness;

        if (!word->input || word->rows < UNSEEN_ROWS_MIN || word->unseen == 0)
            continue;
        likeness = likeness_of(word);
        if (!is_told(word, &likeness))
            continue;
        notice_add(notices, NOTICE_MISSING,
                   "column \"%.*s\": %llu of %llu rows have a value that the model has not "
                   "learned%s%.*s%s",
                   SLICE_FORMAT(word->input->spec.name), (unsigned long long)word->unseen,
                   (unsigned long long)word->rows, likeness.example.size > 0 ? ", such as '" : "",
                   SLICE_FORMAT(likeness.example), likeness.example.size > 0 ? "'" : "");
        notice_hint(notices,
                    "It knows '%.*s': a difference in capitals, spaces or characters that look "
                    "alike makes another value.",
                    SLICE_FORMAT(slice_prefix(likeness.known, UNSEEN_BYTES - 1)));
    }
}

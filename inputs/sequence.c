#include "inputs/sequence.h"

#include <math.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/word_table.h"

/* ---- items ---- */

struct sequence sequence_of(struct slice text, const struct cell_list *list)
{
    struct sequence sequence = {.list = list};

    sequence.rest = slice_trim(text);
    if (sequence.rest.size > 0 && (sequence.rest.data[0] == '[' || sequence.rest.data[0] == '{')) {
        sequence.is_array = true;
        sequence.close = sequence.rest.data[0] == '[' ? ']' : '}';
        sequence.rest = slice_trim((struct slice){sequence.rest.data + 1, sequence.rest.size - 1});
    }
    return sequence;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Four hexadecimal digits. */
static bool read_unit(const char *at, const char *end, uint32_t *unit)
{
    *unit = 0;
    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        if (!is_hex(at[i]))
            return false;
        *unit = *unit * 16 + (uint32_t)(at[i] <= '9' ? at[i] - '0' : (at[i] | 0x20) - 'a' + 10);
    }
    return true;
}

static size_t put_utf8(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6), to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18), to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F)), to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

/* Reads what stands behind \u: one unit, or two of a character beyond the first 65,536. Zero is
 * none, as words that hold it could not be told from shorter ones. */
static bool read_code(const char **at, const char *end, uint32_t *code)
{
    uint32_t low;

    if (!read_unit(*at, end, code) || *code == 0 || (*code >= 0xDC00 && *code < 0xE000))
        return false;
    *at += 4;
    if (*code < 0xD800 || *code >= 0xE000)
        return true;
    if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_unit(*at + 2, end, &low) ||
        low < 0xDC00 || low >= 0xE000)
        return false;
    *at += 6;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/* The character that an escape stands for, which begins behind its backslash. */
static bool read_escape(const char **at, const char *end, char *to, size_t *size)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name = *at < end && **at ? strchr(names, **at) : NULL;
    uint32_t code;

    *size = 1;
    if (name) {
        *to = meant[name - names];
        ++*at;
        return true;
    }
    if (*at == end || *(*at)++ != 'u' || !read_code(at, end, &code))
        return false;
    *size = put_utf8(code, to);
    return true;
}

/* Without escapes the bytes between the quotes; else their copy. *after: behind the second quote.
 */
static bool read_quoted(struct sequence *sequence, const char **after, struct slice *item)
{
    const char *at = sequence->rest.data + 1, *end = sequence->rest.data + sequence->rest.size;
    const char *first = at;
    size_t size = 0, one;

    while (at < end && *at != '"' && *at != '\\')
        at++;
    if (at < end && *at == '"') {
        *item = (struct slice){first, (size_t)(at - first)};
        *after = at + 1;
        return true;
    }
    for (at = first; at < end && *at != '"'; size += one) {
        one = 1;
        if (size + 4 > sizeof sequence->word)
            return false;
        if (*at != '\\')
            sequence->word[size] = *at++;
        else if (++at, !read_escape(&at, end, sequence->word + size, &one))
            return false;
    }
    *item = (struct slice){sequence->word, size};
    *after = at + 1;
    return at < end;
}

static bool is_null_word(struct slice item)
{
    return slice_is_fold(item, "null");
}

/* Up to the comma, or the end of the array. */
static bool read_bare(const struct sequence *sequence, const char **after, struct slice *item)
{
    const char *at = sequence->rest.data, *end = at + sequence->rest.size;

    while (at < end && *at != ',' && *at != sequence->close) {
        if (strchr("[]{}\"\\", *at))
            return false;
        at++;
    }
    *item = slice_trim((struct slice){sequence->rest.data, (size_t)(at - sequence->rest.data)});
    *after = at;
    if (is_null_word(*item))
        *item = (struct slice){NULL, 0};
    return !item->data || item->size > 0;
}

/* Is the array at its end, and the text as well? Its rest is then empty. */
static enum list_next end_array(struct sequence *sequence)
{
    const bool is_end = sequence->rest.size == 1 && sequence->rest.data[0] == sequence->close;

    sequence->rest = (struct slice){NULL, 0};
    return is_end ? LIST_END : LIST_WRONG;
}

static enum list_next next_of_array(struct sequence *sequence, struct slice *item)
{
    const char *after, *end = sequence->rest.data + sequence->rest.size;
    struct slice rest;

    if (sequence->rest.size == 0)
        return LIST_WRONG;
    if (sequence->rest.data[0] == sequence->close)
        return end_array(sequence);
    if (!(sequence->rest.data[0] == '"' ? read_quoted(sequence, &after, item)
                                        : read_bare(sequence, &after, item)))
        return LIST_WRONG;
    rest = slice_trim((struct slice){after, (size_t)(end - after)});
    if (rest.size > 0 && rest.data[0] == ',') {
        rest = slice_trim((struct slice){rest.data + 1, rest.size - 1});
        if (rest.size == 0 || rest.data[0] == sequence->close)
            return LIST_WRONG; /* nothing stands behind the comma */
    } else if (rest.size == 0 || rest.data[0] != sequence->close) {
        return LIST_WRONG;
    }
    sequence->rest = rest;
    return LIST_ITEM;
}

enum list_next sequence_next(struct sequence *sequence, struct slice *item)
{
    struct list_item next;
    enum list_next found;

    if (sequence->is_array)
        return next_of_array(sequence, item);
    if (sequence->rest.size == 0)
        return LIST_END;
    found = cell_list_next(sequence->list, &sequence->rest, &next);
    *item = next.word;
    return found;
}

bool sequence_count(struct slice text, const struct cell_list *list, uint32_t *count)
{
    struct sequence sequence = sequence_of(text, list);
    enum list_next next;
    struct slice item;

    for (*count = 0; (next = sequence_next(&sequence, &item)) == LIST_ITEM;)
        ++*count;
    return next == LIST_END;
}

/* ---- numbers ---- */

/* Fewer than the list has stand at its end. */
static size_t pad(size_t count, const struct cell_list *list, double *numbers)
{
    const size_t missing = count < list->size ? list->size - count : 0;

    for (size_t i = 0; i < missing; i++)
        numbers[i] = NAN;
    return missing;
}

bool sequence_numbers(struct slice text, const struct cell_list *list, double *numbers)
{
    struct sequence sequence = sequence_of(text, list);
    uint32_t count, skipped;
    struct slice item;
    double number;
    size_t at;

    if (!sequence_count(text, list, &count))
        return false;
    at = pad(count, list, numbers);
    skipped = count > list->size ? count - list->size : 0;
    for (uint32_t i = 0; sequence_next(&sequence, &item) == LIST_ITEM; i++) {
        number = NAN;
        if (item.data && (!slice_to_real(slice_trim(item), &number) || !isfinite(number)))
            return false;
        if (i >= skipped)
            numbers[at++] = number;
    }
    return true;
}

void sequence_array(const char *doubles, size_t count, const struct cell_list *list,
                    double *numbers)
{
    const size_t at = pad(count, list, numbers), kept = list->size - at;

    if (kept > 0)
        memcpy(numbers + at, doubles + (count - kept) * sizeof *numbers, kept * sizeof *numbers);
}

/* ---- words ---- */

static enum status each_word(const struct input_spec *spec, struct slice text, word_taker *take,
                             void *self, struct error *err)
{
    struct sequence sequence = sequence_of(text, &spec->list);
    uint32_t count, skipped;
    struct slice item;

    if (!sequence_count(text, &spec->list, &count)) /* it was looked at when it was written */
        return fail(err, STATUS_CORRUPT, "column \"%.*s\": a text that is no sequence",
                    SLICE_FORMAT(input_column(spec)));
    skipped = count > spec->list.size ? count - spec->list.size : 0;
    for (uint32_t i = 0; sequence_next(&sequence, &item) == LIST_ITEM; i++)
        if (i >= skipped && item.data)
            TRY(take(self, item, err));
    return STATUS_OK;
}

/* The ids of a text so far, ascending: so their sum has the same bits in whatever order words are.
 */
struct selected_ids {
    const struct transform_input *input;
    int32_t *ids;
    uint32_t count;
};

static enum status select_word(void *self, struct slice word, struct error *err)
{
    struct selected_ids *selected = self;
    const int32_t id = word_id(selected->input, word);
    uint32_t at = selected->count;
    (void)err;

    if (id < 0)
        return STATUS_OK;
    for (; at > 0 && selected->ids[at - 1] > id; at--)
        selected->ids[at] = selected->ids[at - 1];
    selected->ids[at] = id;
    selected->count++;
    return STATUS_OK;
}

static enum status append_word(void *self, struct slice word, struct error *err)
{
    struct selected_ids *selected = self;
    const int32_t id = word_id(selected->input, word);
    (void)err;

    if (id >= 0)
        selected->ids[selected->count++] = id;
    return STATUS_OK;
}

static bool take_ids(const struct transform_input *input, struct slice text, word_taker *take,
                     int32_t *ids)
{
    struct selected_ids selected = {input, ids, 0};
    struct error err;
    enum status status = each_word(&input->spec, text, take, &selected, &err);

    for (uint32_t i = selected.count; i < input->spec.words_max; i++)
        ids[i] = -1;
    return status == STATUS_OK;
}

static bool text_ids(const struct transform_input *input, struct slice text, int32_t *ids)
{
    return take_ids(input, text, select_word, ids);
}

static bool ordered_ids(const struct transform_input *input, struct slice text, int32_t *ids)
{
    return take_ids(input, text, append_word, ids);
}

static bool is_ordered(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && spec->rule == RULE_ORDERED;
}

static bool is_sequence(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT && spec->rule == RULE_SEQUENCE;
}

static bool fits(const struct transform_input *input)
{
    return input->spec.list.form == LIST_SEQUENCE && !input->spec.is_weighted &&
           input->spec.words_max > 0 && input->spec.words_max <= TEXT_WORDS_MAX &&
           input->spec.words_max == input->spec.list.size &&
           input->word_count <= CATEGORY_WORDS_MAX && input->hash_buckets <= CATEGORY_WORDS_MAX;
}

/* A layer has one row at least, also of a column without a word. */
static struct input_size size_of_sequence(const struct transform_input *input, bool keeps_numbers)
{
    const uint32_t rows = input->word_count + input->hash_buckets;
    (void)keeps_numbers;

    return (struct input_size){.ids = input->spec.words_max, .id_rows = rows > 0 ? rows : 1};
}

static enum status encode_words(const struct transform_input *input, const struct cell *cells,
                                struct encoded_row *row, struct error *err)
{
    const struct cell *cell = &cells[input->column];
    const struct slice column = input_column(&input->spec);
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice text;
    bool is_null;

    TRY(cell_to_word(cell, column, buffer, &text, &is_null, err));
    return input->encoder->text_ids(input, text, row->ids + input->id_offset)
               ? STATUS_OK
               : list_items_refuse(cell, &input->spec.list, 0, column, err);
}

static void explain(const struct input_spec *spec, struct text *out)
{
    text_printf(out,
                ", a sequence, the last %u of its words, of up to %u different ones, by their %s",
                spec->words_max, spec->vocabulary_max, combiner_words[spec->combiner]);
}

static void explain_ordered(const struct input_spec *spec, struct text *out)
{
    text_printf(out, ", a sequence, the last %u of its words in order, of up to %u different ones",
                spec->words_max, spec->vocabulary_max);
}

static void describe_ordered(const struct transform_input *input, bool keeps_numbers,
                             struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, ", a sequence, the last %u of its words in order", input->spec.words_max);
    if (input->hash_buckets > 0)
        text_printf(out, ", %u hash buckets beside them", input->hash_buckets);
}

static void describe(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    (void)keeps_numbers;
    text_printf(out, ", a sequence, the last %u of its words", input->spec.words_max);
    if (input->hash_buckets > 0)
        text_printf(out, ", %u hash buckets beside them", input->hash_buckets);
    text_printf(out, ", by their %s", combiner_words[input->spec.combiner]);
}

const struct encoder sequence_encoder = {
    .name = "sequence",
    .is_of = is_sequence,
    .reads = READS_TEXT,
    .counts = COUNTS_WORDS,
    .is_named = true,
    .fits = fits,
    .size = size_of_sequence,
    .encode = encode_words,
    .text_ids = text_ids,
    .each_word = each_word,
    .explain = explain,
    .describe = describe,
};

const struct encoder ordered_encoder = {
    .name = "sequence in order",
    .is_of = is_ordered,
    .reads = READS_TEXT,
    .counts = COUNTS_WORDS,
    .is_named = true,
    .fits = fits,
    .size = size_of_sequence,
    .encode = encode_words,
    .text_ids = ordered_ids,
    .each_word = each_word,
    .explain = explain_ordered,
    .describe = describe_ordered,
};

/* ---- numbers of a sequence, each of which is an input ---- */

static bool is_step(const struct input_spec *spec)
{
    return spec->type == INPUT_NUMERIC && spec->list.form == LIST_STEPS;
}

/* Numbers of other lists are read likewise, all of them with the first. */
static enum status encode_step(const struct transform_input *input, const struct cell *cells,
                               struct encoded_row *row, struct error *err)
{
    return element_encoder.encode(input, cells, row, err);
}

const struct encoder step_encoder = {
    .name = "sequence of numbers",
    .is_of = is_step,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .is_named = true,
    .size = size_of_number,
    .encode = encode_step,
    .describe = describe_number,
};

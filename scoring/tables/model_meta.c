#include "scoring/tables/model_meta.h"
#include "inputs/encoders.h"
#include "inputs/input_members.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "scoring/kind.h"
#include "scoring/label_names.h"
#include "scoring/statistics/input_statistics.h"
#include "scoring/tables/model_bytes.h"

#define EXACT_INTEGER   ((int64_t)1 << 53) /* integers up to it are exact as JSON numbers */
#define ID_DIGITS       32
#define DIGEST_DIGITS   64
#define CHECKSUM_DIGITS 16

uint64_t model_weight_rows(const struct model *model)
{
    const struct transform *transform = &model->transform;
    uint64_t features = 1 + (uint64_t)transform_features(transform);
    struct linear_weights linear;
    uint64_t rows;

    if (!model->kind->linear || !model->kind->linear(model, &linear))
        return 0;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        if (input->spec.type != INPUT_NUMERIC)
            features += (uint64_t)input->word_count + input->hash_buckets + input->has_nulls;
    }
    rows = features * linear.width;
    return rows > MODEL_WEIGHT_ROWS_MAX ? 0 : rows;
}

/* JSON strings end at a zero byte: a text that holds one would come back cut. */
static enum status add_text(cJSON *object, const char *name, struct slice value, struct error *err)
{
    if (value.size && memchr(value.data, '\0', value.size))
        return fail(err, STATUS_INVALID, "the model's %s has a zero byte", name);
    json_add_string(object, name, value);
    return STATUS_OK;
}

static void add_number(cJSON *object, const struct transform_input *input)
{
    json_add_real(object, "mean", input->mean);
    json_add_real(object, "scale", input->scale);
    json_add_real(object, "null_value", (double)input->null_value);
    if (transform_input_is_limited(input))
        json_add_real(object, "limit", (double)input->limit);
    if (input->has_code)
        json_add_real(object, "code", input->code);
}

/* May it have a vocabulary? Each category may. */
static bool has_words(const struct transform_input *input)
{
    return input->spec.type == INPUT_CATEGORY ||
           (input->spec.type == INPUT_TEXT && encoder_of(&input->spec)->counts == COUNTS_WORDS);
}

/* Puts what was learned between the members of the spec. */
static enum status add_input(cJSON *inputs, const struct transform_input *input, bool keeps_numbers,
                             struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    const char *cut = input_member_with_zero(&input->spec);

    input_members_write(&input->spec, RECORD_MODEL, 0, object);
    json_add_boolean(object, "has_nulls", input->has_nulls);
    input_members_write(&input->spec, RECORD_MODEL, 1, object);
    if (input->spec.type != INPUT_NUMERIC) {
        if (has_words(input))
            json_add_integer(object, "words", input->word_count);
        json_add_integer(object, "hash_buckets", input->hash_buckets);
        if (input->spec.weight == TEXT_WEIGHT_TFIDF)
            json_add_integer(object, "texts", (int64_t)input->texts);
    } else if (!keeps_numbers) {
        add_number(object, input);
    } else if (input->mean != 0) {
        json_add_real(object, "origin", input->mean);
    }
    input_members_write(&input->spec, RECORD_MODEL, 2, object);
    json_append(inputs, object);
    return cut ? fail(err, STATUS_INVALID, "the model's %s has a zero byte", cut) : STATUS_OK;
}

/* Those that models of before did not know; none of them is needed twice. */
static void add_encoders(cJSON *meta, const struct transform *transform)
{
    cJSON *names;

    if (!transform_names_encoders(transform))
        return;
    names = json_add_array(meta, "encoders");
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct encoder *encoder = encoder_of(&transform->inputs[i].spec);
        uint32_t first = 0;

        while (encoder_of(&transform->inputs[first].spec) != encoder)
            first++;
        if (encoder->is_named && first == i)
            json_append(names, json_string(slice_of(encoder->name)));
    }
}

static cJSON *label_to_json(const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return json_string(cell->text);
    return cell->type == CELL_INTEGER ? json_integer(cell->integer) : json_real(cell->real);
}

static enum status add_labels(cJSON *meta, const struct model *model, struct error *err)
{
    cJSON *object = json_add_object(meta, "labels"), *values;

    json_add_string(object, "type", slice_of(label_type_words[model->labels.type]));
    if (model->link != LABEL_LINK_NONE)
        json_add_string(object, "link", slice_of(label_link_words[model->link]));
    if (model->link == LABEL_LINK_EXP && model->aim.power > 0)
        json_add_real(object, "tweedie_power", model->aim.power);
    if (model->task == TASK_REGRESSION) {
        if (model->labels.reading != READING_STRICT)
            json_add_string(object, "reading",
                            slice_of(input_reading_words[model->labels.reading]));
        json_add_real(object, "mean", model->label_mean);
        json_add_real(object, "scale", model->label_scale);
        return STATUS_OK;
    }
    if (!task_has_label(model->task))
        return STATUS_OK;
    values = json_add_array(object, "values");
    for (uint32_t i = 0; i < model->labels.count; i++) {
        const struct cell *cell = &model->labels.values[i];
        if (cell->type == CELL_TEXT && cell->text.size &&
            memchr(cell->text.data, '\0', cell->text.size))
            return fail(err, STATUS_INVALID, "a label of the model has a zero byte");
        json_append(values, label_to_json(cell));
    }
    if (model->positive_is_lesser)
        json_add(object, "positive", label_to_json(&model->labels.values[0]));
    return STATUS_OK;
}

static void add_checksum(cJSON *meta, uint64_t checksum)
{
    char digits[CHECKSUM_DIGITS + 1];

    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)checksum);
    json_add_string(meta, "checksum", slice_of(digits));
}

static enum status add_kept(cJSON *meta, const char *name, struct slice kept, struct error *err)
{
    cJSON *json;

    if (kept.size == 0)
        return STATUS_OK;
    TRY(json_parse(kept, MODEL_META_BYTES_MAX, &json, err));
    json_add(meta, name, json);
    return STATUS_OK;
}

static enum status build_meta(const struct model *model, cJSON *meta, struct error *err)
{
    cJSON *inputs;

    json_add_integer(meta, "format", model->format);
    TRY(add_text(meta, "id", model->id, err));
    json_add_integer(meta, "version", model->version);
    TRY(add_text(meta, "estimator", model->estimator, err));
    json_add_string(meta, "family", slice_of(model->kind->name));
    json_add_string(meta, "task", slice_of(task_words[model->task]));
    TRY(add_text(meta, "label", model->label, err));
    if (model->label_declared.size > 0)
        TRY(add_text(meta, "label_declared", model->label_declared, err));
    if (model->definition.size > 0)
        TRY(add_text(meta, "definition", model->definition, err));
    TRY(add_text(meta, "statement", model->statement, err));
    TRY(add_text(meta, "digest", model->digest, err));
    add_checksum(meta, model_checksum(model));
    json_add_integer(meta, "rows", (int64_t)model->rows);
    if (model->kept_epoch > 0)
        json_add_integer(meta, "kept_epoch", model->kept_epoch);
    TRY(add_text(meta, "created_at", model->created_at, err));
    add_encoders(meta, &model->transform);
    inputs = json_add_array(meta, "inputs");
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        TRY(add_input(inputs, &model->transform.inputs[i], model->transform.keeps_numbers, err));
    TRY(add_labels(meta, model, err));
    if (!final_step_is_none(&model->final))
        final_step_write(&model->final, json_add_object(meta, "final"));
    model->kind->write_content(model, json_add_object(meta, model->kind->name));
    json_add_integer(meta, "weight_rows", (int64_t)model_weight_rows(model));
    if (model->statistics_count > 0)
        json_add_integer(meta, "statistics", model->statistics_count);
    if (model->notices && model->notices->count > 0)
        json_add(meta, "notices", notice_list_to_json(model->notices));
    TRY(add_kept(meta, "metrics", model->metrics_json, err));
    return add_kept(meta, "trials", model->trials_json, err);
}

enum status model_meta_write(const struct model *model, struct text *out, struct error *err)
{
    cJSON *meta = cJSON_CreateObject();
    enum status status = build_meta(model, meta, err);

    if (status == STATUS_OK)
        status = json_print(meta, false, out, err);
    cJSON_Delete(meta);
    if (status == STATUS_OK && out->size > MODEL_META_BYTES_MAX)
        status = fail(err, STATUS_LIMIT,
                      "the model's description takes %zu bytes, where at most %zu are read",
                      out->size, MODEL_META_BYTES_MAX);
    return status;
}

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "model: %s", what);
}

static enum status get_text(const cJSON *object, const char *name, size_t size_max,
                            struct arena *arena, struct slice *value, struct error *err)
{
    struct slice borrowed;

    TRY(json_get_string(object, name, &borrowed, err));
    if (borrowed.size > size_max)
        return fail(err, STATUS_CORRUPT, "model: \"%s\" has %zu bytes, where at most %zu are read",
                    name, borrowed.size, size_max);
    *value = arena_copy(arena, borrowed);
    return value->data ? STATUS_OK : fail_no_memory(err);
}

/* Hexadecimal digits: none (a model that was not published yet) or all. */
static enum status get_digits(const cJSON *object, const char *name, size_t size,
                              struct arena *arena, struct slice *value, struct error *err)
{
    TRY(get_text(object, name, size, arena, value, err));
    if (value->size != 0 && value->size != size)
        return fail(err, STATUS_CORRUPT, "model: \"%s\" is no number of %zu digits", name, size);
    for (size_t i = 0; i < value->size; i++)
        if (!isxdigit((unsigned char)value->data[i]))
            return fail(err, STATUS_CORRUPT, "model: \"%s\" is no number of %zu digits", name,
                        size);
    return STATUS_OK;
}

static enum status get_word(const cJSON *object, const char *name, const char *const *words,
                            unsigned *value, struct error *err)
{
    struct slice word;

    TRY(json_get_string(object, name, &word, err));
    if (term_find(words, word, value))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "model: \"%s\" is \"%.*s\"", name,
                word.size > 40 ? 40 : (int)word.size, word.data);
}

static enum status get_count(const cJSON *object, const char *name, int64_t least, int64_t most,
                             uint32_t *count, struct error *err)
{
    int64_t value;

    TRY(json_get_integer(object, name, least, most, &value, err));
    *count = (uint32_t)value;
    return STATUS_OK;
}

/* Labels of models of before readings were stored have none. */
static enum status read_label_reading(const cJSON *object, uint32_t format,
                                      enum input_reading *reading, struct error *err)
{
    unsigned word;

    *reading = READING_STRICT;
    if (!json_has(object, "reading"))
        return STATUS_OK;
    TRY(get_word(object, "reading", input_reading_words, &word, err));
    *reading = (enum input_reading)word;
    if ((reading_is_written(*reading) && format < MODEL_FORMAT_WRITTEN) ||
        reading_is_of_dates(*reading))
        return corrupt(err, "labels have a reading that does not belong to them");
    return STATUS_OK;
}

/* The format since which an input has the member; 0: all of them. A new member needs no format. */
static const uint32_t members_since[INPUT_MEMBERS] = {
    [MEMBER_COLUMN] = MODEL_FORMAT_PARTS,     [MEMBER_PART] = MODEL_FORMAT_PARTS,
    [MEMBER_RULE] = MODEL_FORMAT_RULES,       [MEMBER_BOUNDS] = MODEL_FORMAT_RULES,
    [MEMBER_CROSS] = MODEL_FORMAT_CROSSES,    [MEMBER_MODEL_PART] = MODEL_FORMAT_SHARES,
    [MEMBER_DIMENSION] = MODEL_FORMAT_SHARES, [MEMBER_LIST] = MODEL_FORMAT_LISTS,
    [MEMBER_ELEMENT] = MODEL_FORMAT_LISTS,    [MEMBER_COMBINER] = MODEL_FORMAT_LISTS,
    [MEMBER_WEIGHTED] = MODEL_FORMAT_LISTS,   [MEMBER_CONCAT] = MODEL_FORMAT_CONCATS,
    [MEMBER_OFFSET] = MODEL_FORMAT_OFFSETS,
};

/* Members that a model of a format may have; others were not known, and are passed over. */
static unsigned members_of(uint32_t format)
{
    unsigned members = 0;

    for (unsigned i = 0; i < INPUT_MEMBERS; i++)
        members |= (unsigned)(members_since[i] <= format) << i;
    return members;
}

/* Values of members that older formats did not know. */
static enum status check_format(const struct input_spec *spec, uint32_t format, struct error *err)
{
    if (spec->type == INPUT_TEXT && format < MODEL_FORMAT_TEXTS)
        return corrupt(err, "an input is no text");
    if (spec->list.form == LIST_WORDS && format < MODEL_FORMAT_COUNTS)
        return corrupt(err, "an input counts words");
    return reading_is_written(spec->reading) && format < MODEL_FORMAT_WRITTEN
               ? corrupt(err, "an input has a reading that does not belong to its kind")
               : STATUS_OK;
}

/* How the numbers of an input become those that the model computes with. */
static enum status read_scale(const cJSON *object, uint32_t format, struct transform_input *input,
                              struct error *err)
{
    double null_value, limit = (double)TRANSFORM_DENSE_MAX;

    TRY(json_get_real(object, "mean", &input->mean, err));
    TRY(json_get_real(object, "scale", &input->scale, err));
    TRY(json_get_real(object, "null_value", &null_value, err));
    if (input->scale <= 0)
        return corrupt(err, "a numeric input has no positive scale");
    if (fabs(null_value) > (double)TRANSFORM_DENSE_MAX)
        return corrupt(err, "what a numeric input takes for a NULL is out of range");
    input->null_value = (float)null_value;
    if (format >= MODEL_FORMAT_LIMITS && json_has(object, "limit"))
        TRY(json_get_real(object, "limit", &limit, err));
    if (!(limit > 0 && limit <= (double)TRANSFORM_DENSE_MAX))
        return corrupt(err, "the limit of a numeric input is out of range");
    input->limit = (float)limit;
    if (format < MODEL_FORMAT_CODES || !json_has(object, "code"))
        return STATUS_OK;
    input->has_code = true;
    TRY(json_get_real(object, "code", &input->code, err));
    return input->has_nulls ? STATUS_OK
                            : corrupt(err, "a numeric input has a code, and no missing values");
}

/* Reads what training learned, which no format but those of numbers has changed. */
static enum status read_learned(const cJSON *object, uint32_t format, bool keeps_numbers,
                                struct transform_input *input, struct error *err)
{
    const bool is_text = input->spec.type == INPUT_TEXT;
    int64_t texts = 0;

    TRY(json_get_boolean(object, "has_nulls", &input->has_nulls, err));
    if (is_text && input->has_nulls)
        return corrupt(err, "an input is no text");
    if (has_words(input))
        TRY(get_count(object, "words", 0, CATEGORY_WORDS_MAX, &input->word_count, err));
    if (input->spec.weight == TEXT_WEIGHT_TFIDF)
        TRY(json_get_integer(object, "texts", 1, EXACT_INTEGER, &texts, err));
    input->texts = (uint64_t)texts;
    if (input->spec.type != INPUT_NUMERIC)
        return get_count(object, "hash_buckets", is_text && !has_words(input), CATEGORY_WORDS_MAX,
                         &input->hash_buckets, err);
    if (!keeps_numbers)
        return read_scale(object, format, input, err);
    if (format < MODEL_FORMAT_ORIGINS || !json_has(object, "origin"))
        return STATUS_OK;
    TRY(json_get_real(object, "origin", &input->mean, err));
    if (input->mean == 0) /* -0 from a file of others: 0 is not written, and has other bytes */
        input->mean = 0;
    return STATUS_OK;
}

static enum status read_input(const cJSON *object, uint32_t format, bool keeps_numbers,
                              struct arena *arena, struct transform_input *input, struct error *err)
{
    TRY(input_members_read(object, RECORD_MODEL, members_of(format), arena, &input->spec, err));
    TRY(check_format(&input->spec, format, err));
    if (!encoder_of(&input->spec))
        return corrupt(err, "an input is made in no way that is known");
    if (encoder_of(&input->spec)->is_named && format < MODEL_FORMAT_NAMES)
        return corrupt(err, "an input has an encoder that its format does not name");
    return read_learned(object, format, keeps_numbers, input, err);
}

/* Looked at before the inputs are, which mean nothing to who lacks their encoder. */
static enum status check_encoders(const cJSON *meta, uint32_t format, struct error *err)
{
    const cJSON *names, *name;

    if (format < MODEL_FORMAT_NAMES || !json_has(meta, "encoders"))
        return STATUS_OK;
    TRY(json_get_array(meta, "encoders", MODEL_INPUTS_MAX, &names, err));
    cJSON_ArrayForEach(name, names)
    {
        const struct slice wanted = slice_of(cJSON_IsString(name) ? name->valuestring : "");

        if (encoder_find(wanted))
            continue;
        fail(err, STATUS_UNSUPPORTED,
             "the model needs the encoder \"%.*s\", which this version does not have",
             wanted.size > 40 ? 40 : (int)wanted.size, wanted.data);
        return error_hint(err, "A later version trained it, and can read it.");
    }
    return STATUS_OK;
}

static enum status read_inputs(const cJSON *meta, uint32_t format, struct arena *arena,
                               struct transform *transform, struct error *err)
{
    const cJSON *inputs, *object;
    uint32_t i = 0;

    TRY(json_get_array(meta, "inputs", MODEL_NUMBERS_MAX, &inputs, err));
    transform->input_count = (uint32_t)cJSON_GetArraySize(inputs);
    if (transform->input_count == 0)
        return corrupt(err, "there are no inputs");
    transform->inputs = ARENA_NEW(arena, struct transform_input, transform->input_count);
    if (!transform->inputs)
        return fail_no_memory(err);
    cJSON_ArrayForEach(object, inputs)
    {
        TRY(read_input(object, format, transform->keeps_numbers, arena, &transform->inputs[i++],
                       err));
    }
    return transform_find_columns(transform, arena, err);
}

static enum status read_label(const cJSON *item, enum label_type type, struct arena *arena,
                              struct cell *cell, struct error *err)
{
    const double number = item->valuedouble;

    if (type == LABEL_TEXT && cJSON_IsString(item)) {
        *cell = (struct cell){.type = CELL_TEXT};
        cell->text = arena_copy(arena, slice_of(item->valuestring));
        return cell->text.data ? STATUS_OK : fail_no_memory(err);
    }
    if (type == LABEL_REAL && cJSON_IsNumber(item) && isfinite(number)) {
        *cell = (struct cell){.type = CELL_REAL, .real = number};
        return STATUS_OK;
    }
    *cell = (struct cell){.type = CELL_INTEGER};
    if (type == LABEL_INTEGER && cJSON_IsNumber(item) && number == floor(number) &&
        fabs(number) <= (double)EXACT_INTEGER) {
        cell->integer = (int64_t)number;
        return STATUS_OK;
    }
    if (type == LABEL_INTEGER && cJSON_IsString(item) &&
        slice_to_integer(slice_of(item->valuestring), &cell->integer))
        return STATUS_OK;
    return corrupt(err, "a label has another type than the labels");
}

static bool is_ascending(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_TEXT)
        return slice_compare(a->text, b->text) < 0;
    return a->type == CELL_INTEGER ? a->integer < b->integer : a->real < b->real;
}

static enum status read_classes(const cJSON *object, struct arena *arena, struct labels *labels,
                                struct error *err)
{
    const cJSON *values, *item;
    uint32_t i = 0;

    TRY(json_get_array(object, "values", CLASSES_MAX, &values, err));
    labels->count = (uint32_t)cJSON_GetArraySize(values);
    if (labels->count < 2)
        return corrupt(err, "a classifier has at least two labels");
    labels->values = ARENA_NEW(arena, struct cell, labels->count);
    if (!labels->values)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, values)
    {
        TRY(read_label(item, labels->type, arena, &labels->values[i], err));
        if (i > 0 && !is_ascending(&labels->values[i - 1], &labels->values[i]))
            return corrupt(err, "the labels are not in ascending order");
        i++;
    }
    return STATUS_OK;
}

/* Written only where it is the lesser one of two. */
static enum status read_positive(const cJSON *object, struct arena *arena, struct model *model,
                                 struct error *err)
{
    const struct labels *labels = &model->labels;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "positive");
    struct cell cell;

    if (!item)
        return STATUS_OK;
    TRY(read_label(item, labels->type, arena, &cell, err));
    model->positive_is_lesser = labels->count == 2 && is_ascending(&cell, &labels->values[1]) &&
                                !is_ascending(&cell, &labels->values[0]) &&
                                !is_ascending(&labels->values[0], &cell);
    return model->positive_is_lesser ? STATUS_OK
                                     : corrupt(err, "the positive label is not the lesser of two");
}

/* Models of before it was stored have none. */
static enum status read_link(const cJSON *object, struct model *model, struct error *err)
{
    const bool is_number = model->task == TASK_REGRESSION;
    unsigned word;

    if (model->format < MODEL_FORMAT_LINKS || !json_has(object, "link"))
        return STATUS_OK;
    TRY(get_word(object, "link", label_link_words, &word, err));
    model->link = (enum label_link)word;
    if ((model->link == LABEL_LINK_EXP && !is_number) ||
        (model->link == LABEL_LINK_MARGIN && (is_number || model->labels.count != 2)))
        return fail(err, STATUS_CORRUPT, "model: a %s with the link \"%s\"",
                    task_models[model->task], label_link_words[word]);
    if (model->link == LABEL_LINK_MARGIN)
        model->aim.aim = AIM_MARGINS;
    if (model->link != LABEL_LINK_EXP || !json_has(object, "tweedie_power"))
        return STATUS_OK;
    TRY(json_get_real(object, "tweedie_power", &model->aim.power, err));
    return model->aim.power > 1 && model->aim.power < 2
               ? STATUS_OK
               : corrupt(err, "a tweedie power that is not above 1 and below 2");
}

static enum status read_labels(const cJSON *meta, struct arena *arena, struct model *model,
                               struct error *err)
{
    const cJSON *object;
    unsigned type;

    TRY(json_get_object(meta, "labels", &object, err));
    TRY(get_word(object, "type", label_type_words, &type, err));
    model->labels.type = (enum label_type)type;
    model->label_scale = 1;
    if (task_has_label(model->task) == (model->labels.type == LABEL_NONE))
        return fail(err, STATUS_CORRUPT, "model: a %s with labels of type \"%s\"",
                    task_models[model->task], label_type_words[type]);
    if (!task_has_label(model->task))
        return STATUS_OK;
    TRY(read_label_reading(object, model->format, &model->labels.reading, err));
    model->labels.spelling = label_spelling_of(model->label_declared);
    if (model->task == TASK_CLASSIFICATION) {
        TRY(read_classes(object, arena, &model->labels, err));
        TRY(read_link(object, model, err));
        return read_positive(object, arena, model, err);
    }
    TRY(read_link(object, model, err));
    TRY(json_get_real(object, "mean", &model->label_mean, err));
    TRY(json_get_real(object, "scale", &model->label_scale, err));
    if (model->labels.type == LABEL_TEXT)
        return corrupt(err, "a regressor's label is a number, not text");
    if (model->label_scale <= 0)
        return corrupt(err, "a regressor's label has no positive scale");
    return STATUS_OK;
}

static enum status read_kind(const cJSON *meta, const struct kind *const *kinds,
                             struct arena *arena, struct model *model, struct error *err)
{
    struct slice name;

    TRY(get_text(meta, "family", WORD_BYTES_MAX, arena, &name, err));
    for (; *kinds && !model->kind; kinds++)
        if (slice_is(name, (*kinds)->name))
            model->kind = *kinds;
    if (model->kind)
        return STATUS_OK;
    return fail(err, STATUS_UNSUPPORTED, "models of kind \"%.*s\" are not supported yet",
                SLICE_FORMAT(name));
}

/* Models of before it was stored have none. */
static enum status read_final(const cJSON *meta, struct arena *arena, struct model *model,
                              struct error *err)
{
    const cJSON *object;

    if (!json_has(meta, "final"))
        return STATUS_OK;
    if (model->format < MODEL_FORMAT_FINALS || model->task != TASK_CLASSIFICATION ||
        model->link == LABEL_LINK_MARGIN)
        return corrupt(err, "a final step of a model that has no probabilities");
    TRY(json_get_object(meta, "final", &object, err));
    return final_step_read(object, model->labels.count, arena, &model->final, err);
}

static enum status read_content(const cJSON *meta, struct arena *arena, struct model *model,
                                struct error *err)
{
    const cJSON *object;

    TRY(json_get_object(meta, model->kind->name, &object, err));
    return model->kind->read_content(object, arena, model, err);
}

static enum status keep_json(const cJSON *json, struct arena *arena, struct slice *kept,
                             struct error *err)
{
    struct text printed;
    enum status status;

    text_init(&printed, MODEL_META_BYTES_MAX);
    status = json_print(json, false, &printed, err);
    if (status == STATUS_OK) {
        *kept = arena_copy(arena, text_slice(&printed));
        if (!kept->data)
            status = fail_no_memory(err);
    }
    text_deinit(&printed);
    return status;
}

enum status model_keep_metrics(const cJSON *metrics, struct arena *arena, struct model *model,
                               struct error *err)
{
    return keep_json(metrics, arena, &model->metrics_json, err);
}

enum status model_keep_trials(const cJSON *trials, struct arena *arena, struct model *model,
                              struct error *err)
{
    return keep_json(trials, arena, &model->trials_json, err);
}

static enum status read_notices(const cJSON *meta, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct notice_list *notices;

    if (!json_has(meta, "notices"))
        return STATUS_OK;
    notices = ARENA_NEW(arena, struct notice_list, 1);
    if (!notices)
        return fail_no_memory(err);
    model->notices = notices;
    return notice_list_from_json(meta, notices, err);
}

/* An offset needs a kind that adds it to outputs, and a label that is a number or one of two
 * classes. */
static enum status check_offset(const struct model *model, struct error *err)
{
    const char *const *without = model->kind->without;

    if (!transform_offset_input(&model->transform))
        return STATUS_OK;
    while (without && *without && strcmp(*without, "train.offset") != 0)
        without++;
    return !(without && *without) && task_has_label(model->task) && model->labels.count <= 2
               ? STATUS_OK
               : corrupt(err, "its outputs take no offset");
}

static enum status read_meta(const cJSON *meta, const struct kind *const *kinds,
                             struct arena *arena, struct model *model, struct error *err)
{
    const cJSON *metrics, *trials;
    struct slice checksum;
    int64_t format, rows;
    unsigned task;

    TRY(json_get_integer(meta, "format", 1, INT32_MAX, &format, err));
    if (format > MODEL_FORMAT_VERSION)
        return fail(err, STATUS_UNSUPPORTED,
                    "the model has format %lld, and this version reads formats up to %d",
                    (long long)format, MODEL_FORMAT_VERSION);
    model->format = (uint32_t)format;
    TRY(read_kind(meta, kinds, arena, model, err));
    TRY(get_text(meta, "estimator", WORD_BYTES_MAX, arena, &model->estimator, err));
    TRY(get_word(meta, "task", task_words, &task, err));
    model->task = (enum task)task;
    TRY(get_text(meta, "label", MODEL_META_BYTES_MAX, arena, &model->label, err));
    if (json_has(meta, "label_declared"))
        TRY(get_text(meta, "label_declared", TYPE_BYTES_MAX, arena, &model->label_declared, err));
    if (json_has(meta, "definition"))
        TRY(get_digits(meta, "definition", DIGEST_DIGITS, arena, &model->definition, err));
    TRY(get_text(meta, "statement", MODEL_META_BYTES_MAX, arena, &model->statement, err));
    TRY(get_digits(meta, "id", ID_DIGITS, arena, &model->id, err));
    TRY(json_get_integer(meta, "version", 0, INT64_MAX, &model->version, err));
    TRY(get_digits(meta, "digest", DIGEST_DIGITS, arena, &model->digest, err));
    TRY(get_digits(meta, "checksum", CHECKSUM_DIGITS, arena, &checksum, err));
    model->checksum = checksum.size ? strtoull(checksum.data, NULL, 16) : 0;
    TRY(json_get_integer(meta, "rows", 0, INT64_MAX, &rows, err));
    model->rows = (uint64_t)rows;
    if (json_has(meta, "kept_epoch"))
        TRY(get_count(meta, "kept_epoch", 1, UINT32_MAX, &model->kept_epoch, err));
    TRY(get_text(meta, "created_at", WORD_BYTES_MAX, arena, &model->created_at, err));
    model->transform.keeps_numbers = model->kind->keeps_numbers;
    model->transform.has_rests = model->kind->has_rests && model->format >= MODEL_FORMAT_RESTS;
    TRY(check_encoders(meta, model->format, err));
    TRY(read_inputs(meta, model->format, arena, &model->transform, err));
    TRY(read_labels(meta, arena, model, err));
    TRY(read_final(meta, arena, model, err));
    TRY(check_offset(model, err));
    TRY(read_content(meta, arena, model, err));
    TRY(read_notices(meta, arena, model, err));
    if (json_has(meta, "statistics")) {
        const uint32_t count = statistics_inputs(&model->transform) + 1;

        TRY(get_count(meta, "statistics", count, count, &model->statistics_count, err));
    }
    trials = cJSON_GetObjectItemCaseSensitive(meta, "trials");
    if (trials)
        TRY(model_keep_trials(trials, arena, model, err));
    metrics = cJSON_GetObjectItemCaseSensitive(meta, "metrics");
    return metrics ? model_keep_metrics(metrics, arena, model, err) : STATUS_OK;
}

enum status model_meta_read(struct slice json, const struct kind *const *kinds, struct arena *arena,
                            struct model *model, struct error *err)
{
    enum status status;
    cJSON *meta;

    *model = (struct model){0};
    TRY(json_parse(json, MODEL_META_BYTES_MAX, &meta, err));
    status = read_meta(meta, kinds, arena, model, err);
    cJSON_Delete(meta);
    return status;
}

/* A word: its slice, its count, its text and its place where words are looked up. */
#define WORD_MEMORY 64

uint64_t model_memory(const struct model *model)
{
    struct model_array array;
    uint64_t bytes = 0;

    for (uint32_t i = 0; model->kind->array(model, i, &array); i++)
        bytes += array.rows * array.width * sizeof(float);
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        bytes += (uint64_t)model->transform.inputs[i].word_count * WORD_MEMORY;
    return bytes;
}

/* Sets the numbers that transform_finish will count. */
static void count_columns(struct transform *transform)
{
    const struct transform_size size = transform_size_of(transform);

    transform->dense_width = size.dense;
    transform->id_inputs = size.id_inputs;
    transform->id_count = size.id_count;
    transform->id_rows = (uint32_t)size.id_rows;
}

enum status model_read_meta(struct slice meta_json, const struct kind *const *kinds,
                            struct arena *arena, struct model *model, struct error *err)
{
    struct kind_params *params = ARENA_NEW(arena, struct kind_params, 1);

    if (!params)
        return fail_no_memory(err);
    TRY(model_meta_read(meta_json, kinds, arena, model, err));
    *params = (struct kind_params){{0}};
    model->kind->params_of(model, params);
    model->params = params;
    model->memory = model_memory(model);
    count_columns(&model->transform);
    model->multiplications = model_cost(model).multiplications;
    model->content = NULL;
    for (uint32_t i = 0; i < model->transform.input_count; i++) {
        struct transform_input *input = &model->transform.inputs[i];

        input->id_rows = input->word_count > 0 ? input->word_count : 1; /* the words are not here */
        input->word_count = 0;
    }
    return STATUS_OK;
}

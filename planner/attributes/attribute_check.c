#include "planner/attributes/attribute_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory_size.h"
#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes/advice.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/later.h"
#include "planner/attributes/short_names.h"
#include "planner/attributes/value_hints.h"

#define NAMES_MAX     256                /* attributes and aliases together */
#define SHOWN_MAX     100                /* bytes of a value in a message */
#define EXACT_INTEGER 9007199254740992.0 /* 2^53: whole reals up to here are what was written */

const char *attribute_word(const struct attribute *attribute, struct slice word)
{
    for (const char *const *known = attribute->words; known && *known; known++)
        if (slice_is_fold(word, *known))
            return *known;
    for (const struct word_alias *alias = attribute->word_aliases; alias && alias->name; alias++)
        if (slice_is_fold(word, alias->name))
            return alias->word;
    return NULL;
}

static bool is_later(const struct attribute *attribute, struct slice word)
{
    for (const char *const *known = attribute->later; known && *known; known++)
        if (slice_is_fold(word, *known))
            return true;
    return false;
}

static void append_items(const struct value *value, const char *before, const char *behind,
                         struct text *out)
{
    text_append_string(out, before);
    for (size_t i = 0; i < value->count; i++) {
        text_append_string(out, i > 0 ? ", " : "");
        value_append(&value->items[i], out);
    }
    text_append_string(out, behind);
}

void value_append(const struct value *value, struct text *out)
{
    switch (value->kind) {
    case VALUE_NUMBER:
        text_append(out, value->text);
        break;
    case VALUE_BOOLEAN:
        text_append_string(out, value->boolean ? "true" : "false");
        break;
    case VALUE_STRING:
    case VALUE_WORD:
        text_append_literal(out, value->text);
        break;
    case VALUE_LIST:
        append_items(value, "[", "]", out);
        break;
    case VALUE_RANGE:
        append_items(value, "RANGE(", ")", out);
        break;
    }
}

/* 'a', 'b' or 'c' */
static void append_words(const char *const *words, struct text *out)
{
    for (size_t i = 0; words[i]; i++) {
        if (i > 0)
            text_append_string(out, words[i + 1] ? ", " : " or ");
        text_append_literal(out, slice_of(words[i]));
    }
}

static void append_range(const struct attribute *attribute, struct text *out)
{
    if (attribute->type == ATTRIBUTE_REAL || attribute->type == ATTRIBUTE_REALS ||
        attribute->type == ATTRIBUTE_WEIGHTS) {
        text_append_string(out, "from ");
        text_append_real(out, attribute->least);
        text_append_string(out, " to ");
        text_append_real(out, attribute->most);
    } else if (attribute->most >= EXACT_INTEGER) {
        text_printf(out, "from %.0f to %lld", attribute->least, (long long)INT64_MAX);
    } else {
        text_printf(out, "from %.0f to %.0f", attribute->least, attribute->most);
    }
}

static void append_expected_number(const struct attribute *attribute, struct text *out)
{
    text_append_string(out, attribute->type == ATTRIBUTE_REAL ? "a number " : "a whole number ");
    append_range(attribute, out);
    if (attribute->is_automatic)
        text_append_string(out, " or 'auto'");
}

void attribute_append_expected(const struct attribute *attribute, struct text *out)
{
    switch (attribute->type) {
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_REAL:
        append_expected_number(attribute, out);
        break;
    case ATTRIBUTE_BOOLEAN:
        text_append_string(out, "true or false");
        break;
    case ATTRIBUTE_WORD:
        append_words(attribute->words, out);
        break;
    case ATTRIBUTE_TEXT:
        text_append_string(out, "a string that is not empty");
        break;
    case ATTRIBUTE_LABEL:
        text_append_string(out, "a label: text, a number, true or false");
        break;
    case ATTRIBUTE_MEMORY:
        text_append_string(out, "an amount of memory from ");
        memory_size_append(out, (uint64_t)attribute->least);
        text_append_string(out, " to ");
        memory_size_append(out, (uint64_t)attribute->most);
        break;
    case ATTRIBUTE_INTEGERS:
        text_append_string(out, "a list of whole numbers ");
        append_range(attribute, out);
        break;
    case ATTRIBUTE_REALS:
        text_append_string(out, "a number, or a list of numbers, ");
        append_range(attribute, out);
        break;
    case ATTRIBUTE_WEIGHTS:
        append_words(attribute->words, out);
        text_append_string(out, ", a list of numbers ");
        append_range(attribute, out);
        text_append_string(out, ", or such by label as '{\"yes\": 5}'");
        break;
    case ATTRIBUTE_WORDS:
        if (attribute->words) {
            text_append_string(out, "a list of ");
            append_words(attribute->words, out);
        } else {
            text_append_string(out, "a string or a list of strings");
        }
        break;
    }
}

static void append_shown(const struct value *value, struct text *out)
{
    const size_t start = out->size;

    value_append(value, out);
    if (out->failed || out->size - start <= SHOWN_MAX)
        return;
    text_clear(out);
    text_append_string(out, value->kind == VALUE_LIST ? "this list" : "this value");
}

static enum status refuse(const struct attribute *attribute, const struct value *value,
                          struct error *err)
{
    struct text expected, shown;
    enum status status;

    text_init(&expected, TEXT_MAXIMUM);
    text_init(&shown, TEXT_MAXIMUM);
    attribute_append_expected(attribute, &expected);
    append_shown(value, &shown);
    status = expected.failed || shown.failed
                 ? fail_no_memory(err)
                 : fail_at(err, STATUS_INVALID, value->span.start, "%s takes %s, not %s",
                           attribute->name, text_string(&expected), text_string(&shown));
    if (status == STATUS_INVALID && attribute->type != ATTRIBUTE_INTEGERS &&
        attribute->type != ATTRIBUTE_REALS)
        status = value_hint(attribute, value, err);
    text_deinit(&expected);
    text_deinit(&shown);
    return status;
}

static enum status refuse_later(const struct attribute *attribute, const struct value *value,
                                struct error *err)
{
    enum status status = STATUS_UNSUPPORTED;
    struct text shown, expected;

    text_init(&shown, TEXT_MAXIMUM);
    text_init(&expected, TEXT_MAXIMUM);
    if (value->kind == VALUE_LIST)
        text_append_string(&shown, "a list");
    else
        append_shown(value, &shown);
    if (attribute->type == ATTRIBUTE_BOOLEAN)
        text_append_string(&expected, "true");
    else
        append_words(attribute->words, &expected);
    fail_at(err, status, value->span.start, "%s %s %s is not supported yet", attribute->name,
            value->kind == VALUE_LIST ? "with" : "=", text_string(&shown));
    error_hint(err, "%s works with %s.", attribute->name, text_string(&expected));
    if (shown.failed || expected.failed)
        status = fail_no_memory(err);
    text_deinit(&shown);
    text_deinit(&expected);
    return status;
}

static bool is_in_range(const struct attribute *attribute, double number)
{
    return number >= attribute->least && number <= attribute->most;
}

static bool is_whole(const struct value *value)
{
    return value->kind == VALUE_NUMBER &&
           (value->is_integer ||
            (fabs(value->number) <= EXACT_INTEGER && value->number == floor(value->number)));
}

static enum status check_length(const struct attribute *attribute, const struct value *list,
                                size_t most, struct error *err)
{
    if (list->count <= most)
        return STATUS_OK;
    return fail_at(err, STATUS_INVALID, list->items[most].span.start,
                   "%s has %zu items, where at most %zu are possible", attribute->name, list->count,
                   most);
}

static enum status check_integers(const struct attribute *attribute, const struct value *value,
                                  struct error *err)
{
    if (is_whole(value)) /* 16 is [16] */
        return is_in_range(attribute, value->number) ? STATUS_OK : refuse(attribute, value, err);
    if (value->kind != VALUE_LIST || value->count == 0) {
        enum status status = refuse(attribute, value, err);

        return status == STATUS_INVALID ? value_hint(attribute, value, err) : status;
    }
    for (size_t i = 0; i < value->count; i++)
        if (!is_whole(&value->items[i]) || !is_in_range(attribute, value->items[i].number))
            return refuse(attribute, &value->items[i], err);
    return check_length(attribute, value, COUNTS_MAX, err);
}

static enum status check_reals(const struct attribute *attribute, const struct value *value,
                               struct error *err)
{
    const bool is_list = value->kind == VALUE_LIST;
    const struct value *items = is_list ? value->items : value;
    const size_t count = is_list ? value->count : 1;

    for (size_t i = 0; i < count; i++)
        if (items[i].kind != VALUE_NUMBER || !is_in_range(attribute, items[i].number)) {
            const enum status status = refuse(attribute, &items[i], err);

            return status == STATUS_INVALID ? value_hint(attribute, &items[i], err) : status;
        }
    if (count == 0)
        return refuse(attribute, value, err);
    return is_list ? check_length(attribute, value, REALS_MAX, err) : STATUS_OK;
}

static enum status check_word(const struct attribute *attribute, const struct value *value,
                              struct slice word, struct error *err)
{
    enum status status;
    size_t count = 0;
    int nearest;

    if (!attribute->words || attribute_word(attribute, word))
        return STATUS_OK;
    if (is_later(attribute, word))
        return refuse_later(attribute, value, err);
    while (attribute->words[count])
        count++;
    nearest = text_nearest(word, attribute->words, count);
    status = refuse(attribute, value, err);
    return status != STATUS_INVALID || nearest < 0
               ? status
               : error_hint(err, "Did you mean '%s'?", attribute->words[nearest]);
}

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_STRING || value->kind == VALUE_WORD;
}

bool attribute_takes_list(const struct attribute *attribute)
{
    return attribute->type == ATTRIBUTE_INTEGERS || attribute->type == ATTRIBUTE_REALS ||
           attribute->type == ATTRIBUTE_WEIGHTS || attribute->type == ATTRIBUTE_WORDS;
}

bool attribute_takes_automatic(const struct attribute *attribute, const struct value *value)
{
    return attribute->is_automatic && is_text(value) && slice_is_fold(value->text, "auto");
}

/* '{"yes": 5}' */
static enum status check_labelled(const struct attribute *attribute, const struct value *value,
                                  struct error *err)
{
    cJSON *object, *item;
    bool is_fine = true;

    if (json_parse(value->text, CLASS_WEIGHTS_BYTES_MAX, &object, NULL) != STATUS_OK)
        return refuse(attribute, value, err);
    is_fine = cJSON_IsObject(object) && object->child;
    cJSON_ArrayForEach(item, object) is_fine &=
        cJSON_IsNumber(item) && is_in_range(attribute, item->valuedouble);
    cJSON_Delete(object);
    return is_fine ? STATUS_OK : refuse(attribute, value, err);
}

static enum status check_weights(const struct attribute *attribute, const struct value *value,
                                 struct error *err)
{
    const struct slice text = is_text(value) ? slice_trim(value->text) : (struct slice){0};

    if (text.size > 0)
        return text.data[0] == '{' ? check_labelled(attribute, value, err)
                                   : check_word(attribute, value, text, err);
    if (value->kind != VALUE_LIST || value->count == 0)
        return refuse(attribute, value, err);
    for (size_t i = 0; i < value->count; i++)
        if (value->items[i].kind != VALUE_NUMBER || !is_in_range(attribute, value->items[i].number))
            return refuse(attribute, &value->items[i], err);
    return STATUS_OK;
}

/* 'Accuracy,AUC' */
static enum status check_comma_words(const struct attribute *attribute, const struct value *value,
                                     struct error *err)
{
    struct slice rest = value->text;

    while (true) {
        const char *comma = rest.size ? memchr(rest.data, ',', rest.size) : NULL;
        struct slice word = {rest.data, comma ? (size_t)(comma - rest.data) : rest.size};

        word = slice_trim(word);
        if (word.size == 0)
            return refuse(attribute, value, err);
        TRY(check_word(attribute, value, word, err));
        if (!comma)
            return STATUS_OK;
        rest.size -= (size_t)(comma + 1 - rest.data);
        rest.data = comma + 1;
    }
}

static enum status check_words(const struct attribute *attribute, const struct value *value,
                               struct error *err)
{
    if (is_text(value))
        return check_comma_words(attribute, value, err);
    if (value->kind != VALUE_LIST || value->count == 0)
        return refuse(attribute, value, err);
    for (size_t i = 0; i < value->count; i++) {
        if (!is_text(&value->items[i]) || slice_trim(value->items[i].text).size == 0)
            return refuse(attribute, &value->items[i], err);
        TRY(check_word(attribute, &value->items[i], slice_trim(value->items[i].text), err));
    }
    return STATUS_OK;
}

static enum status check_boolean(const struct attribute *attribute, const struct value *value,
                                 struct error *err)
{
    bool is_zero_or_one =
        value->kind == VALUE_NUMBER && value->is_integer && (value->integer | 1) == 1;
    bool is_true = value->kind == VALUE_BOOLEAN ? value->boolean : value->integer == 1;

    if (value->kind != VALUE_BOOLEAN && !is_zero_or_one)
        return refuse(attribute, value, err);
    if (is_later(attribute, is_true ? SLICE("true") : SLICE("false")))
        return refuse_later(attribute, value, err);
    return STATUS_OK;
}

/* '512Mi' */
static enum status check_memory(const struct attribute *attribute, const struct value *value,
                                struct error *err)
{
    char meant[MEMORY_SIZE_BYTES_MAX];
    enum status status;
    double bytes;

    if (is_text(value) && memory_size_read(value->text, &bytes))
        return is_in_range(attribute, bytes) ? STATUS_OK : refuse(attribute, value, err);
    status = refuse(attribute, value, err);
    if (status != STATUS_INVALID)
        return status;
    if (is_text(value) && memory_size_suggest(value->text, meant) &&
        memory_size_read(slice_of(meant), &bytes) && is_in_range(attribute, bytes))
        return error_hint(err, "Did you mean '%s'?", meant);
    return error_hint(err, "Write, for example, '512Mi', '4Gi' or '2G'.");
}

static enum status check_value(const struct attribute *attribute, const struct value *value,
                               struct error *err)
{
    bool is_fine = true;

    if (attribute_takes_automatic(attribute, value))
        return STATUS_OK;
    switch (attribute->type) {
    case ATTRIBUTE_INTEGER:
        is_fine = is_whole(value) && (is_in_range(attribute, value->number) ||
                                      (attribute->minus_one_is_0 && value->number == -1));
        break;
    case ATTRIBUTE_REAL:
        is_fine = value->kind == VALUE_NUMBER && is_in_range(attribute, value->number);
        break;
    case ATTRIBUTE_BOOLEAN:
        return check_boolean(attribute, value, err);
    case ATTRIBUTE_WORD:
        if (value->kind == VALUE_LIST && is_later(attribute, SLICE("[]")))
            return refuse_later(attribute, value, err);
        is_fine = is_text(value);
        if (is_fine)
            return check_word(attribute, value, value->text, err);
        break;
    case ATTRIBUTE_TEXT:
        is_fine = is_text(value) && slice_trim(value->text).size > 0;
        break;
    case ATTRIBUTE_LABEL:
        is_fine = value->kind != VALUE_LIST && value->kind != VALUE_RANGE &&
                  (!is_text(value) || value->text.size > 0);
        break;
    case ATTRIBUTE_MEMORY:
        return check_memory(attribute, value, err);
    case ATTRIBUTE_INTEGERS:
        return check_integers(attribute, value, err);
    case ATTRIBUTE_REALS:
        return check_reals(attribute, value, err);
    case ATTRIBUTE_WEIGHTS:
        return check_weights(attribute, value, err);
    case ATTRIBUTE_WORDS:
        return check_words(attribute, value, err);
    }
    return is_fine ? STATUS_OK : refuse(attribute, value, err);
}

/* The names that there are, for the one that the user may have meant. */
struct candidates {
    const char *names[NAMES_MAX], *meant[NAMES_MAX]; /* meant: what names[i] is the name of */
    size_t count;
};

static void add_candidate(struct candidates *candidates, const char *name, const char *meant)
{
    if (candidates->count == NAMES_MAX)
        return;
    candidates->names[candidates->count] = name;
    candidates->meant[candidates->count++] = meant;
}

static void add_full_names(struct candidates *candidates, unsigned scope)
{
    const struct attribute *attribute;
    struct attribute_alias alias;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (attribute->scope & scope)
            add_candidate(candidates, attribute->name, attribute->name);
    for (size_t i = 0; i < later_attribute_count; i++)
        if (scope & SCOPE_TRAIN)
            add_candidate(candidates, later_attributes[i].name, later_attributes[i].name);
    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        add_candidate(candidates, alias.name, alias.name);
}

static void add_last_parts(struct candidates *candidates, unsigned scope)
{
    const struct attribute *attribute;
    const struct attribute_alias *other;
    struct attribute_alias alias;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (attribute->scope & scope)
            add_candidate(candidates, attribute_last_part(slice_of(attribute->name)).data,
                          attribute->name);
    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        add_candidate(candidates, attribute_last_part(slice_of(alias.name)).data, alias.attribute);
    for (size_t i = 0; (other = short_name_of_others(i)); i++)
        add_candidate(candidates, other->name, other->attribute);
}

/* train.learning_rate, learning_rat and train.epohcs are near enough to be understood. */
static const char *find_meant(struct slice name, unsigned scope)
{
    const bool has_dot = memchr(name.data, '.', name.size) != NULL;
    struct candidates candidates = {.count = 0};
    int nearest;

    if (has_dot) {
        add_full_names(&candidates, scope);
        nearest = text_nearest(name, candidates.names, candidates.count);
        if (nearest >= 0)
            return candidates.meant[nearest];
        candidates.count = 0;
    }
    add_last_parts(&candidates, scope);
    nearest = text_nearest(attribute_last_part(name), candidates.names, candidates.count);
    return nearest < 0 ? NULL : candidates.meant[nearest];
}

static enum status refuse_unknown(const struct name *name, unsigned scope, struct error *err)
{
    const char *meant = find_meant(name->text, scope);

    fail_at(err, STATUS_INVALID, name->position, "unknown attribute \"%.*s\"",
            SLICE_FORMAT(name->text));
    if (meant)
        return error_hint(err, "Did you mean %s?", meant);
    return error_hint(err, "SHOW ATTRIBUTES; lists all attributes.");
}

static const char *scope_verb(unsigned scope)
{
    return scope & SCOPE_TRAIN      ? "TRAIN"
           : scope & SCOPE_EVALUATE ? "EVALUATE"
           : scope & SCOPE_PREDICT  ? "PREDICT"
           : scope & SCOPE_FORECAST ? "FORECAST"
                                    : "EXPLAIN";
}

static enum status check_scope(const struct attribute *attribute, const struct name *name,
                               unsigned scope, struct error *err)
{
    if (attribute->scope & scope)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, name->position, "attribute \"%s\" has no use in %s%s",
            attribute->name, scope == SCOPE_FORECAST ? "" : "TO ", scope_verb(scope));
    return error_hint(err, "It belongs to %s%s.", attribute->scope == SCOPE_FORECAST ? "" : "TO ",
                      scope_verb(attribute->scope));
}

/* The estimator's task is checked when all attributes are known (training.c). */
static enum status check_estimator(const struct attribute *attribute, const struct name *name,
                                   const struct estimator *estimator, struct error *err)
{
    struct attribute of_any_task = *attribute;
    enum status status = STATUS_INVALID;
    struct text names;

    of_any_task.tasks = 0;
    if (!estimator || estimator_uses(estimator, &of_any_task))
        return STATUS_OK;
    text_init(&names, TEXT_MAXIMUM);
    estimators_append(attribute, &names);
    if (attribute_is_of_kind(attribute, estimator->kind))
        fail_at(err, status, name->position, "attribute \"%s\" has no use in %s", attribute->name,
                estimator->fixed_as);
    else
        fail_at(err, status, name->position, "attribute \"%s\" has no use with %s", attribute->name,
                estimator->name);
    if (attribute->of_servers && estimator_embedded(estimator))
        text_printf(&names, ", and to a %s whose COLUMN names EMBEDDING", estimator->name);
    error_hint(err, "It belongs to %s.", text_string(&names));
    if (names.failed)
        status = fail_no_memory(err);
    text_deinit(&names);
    return status;
}

/* Is it an attribute that is not built yet, by its name, another spelling of that, or its part
 * behind the last dot? */
static bool is_later_name(struct slice name)
{
    const char *canonical = attribute_canonical(name);

    if (later_find(later_attributes, later_attribute_count, canonical ? slice_of(canonical) : name))
        return true;
    for (size_t i = 0; i < later_attribute_count; i++)
        if (slice_equal_fold(name, attribute_last_part(slice_of(later_attributes[i].name))))
            return true;
    return false;
}

static enum status find_attribute(const struct name *name, unsigned scope,
                                  const struct estimator *estimator,
                                  const struct attribute **attribute, struct error *err)
{
    *attribute = attribute_find_written(name->text, scope, estimator);
    if (*attribute)
        return STATUS_OK;
    if (is_later_name(name->text)) {
        fail_at(err, STATUS_UNSUPPORTED, name->position, "attribute \"%.*s\" is not supported yet",
                SLICE_FORMAT(name->text));
        return error_hint(err, "SHOW ATTRIBUTES%s%s; lists those that are.",
                          estimator ? " FOR " : "", estimator ? estimator->name : "");
    }
    return refuse_unknown(name, scope, err);
}

static enum status check(const struct setting *setting, unsigned scope,
                         const struct estimator *estimator, const struct attribute **attribute,
                         struct error *err)
{
    const struct name *name = &setting->name;

    TRY(find_attribute(name, scope, estimator, attribute, err));
    TRY(check_scope(*attribute, name, scope, err));
    TRY(check_estimator(*attribute, name, estimator, err));
    if (estimator)
        *attribute = attribute_of_kind(*attribute, estimator->kind);
    return check_value(*attribute, &setting->value, err);
}

enum status attribute_check(const struct setting *setting, unsigned scope,
                            const struct estimator *estimator, const struct attribute **attribute,
                            struct error *err)
{
    const enum status status = check(setting, scope, estimator, attribute, err);

    return status == STATUS_INVALID || status == STATUS_UNSUPPORTED
               ? advice_hint(setting, scope, estimator, err)
               : status;
}

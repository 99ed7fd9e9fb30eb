#include "planner/attributes/value_hints.h"

#include <string.h>

#include "planner/attributes/attribute_check.h"

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_STRING || value->kind == VALUE_WORD;
}

static bool is_in_range(const struct attribute *attribute, double number)
{
    return number >= attribute->least && number <= attribute->most;
}

/* '64,32', '64 32' and '(64, 32)' are [64, 32]. False where something else is between the numbers.
 */
static bool read_list(const struct attribute *attribute, struct slice text, struct text *list)
{
    size_t at = 0, count = 0;

    text_append_char(list, '[');
    while (at < text.size && count <= COUNTS_MAX) {
        const size_t start = at;
        int64_t number;

        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
            at++;
        if (at > start) {
            if (!slice_to_integer((struct slice){text.data + start, at - start}, &number) ||
                !is_in_range(attribute, (double)number))
                return false;
            text_printf(list, "%s%lld", count++ > 0 ? ", " : "", (long long)number);
        } else if (strchr(" ,;()[]", text.data[at])) {
            at++;
        } else {
            return false;
        }
    }
    text_append_char(list, ']');
    return count > 0 && count <= COUNTS_MAX && !list->failed;
}

static enum status hint_list(const struct attribute *attribute, const struct value *value,
                             struct error *err)
{
    struct text list;

    if (!is_text(value))
        return err->status;
    text_init(&list, 4096);
    if (read_list(attribute, value->text, &list))
        error_hint(err, "Write %s: a list in brackets, without quotes.", text_string(&list));
    else
        error_hint(err, "A list is written in brackets, without quotes: [64, 32].");
    if (list.failed)
        fail_no_memory(err);
    text_deinit(&list);
    return err->status;
}

/* A number in quotes, or a percentage where a share is wanted. */
static enum status hint_number(const struct attribute *attribute, const struct value *value,
                               struct error *err)
{
    struct text share;
    double number;

    if (is_text(value) && slice_to_real(slice_trim(value->text), &number) &&
        is_in_range(attribute, number))
        return error_hint(err, "Write %.*s, without quotes.",
                          SLICE_FORMAT(slice_trim(value->text)));
    if (attribute->type == ATTRIBUTE_INTEGER || value->kind != VALUE_NUMBER ||
        attribute->most > 1 || attribute->most < 0.5 || value->number <= 1 ||
        !is_in_range(attribute, value->number / 100))
        return err->status;
    text_init(&share, 64);
    text_append_real(&share, value->number / 100);
    error_hint(err, "It is a share, not a percentage: %.*s of 100 is %s.",
               SLICE_FORMAT(value->text), text_string(&share));
    if (share.failed)
        fail_no_memory(err);
    text_deinit(&share);
    return err->status;
}

static void hint_boolean(const struct value *value, struct error *err)
{
    static const char *const words[][2] = {{"true", "true"},   {"yes", "true"}, {"on", "true"},
                                           {"false", "false"}, {"no", "false"}, {"off", "false"}};

    for (size_t i = 0; is_text(value) && i < sizeof words / sizeof *words; i++)
        if (slice_is_fold(slice_trim(value->text), words[i][0]))
            error_hint(err, "Write %s, without quotes.", words[i][1]);
}

/* One value of a model, where a list is none. */
static bool is_of_one(const struct attribute *attribute)
{
    return !attribute_takes_list(attribute) && attribute->store != STORE_NONE &&
           !attribute->same_bits;
}

enum status value_hint(const struct attribute *attribute, const struct value *value,
                       struct error *err)
{
    if (value->kind == VALUE_LIST && is_of_one(attribute))
        return error_hint(err, "A list is a choice of a search: with tune.trials = 10 ten models "
                               "are tried, and the best is kept.");
    switch (attribute->type) {
    case ATTRIBUTE_INTEGERS:
        return hint_list(attribute, value, err);
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_REAL:
    case ATTRIBUTE_REALS:
        return hint_number(attribute, value, err);
    case ATTRIBUTE_BOOLEAN:
        hint_boolean(value, err);
        break;
    case ATTRIBUTE_WEIGHTS:
    case ATTRIBUTE_WORD: /* auto_class_weights = true */
        if (value->kind == VALUE_BOOLEAN && attribute->words && attribute->words[0] &&
            !attribute->words[1])
            error_hint(err, value->boolean ? "Write '%s'." : "Leave it out, or write '%s'.",
                       attribute->words[0]);
        break;
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_LABEL:
    case ATTRIBUTE_MEMORY:
    case ATTRIBUTE_WORDS:
        break;
    }
    return err->status;
}

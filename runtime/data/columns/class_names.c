#include "runtime/data/columns/class_names.h"

#include "inputs/cells/cells.h"
#include "scoring/label_names.h"

#define SHOWN_MAX 20 /* classes in a hint */

void class_name_append(const struct labels *labels, uint32_t class, struct text *out)
{
    const struct cell *value = &labels->values[class];
    char buffer[TRANSFORM_WORD_BUFFER];

    if (value->type == CELL_TEXT)
        text_append_literal(out, slice_prefix(value->text, 64));
    else
        text_append(out, label_name(labels, class, buffer));
}

bool class_is_named(const struct labels *labels, uint32_t class, struct slice name)
{
    const struct cell *value = &labels->values[class];
    char buffer[TRANSFORM_WORD_BUFFER];
    double number;

    if (slice_equal(label_name(labels, class, buffer), name))
        return true;
    if (value->type == CELL_TEXT)
        return false;
    if (slice_is_fold(name, "true") || slice_is_fold(name, "false"))
        number = slice_is_fold(name, "true");
    else if (value->type == CELL_INTEGER) {
        int64_t integer;

        if (slice_to_integer(name, &integer))
            return integer == value->integer;
        if (!slice_to_real(name, &number))
            return false;
    } else if (!slice_to_real(name, &number)) {
        return false;
    }
    return number == (value->type == CELL_INTEGER ? (double)value->integer : value->real);
}

enum status class_names_hint(struct slice column, const struct labels *labels, struct error *err)
{
    const uint32_t count = labels->count < SHOWN_MAX ? labels->count : SHOWN_MAX;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < count; i++) {
        text_append_string(&list, i == 0 ? "" : i + 1 == labels->count ? " and " : ", ");
        class_name_append(labels, i, &list);
    }
    error_hint(err, "The labels of column \"%.*s\" are %s%s.", SLICE_FORMAT(column),
               text_string(&list), count < labels->count ? " and others" : "");
    text_deinit(&list);
    return STATUS_INVALID;
}

#include "runtime/data/class_names.h"

#define SHOWN_MAX 20 /* classes in a hint */

void class_name_append(const struct cell *class, struct text *out)
{
    if (class->type == CELL_TEXT)
        text_append_literal(out, slice_prefix(class->text, 64));
    else if (class->type == CELL_INTEGER)
        text_printf(out, "%lld", (long long)class->integer);
    else
        text_append_real(out, class->real);
}

bool class_is_named(const struct cell *class, struct slice name)
{
    double number;

    if (class->type == CELL_TEXT)
        return slice_equal(class->text, name);
    if (slice_is_fold(name, "true") || slice_is_fold(name, "false"))
        number = slice_is_fold(name, "true");
    else if (class->type == CELL_INTEGER) {
        int64_t integer;

        if (slice_to_integer(name, &integer))
            return integer == class->integer;
        if (!slice_to_real(name, &number))
            return false;
    } else if (!slice_to_real(name, &number)) {
        return false;
    }
    return number == (class->type == CELL_INTEGER ? (double)class->integer : class->real);
}

enum status class_names_hint(struct slice column, const struct labels *labels, struct error *err)
{
    const uint32_t count = labels->count < SHOWN_MAX ? labels->count : SHOWN_MAX;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < count; i++) {
        text_append_string(&list, i == 0 ? "" : i + 1 == labels->count ? " and " : ", ");
        class_name_append(&labels->values[i], &list);
    }
    error_hint(err, "The labels of column \"%.*s\" are %s%s.", SLICE_FORMAT(column),
               text_string(&list), count < labels->count ? " and others" : "");
    text_deinit(&list);
    return STATUS_INVALID;
}

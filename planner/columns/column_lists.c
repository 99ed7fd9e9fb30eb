#include "planner/columns/column_lists.h"

#include "planner/columns/column_function.h"

bool column_is_list(const struct column *call)
{
    return column_calls(call, "SPARSE") || column_calls(call, "DENSE");
}

enum status column_delimiter_read(const struct column *argument, char *delimiter, struct error *err)
{
    const struct slice word = column_argument_word(argument);

    *delimiter = slice_is_fold(word, "COMMA") ? ',' : word.size == 1 ? word.data[0] : 0;
    if (cell_list_is_delimiter(*delimiter))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, argument->span.start,
            "a delimiter is COMMA, or one character in quotes");
    return error_hint(err, "It is a blank, a tab or a sign that no number or word has, such as "
                           "',', ';', ':' and '|'.");
}

static enum status check_type(const struct column *argument, struct error *err)
{
    static const char *const types[] = {"float",   "float32", "float64", "int",
                                        "integer", "int32",   "int64",   NULL};
    const struct slice word = column_argument_word(argument);

    for (size_t i = 0; types[i]; i++)
        if (slice_is_fold(word, types[i]))
            return STATUS_OK;
    fail_at(err, STATUS_INVALID, argument->span.start,
            "the values of a list are float or int, which both are read as numbers");
    return slice_is_fold(word, "string")
               ? error_hint(err, "CATEGORY_HASH(column, n, delimiter) accepts words.")
               : STATUS_INVALID;
}

/* One number, or the product of several. */
static enum status read_size(const struct column *shape, uint32_t size_max,
                             const struct column *call, uint32_t *size, struct error *err)
{
    const struct column *items = shape->kind == COLUMN_LIST ? shape->items : shape;
    const size_t count = shape->kind == COLUMN_LIST ? shape->count : 1;
    uint64_t product = count > 0;

    for (size_t i = 0; i < count && product; i++) {
        const bool is_size = items[i].kind == COLUMN_VALUE && items[i].value.kind == VALUE_NUMBER &&
                             items[i].value.is_integer && items[i].value.integer >= 1 &&
                             items[i].value.integer <= size_max;

        product = is_size ? product * (uint64_t)items[i].value.integer : 0;
        if (product > size_max)
            product = 0;
    }
    *size = (uint32_t)product;
    if (product)
        return STATUS_OK;
    return fail_at(err, STATUS_INVALID, shape->span.start, "%.*s takes a shape of 1 to %u %s",
                   SLICE_FORMAT(call->name.text), size_max,
                   column_calls(call, "SPARSE") ? "ids" : "numbers");
}

static enum status check_delimiters(const struct column *call, const struct cell_list *list,
                                    struct error *err)
{
    if (list->pair != list->delimiter || list->form != LIST_SPARSE)
        return STATUS_OK;
    return fail_at(err, STATUS_INVALID, call->items[2].span.start,
                   "SPARSE: items and their numbers have one delimiter");
}

enum status column_list_read(const struct column *call, uint32_t size_max, struct cell_list *list,
                             struct error *err)
{
    const bool is_of_ids = column_calls(call, "SPARSE");

    *list = is_of_ids ? (struct cell_list){.form = LIST_SPARSE, .pair = ':'}
                      : (struct cell_list){.form = LIST_DENSE, .delimiter = ','};
    if (call->count < 1 || call->count > (is_of_ids ? 6u : 4u) ||
        call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call,
            is_of_ids ? "a column's name, and after it possibly a number of ids, a "
                        "delimiter, a type, and both of the numbers of ids"
                      : "a column's name, and after it possibly a shape, a "
                        "delimiter and a type",
            err);
    if (call->count > 1)
        TRY(read_size(&call->items[1], size_max, call, &list->size, err));
    if (call->count > 2)
        TRY(column_delimiter_read(&call->items[2], &list->delimiter, err));
    if (call->count > 3)
        TRY(check_type(&call->items[3], err));
    if (call->count > 4)
        TRY(column_delimiter_read(&call->items[4], &list->pair, err));
    if (call->count > 5)
        TRY(check_type(&call->items[5], err));
    return check_delimiters(call, list, err);
}

enum status column_image_read(const struct column *call, struct cell_list *list, struct error *err)
{
    uint32_t sizes[3] = {1, 1, 1}; /* height, width, channels */
    uint64_t product = 1;

    if (call->count < 3 || call->count > 4 || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call,
            "a column's name, a height, a width, and after them possibly a number of channels",
            err);
    for (size_t i = 1; i < call->count; i++) {
        TRY(read_size(&call->items[i], PICTURE_NUMBERS_MAX, call, &sizes[i - 1], err));
        product *= sizes[i - 1];
    }
    *list = (struct cell_list){
        .form = LIST_PICTURE, .size = (uint32_t)product, .width = sizes[1], .channels = sizes[2]};
    return product <= PICTURE_NUMBERS_MAX
               ? STATUS_OK
               : fail_at(err, STATUS_LIMIT, call->name.position,
                         "IMAGE: a picture of %llu numbers, and at most %d are inputs of a model",
                         (unsigned long long)product, PICTURE_NUMBERS_MAX);
}

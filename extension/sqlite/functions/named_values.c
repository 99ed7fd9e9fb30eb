#include "extension/sqlite/functions/named_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/cell_bytes.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/functions.h"

#define JSON_SUBTYPE 'J' /* SQLite's own, of what its functions of JSON return */

void named_values_deinit(struct named_values *values)
{
    sqlite3_finalize(values->members);
    text_deinit(&values->cells);
    free(values->are_given);
    *values = (struct named_values){.members = NULL};
}

void named_values_clear(struct named_values *values)
{
    text_clear(&values->cells);
}

static bool begins_with_brace(sqlite3_value *value)
{
    struct cell cell;

    sql_value(value, &cell);
    if (cell.type != CELL_TEXT)
        return false;
    cell.text = slice_trim(cell.text);
    return cell.text.size > 0 && cell.text.data[0] == '{';
}

static bool is_object(sqlite3_value *value, bool is_alone)
{
    const unsigned subtype = sqlite3_value_subtype(value);

    return subtype == NAMED_SUBTYPE ||
           ((subtype == JSON_SUBTYPE || is_alone) && begins_with_brace(value));
}

enum status values_are_named(sqlite3_value **values, int count, uint32_t inputs, bool *are,
                             struct error *err)
{
    int objects = 0;
    bool is_sure = false;

    for (int i = 0; i < count; i++) {
        objects += is_object(values[i], count == 1 && inputs != 1);
        is_sure |= sqlite3_value_subtype(values[i]) == NAMED_SUBTYPE;
    }
    *are = count > 0 && objects == count;
    if (is_sure && !*are)
        return fail(err, STATUS_INVALID,
                    "values by their names and values in the model's order "
                    "stand in one call"),
               error_hint(err, "Give all of them in totrain_named(), or none.");
    return STATUS_OK;
}

/* SQLite reads its own JSON: the members are what its json_each() says. */
static enum status add_members(struct named_values *values, sqlite3 *db, sqlite3_value *value,
                               struct error *err)
{
    enum status status;
    bool has_row = true;
    struct cell text;

    sql_value(value, &text);
    if (!values->members)
        TRY(sql_prepare(db, SLICE("SELECT key, value FROM json_each(?1)"), &values->members, err));
    sql_bind_borrowed(values->members, 1, text.text, true);
    while ((status = sql_step(values->members, &has_row, err)) == STATUS_OK && has_row)
        for (int column = 0; column < 2; column++) {
            const struct cell cell = sql_cell(values->members, column);

            cell_put(&values->cells, &cell);
        }
    sqlite3_reset(values->members);
    if (status == STATUS_DATABASE)
        error_hint(err, "Values by their names are an object: json_object('x', x, 'y', y).");
    return status;
}

enum status named_values_add(struct named_values *values, sqlite3_context *context,
                             sqlite3_value *value, struct error *err)
{
    if (values->cells.maximum == 0)
        text_init(&values->cells, TEXT_MAXIMUM);
    if (sqlite3_value_subtype(value) == NAMED_SUBTYPE) {
        struct cell cell;

        sql_value(value, &cell);
        text_append(&values->cells, cell.text);
    } else {
        TRY(add_members(values, sqlite3_context_db_handle(context), value, err));
    }
    return values->cells.failed ? fail_no_memory(err) : STATUS_OK;
}

/* ----- placing ----- */

/* Looks from the one that is likely: names mostly come in the model's order. -1: no input. */
static int64_t find_input(const struct transform *transform, struct slice name, uint32_t likely,
                          bool (*equals)(struct slice, struct slice))
{
    for (uint32_t i = 0; i < transform->column_count; i++) {
        const uint32_t at = (uint32_t)(((uint64_t)likely + i) % transform->column_count);

        if (equals(transform->columns[at], name))
            return at;
    }
    return -1;
}

static int64_t find_column(const struct transform *transform, struct slice name, uint32_t likely)
{
    const int64_t same = find_input(transform, name, likely, slice_equal);

    return same >= 0 ? same : find_input(transform, name, likely, slice_equal_fold);
}

enum status hint_inputs(const struct transform *transform, const char *subject, struct error *err)
{
    struct text names;

    text_init(&names, 400);
    for (uint32_t i = 0; i < transform->column_count && !names.failed; i++)
        if (!transform_is_label(transform, i))
            text_printf(&names, "%s%.*s", i ? ", " : "", SLICE_FORMAT(transform->columns[i]));
    error_hint(err, "%s %s%s.", subject, text_string(&names), names.failed ? ", ..." : "");
    text_deinit(&names);
    return err->status;
}

/* Labels may be left out. */
static enum status check_all_given(const struct named_values *values,
                                   const struct transform *transform, struct cell *cells,
                                   struct error *err)
{
    for (uint32_t i = 0; i < transform->column_count; i++)
        if (!values->are_given[i] && transform_is_label(transform, i)) {
            cells[i] = (struct cell){.type = CELL_NULL};
        } else if (!values->are_given[i]) {
            fail(err, STATUS_INVALID, "no value is called \"%.*s\", which the model takes",
                 SLICE_FORMAT(slice_prefix(transform->columns[i], 200)));
            return hint_inputs(transform, "The model takes", err);
        }
    return STATUS_OK;
}

enum status named_values_place(struct named_values *values, const struct transform *transform,
                               struct cell *cells, struct error *err)
{
    struct byte_reader reader = byte_reader_over(text_slice(&values->cells));
    uint32_t likely = 0;

    if (!values->are_given)
        values->are_given = malloc((size_t)transform->column_count + 1);
    if (!values->are_given)
        return fail_no_memory(err);
    memset(values->are_given, 0, transform->column_count);
    while (!reader_is_done(&reader) && !reader.failed) {
        struct cell name, value;
        int64_t at;

        cell_read(&reader, &name);
        cell_read(&reader, &value);
        at = find_column(transform, name.text, likely);
        if (at < 0)
            continue;
        if (values->are_given[at]++)
            return fail(err, STATUS_INVALID, "the value of \"%.*s\" is given twice",
                        SLICE_FORMAT(slice_prefix(name.text, 200)));
        cells[at] = value;
        likely = (uint32_t)at + 1;
    }
    return check_all_given(values, transform, cells, err);
}

/* ----- totrain_named(name, value, ...) ----- */

static enum status put_pairs(int count, sqlite3_value **values, struct text *cells,
                             struct error *err)
{
    if (count % 2)
        return fail(err, STATUS_INVALID,
                    "expected a value after each name, and argument %d is the "
                    "last one",
                    count);
    for (int i = 0; i < count; i++) {
        struct cell cell;

        sql_value(values[i], &cell);
        if (i % 2 == 0 && cell.type != CELL_TEXT)
            return fail(err, STATUS_INVALID, "argument %d is no text, where a name is expected",
                        i + 1),
                   error_hint(err, "Names stand in single quotes: totrain_named('x', x, 'y', y).");
        cell_put(cells, &cell);
    }
    return cells->failed ? fail_no_memory(err) : STATUS_OK;
}

void named_values_make(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct text cells;
    struct error err;

    text_init(&cells, TEXT_MAXIMUM);
    if (put_pairs(count, values, &cells, &err) != STATUS_OK)
        function_raise(context, "totrain_named", &err);
    else {
        sqlite3_result_blob64(context, text_string(&cells), cells.size, SQLITE_TRANSIENT);
        sqlite3_result_subtype(context, NAMED_SUBTYPE);
    }
    text_deinit(&cells);
}

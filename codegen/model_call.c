#include "codegen/model_call.h"

#include <string.h>

#include "codegen/lower_sql.h"
#include "planner/vectors.h"

static void append_columns(const struct transform *transform, uint32_t from, uint32_t to,
                           struct text *sql)
{
    for (uint32_t i = from; i < to; i++) {
        if (i > from)
            text_append_string(sql, ", ");
        text_append_identifier(sql, transform->columns[i]);
    }
}

void model_call_append(struct slice path, const struct transform *transform, struct text *sql)
{
    const uint32_t count = transform->column_count;
    const bool is_packed = count > INPUTS_IN_A_ROW;

    text_append_string(sql, "totrain_predict(");
    text_append_literal(sql, path);
    for (uint32_t from = 0; from < count; from += INPUTS_IN_A_ROW) {
        const uint32_t to = count - from < INPUTS_IN_A_ROW ? count : from + INPUTS_IN_A_ROW;

        text_append_string(sql, is_packed ? ", totrain_row(" : ", ");
        append_columns(transform, from, to, sql);
        if (is_packed)
            text_append_char(sql, ')');
    }
    text_append_char(sql, ')');
}

/* How many inputs from this one on are elements 1, 2, ... of one array; 1: it is another input. */
static uint32_t array_at(const struct transform *transform, uint32_t first, struct slice *name)
{
    struct slice other = transform->columns[first];
    uint32_t count = 0, element;

    *name = other;
    while (first + count < transform->column_count &&
           vector_element_name(transform->columns[first + count], &other, &element) &&
           element == count + 1 && (count == 0 || slice_equal(other, *name))) {
        *name = other;
        count++;
    }
    return count > 0 ? count : 1;
}

void model_call_append_postgres(struct slice path, const struct transform *transform,
                                struct text *sql)
{
    struct slice name;

    text_append_string(sql, "totrain.predict(");
    if (memchr(path.data, '\\', path.size))
        lower_literal(path, sql);
    else
        text_append_literal(sql, path);
    text_append_string(sql, ", ROW(");
    for (uint32_t i = 0; i < transform->column_count;) {
        text_append_string(sql, i > 0 ? ", " : "");
        i += array_at(transform, i, &name);
        text_append_identifier(sql, name);
    }
    text_append_string(sql, "))");
}

#include "codegen/model_call.h"

#include <string.h>

#include "codegen/lower_sql.h"
#include "planner/plan/vectors.h"

void model_call_append_inputs(size_t count, input_appender *append, const void *self,
                              struct text *sql)
{
    const bool is_packed = count > INPUTS_IN_A_ROW;

    for (size_t i = 0; i < count; i++) {
        const bool is_first = is_packed && i % INPUTS_IN_A_ROW == 0;
        const bool is_last = i + 1 == count || (i + 1) % INPUTS_IN_A_ROW == 0;

        text_append_string(sql, is_first ? ", totrain_row(" : ", ");
        append(self, i, sql);
        if (is_packed && is_last)
            text_append_char(sql, ')');
    }
}

static void append_column(const void *self, size_t input, struct text *sql)
{
    const struct transform *transform = self;

    text_append_identifier(sql, transform->columns[input]);
}

void model_call_append(struct slice path, const struct transform *transform, struct text *sql)
{
    text_append_string(sql, "totrain_predict(");
    text_append_literal(sql, path);
    model_call_append_inputs(transform->column_count, append_column, transform, sql);
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

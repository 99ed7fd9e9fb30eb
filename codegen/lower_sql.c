#include "codegen/lower_sql.h"

void lower_literal(struct slice value, struct text *sql)
{
    text_append_string(sql, "E'");
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\')
            text_append_char(sql, value.data[i]);
        text_append_char(sql, value.data[i]);
    }
    text_append_char(sql, '\'');
}

void lower_table(const struct plan *plan, struct slice name, struct text *sql)
{
    const struct slice schema = plan_written_schema(plan);

    text_append_string(sql, "CREATE TABLE ");
    if (schema.size > 0) {
        text_append_identifier(sql, schema);
        text_append_char(sql, '.');
    }
    text_append_identifier(sql, name);
}

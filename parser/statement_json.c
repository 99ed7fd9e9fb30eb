#include "parser/statement_json.h"

#include "base/json.h"

static const char *const value_kinds[] = {
    [VALUE_NUMBER] = "number", [VALUE_BOOLEAN] = "boolean", [VALUE_STRING] = "string",
    [VALUE_WORD] = "word",     [VALUE_LIST] = "list",       [VALUE_RANGE] = "range",
};

static const char *const column_kinds[] = {
    [COLUMN_NAME] = "name", [COLUMN_PATTERN] = "pattern", [COLUMN_LIKE] = "like",
    [COLUMN_ALL] = "all",   [COLUMN_CALL] = "call",       [COLUMN_VALUE] = "value",
    [COLUMN_LIST] = "list",
};

static void add_span(cJSON *object, const char *name, struct span span)
{
    cJSON *offsets = json_add_array(object, name);

    json_append(offsets, json_integer(span.start));
    json_append(offsets, json_integer(span.end));
}

static cJSON *name_json(const struct name *name)
{
    cJSON *object = cJSON_CreateObject();

    json_add_string(object, "name", name->text);
    json_add_integer(object, "position", name->position);
    if (name->quoted)
        json_add_boolean(object, "quoted", true);
    return object;
}

static void add_name(cJSON *object, const char *member, const struct name *name)
{
    if (name->text.size > 0)
        json_add(object, member, name_json(name));
}

static cJSON *path_json(const struct path *path)
{
    cJSON *array = cJSON_CreateArray();

    for (int i = 0; i < path->count; i++)
        json_append(array, name_json(&path->parts[i]));
    return array;
}

static void add_path(cJSON *object, const char *member, const struct path *path)
{
    if (path->count > 0)
        json_add(object, member, path_json(path));
}

static cJSON *value_json(const struct value *value)
{
    cJSON *object = cJSON_CreateObject(), *items;

    json_add_string(object, "kind", slice_of(value_kinds[value->kind]));
    add_span(object, "span", value->span);
    if (value->kind == VALUE_NUMBER && value->is_integer)
        json_add_integer(object, "value", value->integer);
    else if (value->kind == VALUE_NUMBER)
        json_add_real(object, "value", value->number);
    else if (value->kind == VALUE_BOOLEAN)
        json_add_boolean(object, "value", value->boolean);
    else if (value->kind == VALUE_LIST || value->kind == VALUE_RANGE) {
        items = json_add_array(object, "items");
        for (size_t i = 0; i < value->count; i++)
            json_append(items, value_json(&value->items[i]));
    } else
        json_add_string(object, "value", value->text);
    return object;
}

static cJSON *column_json(const struct column *column);

static void add_columns(cJSON *object, const char *member, const struct column *columns,
                        size_t count)
{
    cJSON *array = json_add_array(object, member);

    for (size_t i = 0; i < count; i++)
        json_append(array, column_json(&columns[i]));
}

static cJSON *column_json(const struct column *column)
{
    cJSON *object = cJSON_CreateObject();

    json_add_string(object, "kind", slice_of(column_kinds[column->kind]));
    add_span(object, "span", column->span);
    add_name(object, column->kind == COLUMN_CALL ? "function" : "name", &column->name);
    add_name(object, "parameter", &column->parameter);
    add_name(object, "alias", &column->alias);
    if (column->kind == COLUMN_PATTERN || column->kind == COLUMN_LIKE)
        json_add_string(object, "pattern", column->pattern);
    else if (column->kind == COLUMN_VALUE)
        json_add(object, "value", value_json(&column->value));
    else if (column->kind == COLUMN_CALL)
        add_columns(object, "arguments", column->items, column->count);
    else if (column->kind == COLUMN_LIST)
        add_columns(object, "items", column->items, column->count);
    else if (column->kind == COLUMN_ALL && column->count > 0)
        add_columns(object, "except", column->items, column->count);
    return object;
}

static void add_settings(cJSON *object, const struct statement *statement)
{
    cJSON *array, *setting;

    if (statement->setting_count == 0)
        return;
    array = json_add_array(object, "with");
    for (size_t i = 0; i < statement->setting_count; i++) {
        setting = name_json(&statement->settings[i].name);
        json_add(setting, "value", value_json(&statement->settings[i].value));
        json_append(array, setting);
    }
}

static void add_column_clauses(cJSON *object, const struct statement *statement)
{
    cJSON *array, *clause;

    if (statement->column_clause_count == 0)
        return;
    array = json_add_array(object, "column");
    for (size_t i = 0; i < statement->column_clause_count; i++) {
        const struct column_clause *from = &statement->columns[i];
        clause = cJSON_CreateObject();
        json_add_integer(clause, "position", from->position);
        add_columns(clause, "columns", from->columns, from->count);
        add_name(clause, "for", &from->part);
        json_append(array, clause);
    }
}

static void add_select(cJSON *object, const struct statement *statement)
{
    if (statement->select_position < 0)
        return;
    json_add_string(object, "select", statement->select);
    json_add_integer(object, "select_position", statement->select_position);
}

static cJSON *expression_json(struct span span, struct slice text)
{
    cJSON *object = cJSON_CreateObject();

    add_span(object, "span", span);
    json_add_string(object, "text", text);
    return object;
}

static void add_optimize(cJSON *object, const struct statement *statement)
{
    cJSON *array, *constraint;

    json_add_string(object, "direction",
                    statement->maximize ? SLICE("maximize") : SLICE("minimize"));
    json_add(object, "objective", expression_json(statement->objective, statement->objective_text));
    array = json_add_array(object, "constraints");
    for (size_t i = 0; i < statement->constraint_count; i++) {
        const struct constraint *from = &statement->constraints[i];
        constraint = expression_json(from->expression, from->text);
        add_name(constraint, "group_by", &from->group_by);
        json_append(array, constraint);
    }
}

static void add_run(cJSON *object, const struct statement *statement)
{
    cJSON *array;

    add_name(object, "image", &statement->image);
    array = json_add_array(object, "command");
    for (size_t i = 0; i < statement->argument_count; i++)
        json_append(array, json_string(statement->arguments[i]));
    array = json_add_array(object, "outputs");
    for (size_t i = 0; i < statement->output_count; i++)
        json_append(array, path_json(&statement->outputs[i]));
}

/* USING names the old model of TRAIN and the model of PREDICT; elsewhere the
 * model follows the verb. */
static const char *object_member(const struct statement *statement)
{
    bool follows_using = statement->kind == STATEMENT_TRAIN || statement->kind == STATEMENT_PREDICT;

    return follows_using ? "using" : "object";
}

static void add_commands(cJSON *object, const struct statement *statement)
{
    if (statement->kind == STATEMENT_CANCEL_JOB)
        json_add(object, "job", value_json(&statement->number));
    else if (statement->kind == STATEMENT_FORECAST && statement->number.text.size > 0)
        json_add(object, "steps", value_json(&statement->number));
    else if (statement->kind == STATEMENT_ROLLBACK_MODEL)
        json_add(object, "version", value_json(&statement->number));
    else if (statement->kind == STATEMENT_EXPORT_MODEL ||
             statement->kind == STATEMENT_IMPORT_MODEL ||
             statement->kind == STATEMENT_REPORT_MODEL ||
             statement->kind == STATEMENT_EXPORT_DEFINITION ||
             statement->kind == STATEMENT_IMPORT_DEFINITION)
        json_add_string(object, "file", statement->file);
    add_name(object, "format", &statement->format);
}

static void add_others(cJSON *object, const struct statement *statement)
{
    cJSON *array = json_add_array(object, "others");

    for (size_t i = 0; i < statement->other_count; i++)
        json_append(array, path_json(&statement->others[i]));
}

static void add_other_labels(cJSON *object, const struct statement *statement)
{
    cJSON *array = json_add_array(object, "other_labels");

    for (size_t i = 0; i < statement->other_label_count; i++)
        json_append(array, name_json(&statement->other_labels[i]));
}

static void add_definition(cJSON *object, const struct statement *statement)
{
    if (statement->is_replacing)
        json_add_boolean(object, "replacing", true);
    json_add_string(object, "definition", statement->definition);
    json_add_integer(object, "definition_position", statement->definition_position);
}

static cJSON *statement_json(const struct statement *statement)
{
    cJSON *object = cJSON_CreateObject();

    json_add_string(object, "statement", slice_of(statement_kind_name(statement->kind)));
    add_span(object, "span", statement->span);
    if (statement->is_full)
        json_add_boolean(object, "full", true);
    if (statement->explain_plan)
        json_add_boolean(object, "explain", true);
    add_select(object, statement);
    if (statement->kind == STATEMENT_SQL)
        return object;
    json_add_integer(object, "verb_position", statement->verb_position);
    add_name(object, "model", &statement->model);
    add_path(object, "target", &statement->predict_into);
    if (statement->kind == STATEMENT_RUN)
        add_run(object, statement);
    if (statement->kind == STATEMENT_OPTIMIZE)
        add_optimize(object, statement);
    if (statement->kind != STATEMENT_TRAIN && statement->kind != STATEMENT_PREDICT)
        add_path(object, object_member(statement), &statement->object);
    if (statement->kind == STATEMENT_DEFINE_MODEL)
        add_definition(object, statement);
    if (statement->if_exists)
        json_add_boolean(object, "if_exists", true);
    if (statement->other_count > 0)
        add_others(object, statement);
    add_settings(object, statement);
    add_column_clauses(object, statement);
    add_name(object, "label", &statement->label);
    if (statement->other_label_count > 0)
        add_other_labels(object, statement);
    if (statement->kind == STATEMENT_TRAIN || statement->kind == STATEMENT_PREDICT)
        add_path(object, object_member(statement), &statement->object);
    add_name(object, statement->kind == STATEMENT_OPTIMIZE ? "solver" : "explainer",
             &statement->explainer);
    add_path(object, "into", &statement->into);
    add_commands(object, statement);
    return object;
}

enum status statement_print_json(const struct statement *statement, struct text *out,
                                 struct error *err)
{
    cJSON *json = statement_json(statement);
    enum status status = json_print(json, false, out, err);

    cJSON_Delete(json);
    return status;
}

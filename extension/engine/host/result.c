#include "extension/engine/host/result.h"

#include "base/json.h"

void result_init(struct result *result)
{
    *result = (struct result){0};
    arena_init(&result->arena, RESULT_BYTES_MAX);
}

void result_deinit(struct result *result)
{
    arena_deinit(&result->arena);
}

static enum status too_large(struct error *err)
{
    return fail(err, STATUS_LIMIT, "the result does not fit into %zu bytes", RESULT_BYTES_MAX);
}

static enum status keep_columns(void *self, const struct slice *names, size_t count,
                                struct error *err)
{
    struct result *result = self;

    result->column_count = count;
    result->names = ARENA_NEW(&result->arena, struct slice, count + 1);
    if (!result->names)
        return too_large(err);
    for (size_t i = 0; i < count; i++) {
        result->names[i] = arena_copy(&result->arena, names[i]);
        if (!result->names[i].data)
            return too_large(err);
    }
    return STATUS_OK;
}

static enum status keep_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct result *result = self;
    struct result_row *row = ARENA_NEW(&result->arena, struct result_row, 1);

    if (!row || !(row->cells = ARENA_NEW(&result->arena, struct cell, count + 1)))
        return too_large(err);
    for (size_t i = 0; i < count; i++) {
        row->cells[i] = cells[i];
        if (cells[i].type != CELL_TEXT && cells[i].type != CELL_BLOB)
            continue;
        row->cells[i].text = arena_copy(&result->arena, cells[i].text);
        if (!row->cells[i].text.data)
            return too_large(err);
    }
    if (result->last)
        result->last->next = row;
    else
        result->first = row;
    result->last = row;
    return STATUS_OK;
}

struct sink result_sink(struct result *result)
{
    return (struct sink){.self = result, .columns = keep_columns, .row = keep_row};
}

static void add_member(cJSON *object, const char *name, const struct cell *value)
{
    switch (value->type) {
    case CELL_INTEGER:
        json_add_integer(object, name, value->integer);
        break;
    case CELL_REAL:
        json_add_real(object, name, value->real);
        break;
    case CELL_TEXT:
        json_add_string(object, name, value->text);
        break;
    default:
        json_add(object, name, cJSON_CreateNull());
    }
}

enum status result_row_to_json(const struct result *result, const struct result_row *row,
                               struct text *json, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;

    if (!object)
        return fail_no_memory(err);
    for (size_t i = 0; i < result->column_count; i++)
        add_member(object, result->names[i].data, &row->cells[i]);
    status = json_print(object, false, json, err);
    cJSON_Delete(object);
    return status;
}

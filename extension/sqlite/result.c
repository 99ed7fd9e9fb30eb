#include "sqlite_host/result.h"

#include <stdlib.h>

void results_init(struct results *results)
{
    *results = (struct results){0};
}

void results_deinit(struct results *results)
{
    while (results->newest)
        result_free(results->newest);
}

struct result *result_new(struct results *results)
{
    struct result *result = calloc(1, sizeof *result);

    if (!result)
        return NULL;
    arena_init(&result->arena, RESULT_BYTES_MAX);
    result->owner = results;
    result->handle = ++results->handles;
    result->next = results->newest;
    results->newest = result;
    return result;
}

void result_free(void *self)
{
    struct result *result = self;
    struct result **at = &result->owner->newest;

    while (*at && *at != result)
        at = &(*at)->next;
    if (*at)
        *at = result->next;
    arena_deinit(&result->arena);
    free(result);
}

struct result *result_find(struct results *results, int64_t handle)
{
    struct result *result = results->newest;

    while (result && result->handle != handle)
        result = result->next;
    return result;
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

const struct cell *result_row(struct result *result, int64_t index)
{
    if (!result->at || index < result->at_index) {
        result->at = result->first;
        result->at_index = 0;
    }
    while (result->at && result->at_index < index) {
        result->at = result->at->next;
        result->at_index++;
    }
    return result->at ? result->at->cells : NULL;
}

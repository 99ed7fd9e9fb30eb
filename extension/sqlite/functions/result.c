#include "extension/sqlite/functions/result.h"

#include <stdio.h>
#include <stdlib.h>

#define KEPT_BYTES_MAX ((size_t)4 << 20)

void results_init(struct results *results)
{
    *results = (struct results){0};
}

void results_deinit(struct results *results)
{
    while (results->newest)
        query_result_free(results->newest);
}

struct query_result *query_result_new(struct results *results)
{
    struct query_result *result = calloc(1, sizeof *result);

    if (!result)
        return NULL;
    result_init(&result->rows);
    result->owner = results;
    result->handle = ++results->handles;
    result->next = results->newest;
    results->newest = result;
    return result;
}

void query_result_free(void *self)
{
    struct query_result *result = self;
    struct query_result **at = &result->owner->newest;

    while (*at && *at != result)
        at = &(*at)->next;
    if (*at)
        *at = result->next;
    result_deinit(&result->rows);
    row_file_close(&result->others);
    free(result);
}

struct query_result *query_result_find(struct results *results, int64_t handle)
{
    struct query_result *result = results->newest;

    while (result && result->handle != handle)
        result = result->next;
    return result;
}

/* ----- rows into it ----- */

static enum status keep_columns(void *self, const struct slice *names, size_t count,
                                struct error *err)
{
    const struct sink keep = result_sink(&((struct query_result *)self)->rows);

    return sink_columns(&keep, names, count, err);
}

static size_t bytes_of(const struct cell *cells, size_t count)
{
    size_t bytes = sizeof(struct result_row) + count * sizeof *cells;

    for (size_t i = 0; i < count; i++)
        if (cells[i].type == CELL_TEXT || cells[i].type == CELL_BLOB)
            bytes += cells[i].text.size;
    return bytes;
}

/* Is there a file for the row? It is opened once KEPT_BYTES_MAX bytes are kept in memory; where the
 * folder takes no file all rows are kept there. */
static bool has_file(struct query_result *result, size_t columns)
{
    struct error ignored;

    if (result->others.file)
        return true;
    if (!result->folder[0] || result->kept_bytes < KEPT_BYTES_MAX)
        return false;
    if (row_file_open(&result->others, result->folder, columns, &ignored) == STATUS_OK)
        return true;
    result->folder[0] = '\0';
    return false;
}

static enum status keep_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct query_result *result = self;
    const struct sink keep = result_sink(&result->rows);

    if (has_file(result, count))
        return row_file_put(&result->others, cells, err);
    result->kept++;
    result->kept_bytes += bytes_of(cells, count);
    return sink_row(&keep, cells, count, err);
}

struct sink query_result_sink(struct query_result *result, const char *folder)
{
    snprintf(result->folder, sizeof result->folder, "%s", folder ? folder : "");
    return (struct sink){.self = result, .columns = keep_columns, .row = keep_row};
}

enum status query_result_end(struct query_result *result, struct error *err)
{
    return result->others.file ? row_file_end(&result->others, err) : STATUS_OK;
}

/* ----- and out of it ----- */

bool query_result_has(const struct query_result *result, int64_t index)
{
    return index >= 0 && (uint64_t)index < result->kept + result->others.rows;
}

const struct cell *query_result_row(struct query_result *result, int64_t index)
{
    if (index < 0 || (uint64_t)index >= result->kept)
        return index < 0 ? NULL : row_file_read(&result->others, (uint64_t)index - result->kept);
    if (!result->at || index < result->at_index) {
        result->at = result->rows.first;
        result->at_index = 0;
    }
    while (result->at && result->at_index < index) {
        result->at = result->at->next;
        result->at_index++;
    }
    return result->at ? result->at->cells : NULL;
}

#include "extension/sqlite/result.h"

#include <stdlib.h>

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
    free(result);
}

struct query_result *query_result_find(struct results *results, int64_t handle)
{
    struct query_result *result = results->newest;

    while (result && result->handle != handle)
        result = result->next;
    return result;
}

const struct cell *query_result_row(struct query_result *result, int64_t index)
{
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

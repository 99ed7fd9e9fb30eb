#include "extension/engine/host/held_models.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/host/stored_model.h"

/* ----- one ----- */

static enum status make_scorer(struct held_model *held, struct error *err)
{
    enum status status;

    TRY(scorer_init(&held->scorer, &held->model, 1, err));
    status = output_workspace_init(&held->workspace, &held->model, err);
    if (status != STATUS_OK) {
        output_workspace_deinit(&held->workspace); /* frees the parts that there was memory for */
        scorer_deinit(&held->scorer);
    }
    return status;
}

enum status held_model_complete(struct held_model *held, struct error *err)
{
    const enum status status = make_scorer(held, err);

    if (status != STATUS_OK)
        arena_deinit(&held->arena);
    return status;
}

enum status held_model_load(struct held_model *held, const struct host *host, struct slice schema,
                            struct slice name, size_t arena_max, struct error *err)
{
    enum status status;

    arena_init(&held->arena, arena_max);
    status = stored_model_load(host, schema, name, &held->arena, &held->model, err);
    if (status == STATUS_OK)
        return held_model_complete(held, err);
    arena_deinit(&held->arena);
    return status;
}

void held_model_free(struct held_model *held)
{
    output_workspace_deinit(&held->workspace);
    scorer_deinit(&held->scorer);
    arena_deinit(&held->arena);
    free(held);
}

size_t held_model_bytes(const struct held_model *held)
{
    return held->arena.used;
}

/* ----- one series ----- */

/* Series that are read alone before the model is: about as much work. */
#define SERIES_ALONE_MOST 8

struct asked_table *asked_tables_find(struct asked_tables *asked, uint64_t state)
{
    struct asked_table *tables = asked->tables, found = {.state = state};
    size_t place = 0;

    while (place < ASKED_TABLES - 1 && tables[place].state != state)
        place++;
    if (tables[place].state == state)
        found = tables[place];
    memmove(tables + 1, tables, place * sizeof *tables);
    tables[0] = found;
    return tables;
}

bool asked_table_alone(struct asked_table *table)
{
    if (table->times < SERIES_ALONE_MOST)
        table->times++;
    else if (!table->is_large)
        return false;
    return true;
}

/* ----- the list ----- */

static void take_out(struct held_models *models, const struct held_model *held)
{
    struct held_model **at = &models->newest;

    while (*at != held)
        at = &(*at)->next;
    *at = held->next;
}

void held_models_add(struct held_models *models, struct held_model *held)
{
    held->holders++;
    held->next = models->newest;
    models->newest = held;
}

void held_models_take(struct held_models *models, struct held_model *held)
{
    take_out(models, held);
    held_models_add(models, held);
}

void held_models_give_back(struct held_models *models, struct held_model *held)
{
    if (--held->holders > 0 || held->may_stay)
        return;
    take_out(models, held);
    held_model_free(held);
}

void held_models_free_beyond(struct held_models *models, size_t bytes_max)
{
    struct held_model **at = &models->newest;
    size_t bytes = 0;

    while (*at) {
        struct held_model *held = *at;

        if (held->holders == 0 && held_model_bytes(held) > bytes_max - bytes) {
            *at = held->next;
            held_model_free(held);
            continue;
        }
        bytes += held_model_bytes(held);
        bytes = bytes < bytes_max ? bytes : bytes_max;
        at = &held->next;
    }
}

void held_models_free_where(struct held_models *models,
                            bool (*is)(const struct held_model *held, const void *context),
                            const void *context)
{
    struct held_model **at = &models->newest;

    while (*at) {
        struct held_model *held = *at;

        if (held->holders > 0 || !is(held, context)) {
            at = &held->next;
            continue;
        }
        *at = held->next;
        held_model_free(held);
    }
}

/*
 * held_models.h - models that stay in a session's memory when the statement that loaded them is
 * over.
 *
 *     load --> held by those who took it --> held by nobody: it stays --> no room for it --> freed
 *                         ^                           |
 *                         +---------------------------+
 *
 * The list knows which were used last, and how much they take. Whether a model is still the one
 * that a statement would load, its database has to know: it embeds the struct, as its first member,
 * in one that says of which table, and of which state of it, the model was made.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "scoring/outputs.h"

#define HELD_MODELS_BYTES_DEFAULT ((size_t)128 << 20) /* for all models that stay, together */

struct held_model {
    struct model model;
    struct scorer scorer; /* one row at a time, of whoever holds the model */
    struct output_workspace workspace;

    struct arena arena; /* holds the model and what else goes with it */
    bool may_stay;      /* else it is freed when nobody holds it any more */

    /* the list's own */
    struct held_model *next; /* the model that was used before this one */
    uint32_t holders;
};

struct held_models {
    struct held_model *newest;
};

/* A table whose series were asked for one at a time. A few are read alone, as they would not be
 * worth the time of reading the whole model; and all are where that does not stay. */
struct asked_table {
    uint64_t state; /* hash of the table and its state */
    uint32_t times;
    bool is_large; /* the model has no room */
};
/* Those that were asked last, the newest first: a statement may ask several in turn. */
#define ASKED_TABLES 16
struct asked_tables {
    struct asked_table tables[ASKED_TABLES];
};
/* The table of this state, which is the newest now: asked never before, or long ago. */
struct asked_table *asked_tables_find(struct asked_tables *asked, uint64_t state);
/* Is a series of this table to be read alone now? */
bool asked_table_alone(struct asked_table *table);

/* The struct that embeds it is calloc'd, and belongs to the caller until held_models_add. The arena
 * takes so many bytes at most; on failure nothing of the model is left. */
enum status held_model_load(struct held_model *held, const struct host *host, struct slice schema,
                            struct slice name, size_t arena_max, struct error *err);
/* The same of a model that the caller has put into held->arena, which is freed on failure. */
enum status held_model_complete(struct held_model *held, struct error *err);
void held_model_free(struct held_model *held);
/* Bytes of its arrays, words and texts. */
size_t held_model_bytes(const struct held_model *held);

/* In front, with one holder. */
void held_models_add(struct held_models *models, struct held_model *held);
/* To the front, with one holder more. */
void held_models_take(struct held_models *models, struct held_model *held);
void held_models_give_back(struct held_models *models, struct held_model *held);

/* Frees models that nobody holds, those first that were used longest ago, until all models, held
 * ones among them, take no more than so many bytes. */
void held_models_free_beyond(struct held_models *models, size_t bytes_max);
/* Those that nobody holds, and for which `is` says so. */
void held_models_free_where(struct held_models *models,
                            bool (*is)(const struct held_model *held, const void *context),
                            const void *context);

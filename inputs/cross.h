/*
 * cross.h - several columns of a row -> one of some buckets, as CROSS([a, b], n) in COLUMN asks.
 *
 *     cells of a row:    'tv'      34            NULL
 *                         |         |              |
 *     text of each:      "tv"   "1", bucket    (no text)
 *                         |         |              |
 *     keys:         XXH3("tv")  XXH3("1")          0
 *                         '---------|--------------'
 *     bucket:            XXH3(keys) % buckets
 *
 * XXH3 is its hash of 64 bits without a seed; a key takes 8 bytes, the least first. The text of a
 * value is the word that a category has of it (transform.h: 3, 3.0 and '3' are one), that of a
 * value with a rule the number that the rule makes of it: the bucket from 0, the id, the hash
 * bucket. So a bucket depends on the row and the statement alone. Stored models rely on it: it
 * never changes.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "params/terms.h"

#define CROSS_COLUMNS_MAX 16

struct cross_column {
    struct slice name;
    uint32_t cell;              /* where the row has it; whoever has the rows sets it */
    enum category_rule rule;    /* RULE_WORDS: the value itself. Buckets have bounds of their own */
    enum input_reading reading; /* reading by rules that take numbers */
    uint32_t rows;              /* RULE_HASH: hash buckets; RULE_ID: ids; else 0 */
    const double *bounds;       /* (bound_count): RULE_BUCKET: ascending */
    uint32_t bound_count;
};

struct cross {
    struct cross_column *columns; /* (count) */
    uint32_t count;               /* 2 to CROSS_COLUMNS_MAX */
    uint32_t buckets;             /* 1 to CATEGORY_WORDS_MAX */
};

/* INVALID, naming the column, for a cell that is no text or number, or of a rule that takes numbers
 * for another one than it takes. */
enum status cross_bucket(const struct cross *cross, const struct cell *cells, uint32_t *bucket,
                         struct error *err);

/* With copies of all that it points to; NULL: there is no memory. */
struct cross *cross_copy(const struct cross *cross, struct arena *arena);
/* Do both make the same bucket of each row? Either may be NULL. */
bool cross_equal(const struct cross *a, const struct cross *b);

/* The columns, as jobs and models store them. */
cJSON *cross_to_json(const struct cross *cross);
/* `name` of the object; CORRUPT for what cannot be one. */
enum status cross_from_json(const cJSON *object, const char *name, uint32_t buckets,
                            struct arena *arena, struct cross **cross, struct error *err);

/*
 * concat.h - several categories as one, as CONCAT(a, b, ...) in COLUMN asks.
 *
 *     CONCAT(a, b) AS g:   ids of a | ids of b          each keeps rows of its own in the table
 *     EMBEDDING(g, 8):     (row of a + row of b) / 2    8 numbers of both, by the mean
 *
 * It is what ElasticDL's ConcatenateWithOffset and an embedding of its result do: a row has as many
 * of its ids as there are members, and the combiner makes one embedding of theirs. What the items
 * of one cell are to it is combined first (items.h), and NULL counts as any other word does. A
 * linear model has a weight for each id, as without CONCAT.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/text.h"
#include "params/terms.h"

struct concat {
    uint32_t number; /* number of the CONCAT that the input is a member of, from 1; 0: none */
    enum combiner combiner;
};

static inline bool concat_equal(struct concat a, struct concat b)
{
    return a.number == b.number && (a.number == 0 || a.combiner == b.combiner);
}

/* For people: ", with the others of CONCAT 1 by their mean"; nothing for an input of none. */
void concat_append(struct concat concat, struct text *out);

/* The form that jobs and models store. */
cJSON *concat_to_json(struct concat concat);
/* Member "concat" of the object, which may be left out; CORRUPT for what cannot be one. */
enum status concat_from_json(const cJSON *object, struct concat *concat, struct error *err);

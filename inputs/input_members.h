/*
 * input_members.h - the members of struct input_spec, each declared once.
 *
 *     struct input_spec  --input_members_write-->  an object of job.json, or of a model's meta row
 *                        <--input_members_read---
 *
 * A member is a row of `input_members`: its name in either record, how it lies in memory, its range
 * and its words. Writing, reading, comparing, copying, and the schema of job.json follow from the
 * rows. The orders of both records (input_members.c) say where a member stands in them, of which
 * inputs it is said there, and which value goes without saying: a reader that misses the member has
 * that value, and the bytes of jobs and models do not change with a row that they do not use.
 *
 * What was read is checked once, for both records (input_spec_check): ranges are those of the rows,
 * and which members go together stands there. What a model's older formats lacked is known where
 * models are read (scoring/tables/model_meta.c), which says of which members a row may speak.
 */
#pragma once

#include "base/json.h"
#include "inputs/input_spec.h"

#define INPUT_NAME_BYTES_MAX 100000 /* a column's name in a job: SQLite allows any length */

enum input_record { RECORD_JOB, RECORD_MODEL, INPUT_RECORDS };

enum input_member_name {
    MEMBER_NAME,
    MEMBER_TYPE,
    MEMBER_VOCABULARY_MAX,
    MEMBER_WORDS_MAX,
    MEMBER_MODEL_PART,
    MEMBER_DIMENSION,
    MEMBER_CONCAT,
    MEMBER_RULE,
    MEMBER_CROSS,
    MEMBER_BOUNDS,
    MEMBER_COMBINER,
    MEMBER_WEIGHTED,
    MEMBER_COLUMN,
    MEMBER_PART,
    MEMBER_LIST,
    MEMBER_ELEMENT,
    MEMBER_READING,
    MEMBER_KEEPS_CODES,
    MEMBER_OFFSET,
    MEMBER_LABEL,
    MEMBER_DIRECTION,
    MEMBER_GROUPS,
    MEMBER_PAIRS,
    MEMBER_WEIGHT,
    INPUT_MEMBERS
};

#define ALL_INPUT_MEMBERS ((1u << INPUT_MEMBERS) - 1)

/* How the member lies in memory, and in JSON. */
enum member_store {
    MEMBER_IS_TEXT,      /* struct slice */
    MEMBER_IS_U32,       /* uint32_t */
    MEMBER_IS_WORD,      /* an enum whose values are the places of `words` */
    MEMBER_IS_TRUE,      /* bool: it is said where it is true */
    MEMBER_IS_DIRECTION, /* int8_t: -1 and 1 are the places 0 and 1 of `words` */
    MEMBER_IS_GROUPS,    /* uint64_t of bits: their numbers, ascending */
    MEMBER_IS_LIST,      /* struct cell_list */
    MEMBER_IS_CONCAT,    /* struct concat */
    MEMBER_IS_CROSS,     /* const struct cross * */
    MEMBER_IS_BOUNDS     /* const double *, whose count is bound_count */
};

struct input_member {
    const char *names[INPUT_RECORDS]; /* NULL: the record does not have it */
    bool is_of_source;                /* in a job it stands in the object "source" */
    enum member_store store;
    size_t offset;
    uint32_t least, most;     /* range of a number; bytes of a text in a job; places of the words
                                 that may be said, from `least` on */
    const char *const *words; /* NULL-terminated */
    const char *help;         /* sentence of the schema; NULL: none */
};
extern const struct input_member input_members[INPUT_MEMBERS];

/* Steps in which a record is written, as a model's has what was learned between them. A job's is
 * written in the first. */
#define INPUT_STEPS 3
void input_members_write(const struct input_spec *spec, enum input_record record, unsigned step,
                         cJSON *object);

/* Reads those of the members (bits) that the object has; what it lacks is what goes without saying.
 * The copies lie in the arena. CORRUPT, naming the member, for a value out of its range, in a job
 * for a member that such an input has not, and for what input_spec_check refuses. */
enum status input_members_read(const cJSON *object, enum input_record record, unsigned members,
                               struct arena *arena, struct input_spec *spec, struct error *err);

bool input_member_equal(const struct input_member *member, const struct input_spec *a,
                        const struct input_spec *b);
/* The copy's member is a copy of what the spec's points to; where it points to nothing it stays as
 * it is. */
enum status input_member_copy(const struct input_member *member, const struct input_spec *spec,
                              struct arena *arena, struct input_spec *copy, struct error *err);

/* The member that is a text with a zero byte, by its name in a model; NULL: there is none. JSON
 * strings end at one: it would come back cut. */
const char *input_member_with_zero(const struct input_spec *spec);

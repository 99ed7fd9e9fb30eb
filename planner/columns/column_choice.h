/*
 * column_choice.h - what calls of functions in a COLUMN clause say of columns.
 *
 *     COLUMN age, BUCKET(age, [30, 50]), INDICATOR(CATEGORY_HASH(site, 1000))
 *            |    |                      |
 *            |    a bucket beside it     a category in the place of the column
 *            the column as it is
 *
 *     COLUMN CROSS([site, BUCKET(age, [30, 50])], 1000)     one input of both
 *     COLUMN EMBEDDING(CONCAT(site, BUCKET(age, 5)), 8)     two inputs with one embedding
 *
 * A function says what a column is to the model (NUMERIC, VOCABULARY, DATE, TEXT, DENSE, SPARSE:
 * one of them for each column), or makes another input of it (BUCKET, CATEGORY_ID, CATEGORY_HASH),
 * which has the function's name: BUCKET(age), or of several (CROSS), which says nothing of what
 * these are. column_function.h has what people read of them.
 *
 * Where clauses are for parts of a model (FOR), an input that both name is one input of both.
 */
#pragma once

#include "planner/plan/planning.h"

/* The choice that a COLUMN clause makes for one column of the query. */
struct choice {
    enum {
        CHOICE_NONE,
        CHOICE_DERIVED,
        CHOICE_NUMERIC,
        CHOICE_CATEGORY,
        CHOICE_DATE,
        CHOICE_TEXT,
        CHOICE_LIST,
        CHOICE_ITEMS
    } kind;
    const char *function;   /* the function that made it; NULL: none */
    struct input_spec spec; /* the input that it makes, but for name, column and type. list of
                               size 0: not said; reading: an old model's, unless every model knows
                               it; dimension 0: not said */
    uint32_t shape;         /* CHOICE_NUMERIC: elements; 0: not set */
    uint32_t parts;         /* CHOICE_DATE; 0: the usual ones */
    bool is_derived;        /* CHOICE_LIST, CHOICE_ITEMS: from what the texts are */
    unsigned model_parts;   /* bits of MODEL_PARTS_*: those whose clause names it */
    int position;
    bool is_named; /* by its name, not by a pattern or * */
};

/* Bits of model_parts: the parts of the model that a COLUMN clause is for. */
#define MODEL_PARTS_LINEAR 1u
#define MODEL_PARTS_DNN    2u
#define MODEL_PARTS_ALL    3u
static inline unsigned model_parts_of(enum model_part part)
{
    return (part_has_linear(part) ? MODEL_PARTS_LINEAR : 0) |
           (part_has_dnn(part) ? MODEL_PARTS_DNN : 0);
}
static inline enum model_part model_part_of(unsigned parts)
{
    if (parts == MODEL_PARTS_LINEAR)
        return PART_LINEAR;
    return parts == MODEL_PARTS_DNN ? PART_DNN : PART_BOTH;
}

/* Those that the clause is for, by TensorFlow's names and by ElasticDL's. */
unsigned model_parts_of_clause(const struct column_clause *clause);

/* One of the columns of a CROSS, and what is made of its values before. */
struct crossed_choice {
    int column; /* index in the query */
    struct choice choice;
};

/* An input that a function makes of a column, beside what the column itself is. */
struct made_choice {
    int column; /* index in the query; -1: it is a cross */
    struct slice name;
    struct choice choice;
    struct crossed_choice *crossed; /* (crossed_count): of a cross */
    uint32_t crossed_count;
};

/* The choices of all COLUMN clauses. */
struct choices {
    struct choice *of; /* (columns of the query) */
    unsigned *taken;   /* (columns): parts for which a function but CROSS takes it, so that no
                          pattern,   nor *, does */
    bool *excepted;    /* (columns): some * takes all but these */
    struct made_choice *made; /* (made_count), in the order of the clause; room for made_room */
    size_t made_count, made_room;
    unsigned model_parts; /* parts that the clause being read is for */
    uint32_t concat_count;
};

/* Keeps the choice of a function call in COLUMN. INVALID with a position and a hint for an unknown
 * function, arguments that it does not take, and a column that is named twice; UNSUPPORTED for
 * functions that are not there yet. */
enum status column_choose_call(struct planning *planning, const struct column *call,
                               struct choices *choices);
/* A column that is named alone, or by a function that says what it is. */
enum status column_choose(struct planning *planning, const struct name *name,
                          const struct choice *choice, struct choices *choices);

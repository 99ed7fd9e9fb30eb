/*
 * statement.h - the parsed text of a statement, without its meaning.
 *
 * A tree of names, values and byte offsets. It knows no database and no
 * machine learning: whether a column or a model exists is the planner's
 * business. All of it lives in the arena given to the parser; slices point
 * into the arena, never into the text. Every position is a byte offset into
 * the whole text that was handed to the parser, so that an error in the third
 * statement of a script shows the right line.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define STATEMENT_BYTES_MAX       ((size_t)1 << 20) /* one statement */
#define STATEMENT_ATTRIBUTES_MAX  256
#define STATEMENT_COLUMNS_MAX     4096  /* column expressions in one COLUMN clause */
#define STATEMENT_DEPTH_MAX       32    /* nested lists and calls */
#define STATEMENT_VALUES_MAX      65536 /* list elements and function arguments, all together */
#define STATEMENT_CLAUSES_MAX     16    /* COLUMN clauses */
#define STATEMENT_CONSTRAINTS_MAX 256
#define STATEMENT_ARGUMENTS_MAX   256 /* words of CMD */
#define STATEMENT_MODELS_MAX      16  /* models of one EVALUATE */
#define STATEMENT_LABELS_MAX      32  /* columns after LABEL */
#define STATEMENT_OUTPUTS_MAX     64  /* tables that RUN names after INTO */
#define STATEMENT_NAME_PARTS_MAX  8   /* parts of a dotted attribute name or word */

/* ----- kinds ----- */

enum statement_kind {
    STATEMENT_SQL,      /* ordinary SQL: the host's own */
    STATEMENT_TRAIN,    /* SELECT ... TO TRAIN */
    STATEMENT_PREDICT,  /* SELECT ... TO PREDICT */
    STATEMENT_EVALUATE, /* SELECT ... TO EVALUATE */
    STATEMENT_EXPLAIN,  /* SELECT ... TO EXPLAIN */
    STATEMENT_RUN,      /* SELECT ... TO RUN */
    STATEMENT_OPTIMIZE, /* SELECT ... TO MAXIMIZE | MINIMIZE */
    STATEMENT_FORECAST,
    STATEMENT_SHOW_TRAIN,
    STATEMENT_SHOW_MODEL,
    STATEMENT_SHOW_MODELS,
    STATEMENT_SHOW_VERSIONS,
    STATEMENT_SHOW_TRIALS,
    STATEMENT_SHOW_JOBS,
    STATEMENT_SHOW_ATTRIBUTES,
    STATEMENT_CANCEL_JOB,
    STATEMENT_ROLLBACK_MODEL,
    STATEMENT_EXPORT_MODEL,
    STATEMENT_IMPORT_MODEL,
    STATEMENT_REPORT_MODEL,
    STATEMENT_DEFINE_MODEL,
    STATEMENT_SHOW_DEFINITIONS,
    STATEMENT_SHOW_DEFINITION,
    STATEMENT_DROP_DEFINITION,
    STATEMENT_EXPORT_DEFINITION,
    STATEMENT_IMPORT_DEFINITION
};

/* ----- names and values ----- */

struct span {
    int start, end; /* byte offsets, end exclusive */
};

/* One identifier, quotes taken off. */
struct name {
    struct slice text;
    int position;
    bool quoted;
};

/* a, a.b or a.b.c: parts[count - 1] is the innermost. count 0: not there. */
struct path {
    struct name parts[3];
    int count;
};

enum value_kind { VALUE_NUMBER, VALUE_BOOLEAN, VALUE_STRING, VALUE_WORD, VALUE_LIST, VALUE_RANGE };

struct value {
    enum value_kind kind;
    struct span span;
    double number;
    bool is_integer; /* VALUE_NUMBER written without point or exponent and within 64 bits */
    int64_t integer;
    bool boolean;
    struct slice text; /* VALUE_STRING unescaped, VALUE_WORD as written; VALUE_NUMBER as written */
    struct value *items; /* VALUE_LIST; VALUE_RANGE: what stands in its parentheses */
    size_t count;
};

/* ----- clauses ----- */

/* WITH name = value. The name is the dotted name as written ("model.hidden_units"). */
struct setting {
    struct name name;
    struct value value;
};

enum column_kind {
    COLUMN_NAME,
    COLUMN_PATTERN,
    COLUMN_LIKE,
    COLUMN_ALL,
    COLUMN_CALL,
    COLUMN_VALUE,
    COLUMN_LIST
};

/* The forms that a COLUMN clause may have: a name, 'a regular expression', *, * EXCEPT (...),
 * FUNCTION(arguments), and inside a call also plain values and [lists]. Inside EXCEPT stand names,
 * regular expressions and LIKE 'tmp_%'. */
struct column {
    enum column_kind kind;
    struct span span;
    struct name name;     /* COLUMN_NAME; COLUMN_CALL: the function's name as written */
    struct slice pattern; /* COLUMN_PATTERN; COLUMN_LIKE: the text behind LIKE; also a COLUMN_NAME
                             in double quotes: where no column has that name, it is meant as
                             SQLFlow's regular expression */
    struct value value;   /* COLUMN_VALUE; also COLUMN_NAME: the bare word, for mean and COMMA */
    struct column *items; /* COLUMN_CALL: arguments; COLUMN_LIST: elements; COLUMN_ALL: what stands
                             behind EXCEPT */
    size_t count;
    /* Members for an argument; text.size == 0: none. */
    struct name parameter; /* num_buckets in BUCKET(c, num_buckets = 5) */
    struct name alias;     /* g in EMBEDDING(CONCAT(a, b) AS g, 8) */
};

/* COLUMN a, b FOR part */
struct column_clause {
    struct column *columns;
    size_t count;
    struct name part; /* part.text.size == 0: no FOR */
    int position;     /* the word COLUMN's */
};

/* CONSTRAINT expression [GROUP BY column] */
struct constraint {
    struct span expression;
    struct slice text; /* the expression's text */
    struct name group_by;
};

/* ----- the statement ----- */

struct statement {
    enum statement_kind kind;
    struct span span;  /* from the first token to before the semicolon */
    bool explain_plan; /* EXPLAIN SELECT ... TO TRAIN, PREDICT, EVALUATE: show the plan, do nothing
                        */

    bool is_full; /* SHOW MODELS FULL, SHOW JOBS FULL */

    struct slice select; /* the host's half, trimmed: SELECT ... or WITH ... SELECT ... */
    int select_position; /* where it begins */
    int verb_position;   /* TRAIN, PREDICT, ... (or SHOW, CANCEL, ... where there is no SELECT) */

    struct name model;   /* TO TRAIN: the estimator, dots and slashes included (xgboost.gbtree);
                            DEFINE MODEL, SHOW and DROP DEFINITION: the definition (zoo/mlp) */
    struct path object;  /* the model table: USING of PREDICT and TRAIN, of EVALUATE, EXPLAIN, SHOW
                            TRAIN, SHOW MODEL, SHOW VERSIONS, SHOW TRIALS, FORECAST, ROLLBACK,
                            EXPORT; SHOW  ATTRIBUTES FOR leaves it in `model` */
    struct path *others; /* EVALUATE a, b, c: the models behind the first */
    size_t other_count;
    struct path into; /* TRAIN, IMPORT: the new model; EVALUATE, EXPLAIN, FORECAST, PREDICT: the
                         target table; OPTIMIZE */
    struct path predict_into; /* PREDICT [[schema.]table.]column; the last part is the column, and
                                 alone it names no table: `into` may */
    struct setting *settings; /* WITH, in the order written; names are distinct. DEFINE MODEL: the
                                 arguments and their defaults */
    size_t setting_count;
    struct column_clause *columns;
    size_t column_clause_count;
    struct name label;         /* text.size == 0: none */
    struct name *other_labels; /* TRAIN: the labels behind the first */
    size_t other_label_count;
    struct name explainer; /* EXPLAIN ... USING explainer, OPTIMIZE ... USING solver */

    struct value number; /* CANCEL JOB id, ROLLBACK MODEL m TO version (number or string), FORECAST
                            m FOR steps; without them its text is empty */
    struct slice file;   /* EXPORT and REPORT m TO 'file', IMPORT m FROM 'file' */
    int file_position;   /* where it begins */
    struct name format;  /* EXPORT, IMPORT, REPORT ... FORMAT */
    struct name image;   /* RUN image */
    struct slice *arguments; /* RUN ... CMD */
    size_t argument_count;
    struct path *outputs; /* RUN ... INTO a, b */
    size_t output_count;
    bool is_replacing;               /* DEFINE OR REPLACE MODEL */
    bool if_exists;                  /* DROP DEFINITION IF EXISTS */
    struct slice definition;         /* DEFINE MODEL ... AS: the text that the quotes hold */
    struct slice definition_written; /* the same as written, with its quotes */
    int definition_position;         /* where the quotes begin */
    bool maximize;                   /* OPTIMIZE */
    struct span objective;
    struct slice objective_text;
    struct constraint *constraints;
    size_t constraint_count;
};

/* TO PREDICT table.column, or INTO table; without a table its rows are the result. */
static inline bool statement_predicts_into_table(const struct statement *statement)
{
    return statement->kind == STATEMENT_PREDICT &&
           (statement->predict_into.count > 1 || statement->into.count > 0);
}

/* The same of a table that EVALUATE, TO EXPLAIN and FORECAST may write. */
static inline bool statement_writes_rows(const struct statement *statement)
{
    return (statement->kind == STATEMENT_EVALUATE || statement->kind == STATEMENT_EXPLAIN ||
            statement->kind == STATEMENT_FORECAST) &&
           statement->into.count > 0;
}

/* Is it of a kind that returns rows, and makes no table, model, job or file? The plan that EXPLAIN
 * shows of another kind is left to the caller. */
bool statement_writes_nothing(const struct statement *statement);

/* The place in the program text of byte `offset` of statement->definition. */
int statement_definition_place(const struct statement *statement, int offset);

const char *statement_kind_name(enum statement_kind kind); /* "TRAIN", "SHOW MODELS", "SQL" */

/* The last part of a path; NULL text when the path is empty. */
struct name path_last(const struct path *path);

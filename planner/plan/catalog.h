/*
 * catalog.h - the seam through which the planner sees a database.
 *
 * Filled by each host (extension/sqlite, extension/postgres) and by a
 * test double. The planner asks two things: what does this query return, and
 * which model has this name.
 */
#pragma once

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "inputs/concat.h"
#include "inputs/cross.h"
#include "params/terms.h"
#include "planner/plan/vectors.h"
#include "scoring/columns/cell_counts.h"
#include "scoring/columns/word_shapes.h"
#include "scoring/metrics/aim.h"

#define QUERY_COLUMNS_MAX 2000 /* SQLite's own limit by default */
#define QUERY_SAMPLE_ROWS 1000
#define QUERY_DECILES     9

/* Facts about one column, from a sample of the first QUERY_SAMPLE_ROWS rows, or from all rows. */
struct query_column {
    struct slice name;
    struct slice declared_type; /* the host's name of it ("INTEGER", "varchar(10)"); may be empty */
    struct slice
        sql_type; /* PostgreSQL: how any session names the type in SQL, pg_catalog.bool; or empty */
    uint32_t nulls, integers, reals, texts, blobs; /* cells of each type in the sample */
    uint32_t numeric_texts; /* texts that read as one number, written without leading zeros */
    uint32_t written_texts; /* texts that are numbers in other spellings, but for separated_texts */
    struct number_counts numbers; /* spellings of the texts that are numbers */
    uint32_t blank_texts; /* texts that are empty or white space, as CSV has for a missing value */
    /* texts of other kinds, as inputs/cells/cell_text.h tells them apart */
    uint32_t code_texts, separated_texts, missing_texts, boolean_texts, date_texts, timestamp_texts;
    uint32_t missing[MISSING_SPELLINGS];
    /* bytes of the words, codes, dates and written_texts, and how many have white space inside */
    uint64_t word_bytes;
    uint32_t spaced_texts;
    uint32_t whole_texts; /* whole numbers among numeric_texts, in columns whose whole numbers
                             distinct_values counts */
    /* different values, and the cells that they are in, of words, and of the whole numbers of a
     * label or of a column with the name of a key: all up to DISTINCT_MAX values, else a sample */
    uint64_t distinct_values, distinct_cells;
    uint64_t once_values,
        twice_values;          /* values that one cell has, and two; 0 and 0: not counted */
    uint32_t distinct_numbers; /* different integers and reals of the sample; 0: there are none, or
                                  they were not counted */
    double least, greatest;    /* the bounds of these numbers */
    double deciles[QUERY_DECILES]; /* deciles of the numbers of its first cells, ascending; texts
                                      that are one number count */
    bool has_deciles;              /* else none is known */
    uint32_t dates;         /* cells that are dates: texts that read so, and PostgreSQL's types */
    uint32_t times;         /* dates with a time that is not midnight */
    uint32_t written_dates; /* texts that are dates in another form than ISO's, by date_reading */
    enum input_reading date_reading;
    uint32_t unclear_dates;     /* texts that are dates, of which nothing tells whether the day, the
                                   month or the year is first */
    uint64_t short_years;       /* written dates whose year has two digits */
    char word[WORD_KEPT_MAX];   /* the most frequent text that is no number or date */
    uint32_t word_size;         /* bytes of the word; 0: none is known */
    uint64_t word_cells;        /* cells that hold the word */
    struct shaped_words shaped; /* the form that its words share */
    uint32_t vectors;           /* cells that are arrays of numbers */
    uint32_t elements;          /* elements of the first array that has any */
    struct list_counts lists;   /* lists among its texts */
    uint32_t parts; /* parts that are taken of dates, as bits (inputs/cells/dates.h); 0: none */
    struct cell_list list; /* the list that each text is read as; LIST_NONE: a text is one value */
    bool list_is_counted;  /* the list's size is that of the rows that were counted */
};

/* A cross of columns (inputs/cross.h), and what the input is called that it makes. */
struct query_cross {
    struct slice name;
    const struct cross *cross; /* its columns' cells are indexes of the query's columns */
};

/* The bounds of a column's buckets of about as many rows (cross_quantiles.h). */
struct column_quantiles {
    int column;
    uint32_t buckets, bound_count; /* number asked for; number of bounds[] */
    const double *bounds;
};

struct query {
    struct slice label;             /* given to describe; size 0: none */
    const struct name *more_labels; /* (more_label_count): likewise, of several */
    size_t more_label_count;
    /* (count), and behind them the elements of vectors (vectors.h). */
    struct query_column *columns;
    size_t count;
    const struct query_cross *crosses; /* (cross_count) */
    size_t cross_count;
    struct vectors vectors;
    const struct column_quantiles *quantiles; /* (quantile_count): found so far */
    size_t quantile_count;
    uint32_t sample_rows;
    bool is_whole;    /* all rows were counted */
    bool is_ordered;  /* the outermost SELECT has an ORDER BY, as far as the host knows */
    bool is_volatile; /* a cell may have another value each time it is read, as random() has */
};

/* A column that a stored model takes. */
struct model_input {
    struct slice name;
    bool is_source;         /* it is no input by itself: others are made of it */
    bool has_nulls;         /* training saw some, or nobody knows */
    double least, greatest; /* numbers beyond them are one to the model; 0 and 0: nobody asks */
    enum input_type type;
    enum offset offset;     /* it is one, and no feature */
    enum input_label label; /* it is one of several labels, which a row need not have */
    uint32_t
        parts; /* parts of its dates (inputs/cells/dates.h); 0: the model takes cells as they are */
    enum input_reading reading; /* reading of its numbers, and of its dates where it takes parts */
    struct cell_list list;      /* list whose numbers it takes */
    uint32_t hash_buckets, words_max; /* hash buckets, or vocabulary, and words of a text */
    bool has_pairs;                   /* the same as in input_spec, like the next two: of a text */
    enum text_weight weight;
    enum combiner combiner;
    enum model_part model_part; /* the same as in input_spec, like the next two */
    uint32_t dimension;
    struct concat concat;
};

/* One of several labels that a model predicts. */
struct model_summary_head {
    struct slice name;
    enum input_label type;
};

/* Facts about a stored model that the planner needs, from its meta row alone. */
struct model_summary {
    struct slice estimator;
    enum task task;
    struct slice label;
    enum label_type label_type;
    struct slice
        label_declared;         /* PostgreSQL: what the labels were, checked, as in SQL; or empty */
    uint32_t class_count;       /* classes of a classifier */
    const struct cell *classes; /* (class_count): ascending */
    uint32_t positive;          /* index of the positive one of two classes */
    bool has_threshold;         /* the model keeps a threshold for the positive class */
    double threshold;
    enum calibration calibration; /* calibration of its probabilities */
    struct model_input *inputs;
    size_t input_count;
    const struct transform_input **made; /* (made_count): inputs that functions of COLUMN make of
                                            these, in their order, crosses last */
    size_t made_count;
    uint32_t component_count; /* numbers that PREDICT gives: components of a projection, or heads */
    const struct model_summary_head *heads; /* (component_count); NULL: it has not several labels */
    const struct kind *kind;
    const struct kind_params *params; /* attributes that train one like it; NULL: not known */
    const void *outline;              /* the same as in struct model */
    enum label_link link;
    struct aim_facts aim;
    struct slice rounds[METRICS_MAX]; /* (round_count): metrics that were measured each round, in
                                         the order of the statement */
    size_t round_count;
    bool has_statistics; /* it keeps those of its training rows
                            (scoring/statistics/input_statistics.h) */
    uint32_t kept_epoch; /* the epoch whose weights it has; 0: the last */
    struct slice digest;
    int64_t version;
    uint64_t memory;        /* bytes that it takes where it is loaded; 0: not known */
    double multiplications; /* multiplications that a row costs; 0: not known */
};

/* The database whose SQL is written. PostgreSQL folds a name without quotes to small letters. */
enum sql_dialect { SQL_SQLITE, SQL_POSTGRES };

/* Decisions of the database's administrator. Zeros: none. */
struct catalog_limits {
    uint32_t workers;                  /* most of one job; 0: as many as the language allows */
    const char *workers_decision;      /* the setting with that, for the hint */
    bool no_processes;                 /* no job is begun: the session itself scores */
    uint64_t model_memory;             /* most of a model that the session itself loads; 0: any */
    const char *model_memory_decision; /* likewise */
    bool is_closed;                    /* jobs open no port: no job.metrics */
    const char *no_detach, *no_detach_hint;   /* why not job.wait = false; NULL: find_file tells */
    uint64_t seed;                            /* seed of a statement without train.seed */
    bool has_cluster;                         /* jobs may go to Kubernetes */
    bool wants_cluster;                       /* and do, where a statement does not set job.where */
    bool keeps_cluster;                       /* and may outlive the session: job.wait = false */
    const char *no_cluster, *no_cluster_hint; /* why not; NULL: their pods cannot reach it */
    bool is_staged; /* the processes are started elsewhere, and reach this database */
};

/* Takes the rows of a query; a failure ends it. */
struct row_taker {
    void *self;
    enum status (*row)(void *self, const struct cell *cells, size_t count, struct error *err);
};

/* A definition as it is stored. */
struct stored_definition {
    struct slice statement; /* DEFINE MODEL ... (definition/definition.h) */
    struct slice created_at;
    int64_t version; /* from 1 on */
};

struct catalog {
    void *self;
    enum sql_dialect dialect;
    struct catalog_limits limits;
    /* Prepare (not run to the end) the SELECT; sample it. DATABASE with the
     * host's own message, position relative to the SELECT's first byte or -1. */
    enum status (*describe)(void *self, struct slice select, struct arena *arena,
                            struct query *query, struct error *err);
    /* All rows of the SELECT. */
    enum status (*each_row)(void *self, struct slice select, const struct row_taker *taker,
                            struct error *err);
    /* NOT_FOUND with a hint of the nearest model name; CORRUPT when the table
     * is there and is no model. schema.size == 0: the host's search order. */
    enum status (*find_model)(void *self, struct slice schema, struct slice name,
                              struct arena *arena, struct model_summary *model, struct error *err);
    /* NOT_FOUND with a hint of the nearest definition; PERMISSION; CORRUPT when the table is there
     * and is none. NULL: there are none (a test double). */
    enum status (*find_definition)(void *self, struct slice schema, struct slice name,
                                   struct arena *arena, struct stored_definition *stored,
                                   struct error *err);
    /* Does a schema (PostgreSQL) or attached database (SQLite) of this name
     * exist? NULL: any name goes (the test double). */
    bool (*has_schema)(void *self, struct slice schema);
    /* The file in which a table of this schema is made, for a process that opens it when this
     * session has ended: an absolute path. Size 0: in none. NULL: as that. */
    struct slice (*find_file)(void *self, struct slice schema);
    /* Where relative paths of files begin: absolute, in the arena. NULL: the host takes no paths,
     * since its jobs may write where the user may not. */
    enum status (*working_folder)(void *self, struct arena *arena, struct slice *folder,
                                  struct error *err);
};

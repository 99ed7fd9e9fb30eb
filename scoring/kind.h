/*
 * kind.h - all that the system asks of a kind of model.
 *
 * A kind is a folder kinds/NAME/ that fills one of these structs, and a line of kinds/kinds.c. It
 * says what a stored model of it consists of and how rows are scored by it. How a model of it is
 * learned is not here: databases link this, and no learner.
 *
 *     stored     model->content is the kind's own struct. Meta row, digest and checksum, tensor
 *                rows and their checks are written and read by scoring/ for all kinds, over the
 *                JSON object, the numbers and the arrays that the kind names.
 *     scoring    open --(score)*--> close: a row is `dense` and `ids` (transform.h), what comes of
 *                it is `outputs` floats, whose meaning the task fixes (model.h).
 */
#pragma once

#include "base/json.h"
#include "base/stop.h"
#include "params/attribute.h"
#include "scoring/model.h"

#define MODEL_ARRAY_NAME 40 /* bytes of an array's name and its zero */

struct formula;
struct formula_program;
struct formula_row;

/* Floats of a model, as one tensor of the table. */
struct model_array {
    char name[MODEL_ARRAY_NAME];
    uint64_t rows, width;   /* row major */
    bool has_known_shape;   /* it follows from an array before it, or from the kind's numbers */
    const float **elements; /* where the model's content points to them */
};

/* A value beside what is expected in its place: the bounds within which a share of such values
 * lies, and the probability that one lies nearer. */
struct checked_value {
    double lower, upper, probability;
};

/* A model whose outputs are sums of features: (rows, width) weights of dense columns and then ids,
 * (width) biases. The table has a row of each feature. */
struct linear_weights {
    const float *weights, *bias;
    uint32_t width;
};

/* In kind->without: its models have no offset (transform.h). */
#define WITHOUT_OFFSET "train.offset", "train.base_margin", "train.exposure"

/* The parameters that a statement gives a model of the kind, in the kind's own struct. A job spec
 * has them by value; zeros are a model of which nothing is said. */
#define KIND_PARAMS_BYTES 576
/* The type attribute of each such struct: the same bytes are read as the struct of the kind, copied
 * as kind_params, and may be read as another kind's struct that begins alike. */
#define KIND_PARAMS_TYPE __attribute__((may_alias))
struct KIND_PARAMS_TYPE kind_params {
    _Alignas(8) unsigned char bytes[KIND_PARAMS_BYTES];
};

/* The sizes that a model is made for: the least possible, where more is not known yet. */
struct kind_shape {
    enum task task;
    uint32_t classes;  /* 0: found from the data */
    double dense, ids; /* columns that are numbers, that are categories */
    double counts;     /* columns of `dense` that count words of texts (LIST_WORDS) */
    double id_rows;    /* words of all categories */
    double rows;       /* to train from; 0: not known */
    double holidays;   /* holidays of series, whose numbers are no columns */
    /* Columns of `dense` of which few different values are expected, and how many values all of
     * these have together. */
    double few_columns, few_values;
    /* Which of them the parts of a model take that has parts. */
    struct kind_parts {
        double linear_dense, linear_ids, dnn_dense, dnn_ids;
        double sized_ids, sized_numbers; /* categories with dimensions of their own, and these */
        uint32_t dimension_most;         /* greatest of these */
    } parts;
};

/* One more input, of so many columns where it is numeric; its words are the caller's. */
void kind_shape_add(struct kind_shape *shape, enum input_type type, double columns,
                    enum model_part part, uint32_t dimension);
/* One more category that has its embedding with others before it (concat.h). */
void kind_shape_join(struct kind_shape *shape, enum model_part part);
/* Appends "3 inputs", or "2 numbers and the words of 1 category". */
void kind_shape_append(const struct kind_shape *shape, struct text *text);
/* All of a transform that is finished, and its words. */
void kind_shape_take(struct kind_shape *shape, const struct transform *transform);

struct kind_cost {
    double parameters;
    double multiplications; /* a row, in one direction */
    uint32_t slots;         /* floats that descent keeps for each parameter */
    double bytes;           /* bytes that learning takes of a worker, and for each of the rows: */
    double row_bytes;
    /* All that learning multiplies, where the kind has no batches, and of it for each of the rows;
     * 0: it is not known before. */
    double learning, row_learning;
    double usual_bytes; /* bytes that learning and measuring usually take of a worker, beside
                           row_bytes; 0: `bytes` */
};

/* How long train.epoch = 'auto' trains: 10 epochs at least, and steps_least steps; where `epochs`
 * take no more than steps_most steps, as many, else as many as that. */
struct kind_length {
    uint32_t steps_least, epochs, steps_most;
    double l2; /* model.l2 = 'auto', times the training rows */
};

/* The attributes that a statement sets. */
struct kind_settings {
    const void *context;
    enum task task;
    uint32_t classes; /* like those of struct kind_shape */
    /* False: it is not set. Otherwise how it is spelled, and where. */
    bool (*find)(const void *context, const char *attribute, struct slice *spelled, int *position);
};

/* The treatment of a column of numbers whose deviation is that of a few values far from the
 * others. */
enum far_values {
    FAR_KEPT, /* they are numbers as any other */
    FAR_TOLD, /* the same, and where they are few a notice tells of them: sums of squares are theirs
               */
    FAR_FEW,  /* one that many rows have is missing there; where hardly any row has others, these
                 count as less far ones */
    FAR_CUT   /* the same, however many rows have others */
};

/* Takes what a model is, by name. */
typedef enum status model_fact_sink(void *context, const char *name, struct cell value,
                                    struct error *err);

/* A table of what the model itself consists of, for which no rows are read: TO EXPLAIN m USING
 * name. */
struct model_inside {
    const char *name;
    const char *const *(*columns)(enum task task); /* NULL-terminated */
    /* Rows of so many cells one behind the other, in the arena; their texts may be the model's. */
    enum status (*rows)(const struct model *model, struct arena *arena, struct cell **cells,
                        size_t *rows, struct error *err);
};

struct kind {
    const char *name; /* in job.json and in a model's meta: "network" */

    /* ---- statements ---- */

    const struct attribute_table *attributes; /* members of the struct in kind_params */
    const char *const *sections; /* objects of job.json that they are in, besides the one of its
                                  * name and those of all kinds; NULL-terminated */
    const char *const *without;  /* attributes of all kinds that this one has no use for; without
                                  * train.batch_size each phase takes all rows */
    bool lies_on_servers;        /* its weights may lie on parameter servers */
    bool has_calls;     /* a job has the calls of the graph that the model is (jobspec.h) */
    bool spreads_words; /* each word of a category is a column of its own (spread.h) */
    bool keeps_numbers; /* inputs that are numbers, and a regression's label, are taken as they are:
                         * transform.h */
    bool has_rests; /* each number has a second float, of what the first one lost (transform.h), of
                     * models of MODEL_FORMAT_RESTS and later */
    bool learns_series; /* the first number is a time, and the categories before it tell whose: rows
                         * that have the same in these lie together (runtime/data/spool/held_out.h)
                         */
    bool keeps_labels;  /* a learner gets a regression's labels as doubles, and NAN for a NULL
                         * (runtime/data/dataset/dataset.h) */
    bool is_shift_free; /* a model does not depend on what is taken off an input: numbers that are
                         * not standardised become floats without their mean, so that those far from
                         * 0 keep their digits */
    bool takes_no_texts; /* no TEXT(c) may be an input that selects rows of a table, but for */
    bool counts_terms;   /* one with a vocabulary, whose words count as often as they are there */
    bool counts_words;   /* TEXT(c) makes an input of each of its hash buckets: how many words of
                          * the text are in it (LIST_WORDS of cell_list.h) */
    /* Nothing is learned unless training rows of each class weigh something. */
    bool weighs_each_class;
    /* Words of a category that are told apart; those beyond, and those that have no place in the
     * vocabulary, are one to the model. 0: each is told apart, or has a hash bucket. */
    uint32_t words_most;
    /* And the training rows that a word of so many words needs for that: those of fewer are one,
     * too. NULL: one row. */
    uint64_t (*word_rows_least)(const struct kind_params *params, uint32_t words);
    /* Where numbers are kept: whether a regression's label is learned from as well when it is
     * counted from an origin (scoring/transform/number_origin.h), which predictions have added.
     * NULL: it is never. */
    bool (*moves_label)(const struct kind_params *params);
    /* Inputs that are numbers become categories, so many buckets of about as many rows; NULL: they
     * stay numbers. */
    uint32_t (*buckets)(const struct kind_params *params);
    /* Has a model of the kind, by its outline, what learning goes on from? NULL: all have. */
    bool (*can_go_on)(const void *outline);
    bool goes_on; /* TO TRAIN ... USING a model of the kind goes on from it */
    /* Where learning starts from an old model's weights: do its arrays' shapes and use follow from
     * the attribute, which params_of knows then? NULL: rows start from the old model's outputs. */
    bool (*is_of_shape)(const struct attribute *attribute);
    /* Checks that no range can say, and values that depend on others, once all attributes are
     * filled in. INVALID at a position of `settings`. NULL: there are none. */
    enum status (*settle)(struct kind_params *params, const struct kind_settings *settings,
                          struct error *err);
    /* Where a name is that of two estimators, one of classes and one of numbers: the attribute of
     * type WORD whose value may tell which is meant, and what it tells; false: nothing. NULL: there
     * is none. */
    const char *task_attribute;
    bool (*task_of)(unsigned word, enum task *task);
    /* Values that depend on the inputs; NULL: none do. */
    void (*settle_inputs)(struct kind_params *params, const struct kind_shape *shape);
    /* Whether such inputs can be learned from; NULL: any can. INVALID with a hint. */
    enum status (*check_inputs)(const struct kind_params *params, const struct kind_shape *shape,
                                struct error *err);
    /* Has one of its own attributes a use beside the others? NULL: each has. */
    bool (*uses)(const struct kind_params *params, const struct attribute *attribute);
    struct kind_cost (*cost)(const struct kind_params *params, const struct kind_shape *shape);
    /* Does the learner itself measure what is learned, where a statement asks for no metrics? NULL:
     * never. */
    bool (*measures_itself)(const struct kind_params *params);
    /* The aim of the outputs that such a statement learns; NULL: means. */
    enum aim (*aim)(const struct kind_params *params, enum task task);
    /* How a label follows from an output then; NULL: LABEL_LINK_NONE. With LABEL_LINK_EXP the label
     * that is learned is divided by its mean, else it is standardised. */
    enum label_link (*link)(const struct kind_params *params);
    /* Which offset a statement's model may have: is an exposure one, whose logarithm is added?
     * NULL: of models with LABEL_LINK_EXP. Whether there may be any says `without`. */
    bool (*takes_exposure)(const struct kind_params *params);
    /* The metrics that a statement names are measured in each round (learner_report), and early
     * stopping goes by the last of them. */
    bool measures_rounds;
    bool keeps_best; /* train.early_stopping = 'auto' of its models keeps the best epoch's weights
                      * where the last is clearly worse; else it is 0 */
    /* NULL where the kind has no use for train.epoch. */
    struct kind_length (*length)(const struct kind_params *params, enum task task);
    /* The treatment of values far from all others (runtime/data/columns/robust_inputs.h). NULL:
     * they are kept. */
    enum far_values (*far_values)(const struct kind_params *params);
    /* Does a regression learn by the squared error of the label as it is, most of which one far
     * label may be? NULL: it does not. */
    bool (*squares_errors)(const struct kind_params *params);
    /* The least parameters and bytes of a model with this list, of any length and values, in an
     * attribute of type INTEGERS, for the message about one that is out of range. */
    struct kind_cost (*list_cost)(const double *items, size_t count);
    const char
        *size_attribute; /* the one of its own that makes a model larger than a worker can
                          * train, and what to say then: a sentence. NULL: the inputs alone do */
    const char *size_hint;
    const char *held;      /* EXPLAIN's words for the contents of a learning worker: "parameters and
                              their sums" */
    bool is_at_most;       /* a model may have fewer parameters than cost says, and take less */
    const char *explained; /* EXPLAIN's item for the model's inside: "layers" */
    void (*explain)(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail);

    /* ---- stored models ---- */

    /* The object `name` of the meta row. Reading checks all that can be checked without the
     * arrays, allocates the content in the arena, and sets model->content: CORRUPT for anything
     * that this kind does not write. The transform, task and labels are read before. */
    void (*write_content)(const struct model *model, cJSON *object);
    enum status (*read_content)(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err);
    /* Number i of those that the digest covers besides the arrays; false: there are no more. */
    bool (*number)(const struct model *model, uint32_t i, uint64_t *number);
    /* Array i; false: there are no more. Their order is that of the table and the digest. */
    bool (*array)(const struct model *model, uint32_t i, struct model_array *array);
    /* CORRUPT where arrays and the finished transform are none that rows could be scored with: all
     * numbers are there and finite. NULL: any are. */
    enum status (*check)(const struct model *model, struct error *err);
    /* Fills in a statement's parameters of such a model, as far as cost looks at them. `params` is
     * zero. */
    void (*params_of)(const struct model *model, struct kind_params *params);
    /* NULL: its models are never linear. */
    bool (*linear)(const struct model *model, struct linear_weights *linear);
    const struct model_inside *insides; /* the last has no name; NULL: there are none */
    /* Rows of SHOW MODEL beside those of all kinds, of a model that model_read_meta gave. NULL:
     * there are none. */
    enum status (*show)(const struct model *model, model_fact_sink *put, void *context,
                        struct error *err);

    /* ---- scoring ---- */

    uint32_t (*outputs)(const struct model *model); /* floats that a row gives */
    /* A regression's number is the sum of so many floats, from the last to the first: part p of
     * number i of n is output p * n + i. NAN where a row has none, of which nothing is predicted.
     * 0: each output is a number. */
    uint32_t output_parts;
    /* Tells whether the row has a number; only kinds with output_parts have it. */
    bool (*has_number)(void *workspace, const float *dense, const int32_t *ids);
    /* INVALID, with a hint, for a row that would have a number if it did not lack what the number
     * depends on. NULL: no row does. */
    enum status (*check_row)(void *workspace, const float *dense, const int32_t *ids,
                             struct error *err);
    /* Compares a value that came with what is expected of its row, for intervals of `level`
     * (scoring/outputs.h); false: nothing is. NULL: its models expect nothing. */
    bool (*check_value)(const struct model *model, const float *dense, const int32_t *ids,
                        double value, double level, struct checked_value *checked);
    /* Points of a row, whole numbers of a card (scoring/outputs.h): ids (id_count). NULL: its
     * models have none. */
    double (*points)(const struct model *model, const int32_t *ids);
    /* Bytes that one of the rows scored together takes, beside its inputs and outputs. NULL:
     * none. */
    size_t (*row_bytes)(const struct model *model);
    enum status (*open)(const struct model *model, uint32_t rows_max, void **workspace,
                        struct error *err);
    /* dense (count, dense_width), ids (count, id_count) -> outputs (count, outputs). A row's
     * outputs have the same bits whatever rows are scored with it. */
    void (*score)(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                  float *outputs);
    void (*close)(void *workspace); /* does nothing with NULL; NULL: there is nothing to free */
    /* NULL: its models have no leaves. leaves (leaf_count): of each tree the node that a row ends
     * in, counted from the tree's first. */
    uint32_t (*leaf_count)(const struct model *model);
    void (*leaves)(void *workspace, const float *dense, const int32_t *ids, uint32_t *leaves);
    /* SHAP values (shap.h). NULL: they are not known of the kind, unless its models are linear.
     * values (outputs, input_count + 1): what each input adds to each output of a row before the
     * link, and behind them what the output is without any. A row may take long: INTERRUPTED. */
    enum status (*shap_open)(const struct model *model, void **opened, struct error *err);
    enum status (*shap)(void *opened, const float *dense, const int32_t *ids,
                        const struct stop *stop, double *values, struct error *err);
    void (*shap_close)(void *opened);

    /* ---- other programs ---- */

    /* The outputs (outputs) of score, as formulas (formula.h). UNSUPPORTED for models that have
     * none. NULL: none of its models has. */
    enum status (*formulas)(const struct model *model, struct formula_program *program,
                            const struct formula_row *row, const struct formula **outputs,
                            struct error *err);
};

/* May an input of its models be TEXT(c)? */
static inline bool kind_learns_from_words(const struct kind *kind)
{
    return kind->counts_words || kind->counts_terms || !kind->takes_no_texts;
}

/* The cost of a model, like kind->cost's before there is one. */
struct kind_cost model_cost(const struct model *model);

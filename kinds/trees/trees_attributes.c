#include "kinds/trees/trees_attributes.h"

#include <math.h>
#include <string.h>

#include "kinds/trees/trees_model.h"
#include "params/attribute_rows.h"

_Static_assert(sizeof(struct trees_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- words ---- */

#define TREE_OBJECTIVE_WORD(name, word) word,
const char *const tree_objective_words[] = {TREE_OBJECTIVE_MAP(TREE_OBJECTIVE_WORD) NULL};
const char *const tree_growth_words[] = {"depthwise", "lossguide", NULL};
const char *const tree_method_words[] = {"hist", "auto", "approx", NULL};
const char *const tree_booster_words[] = {"gbtree", "dart", "goss", NULL};
const char *const tree_row_words[] = {"bagging", "goss", NULL};
const struct word_alias tree_booster_aliases[] = {{"gbdt", "gbtree"}, {NULL, NULL}};
const char *const tree_sample_words[] = {"uniform", "weighted", NULL};
const char *const tree_normalize_words[] = {"tree", "forest", "lightgbm", NULL};
const char *const tree_features_words[] = {"all", "sqrt", NULL};
const char *const tree_softmax_words[] = {"xgboost", "lightgbm", "scikit-learn", NULL};
const char *const tree_pairs_words[] = {"topk", "mean", NULL};

const char *const tree_objectives_later[] = {
    "cross_entropy_lambda", "xentlambda",  "multiclassova",
    "multiclass_ova",       "ova",         "ovr",
    "rank_xendcg",          "exponential", NULL,
};

/* clang-format off: one row, one name of LightGBM's, scikit-learn's or older XGBoosts'. */
const struct word_alias tree_objective_aliases[] = {
    {"binary", "binary:logistic"},
    {"log_loss", "multi:softprob"},
    {"logloss", "multi:softprob"},
    {"deviance", "multi:softprob"},
    {"multiclass", "multi:softprob"},
    {"softmax", "multi:softprob"},
    {"reg:linear", "reg:squarederror"},
    {"regression", "reg:squarederror"},
    {"regression_l2", "reg:squarederror"},
    {"l2", "reg:squarederror"},
    {"mse", "reg:squarederror"},
    {"rmse", "reg:squarederror"},
    {"l2_root", "reg:squarederror"},
    {"squared_error", "reg:squarederror"},
    {"mean_squared_error", "reg:squarederror"},
    {"root_mean_squared_error", "reg:squarederror"},
    {"regression_l1", "reg:absoluteerror"},
    {"l1", "reg:absoluteerror"},
    {"mae", "reg:absoluteerror"},
    {"mean_absolute_error", "reg:absoluteerror"},
    {"absolute_error", "reg:absoluteerror"},
    {"quantile", "reg:quantileerror"},
    {"mean_absolute_percentage_error", "mape"},
    {"cross_entropy", "reg:logistic"},
    {"xentropy", "reg:logistic"},
    {"hinge", "binary:hinge"},
    {"poisson", "count:poisson"},
    {"gamma", "reg:gamma"},
    {"tweedie", "reg:tweedie"},
    {NULL, NULL},
};
/* clang-format on */

ATTRIBUTE_TABLE(trees_attributes, struct trees_params, TREES_ATTRIBUTES)

/* ---- what goes together ---- */

#define RANKINGS                                                                                   \
    (1 << TREE_RANK_PAIRS | 1 << TREE_RANK_NDCG | 1 << TREE_RANK_MAP | 1 << TREE_LAMBDARANK)
#define OBJECTIVES_OF_NUMBERS                                                                      \
    (1 << TREE_SQUARED_ERROR | 1 << TREE_SQUARED_LOG_ERROR | 1 << TREE_PSEUDO_HUBER |              \
     1 << TREE_ABSOLUTE_ERROR | 1 << TREE_QUANTILE | 1 << TREE_HUBER | 1 << TREE_FAIR |            \
     1 << TREE_MAPE | 1 << TREE_REGRESSION_LOGISTIC | 1 << TREE_GAMMA | 1 << TREE_TWEEDIE |        \
     1 << TREE_AFT | 1 << TREE_COX | 1 << TREE_POISSON | RANKINGS)
#define OBJECTIVES_OF_TWO_CLASSES (1 << TREE_LOGISTIC | 1 << TREE_LOGIT_RAW | 1 << TREE_HINGE)
#define OBJECTIVES_OF_CLASSES     (1 << TREE_SOFTMAX | 1 << TREE_SOFTPROB)

/* Which objectives look at an attribute; what is not here, all. */
static const struct {
    const char *attribute;
    unsigned objectives; /* bits 1 << TREE_... */
} uses[] = {
    {"tweedie_variance_power", 1 << TREE_TWEEDIE},
    {"poisson_max_delta_step", 1 << TREE_POISSON},
    {"huber_slope", 1 << TREE_PSEUDO_HUBER},
    {"quantile_alpha", 1 << TREE_QUANTILE},
    {"huber_alpha", 1 << TREE_HUBER},
    {"fair_c", 1 << TREE_FAIR},
    {"aft_loss_distribution", 1 << TREE_AFT},
    {"aft_loss_distribution_scale", 1 << TREE_AFT},
    {"train.label_upper_bound", 1 << TREE_AFT},
    {"lambdarank_pair_method", RANKINGS & ~(1 << TREE_LAMBDARANK)},
    {"lambdarank_num_pair_per_sample", RANKINGS},
    {"ndcg_exp_gain", RANKINGS},
    {"train.sample_weight", ~RANKINGS},
    {"scale_pos_weight", 1 << TREE_AUTOMATIC | 1 << TREE_LOGISTIC | 1 << TREE_LOGIT_RAW},
    {"softmax_hessian", 1 << TREE_AUTOMATIC | OBJECTIVES_OF_CLASSES},
};

static const char *const of_dart[] = {"rate_drop", "skip_drop",   "max_drop",
                                      "one_drop",  "sample_type", "normalize_type"};
static const char *const of_goss[] = {"top_rate", "other_rate"};

bool trees_uses(const struct kind_params *params, const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof of_dart / sizeof *of_dart; i++)
        if (strcmp(attribute->name, of_dart[i]) == 0)
            return trees_params(params)->booster == TREE_DART;
    for (size_t i = 0; i < sizeof of_goss / sizeof *of_goss; i++)
        if (strcmp(attribute->name, of_goss[i]) == 0)
            return trees_params(params)->row_strategy == TREE_GOSS;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strcmp(attribute->name, uses[i].attribute) == 0)
            return uses[i].objectives >> trees_params(params)->objective & 1;
    return trees_params(params)->max_features == TREE_FEATURES_ALL ||
           strcmp(attribute->name, "colsample_bynode") != 0;
}

/* These learn from how far predictions are from labels, or know the origin. */
#define OBJECTIVES_MOVED                                                                           \
    (1 << TREE_AUTOMATIC | 1 << TREE_SQUARED_ERROR | 1 << TREE_SQUARED_LOG_ERROR |                 \
     1 << TREE_PSEUDO_HUBER | 1 << TREE_ABSOLUTE_ERROR | 1 << TREE_QUANTILE | 1 << TREE_HUBER |    \
     1 << TREE_FAIR | 1 << TREE_MAPE)

bool trees_move_label(const struct kind_params *params)
{
    return OBJECTIVES_MOVED >> trees_params(params)->objective & 1;
}

bool trees_task(unsigned objective, enum task *task)
{
    *task = OBJECTIVES_OF_NUMBERS >> objective & 1 ? TASK_REGRESSION : TASK_CLASSIFICATION;
    return objective != TREE_AUTOMATIC;
}

void trees_settle_inputs(struct kind_params *params, const struct kind_shape *shape)
{
    struct trees_params *trees = trees_params(params);
    const double columns = shape->dense + shape->ids;

    if (trees->max_features == TREE_FEATURES_SQRT && columns > 0)
        trees->colsample_bynode = sqrt(columns) / columns;
}

/* "reg:gamma or reg:tweedie" */
static void append_objectives(unsigned objectives, struct text *out)
{
    size_t count = 0, written = 0;

    for (unsigned i = 1; i < TREE_OBJECTIVES; i++)
        count += objectives >> i & 1;
    for (unsigned i = 1; i < TREE_OBJECTIVES; i++) {
        if (!(objectives >> i & 1))
            continue;
        text_append_string(out, written == 0 ? "" : written + 1 == count ? " or " : ", ");
        text_append_string(out, tree_objective_words[i]);
        written++;
    }
}

/* The hint: "It belongs to reg:tweedie." */
static enum status hint_objectives(const char *front, unsigned objectives, struct error *err)
{
    enum status status = err->status;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    append_objectives(objectives, &list);
    error_hint(err, "%s %s.", front, text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

static bool find(const struct kind_settings *settings, const char *attribute, struct slice *spelled,
                 int *position)
{
    return settings->find(settings->context, attribute, spelled, position);
}

static enum status check_uses(const struct trees_params *trees,
                              const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position;

    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].objectives >> trees->objective & 1 ||
            !find(settings, uses[i].attribute, &spelled, &position))
            continue;
        fail_at(err, STATUS_INVALID, position,
                "attribute \"%.*s\" has no use with the objective %s", SLICE_FORMAT(spelled),
                tree_objective_words[trees->objective]);
        return hint_objectives("It belongs to", uses[i].objectives, err);
    }
    return STATUS_OK;
}

static enum status check_objective(const struct trees_params *trees,
                                   const struct kind_settings *settings, struct error *err)
{
    const unsigned objective = 1u << trees->objective;
    const unsigned fitting = settings->task == TASK_REGRESSION
                                 ? OBJECTIVES_OF_NUMBERS
                                 : OBJECTIVES_OF_TWO_CLASSES | OBJECTIVES_OF_CLASSES;
    struct slice spelled = SLICE("objective");
    int position = -1;

    if (trees->objective == TREE_AUTOMATIC)
        return STATUS_OK;
    find(settings, "objective", &spelled, &position);
    if (!(objective & fitting)) {
        fail_at(err, STATUS_INVALID, position, "the objective %s does not fit a %s",
                tree_objective_words[trees->objective], task_models[settings->task]);
        return hint_objectives(settings->task == TASK_REGRESSION ? "Numbers are learned by"
                                                                 : "Classes are learned by",
                               fitting, err);
    }
    if (settings->classes <= 2 || !(objective & OBJECTIVES_OF_TWO_CLASSES))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "the objective %s needs two classes, and there are %u",
            tree_objective_words[trees->objective], settings->classes);
    return hint_objectives("More classes are learned by", OBJECTIVES_OF_CLASSES, err);
}

/* Rows are ranked within their groups. */
static enum status check_ranking(struct trees_params *trees, const struct kind_settings *settings,
                                 struct error *err)
{
    struct slice spelled;
    int position = -1;

    if (!trees_rank(trees->objective))
        return STATUS_OK;
    if (!find(settings, "train.group", &spelled, &position)) {
        find(settings, "objective", &spelled, &position);
        fail_at(err, STATUS_INVALID, position, "%s needs train.group",
                tree_objective_words[trees->objective]);
        return error_hint(err, "It names the column with the id of each row's query, as in "
                               "train.group = 'qid'.");
    }
    if (trees->pairs == TREE_PAIRS_MEAN &&
        !find(settings, "lambdarank_num_pair_per_sample", &spelled, &position))
        trees->pair_count = 1;
    return STATUS_OK;
}

/* Shares and rates that a range would have to leave out, as it takes both of its ends. */
static enum status check_ends(const struct trees_params *trees,
                              const struct kind_settings *settings, struct error *err)
{
    const struct {
        const char *attribute;
        double value;
        const char *hint;
    } positive[] = {
        {"eta", trees->eta, "Trees that add nothing learn nothing: use 0.1, for example."},
        {"subsample", trees->subsample, "1 takes all rows."},
        {"colsample_bytree", trees->colsample_bytree, "1 takes all columns."},
        {"colsample_bylevel", trees->colsample_bylevel, "1 takes all columns."},
        {"colsample_bynode", trees->colsample_bynode, "1 takes all columns."},
    };
    const double power = trees->tweedie_variance_power;
    struct slice spelled;
    int position = -1;

    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
        if (positive[i].value > 0)
            continue;
        find(settings, positive[i].attribute, &spelled, &position);
        fail_at(err, STATUS_INVALID, position, "%s must be above 0", positive[i].attribute);
        return error_hint(err, "%s", positive[i].hint);
    }
    if (power > 1 && power < 2)
        return STATUS_OK;
    find(settings, "tweedie_variance_power", &spelled, &position);
    fail_at(err, STATUS_INVALID, position, "tweedie_variance_power must be above 1 and below 2");
    return error_hint(err, "%s",
                      power <= 1 ? "With 1 it would be count:poisson."
                                 : "With 2 it would be reg:gamma.");
}

/* A probability, where outputs are made to be ones; a positive number, where they are e^z. */
static enum status check_base(const struct trees_params *trees,
                              const struct kind_settings *settings, struct error *err)
{
    const unsigned objective = 1u << trees->objective;
    const bool is_share =
        objective & (1 << TREE_LOGISTIC | 1 << TREE_LOGIT_RAW | 1 << TREE_REGRESSION_LOGISTIC) ||
        (trees->objective == TREE_AUTOMATIC && settings->task == TASK_CLASSIFICATION);
    const bool is_positive = objective & (1 << TREE_GAMMA | 1 << TREE_TWEEDIE | 1 << TREE_AFT |
                                          1 << TREE_COX | 1 << TREE_POISSON);
    const double base = trees->base_score;
    struct slice spelled;
    int position = -1;

    if (base == REAL_AUTOMATIC || (is_share && base > 0 && base < 1) || (is_positive && base > 0) ||
        (!is_share && !is_positive))
        return STATUS_OK;
    find(settings, "base_score", &spelled, &position);
    if (is_share)
        fail_at(err, STATUS_INVALID, position,
                "base_score is a probability here: above 0, below 1");
    else
        fail_at(err, STATUS_INVALID, position, "base_score must be above 0 with the objective %s",
                tree_objective_words[trees->objective]);
    return error_hint(err, "Leave it out, and the labels decide.");
}

/* Both say by how many columns a node is split, and lossguide grows for ever without an end. */
static enum status check_growth(const struct trees_params *trees,
                                const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position = -1;

    if (trees->max_features != TREE_FEATURES_ALL &&
        find(settings, "colsample_bynode", &spelled, &position)) {
        fail_at(err, STATUS_INVALID, position,
                "\"%.*s\" has no use with max_features = '%s', which has the same meaning",
                SLICE_FORMAT(spelled), tree_features_words[trees->max_features]);
        return error_hint(err, "Add max_features = 'all', or leave it out.");
    }
    if (trees->growth == TREE_DEPTHWISE || trees->max_leaves > 0 || trees->max_depth > 0)
        return STATUS_OK;
    find(settings, "grow_policy", &spelled, &position);
    fail_at(err, STATUS_INVALID, position,
            "grow_policy = 'lossguide' needs max_leaves or max_depth above 0");
    return error_hint(err, "Trees of 31 leaves are max_leaves = 31.");
}

/* LightGBM and scikit-learn call the quantile alpha, which is the penalty's name otherwise; that
 * one is reg_alpha then. */
static enum status settle_quantile(struct trees_params *trees, const struct kind_settings *settings,
                                   struct error *err)
{
    struct reals *quantiles = &trees->quantile_alpha;
    struct slice spelled = SLICE("quantile_alpha");
    int position = -1;

    if (trees->objective != TREE_QUANTILE)
        return STATUS_OK;
    if (!find(settings, "quantile_alpha", &spelled, &position) &&
        find(settings, "alpha", &spelled, &position) && slice_is_fold(spelled, "alpha")) {
        *quantiles = (struct reals){{trees->alpha}, 1};
        trees->alpha = 0;
    }
    for (uint32_t i = 0; i < quantiles->count; i++) {
        if (!(quantiles->items[i] > 0 && quantiles->items[i] < 1)) {
            fail_at(err, STATUS_INVALID, position, "%.*s must be above 0 and below 1",
                    SLICE_FORMAT(spelled));
            return error_hint(err, "0.5 is the median; the L1 penalty is called reg_alpha.");
        }
        for (uint32_t j = 0; j < i; j++)
            if (quantiles->items[j] == quantiles->items[i])
                return fail_at(err, STATUS_INVALID, position, "%.*s has %g twice",
                               SLICE_FORMAT(spelled), quantiles->items[i]);
    }
    return STATUS_OK;
}

/* LightGBM calls it alpha. What scikit-learn calls so is a share of rows: its names have no default
 * here. */
static enum status settle_huber(struct trees_params *trees, const struct kind_settings *settings,
                                struct error *err)
{
    struct slice spelled = SLICE("huber_alpha");
    int position = -1;

    if (trees->objective != TREE_HUBER)
        return STATUS_OK;
    if (trees->huber_alpha > 0 && !find(settings, "huber_alpha", &spelled, &position) &&
        find(settings, "alpha", &spelled, &position) && slice_is_fold(spelled, "alpha")) {
        trees->huber_alpha = trees->alpha;
        trees->alpha = 0;
    }
    if (trees->huber_alpha > 0)
        return STATUS_OK;
    if (position < 0)
        find(settings, "objective", &spelled, &position);
    fail_at(err, STATUS_INVALID, position, "the objective huber needs a huber_alpha above 0");
    return error_hint(err, "It is in the label's unit, where scikit-learn's alpha is a share of "
                           "the rows.");
}

/* Gradients would need the risks by the trees that are kept, and losses those by all. */
static enum status check_hazards(const struct trees_params *trees,
                                 const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position = -1;

    if (trees->objective != TREE_COX || trees->booster != TREE_DART)
        return STATUS_OK;
    find(settings, "booster", &spelled, &position);
    fail_at(err, STATUS_UNSUPPORTED, position,
            "booster = 'dart' is not supported yet with the objective %s",
            tree_objective_words[trees->objective]);
    return error_hint(err, "survival:aft drops trees, too; booster = 'gbtree' drops none.");
}

/* A bound is one of Newton's steps, not of quantiles. */
static enum status check_quantiles(const struct trees_params *trees,
                                   const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position;

    if (!trees_have_quantiles(trees->objective) ||
        !find(settings, "monotone_constraints", &spelled, &position))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "\"%.*s\" cannot be kept with the objective %s",
            SLICE_FORMAT(spelled), tree_objective_words[trees->objective]);
    return error_hint(err, "Its leaves are quantiles of their rows. reg:pseudohubererror takes "
                           "constraints.");
}

static enum status refuse_unused(const struct kind_settings *settings, const char *const *names,
                                 size_t count, const char *belongs, struct error *err)
{
    struct slice spelled;
    int position;

    for (size_t i = 0; i < count; i++)
        if (find(settings, names[i], &spelled, &position)) {
            fail_at(err, STATUS_INVALID, position, "attribute \"%.*s\" has no use here",
                    SLICE_FORMAT(spelled));
            return error_hint(err, "It belongs to %s.", belongs);
        }
    return STATUS_OK;
}

/* booster = 'goss' is how LightGBM said it before there was data_sample_strategy. */
static enum status settle_booster(struct trees_params *trees, const struct kind_settings *settings,
                                  struct error *err)
{
    if (trees->booster == TREE_BOOSTED_GOSS) {
        trees->booster = TREE_GBTREE;
        trees->row_strategy = TREE_GOSS;
    }
    if (trees->booster != TREE_DART)
        TRY(refuse_unused(settings, of_dart, sizeof of_dart / sizeof *of_dart, "booster = 'dart'",
                          err));
    return trees->row_strategy == TREE_GOSS
               ? STATUS_OK
               : refuse_unused(settings, of_goss, sizeof of_goss / sizeof *of_goss,
                               "data_sample_strategy = 'goss'", err);
}

/* goss is a sampling of its own, and weighs gradients, which quantiles do not look at. */
static enum status check_goss(const struct trees_params *trees,
                              const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position = -1;

    if (trees->row_strategy != TREE_GOSS)
        return STATUS_OK;
    if (trees->subsample < 1) {
        find(settings, "subsample", &spelled, &position);
        fail_at(err, STATUS_INVALID, position, "subsample has no use with goss, which draws rows");
        return error_hint(err, "top_rate and other_rate say how many.");
    }
    if (trees_have_quantiles(trees->objective)) {
        find(settings, "objective", &spelled, &position);
        fail_at(err, STATUS_INVALID, position, "goss does not go together with the objective %s",
                tree_objective_words[trees->objective]);
        return error_hint(err, "Its leaves are quantiles of their rows, whatever their gradients.");
    }
    if (trees->top_rate > 0 && trees->other_rate > 0 && trees->top_rate + trees->other_rate <= 1)
        return STATUS_OK;
    find(settings, "other_rate", &spelled, &position);
    find(settings, "top_rate", &spelled, &position);
    fail_at(err, STATUS_INVALID, position,
            "top_rate and other_rate must be above 0, and together at most 1");
    return error_hint(err, "LightGBM's are 0.2 and 0.1.");
}

enum status trees_settle(struct kind_params *params, const struct kind_settings *settings,
                         struct error *err)
{
    struct trees_params *trees = trees_params(params);

    TRY(settle_booster(trees, settings, err));
    TRY(check_objective(trees, settings, err));
    TRY(check_goss(trees, settings, err));
    TRY(check_uses(trees, settings, err));
    TRY(check_ranking(trees, settings, err));
    TRY(check_ends(trees, settings, err));
    TRY(check_base(trees, settings, err));
    TRY(check_growth(trees, settings, err));
    TRY(settle_quantile(trees, settings, err));
    TRY(settle_huber(trees, settings, err));
    TRY(check_quantiles(trees, settings, err));
    TRY(check_hazards(trees, settings, err));
    if (trees->objective == TREE_POISSON && trees->poisson_step == REAL_AUTOMATIC) {
        if (trees->max_delta_step == 0)
            trees->max_delta_step = .7;
        trees->poisson_step = trees->max_delta_step;
    }
    return STATUS_OK;
}

/* ---- how large ---- */

uint32_t trees_leaves_most(const struct trees_params *params)
{
    uint32_t most = params->max_leaves > 0 ? params->max_leaves : TREE_LEAVES_MAX;

    if (params->max_depth > 0 && params->max_depth < 16 && most > 1u << params->max_depth)
        most = 1u << params->max_depth;
    return most;
}

uint32_t trees_bins_most(const struct trees_params *params)
{
    return params->max_bin < 256 ? params->max_bin : 255;
}

/* Each has a tree of its own in a round. */
static double outputs_of(const struct trees_params *params, const struct kind_shape *shape)
{
    if (shape->task != TASK_CLASSIFICATION)
        return trees_numbers(params);
    return shape->classes > 2 ? shape->classes : 1;
}

double trees_count(const struct trees_params *params, const struct kind_shape *shape)
{
    return (double)params->rounds * params->parallel_trees * outputs_of(params, shape);
}

/* No leaf is without a row. */
static double leaves_of(const struct trees_params *trees, const struct kind_shape *shape)
{
    const double most = trees_leaves_most(trees);

    return shape->rows > 0 && shape->rows < most ? shape->rows : most;
}

/* The leaves of a usual tree: two of three rows that it is grown from have one of their own where
 * nothing ends it before, of two classes one of six, as rows of the same class share one; that of
 * one class of several a third as many as its class has rows. Trees of labels by chance have some
 * four times as many leaves as those of labels that the columns tell. */
static double grown_of(const struct trees_params *trees, const struct kind_shape *shape)
{
    const double leaves = leaves_of(trees, shape), classes = outputs_of(trees, shape);
    const double share = shape->task == TASK_CLASSIFICATION ? 1. / 6 : 2. / 3;
    const double rows =
        classes > 2 ? shape->rows / classes / 3 : shape->rows * trees->subsample * share;

    return shape->rows > 0 ? fmax(fmin(rows, leaves), 1) : leaves;
}

/* The comparisons of a row in one tree. */
static double depth_of(const struct trees_params *trees, double leaves)
{
    double depth = 0;

    for (double nodes = 1; nodes < leaves; nodes *= 2)
        depth++;
    return trees->max_depth > 0 && trees->max_depth < depth ? trees->max_depth : depth;
}

#define GROUP_COLUMNS 32 /* columns whose bins lie together for each row */
#define GROUP_BYTES   32

/* Time, in multiplications: to look at a bin's sums for a split, which sorted words double; to add
 * a row's bin to its node's sums, in a tree of a few levels half of the rows to those of the
 * smaller child; and to divide, store and measure a leaf. */
#define BIN_MULTIPLICATIONS   80
#define WIDE_BIN_TWICE        2
#define LEVEL_MULTIPLICATIONS 8
#define LEAF_MULTIPLICATIONS  28000

#define NODE_BYTES 100 /* bytes of a node of the forest, as it is stored, and measured with */

#define NARROW_BINS 256.
#define COUNT_BINS  16. /* bins of a hash bucket's words in one text; most have three or four */
#define WIDE_BINS   65536.

static bool has_wide(const struct kind_shape *shape)
{
    return shape->id_rows + 2.0 * shape->ids > shape->ids * NARROW_BINS;
}

/* The bins of all columns of numbers; each has one of missing values. */
static double number_bins(const struct trees_params *trees, const struct kind_shape *shape)
{
    const double most = trees_bins_most(trees);
    const double of_few = fmin(shape->few_values, shape->few_columns * most);
    const double others = shape->dense - shape->few_columns - shape->counts;

    return others * most + of_few + shape->counts * fmin(COUNT_BINS, most + 1) + shape->dense -
           shape->counts;
}

static double wide_bins_of(const struct kind_shape *shape)
{
    const double words = shape->id_rows + 2.0 * shape->ids, most = shape->ids * WIDE_BINS;

    return !has_wide(shape) ? 0 : words < most ? words : most;
}

/* The bins of all columns. A category has one for each word, however few bins numbers have. */
static double bins_of(const struct trees_params *trees, const struct kind_shape *shape)
{
    const double of_numbers = number_bins(trees, shape);

    return of_numbers + (has_wide(shape) ? wide_bins_of(shape) : shape->ids * NARROW_BINS);
}

/* The most bins of one column. */
static double widest_of(const struct trees_params *trees, const struct kind_shape *shape)
{
    const double words = shape->id_rows + 2.0;

    if (shape->ids == 0)
        return trees_bins_most(trees) + 1.0;
    if (!has_wide(shape))
        return NARROW_BINS;
    return words < WIDE_BINS ? words : WIDE_BINS;
}

/* A node's histogram: the sums of all bins of all columns. */
static double histogram_bytes(const struct trees_params *trees, const struct kind_shape *shape)
{
    return bins_of(trees, shape) * 2 * sizeof(int64_t);
}

/* The memory of runtime/learn/trees: the histograms of nodes that may still be split, and half as
 * many that are being added up; for each row its bins, its gradients, node and hash, and for each
 * output the sum of the trees so far. */
struct kind_cost trees_cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct trees_params *trees = trees_params(params);
    const double leaves = leaves_of(trees, shape), count = trees_count(trees, shape);
    const double grown = grown_of(trees, shape);
    const double columns = shape->dense + shape->ids;
    const double bins = bins_of(trees, shape) + wide_bins_of(shape) * (WIDE_BIN_TWICE - 1);
    const double searched = bins * (0.4 + 0.6 * trees->colsample_bynode);
    const double groups = (columns + GROUP_COLUMNS - 1) / GROUP_COLUMNS;

    return (struct kind_cost){
        .parameters = count * (2 * leaves - 1) * NODE_NUMBERS,
        .multiplications = count * depth_of(trees, leaves),
        .bytes = leaves * histogram_bytes(trees, shape) * 1.5,
        .row_bytes = (double)(uint64_t)groups * GROUP_BYTES + columns + 14 +
                     (has_wide(shape) ? shape->ids : 0) +
                     (trees->booster == TREE_DART ? 20 : 12) * outputs_of(trees, shape),
        .learning = count * grown * (searched * BIN_MULTIPLICATIONS + LEAF_MULTIPLICATIONS),
        .row_learning = count * depth_of(trees, grown) * columns * LEVEL_MULTIPLICATIONS,
        /* Half of a tree's leaves may still be divided at once. */
        .usual_bytes =
            grown / 2 * histogram_bytes(trees, shape) * 1.5 + count * (2 * grown - 1) * NODE_BYTES,
    };
}

/* ---- for people ---- */

static void append_bytes(struct text *out, double bytes)
{
    if (bytes >= 1e6)
        text_printf(out, "%.1f MB", bytes / 1e6);
    else
        text_printf(out, "%.1f kB", bytes / 1e3);
}

/* Histograms that are added up over all workers to grow a tree: that of the root, and of each split
 * that of the smaller child; the other one is what is left of their parent's. Leaves that cannot be
 * split need none: the lowest level of a tree of limited depth, or the last split's two. */
static double histograms_of(const struct trees_params *trees, double leaves)
{
    const bool is_full = trees->growth == TREE_DEPTHWISE && trees->max_depth > 0 &&
                         trees->max_depth < 16 && leaves == (double)(1u << trees->max_depth);

    if (leaves < 2)
        return 1;
    return is_full ? leaves / 2 : leaves - 1;
}

/* Costs on a thread, measured on one of an AMD EPYC (Zen 5): to add a row's bin to a sum, to follow
 * a row down a level, for a row besides, and to search a bin of a node. The costs of a message and
 * a byte between workers are guesses for a network of 10 Gb/s. */
#define SUM_NS      .33
#define LEVEL_NS    2
#define ROW_NS      10
#define BIN_NS      3
#define BYTE_NS     1
#define PHASE_NS    100e3
#define SUMS_OF_ROW .35 /* for each level below the root */

/* Milliseconds of a round of a million rows. */
static double round_ms(const struct trees_params *trees, const struct kind_shape *shape,
                       uint32_t workers)
{
    const double leaves = leaves_of(trees, shape), depth = depth_of(trees, leaves);
    const double columns = shape->dense + shape->ids;
    const double sums = 1 + SUMS_OF_ROW * depth, histograms = histograms_of(trees, leaves);
    const double row = columns * SUM_NS * sums + depth * LEVEL_NS + ROW_NS;
    const double bins = 2 * histograms * bins_of(trees, shape) * BIN_NS;
    const double phases = 3 + (trees->growth == TREE_DEPTHWISE ? depth : 2 * depth);
    const double bytes = 2 * histograms * histogram_bytes(trees, shape) * (workers - 1) / workers;

    return trees_count(trees, shape) / trees->rounds *
           (1e6 * row / workers + bins + (workers > 1 ? phases * PHASE_NS + bytes * BYTE_NS : 0)) /
           1e6;
}

void trees_explain(const struct kind_params *params, const struct kind_shape *shape,
                   struct text *detail)
{
    const struct trees_params *trees = trees_params(params);
    const double leaves = leaves_of(trees, shape), columns = shape->dense + shape->ids;
    const double of_round = trees_count(trees, shape) / trees->rounds;
    const double histogram = histogram_bytes(trees, shape);

    text_printf(detail, "%u round%s of %.0f tree%s", trees->rounds, trees->rounds == 1 ? "" : "s",
                of_round, of_round == 1 ? "" : "s");
    if (shape->task == TASK_CLASSIFICATION && shape->classes == 0)
        text_append_string(detail, " with two classes, of more one for each class");
    text_printf(detail,
                ", of at most %.0f leaves%s; %.0f column%s of at most %.0f bins: histograms ",
                leaves, of_round == 1 ? "" : " each", columns, columns == 1 ? "" : "s",
                widest_of(trees, shape));
    text_append_string(detail, "of ");
    append_bytes(detail, leaves * histogram);
    text_append_string(detail, ", and between workers ");
    append_bytes(detail, of_round * histograms_of(trees, leaves) * histogram);
    text_append_string(detail, " a round");
    text_printf(
        detail,
        ", which takes each million rows about %.0f ms on one thread, and on one of each of "
        "2, 4, 8 workers %.0f, %.0f, %.0f",
        round_ms(trees, shape, 1), round_ms(trees, shape, 2), round_ms(trees, shape, 4),
        round_ms(trees, shape, 8));
}

#include "planner/columns/other_functions.h"

#define WORDS                                                                                      \
    "Write the column alone: texts are categories by themselves, and VOCABULARY(column) makes "    \
    "one "                                                                                         \
    "of numbers."
#define NUMBERS                                                                                    \
    "Write the column alone: numbers are standardised by themselves (model.standardize). The "     \
    "SELECT can compute any other number."
#define BINS    "Write BUCKET(column, num_buckets = 10), of about as many rows each."
#define TEXTS   "Write TEXT(column): its words are inputs."
#define HASHES  "Write CATEGORY_HASH(column, 1000)."
#define CROSSES "Write CROSS([a, b], 1000) of two categories; of numbers a * b AS ab in the SELECT."
#define FILLED                                                                                     \
    "Write the column alone: NULLs are taken as they are. COALESCE(column, 0) AS column in the "   \
    "SELECT fills them."
#define DATES "Write DATE(column, 'month'), of the parts that are wanted; DATE(column) takes all."
#define OTHERS                                                                                     \
    "Write the columns that are inputs, or leave the others out of the SELECT; a constant or a "   \
    "key is left out by itself."

/* clang-format off: one row, one name. */
const struct other_function other_functions[] = {
    {"OneHot", WORDS},
    {"OneHotEncoder", WORDS},
    {"Dummy", WORDS},
    {"Dummies", WORDS},
    {"GetDummies", WORDS},
    {"Category", WORDS},
    {"Categorical", WORDS},
    {"Factor", WORDS},
    {"Encode", WORDS},
    {"LabelEncoder", WORDS},
    {"LabelEncode", WORDS},
    {"OrdinalEncoder", WORDS},
    {"TargetEncoder", WORDS},
    {"MultiHot", WORDS},
    {"StandardScaler", NUMBERS},
    {"MinMaxScaler", NUMBERS},
    {"RobustScaler", NUMBERS},
    {"Scale", NUMBERS},
    {"Scaler", NUMBERS},
    {"ZScore", NUMBERS},
    {"Normalizer", NUMBERS},
    {"NumericColumn", NUMBERS},
    {"Bin", BINS},
    {"Bins", BINS},
    {"Cut", BINS},
    {"QCut", BINS},
    {"Discretize", BINS},
    {"KBinsDiscretizer", BINS},
    {"Bucketize", BINS},
    {"QuantileBucketize", BINS},
    {"Ntile", BINS},
    {"TfIdf", TEXTS},
    {"BagOfWords", TEXTS},
    {"CountVectorizer", TEXTS},
    {"TfidfVectorizer", TEXTS},
    {"Tokenize", TEXTS},
    {"NGrams", TEXTS},
    {"Words", TEXTS},
    {"Hash", HASHES},
    {"Hashing", HASHES},
    {"HashBucket", HASHES},
    {"FeatureHasher", HASHES},
    {"Polynomial", CROSSES},
    {"PolynomialFeatures", CROSSES},
    {"PolynomialExpand", CROSSES},
    {"Interaction", CROSSES},
    {"FeatureCross", CROSSES},
    {"Impute", FILLED},
    {"Imputer", FILLED},
    {"SimpleImputer", FILLED},
    {"FillNa", FILLED},
    {"Coalesce", FILLED},
    {"Year", DATES},
    {"Month", DATES},
    {"Day", DATES},
    {"Weekday", DATES},
    {"Hour", DATES},
    {"DatePart", DATES},
    {"Except", OTHERS},
    {"Exclude", OTHERS},
    {"Drop", OTHERS},
    {"Ignore", OTHERS},
    {NULL, NULL},
};
/* clang-format on */

/* ONE_HOT is OneHot. */
static bool is_called(struct slice name, const char *wanted)
{
    const struct slice whole = slice_of(wanted);
    size_t at = 0;

    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '_')
            continue;
        if (at == whole.size ||
            !slice_equal_fold((struct slice){name.data + i, 1}, (struct slice){whole.data + at, 1}))
            return false;
        at++;
    }
    return at == whole.size && name.size > 0;
}

const char *other_function_hint(struct slice name)
{
    const struct other_function *other = other_functions;

    while (other->name && !is_called(name, other->name))
        other++;
    return other->hint;
}

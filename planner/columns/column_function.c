#include "planner/columns/column_function.h"

#include <string.h>

/* clang-format off: one paragraph, one function. */
const struct column_function column_functions[] = {
    {"NUMERIC", "NUMERIC(c); NUMERIC(c, n)", "a number",
     "The column as a number, whose far values are never read as missing. In PostgreSQL also an "
     "array of n numbers, and of texts that are no numbers DENSE(c, n).",
     "shape"},
    {"DENSE", "DENSE(c); DENSE(c, n); DENSE(c, [n, m]); DENSE(c, n, delimiter, type)", "n numbers",
     "A text of n numbers, separated by ',' or by the delimiter: a character in quotes, or COMMA. "
     "Each number is an input, c[1] to c[n]; a shape of several dimensions is their product. A "
     "text of another count, or with something else than numbers, is a bad row; NULL and a blank "
     "text are n NULLs. Without n it is what all rows hold. An array of PostgreSQL is taken as it "
     "is.",
     "shape, delimiter, dtype"},
    {"SPARSE",
     "SPARSE(c); SPARSE(c, n); SPARSE(c, n, delimiter, type); SPARSE(c, n, delimiter, type, pair, "
     "type)",
     "n numbers",
     "A text of ids from 0 to n - 1, such as '3,17,29', or of pairs of an id and a number, such as "
     "'3:0.5 17:1'. Each id is an input, c[0] to c[n - 1]: its number, 1 of an id alone, and 0 "
     "where "
     "the text does not have it; numbers of one id add up. NULL and a blank text have no ids. "
     "Without a delimiter items are separated by commas or white space; between id and number "
     "stands ':' or the second delimiter. Another id, or something else, is a bad row. Without n "
     "it is one more than the greatest id of all rows. With more than 2,000 ids it is one input, "
     "SPARSE(c), as of WEIGHTED_CATEGORY, which trees and simple models do not take "
     "([lists in texts](language.md#lists-in-texts)).",
     "shape, delimiter, dtype, key_value_delimiter, weight_dtype"},
    {"IMAGE", "IMAGE(c, height, width); IMAGE(c, height, width, channels)", "n numbers",
     "A picture as a BLOB, or bytea: a PNG, or a byte for each channel of each pixel, row by row. "
     "Each of its height * width * channels numbers (1 channel) is an input, c[1] to c[n]: at most "
     "16,384 in a definition, 2,000 in other models. NULL is n NULLs; a picture of another size, "
     "and a PNG that is damaged or would lose something, are bad rows. A definition takes it as "
     "image(c, height, width, channels) ([pictures]"
     "(definitions.md#words-in-order-and-pictures)).",
     "height, width, channels"},
    {"SEQUENCE", "SEQUENCE(c); SEQUENCE(c, n); SEQUENCE(c, n, delimiter)",
     "n numbers, or a category",
     "The last n values of a text of several, in their order: '3,1,2', '3 1 2', between delimiters "
     "of "
     "your own, or an array as JSON and PostgreSQL write them, '[3,1,2]', '{3,1,2}'. By itself it "
     "is numbers, each of which is an input, c[1] to c[n]: the last number of each text is c[n], "
     "and a shorter text has NULLs in front, by which a model sees how many there were. In "
     "EMBEDDING, INDICATOR and CONCAT it is a category of the words in it, with a vocabulary as "
     "VOCABULARY has. Without n it is as long as the longest text of the rows, at most 512 "
     "(EXPLAIN "
     "says it). NULL, a blank text and an empty array hold nothing; other texts, objects and "
     "arrays "
     "in arrays are bad rows. Numbers may come as arrays of PostgreSQL, too. The order says which "
     "values count; definitions alone look at it otherwise.",
     "length, delimiter"},
    {"DATE", "DATE(c); DATE(c, 'part', ...)", "parts of a date",
     "Parts of a date or a time: 'age', 'month', 'day', 'weekday', 'hour'. Without a part those "
     "that dates have by "
     "themselves.",
     NULL},
    {"TEXT", "TEXT(c); TEXT(c, n); TEXT(c, n, w); TEXT(c, ngrams = 2); TEXT(c, weights = 'tfidf')",
     "the words of a text",
     "The words of a text in n hash buckets (8,192), the first w different ones of each text "
     "(128). With ngrams = 2 pairs of words that follow each other count, too, in 32,768 buckets. "
     "With weights = 'count' or 'tfidf' the n words that are in most texts (10,000) have a "
     "vocabulary, and count as often as they are there, or more where few texts have them. Trees "
     "count words, in 1,000 buckets by default and 2,000 at most, of 1,024 different words; "
     "NaiveBayes counts those of a vocabulary.",
     "num_buckets or max_features, words, ngrams, weights"},
    {"VOCABULARY", "VOCABULARY(c); VOCABULARY(c, n); VOCABULARY(SEQUENCE(c, m), n)", "a category",
     "The n most frequent words of the column (10,000), or of a SEQUENCE of words; the others "
     "share hash buckets.",
     "max"},
    {"CATEGORY_HASH",
     "CATEGORY_HASH(c); CATEGORY_HASH(c, n); CATEGORY_HASH(c, n, delimiter); "
     "CATEGORY_HASH(SPARSE(c, n), n)",
     "a category",
     "The hash of the column's value in n buckets (8,192). Nothing is counted and no word is "
     "stored, so it "
     "suits columns of "
     "very many values, which share buckets. A number counts as its shortest decimal: 3, 3.0 and "
     "'3' are one value. With a delimiter, or of SPARSE, a category of several values, the items "
     "of "
     "a text; a further number says how many a text has at most (128). Not of trees.",
     "num_buckets or hash_bucket_size, delimiter"},
    {"CATEGORY_ID", "CATEGORY_ID(c, n); CATEGORY_ID(c, n, delimiter); CATEGORY_ID(SPARSE(c, n), n)",
     "a category",
     "A column of whole numbers from 0 to n - 1, each of which is a category of its own. Another "
     "number is a bad row (train.bad_rows, predict.bad_rows). With a delimiter, or of SPARSE, a "
     "category of several values, as of CATEGORY_HASH: a text of ids such as '3,17'.",
     "num_buckets, delimiter"},
    {"SEQ_CATEGORY_ID", "SEQ_CATEGORY_ID(c, n); SEQ_CATEGORY_ID(c, n, delimiter)", "a category",
     "A category of several values, as CATEGORY_ID with a delimiter makes it. The order of the "
     "items counts in definitions alone.",
     "num_buckets, delimiter"},
    {"WEIGHTED_CATEGORY", "WEIGHTED_CATEGORY(category)", "a category",
     "A category of several values of SPARSE, whose items have the numbers behind them as "
     "weights.",
     NULL},
    {"BUCKET", "BUCKET(c, [b1, b2, ...]); BUCKET(c, n)", "a category",
     "The interval that a number is in: below b1, from b1 to below b2, and so on; the bounds "
     "ascend. With a number n "
     "the bounds are quantiles of the training rows: n buckets of about as many rows, fewer where "
     "many rows have one "
     "value. They are exact, the same whatever the order of the rows and the workers, and stored "
     "in the model. c may "
     "be written NUMERIC(c).",
     "num_buckets or boundaries"},
    {"LOG_ROUND", "LOG_ROUND(c, n); LOG_ROUND(c, n, base)", "a category",
     "The logarithm of a number, rounded to a whole one: 0 to n - 1. The base is e or the number "
     "above 1 that is said. A number below 1, also 0 and negative ones, is 0, one whose logarithm "
     "is greater than n - 1 is n - 1; a half goes to the even neighbour. It is the same on all "
     "processors: the model has the bounds, as of BUCKET.",
     "num_buckets or num_bins, base"},
    {"ROUND_IDENTITY", "ROUND_IDENTITY(c, n)", "a category",
     "A number, rounded to a whole one: 0 to n - 1, to which numbers beyond go. A half goes to the "
     "even neighbour.",
     "num_buckets"},
    {"CROSS", "CROSS([c, d, ...], n)", "a category",
     "The hash of several columns' values together in n buckets, so that a linear model, too, has "
     "a "
     "weight for each pair "
     "of them. A column stands for its value, as in CATEGORY_HASH; in its place may stand BUCKET, "
     "LOG_ROUND, ROUND_IDENTITY, CATEGORY_ID, CATEGORY_HASH or VOCABULARY of one. The quantiles of "
     "BUCKET(c, n) are there those of all rows of the SELECT, which is read once more for them. "
     "NULL is a value as any, so that a cross is "
     "never NULL. It says "
     "nothing of what the columns themselves are: `*` takes them, too. [Below](#hash-of-a-cross) "
     "is which bucket it is.",
     "num_buckets or hash_bucket_size"},
    {"CONCAT", "CONCAT(category, category, ...); CONCAT(c, d, ...)", "a category",
     "Several categories as one that has as many of their words a row: to a linear model, and to "
     "INDICATOR, they are what they are side by side, and have one EMBEDDING, which is made of one "
     "of each by its combiner, by their mean where it says none. A column stands for its "
     "vocabulary. The words of each have numbers of their own, behind those of the category before "
     "it: the same word in two columns is two words.",
     NULL},
    {"INDICATOR", "INDICATOR(c); INDICATOR(category)", "a category",
     "The category as it is, as SQLFlow writes it; a column stands for its vocabulary.", NULL},
    {"EMBEDDING",
     "EMBEDDING(c, d); EMBEDDING(category, d); EMBEDDING(category, d, combiner); "
     "EMBEDDING(category, "
     "d, combiner, "
     "uniform)",
     "a category",
     "The category as it is, in a model that learns d numbers for each of its words (clicks.md). "
     "A DNNClassifier or DNNRegressor with it is a network over embeddings, of all its categories. "
     "Where all of a statement "
     "have one d it is model.embedding_dimension, also of categories without EMBEDDING; else each "
     "has its own. A "
     "column stands for its vocabulary; TEXT(c) may stand for the category. A combiner, 'sum', "
     "'mean' or "
     "'sqrtn', changes nothing "
     "where a row has one word; without it that of several values is mean, of the words of a TEXT "
     "sqrtn. SPARSE(c, n) stands for CATEGORY_ID(SPARSE(c, n), n). Embeddings start uniform.",
     "dimension, combiner, initializer"},
    {NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

static const struct {
    const char *name, *usual;
} other_names[] = {{"HASH", "CATEGORY_HASH"},
                   {"BUCKETIZE", "BUCKET"},
                   {"BUCKETIZED", "BUCKET"},
                   {"VOCABULARIZE", "VOCABULARY"},
                   {"APPLY_VOCAB", "VOCABULARY"}};

struct slice column_function_usual(struct slice name)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (slice_is_fold(name, other_names[i].name))
            return slice_of(other_names[i].usual);
    return name;
}

bool column_calls(const struct column *column, const char *function)
{
    return column->kind == COLUMN_CALL &&
           slice_is_fold(column_function_usual(column->name.text), function);
}

/* Has one of the names that " or " is between this one? */
static bool names_parameter(struct slice names, struct slice name)
{
    static const char between[] = " or ";
    const size_t size = sizeof between - 1;

    for (;;) {
        const char *end = memmem(names.data, names.size, between, size);
        const struct slice one = {names.data, end ? (size_t)(end - names.data) : names.size};

        if (slice_equal_fold(one, name))
            return true;
        if (!end)
            return false;
        names = (struct slice){end + size, names.size - one.size - size};
    }
}

size_t column_function_parameter(const struct column_function *function, struct slice name)
{
    const char *names = function->parameters;

    for (size_t place = 1; names; place++) {
        const char *end = strstr(names, ", ");

        if (names_parameter((struct slice){names, end ? (size_t)(end - names) : strlen(names)},
                            name))
            return place;
        names = end ? end + 2 : NULL;
    }
    return 0;
}

bool column_function_has_gaps(const struct column_function *function)
{
    return slice_is(slice_of(function->name), "TEXT");
}

enum status column_refuse_arguments(const struct column *call, const char *takes, struct error *err)
{
    return fail_at(err, STATUS_INVALID,
                   call->count > 0 ? call->items[0].span.start : call->span.start, "%.*s takes %s",
                   SLICE_FORMAT(call->name.text), takes);
}

const struct column_function *column_function_find(struct slice name)
{
    for (const struct column_function *function = column_functions; function->name; function++)
        if (slice_is_fold(name, function->name))
            return function;
    return NULL;
}

const struct column_function *column_function_nearest(struct slice name)
{
    const char *names[32];
    size_t count = 0;
    int nearest;

    for (; column_functions[count].name; count++)
        names[count] = column_functions[count].name;
    nearest = text_nearest(name, names, count);
    return nearest >= 0 ? &column_functions[nearest] : NULL;
}

void column_functions_append(struct text *out)
{
    for (size_t i = 0; column_functions[i].name; i++)
        text_printf(out, "%s%s",
                    i == 0                         ? ""
                    : column_functions[i + 1].name ? ", "
                                                   : " and ",
                    column_functions[i].name);
}

struct slice column_argument_word(const struct column *argument)
{
    if (argument->kind == COLUMN_NAME)
        return argument->name.text;
    return argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_STRING
               ? argument->value.text
               : (struct slice){"", 0};
}

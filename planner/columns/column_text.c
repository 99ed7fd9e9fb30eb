#include "planner/columns/column_text.h"

#include "planner/columns/column_function.h"

enum text_argument {
    TEXT_COLUMN,
    TEXT_SIZE,
    TEXT_LENGTH,
    TEXT_NGRAMS,
    TEXT_WEIGHTS,
    TEXT_ARGUMENTS
};

/* The argument; NULL: the call has none, or leaves it out between others (column_calls.c). */
static const struct column *argument_of(const struct column *call, enum text_argument argument)
{
    const struct column *found = (size_t)argument < call->count ? &call->items[argument] : NULL;

    return found && found->kind == COLUMN_NAME && found->name.text.size == 0 ? NULL : found;
}

static enum status read_number(const struct column *call, enum text_argument argument,
                               uint32_t most, const char *what, uint32_t *number, struct error *err)
{
    const struct column *found = argument_of(call, argument);
    const bool is_whole = found && found->kind == COLUMN_VALUE &&
                          found->value.kind == VALUE_NUMBER && found->value.is_integer;

    if (!found)
        return STATUS_OK;
    if (!is_whole || found->value.integer < 1 || found->value.integer > most) {
        fail_at(err, STATUS_INVALID, found->span.start, "TEXT takes %s from 1 to %u", what, most);
        return error_hint(err, "Pairs of words are TEXT(column, ngrams = 2), and words by their "
                               "rarity TEXT(column, weights = 'tfidf').");
    }
    *number = (uint32_t)found->value.integer;
    return STATUS_OK;
}

/* The words of scikit-learn's users, too. */
static enum status read_weight(const struct column *call, enum text_weight *weight,
                               struct error *err)
{
    static const struct {
        const char *word;
        enum text_weight weight;
    } words[] = {{"words", TEXT_WEIGHT_NONE},   {"binary", TEXT_WEIGHT_NONE},
                 {"count", TEXT_WEIGHT_COUNT},  {"counts", TEXT_WEIGHT_COUNT},
                 {"tfidf", TEXT_WEIGHT_TFIDF},  {"tf-idf", TEXT_WEIGHT_TFIDF},
                 {"tf_idf", TEXT_WEIGHT_TFIDF}, {NULL, TEXT_WEIGHT_NONE}};
    const struct column *found = argument_of(call, TEXT_WEIGHTS);

    if (!found)
        return STATUS_OK;
    for (size_t i = 0; words[i].word; i++)
        if (slice_is_fold(column_argument_word(found), words[i].word)) {
            *weight = words[i].weight;
            return STATUS_OK;
        }
    fail_at(err, STATUS_INVALID, found->span.start,
            "the weights of TEXT are 'words', 'count' or 'tfidf'");
    return error_hint(err, "'words' counts each word of a text once, 'count' as often as it is "
                           "there, 'tfidf' more where few texts have it.");
}

/* Kinds that count have hash buckets, whose counts they split: weights by rarity change no split.
 */
static void note_splits(const struct planning *planning, const struct name *column)
{
    notice_add(planning->plan->notices, NOTICE_READING,
               "TEXT of column \"%.*s\" counts words: %s splits each count by itself, so weights "
               "by rarity change nothing",
               SLICE_FORMAT(column->text), planning->plan->estimator->name);
    notice_hint(planning->plan->notices,
                "Linear models, networks and NaiveBayes take weights = 'tfidf'.");
}

/* The choice where the arguments say nothing else. */
static struct choice usual_choice(const struct kind *kind, bool has_pairs, enum text_weight weight)
{
    struct choice choice = {.kind = CHOICE_TEXT,
                            .spec.vocabulary_max = has_pairs ? TEXT_PAIR_BUCKETS : TEXT_BUCKETS,
                            .spec.words_max = has_pairs ? TEXT_TERMS : TEXT_WORDS,
                            .spec.has_pairs = has_pairs};

    if (kind->counts_words) {
        choice.spec.vocabulary_max = TEXT_COUNTS;
        choice.spec.words_max = TEXT_WORDS_MAX;
    } else if (weight) {
        choice.spec.vocabulary_max = CATEGORY_WORDS;
        choice.spec.words_max = TEXT_TERMS;
        choice.spec.weight = weight;
        choice.spec.is_weighted = true;
        choice.spec.combiner = weight == TEXT_WEIGHT_TFIDF ? COMBINER_SQRTN : COMBINER_SUM;
    }
    return choice;
}

enum status column_text_read(struct planning *planning, const struct column *call,
                             const struct name **column, struct choice *choice)
{
    const struct kind *kind = planning->plan->estimator->kind;
    enum text_weight weight = kind->counts_terms ? TEXT_WEIGHT_COUNT : TEXT_WEIGHT_NONE;
    struct error *err = planning->err;
    uint32_t ngrams = 1;

    if (call->count < 1 || call->count > TEXT_ARGUMENTS || call->items[0].kind != COLUMN_NAME)
        return column_refuse_arguments(
            call,
            "a column's name, and after it possibly a number of hash buckets, one of words, "
            "ngrams and weights",
            err);
    *column = &call->items[0].name;
    TRY(read_number(call, TEXT_NGRAMS, 2, "ngrams", &ngrams, err));
    TRY(read_weight(call, &weight, err));
    if (kind->counts_terms && !weight)
        weight = TEXT_WEIGHT_COUNT;
    if (kind->counts_words && weight == TEXT_WEIGHT_TFIDF)
        note_splits(planning, *column);
    *choice = usual_choice(kind, ngrams == 2, weight);
    TRY(read_number(call, TEXT_SIZE, CATEGORY_WORDS_MAX, "a number of hash buckets or words",
                    &choice->spec.vocabulary_max, err));
    return read_number(call, TEXT_LENGTH, TEXT_WORDS_MAX, "a number of words of one text",
                       &choice->spec.words_max, err);
}

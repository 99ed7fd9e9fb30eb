/* Words and pairs of texts that have a vocabulary, by how often they are there and how rare they
 * are. */
#include "inputs/weighted_terms.h"

#include <math.h>

#include "inputs/encoders.h"
#include "scoring/transform/transform.h"
#include "tests/check.h"

#define TERMS 5
#define WORDS 4

static struct slice words[WORDS] = {SLICE("good"), SLICE("not"), SLICE("not good"), SLICE("at")};
static uint64_t counts[WORDS] = {4, 2, 2, 1};

struct made {
    struct transform_input input;
    struct transform transform;
    struct arena arena;
};

static enum status make(struct made *made, enum text_weight weight, uint64_t texts,
                        struct error *err)
{
    error_clear(err);
    arena_init(&made->arena, ARENA_MAXIMUM);
    made->input = (struct transform_input){
        .spec.name = SLICE("note"),
        .spec.type = INPUT_TEXT,
        .spec.words_max = TERMS,
        .spec.has_pairs = true,
        .spec.weight = weight,
        .spec.is_weighted = true,
        .spec.combiner = weight == TEXT_WEIGHT_TFIDF ? COMBINER_SQRTN : COMBINER_SUM,
        .words = words,
        .word_counts = counts,
        .word_count = WORDS,
        .texts = texts};
    made->transform = (struct transform){.inputs = &made->input, .input_count = 1};
    TRY(transform_find_columns(&made->transform, &made->arena, err));
    return transform_finish(&made->transform, &made->arena, err);
}

static void check(const struct made *made, const char *text, uint32_t count, const int32_t *wanted,
                  const double *shares)
{
    int32_t ids[2 * TERMS];

    CHECK(made->input.encoder->text_ids(&made->input, slice_of(text), ids));
    CHECK_INT(text_ids_used(ids, TERMS), count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_INT(ids[i], wanted[i]);
        assert_float_equal(list_share_get(ids[TERMS + i]), shares[i], 1e-6);
    }
    for (uint32_t i = count; i < TERMS; i++)
        CHECK(ids[i] == -1 && ids[TERMS + i] == -1);
}

static void a_term_counts_as_often_as_it_is_there(void **state)
{
    struct made made;
    struct error err;
    (void)state;

    CHECK_OK(make(&made, TEXT_WEIGHT_COUNT, 0, &err));
    check(&made, "", 0, NULL, NULL);
    check(&made, "never seen", 0, NULL, NULL);
    check(&made, "Good, not good", 3, (int32_t[]){0, 1, 2}, (double[]){2, 1, 1});
    /* "unseen" and "at unseen" count among the first five, though the vocabulary lacks them */
    check(&made, "at unseen at not not good good", 2, (int32_t[]){1, 3}, (double[]){2, 2});
    arena_deinit(&made.arena);
}

/* Numbers of scikit-learn's TfidfTransformer: log((1 + 4) / (1 + df)) + 1, and rows of length 1. */
static void rare_terms_count_more_and_a_row_has_length_1(void **state)
{
    const double good = 1, not = log(5. / 3) + 1, at = log(5. / 2) + 1;
    const double length = sqrt(4 * good * good + 2 * not *not );
    struct made made;
    struct error err;
    (void)state;

    CHECK_OK(make(&made, TEXT_WEIGHT_TFIDF, 4, &err));
    check(&made, "good not good", 3, (int32_t[]){0, 1, 2},
          (double[]){2 * good / length, not / length, not / length});
    check(&made, "at at", 1, (int32_t[]){3}, (double[]){1});
    CHECK(at > not );
    arena_deinit(&made.arena);
}

static void a_term_of_more_texts_than_there_are_is_refused(void **state)
{
    struct made made;
    struct error err;
    (void)state;

    CHECK_FAILS(make(&made, TEXT_WEIGHT_TFIDF, 3, &err), STATUS_CORRUPT,
                "column \"note\": a word of more texts than there are");
    arena_deinit(&made.arena);
}

struct taken {
    struct text words;
    uint32_t left; /* words that are taken before it fails */
};

static enum status take(void *self, struct slice word, struct error *err)
{
    struct taken *taken = self;

    if (taken->left == 0)
        return fail(err, STATUS_LIMIT, "no more");
    taken->left--;
    text_append_char(&taken->words, '[');
    text_append(&taken->words, is_cut_mark(word) ? SLICE("cut") : word);
    text_append_char(&taken->words, ']');
    return STATUS_OK;
}

static void each_different_term_is_counted_once_and_what_is_cut_is_marked(void **state)
{
    const struct input_spec spec = {.type = INPUT_TEXT,
                                    .words_max = TERMS,
                                    .has_pairs = true,
                                    .weight = TEXT_WEIGHT_COUNT,
                                    .is_weighted = true};
    const struct encoder *encoder = encoder_of(&spec);
    struct taken taken = {.left = 100};
    struct error err;
    (void)state;

    CHECK(encoder->each_word != NULL);
    text_init(&taken.words, TEXT_MAXIMUM);
    CHECK_OK(encoder->each_word(&spec, SLICE("a b a b"), take, &taken, &err));
    CHECK_SLICE(text_slice(&taken.words), "[a][b][a b][b a]");
    text_clear(&taken.words);
    CHECK_OK(encoder->each_word(&spec, SLICE("a b c d e"), take, &taken, &err));
    CHECK_SLICE(text_slice(&taken.words), "[a][b][a b][c][b c][cut]");
    taken.left = 1;
    CHECK_FAILS(encoder->each_word(&spec, SLICE("a b"), take, &taken, &err), STATUS_LIMIT,
                "no more");
    text_deinit(&taken.words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_term_counts_as_often_as_it_is_there),
        cmocka_unit_test(rare_terms_count_more_and_a_row_has_length_1),
        cmocka_unit_test(a_term_of_more_texts_than_there_are_is_refused),
        cmocka_unit_test(each_different_term_is_counted_once_and_what_is_cut_is_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

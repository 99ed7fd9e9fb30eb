#include "runtime/data/columns/text_notices.h"

static void note_cut(const struct transform_input *input, uint64_t rows, const char *terms,
                     struct notice_list *notices)
{
    notice_add(notices, NOTICE_VOCABULARY,
               "%llu of %llu texts of column \"%.*s\" have more than %u different %s, of which the "
               "others do not count",
               (unsigned long long)input->cut_texts, (unsigned long long)rows,
               SLICE_FORMAT(input->spec.name), input->spec.words_max, terms);
    if (input->spec.words_max < TEXT_WORDS_MAX)
        notice_hint(notices, "TEXT(%s, words = %d) takes the most.", SQL_NAME(input->spec.name),
                    TEXT_WORDS_MAX);
}

void text_terms_note(const struct transform_input *input, uint64_t counted, uint64_t rows,
                     struct notice_list *notices)
{
    const char *terms = input->spec.has_pairs ? "words and pairs of words" : "words";
    const uint64_t different = counted - (input->cut_texts > 0);

    if (input->cut_texts > 0)
        note_cut(input, rows, terms, notices);
    if (different <= input->spec.vocabulary_max)
        return;
    notice_add(notices, NOTICE_VOCABULARY,
               "column \"%.*s\" has %llu different %s: the model knows the %u that most texts have",
               SLICE_FORMAT(input->spec.name), (unsigned long long)different, terms,
               input->word_count);
    if (different <= CATEGORY_WORDS_MAX)
        notice_hint(notices, "TEXT(%s, %llu) keeps all that are in two texts.",
                    SQL_NAME(input->spec.name), (unsigned long long)different);
}

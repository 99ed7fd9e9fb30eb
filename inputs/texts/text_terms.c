#include "inputs/texts/text_terms.h"

#include <string.h>

/* Puts the word behind the one before, and makes it the one before of the next pair. */
static void join(struct text_terms *terms, struct slice word)
{
    const size_t first = terms->before;

    if (first > 0) {
        memmove(terms->pair, terms->pair + terms->size - first, first);
        terms->pair[first] = ' ';
        memcpy(terms->pair + first + 1, word.data, word.size);
        terms->size = first + 1 + word.size;
        terms->is_pair_next = true;
    } else {
        memcpy(terms->pair, word.data, word.size);
        terms->size = word.size;
    }
    terms->before = word.size;
}

bool text_terms_next(struct text_terms *terms, struct slice *term)
{
    if (terms->is_pair_next) {
        terms->is_pair_next = false;
        *term = (struct slice){terms->pair, terms->size};
        return true;
    }
    if (!text_words_next(&terms->words, term))
        return false;
    if (terms->has_pairs)
        join(terms, *term);
    return true;
}

#include "base/sums/blank_sum.h"

#include <string.h>

#define SUM_BITS         64
#define SUM_BYTES        (SUM_BITS + 1)
#define PLAIN_BLANKS_MAX 2

void blank_sum_append(struct text *json, uint64_t sum)
{
    for (unsigned bit = SUM_BITS; bit-- > 0;)
        text_append_char(json, sum >> bit & 1 ? '\t' : ' ');
    text_append_char(json, '\n');
}

/* A NUL is one: a space of which a bit was inverted, and the end of a text to readers of JSON. */
static size_t count_blanks_at_the_end(struct slice text)
{
    size_t blanks = 0;

    while (blanks < text.size &&
           memchr(" \t\r\n", text.data[text.size - 1 - blanks], sizeof " \t\r\n"))
        blanks++;
    return blanks;
}

enum blank_sum blank_sum_take(struct slice *text, uint64_t *sum)
{
    const size_t blanks = count_blanks_at_the_end(*text);

    *sum = 0;
    if (blanks <= PLAIN_BLANKS_MAX)
        return BLANK_SUM_NONE;
    if (blanks < SUM_BYTES || text->data[text->size - 1] != '\n')
        return BLANK_SUM_DAMAGED;
    for (unsigned i = 0; i < SUM_BITS; i++) {
        const char blank = text->data[text->size - SUM_BYTES + i];

        if (blank != ' ' && blank != '\t')
            return BLANK_SUM_DAMAGED;
        *sum = *sum << 1 | (blank == '\t');
    }
    text->size -= SUM_BYTES;
    return BLANK_SUM_FOUND;
}

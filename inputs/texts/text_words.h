/*
 * text_words.h - the words of a free text, in small letters.
 *
 *     "Don't panic: 7 Grüße, 漢字!"     don  t  panic  7  grüße  漢  字
 *
 * A word is a run of letters and digits of any script. A character of a script that is written
 * without spaces between words (Han), and a pictograph, is a word by itself; everything else stands
 * between words. Bytes that are no UTF-8 count as letters.
 *
 * Models keep numbers of words, so that what a word is must never change, whatever library or
 * locale a process has: the tables of characters are this module's own, and of the alphabets in
 * wide use (Latin, Greek, Cyrillic, Armenian) alone know which capital belongs to which small
 * letter.
 */
#pragma once

#include "base/text.h"

#define TEXT_WORD_BYTES 120 /* bytes of a word that count; the word goes on to its end */

enum character_class { BETWEEN_WORDS, IN_WORD, ALONE };
/* The class of a character: beyond ASCII any, of ASCII those of small letters and digits. */
enum character_class text_character_class(uint32_t point);

/* The words of a text that is borrowed. rest: the part that is still to be read. */
struct text_words {
    struct slice rest;
    char buffer[TEXT_WORD_BYTES];
};

static inline struct text_words text_words_of(struct slice text)
{
    return (struct text_words){.rest = text};
}

/* The next word, in the buffer until the next call; false: there is none. */
bool text_words_next(struct text_words *words, struct slice *word);

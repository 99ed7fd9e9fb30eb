/*
 * characters.h - characters of UTF-8, and which capital belongs to which small letter.
 *
 * Models keep numbers of words, so that nothing of this may change, whatever library or locale a
 * process has. The alphabets in wide use (Latin, Greek, Cyrillic, Armenian) alone have capitals.
 */
#pragma once

#include "base/text.h"

#define CHARACTER_BYTES 4

struct character {
    uint32_t point;
    uint32_t size; /* bytes of the text */
    bool is_byte;  /* no UTF-8: the byte as it is */
};

/* Reads the first character of one byte or more. */
struct character character_read(struct slice rest);
/* How many bytes were written. */
uint32_t character_write(uint32_t point, char bytes[CHARACTER_BYTES]);

/* The small letter of a capital that is not of ASCII; else the character itself. */
uint32_t character_small(uint32_t point);

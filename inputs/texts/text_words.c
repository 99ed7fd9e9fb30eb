#include "inputs/texts/text_words.h"

#include <string.h>

#include "inputs/cells/characters.h"

/* ---- characters ---- */

struct class_range {
    uint32_t first, last;
    enum character_class class;
};

/* Beyond ASCII; what is in none is in a word. */
static const struct class_range classes[] = {
    {0x0080, 0x00A9, BETWEEN_WORDS},   {0x00AB, 0x00B1, BETWEEN_WORDS},
    {0x00B4, 0x00B4, BETWEEN_WORDS},   {0x00B6, 0x00B8, BETWEEN_WORDS},
    {0x00BB, 0x00BB, BETWEEN_WORDS},   {0x00BF, 0x00BF, BETWEEN_WORDS},
    {0x00D7, 0x00D7, BETWEEN_WORDS},   {0x00F7, 0x00F7, BETWEEN_WORDS},
    {0x037E, 0x037E, BETWEEN_WORDS},   {0x0387, 0x0387, BETWEEN_WORDS},
    {0x055A, 0x055F, BETWEEN_WORDS},   {0x0589, 0x058F, BETWEEN_WORDS},
    {0x05BE, 0x05BE, BETWEEN_WORDS},   {0x05C0, 0x05C0, BETWEEN_WORDS},
    {0x05F3, 0x05F4, BETWEEN_WORDS},   {0x0600, 0x060F, BETWEEN_WORDS},
    {0x061B, 0x061F, BETWEEN_WORDS},   {0x066A, 0x066D, BETWEEN_WORDS},
    {0x06D4, 0x06D4, BETWEEN_WORDS},   {0x0964, 0x0965, BETWEEN_WORDS},
    {0x0E4F, 0x0E4F, BETWEEN_WORDS},   {0x0E5A, 0x0E5B, BETWEEN_WORDS},
    {0x104A, 0x104F, BETWEEN_WORDS},   {0x1361, 0x1368, BETWEEN_WORDS},
    {0x1680, 0x1680, BETWEEN_WORDS},   {0x17D4, 0x17DB, BETWEEN_WORDS},
    {0x1800, 0x180E, BETWEEN_WORDS},   {0x2000, 0x206F, BETWEEN_WORDS},
    {0x20A0, 0x20CF, BETWEEN_WORDS},   {0x2190, 0x245F, BETWEEN_WORDS},
    {0x2500, 0x25FF, BETWEEN_WORDS},   {0x2600, 0x27BF, ALONE},
    {0x27C0, 0x2AFF, BETWEEN_WORDS},   {0x2B00, 0x2BFF, ALONE},
    {0x2E00, 0x2E7F, BETWEEN_WORDS},   {0x2E80, 0x2FDF, ALONE},
    {0x2FF0, 0x3004, BETWEEN_WORDS},   {0x3005, 0x3007, ALONE},
    {0x3008, 0x3020, BETWEEN_WORDS},   {0x3030, 0x3030, BETWEEN_WORDS},
    {0x303D, 0x303F, BETWEEN_WORDS},   {0x30FB, 0x30FB, BETWEEN_WORDS},
    {0x3400, 0x4DBF, ALONE},           {0x4E00, 0x9FFF, ALONE},
    {0xF900, 0xFAFF, ALONE},           {0xFD3E, 0xFD3F, BETWEEN_WORDS},
    {0xFE00, 0xFE1F, BETWEEN_WORDS},   {0xFE30, 0xFE6F, BETWEEN_WORDS},
    {0xFEFF, 0xFF0F, BETWEEN_WORDS},   {0xFF1A, 0xFF20, BETWEEN_WORDS},
    {0xFF3B, 0xFF40, BETWEEN_WORDS},   {0xFF5B, 0xFF65, BETWEEN_WORDS},
    {0xFFE0, 0xFFFF, BETWEEN_WORDS},   {0x1F000, 0x1F3FA, ALONE},
    {0x1F3FB, 0x1F3FF, BETWEEN_WORDS}, {0x1F400, 0x1FAFF, ALONE},
    {0x20000, 0x3FFFF, ALONE},         {0xE0000, 0x10FFFF, BETWEEN_WORDS},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The last of the ranges that begins at the point or before it. */
static enum character_class class_of(uint32_t point)
{
    size_t low = 0, high = COUNT_OF(classes);

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (classes[middle].first <= point)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && point <= classes[low - 1].last ? classes[low - 1].class : IN_WORD;
}

enum character_class text_character_class(uint32_t point)
{
    if (point >= 0x80)
        return class_of(point);
    return (point >= 'a' && point <= 'z') || (point >= '0' && point <= '9') ? IN_WORD
                                                                            : BETWEEN_WORDS;
}

/* ---- words ---- */

static void append(struct text_words *words, size_t *size, const char *bytes, uint32_t count)
{
    if (*size + count <= sizeof words->buffer) {
        memcpy(words->buffer + *size, bytes, count);
        *size += count;
    } else { /* nothing more is taken, however short it is */
        memset(words->buffer + *size, 0, sizeof words->buffer - *size);
        *size = sizeof words->buffer;
    }
}

static void skip(struct text_words *words, uint32_t count)
{
    words->rest.data += count;
    words->rest.size -= count;
}

/* One of ASCII; false: it is in no word. */
static bool small_ascii(char *c)
{
    if (*c >= 'A' && *c <= 'Z')
        *c = (char)(*c - 'A' + 'a');
    return (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
}

/* Takes the next character of the text into the word; false: the word ends before it, or, where the
 * word has none yet, with it. */
static bool take_character(struct text_words *words, size_t *size)
{
    const struct character character = character_read(words->rest);
    const enum character_class class = character.is_byte ? IN_WORD : class_of(character.point);
    char bytes[CHARACTER_BYTES] = {words->rest.data[0]};
    uint32_t count = 1;

    if (*size > 0 && class != IN_WORD)
        return false;
    skip(words, character.size);
    if (class == BETWEEN_WORDS)
        return true;
    if (!character.is_byte)
        count = character_write(character_small(character.point), bytes);
    append(words, size, bytes, count);
    return class != ALONE;
}

bool text_words_next(struct text_words *words, struct slice *word)
{
    size_t size = 0;

    while (words->rest.size > 0) {
        char c = words->rest.data[0];

        if (c & 0x80) {
            if (!take_character(words, &size))
                break;
        } else if (small_ascii(&c)) {
            append(words, &size, &c, 1);
            skip(words, 1);
        } else if (size > 0) {
            break;
        } else {
            skip(words, 1);
        }
    }
    *word = (struct slice){words->buffer, size};
    return size > 0;
}

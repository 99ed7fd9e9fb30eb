#include "inputs/text_words.h"

#include <string.h>

#define CHARACTER_BYTES 4

enum character_class { BETWEEN_WORDS, IN_WORD, ALONE };

struct character {
    uint32_t point;
    uint32_t size; /* bytes of the text */
    bool is_byte;  /* no UTF-8: the byte as it is */
};

/* ---- UTF-8 ---- */

/* Bytes behind the first one; -1: it begins no character. */
static int bytes_after(unsigned char first)
{
    if (first < 0xC2 || first > 0xF4)
        return -1;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

/* Reads the first character of bytes, of which the first is not ASCII. */
static struct character read_character(struct slice rest)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)rest.data;
    const struct character byte = {bytes[0], 1, true};
    const int after = bytes_after(bytes[0]);
    uint32_t point;

    if (after < 0 || rest.size <= (size_t)after)
        return byte;
    point = bytes[0] & (0x3Fu >> after);
    for (int i = 1; i <= after; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return byte;
        point = point << 6 | (bytes[i] & 0x3Fu);
    }
    if (point < least[after] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return byte;
    return (struct character){point, (uint32_t)after + 1, false};
}

static uint32_t write_character(uint32_t point, char bytes[CHARACTER_BYTES])
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        bytes[0] = (char)(0xC0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        bytes[0] = (char)(0xE0 | point >> 12);
        bytes[1] = (char)(0x80 | (point >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | point >> 18);
    bytes[1] = (char)(0x80 | (point >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (point >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

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

struct case_range {
    uint32_t first, last, step; /* every first, or every second one is a capital */
    int32_t to_small;
};

static const struct case_range capitals[] = {
    {0x00C0, 0x00D6, 1, 32},    {0x00D8, 0x00DE, 1, 32},   {0x0100, 0x012E, 2, 1},
    {0x0130, 0x0130, 1, -199},  {0x0132, 0x0136, 2, 1},    {0x0139, 0x0147, 2, 1},
    {0x014A, 0x0176, 2, 1},     {0x0178, 0x0178, 1, -121}, {0x0179, 0x017D, 2, 1},
    {0x01A0, 0x01A4, 2, 1},     {0x01AF, 0x01AF, 1, 1},    {0x01CD, 0x01DB, 2, 1},
    {0x01DE, 0x01EE, 2, 1},     {0x01F8, 0x021E, 2, 1},    {0x0222, 0x0232, 2, 1},
    {0x0386, 0x0386, 1, 38},    {0x0388, 0x038A, 1, 37},   {0x038C, 0x038C, 1, 64},
    {0x038E, 0x038F, 1, 63},    {0x0391, 0x03A1, 1, 32},   {0x03A3, 0x03AB, 1, 32},
    {0x03C2, 0x03C2, 1, 1}, /* a sigma at the end of a word */
    {0x0400, 0x040F, 1, 80},    {0x0410, 0x042F, 1, 32},   {0x0460, 0x0480, 2, 1},
    {0x048A, 0x04BE, 2, 1},     {0x04C0, 0x04C0, 1, 15},   {0x04C1, 0x04CD, 2, 1},
    {0x04D0, 0x052E, 2, 1},     {0x0531, 0x0556, 1, 48},   {0x1E00, 0x1E94, 2, 1},
    {0x1E9E, 0x1E9E, 1, -7615}, {0x1EA0, 0x1EFE, 2, 1},    {0xFF21, 0xFF3A, 1, 32},
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

static uint32_t small_letter(uint32_t point)
{
    size_t low = 0, high = COUNT_OF(capitals);
    const struct case_range *range;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (capitals[middle].first <= point)
            low = middle + 1;
        else
            high = middle;
    }
    range = low > 0 ? &capitals[low - 1] : NULL;
    if (!range || point > range->last || (point - range->first) % range->step != 0)
        return point;
    return (uint32_t)((int32_t)point + range->to_small);
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
    const struct character character = read_character(words->rest);
    const enum character_class class = character.is_byte ? IN_WORD : class_of(character.point);
    char bytes[CHARACTER_BYTES] = {words->rest.data[0]};
    uint32_t count = 1;

    if (*size > 0 && class != IN_WORD)
        return false;
    skip(words, character.size);
    if (class == BETWEEN_WORDS)
        return true;
    if (!character.is_byte)
        count = write_character(small_letter(character.point), bytes);
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

#include "inputs/cells/characters.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- UTF-8 ---- */

/* Bytes behind the first one; -1: it begins no character. */
static int bytes_after(unsigned char first)
{
    if (first < 0xC2 || first > 0xF4)
        return -1;
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

struct character character_read(struct slice rest)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)rest.data;
    const struct character byte = {bytes[0], 1, true};
    const int after = bytes_after(bytes[0]);
    uint32_t point;

    if (bytes[0] < 0x80)
        return (struct character){bytes[0], 1, false};
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

uint32_t character_write(uint32_t point, char bytes[CHARACTER_BYTES])
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

/* ---- capitals ---- */

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

uint32_t character_small(uint32_t point)
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

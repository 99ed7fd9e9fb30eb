#include "inputs/cells/digits.h"

#include <string.h>

#include "inputs/cells/characters.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define NOTHING         0

/* The digit 0 of each script; the others follow it. */
static const uint32_t zeros[] = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6,
                                 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0E50, 0x0ED0,
                                 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10};

static const struct {
    uint32_t sign, meant;
} signs[] = {{0x060C, ','},  {0x066A, '%'}, {0x066B, '.'}, {0x066C, '\''}, {0x3000, ' '},
             {0xFF04, '$'},  {0xFF05, '%'}, {0xFF08, '('}, {0xFF09, ')'},  {0xFF0B, '+'},
             {0xFF0C, ','},  {0xFF0D, '-'}, {0xFF0E, '.'}, {0xFF0F, '/'},  {0xFF1A, ':'},
             {0xFFE1, 0xA3}, {0xFFE5, 0xA5}};

/* Marks that nobody sees, from the first to the last. */
static const struct {
    uint32_t first, last;
} unseen[] = {{0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x200B, 0x200F},
              {0x202A, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}};

bool digits_run_at(size_t number, struct digits_run *run)
{
    if (number < COUNT_OF(zeros)) {
        *run = (struct digits_run){zeros[number], zeros[number] + 9, '0'};
        return true;
    }
    number -= COUNT_OF(zeros);
    if (number < COUNT_OF(signs)) {
        *run = (struct digits_run){signs[number].sign, signs[number].sign, signs[number].meant};
        return true;
    }
    number -= COUNT_OF(signs);
    if (number >= COUNT_OF(unseen))
        return false;
    *run = (struct digits_run){unseen[number].first, unseen[number].last, NOTHING};
    return true;
}

uint32_t digits_meant(uint32_t point)
{
    struct digits_run run;

    for (size_t i = 0; digits_run_at(i, &run); i++)
        if (point >= run.first && point <= run.last)
            return run.meant == NOTHING ? NOTHING : run.meant + (point - run.first);
    return point;
}

static bool is_ascii(struct slice text)
{
    unsigned char bits = 0;

    for (size_t i = 0; i < text.size; i++)
        bits |= (unsigned char)text.data[i];
    return bits < 0x80;
}

bool digits_to_ascii(struct slice text, char buffer[DIGITS_BYTES_MAX], struct slice *plain)
{
    bool is_found = false;
    size_t size = 0;

    if (text.size > DIGITS_BYTES_MAX || is_ascii(text))
        return false;
    while (text.size > 0) {
        const struct character character = character_read(text);
        const uint32_t meant =
            character.point < 0x80 ? character.point : digits_meant(character.point);

        is_found |= !character.is_byte && meant != character.point;
        if (character.is_byte)
            buffer[size++] = *text.data;
        else if (meant != NOTHING)
            size += character_write(meant, buffer + size);
        text.data += character.size;
        text.size -= character.size;
    }
    if (is_found)
        *plain = slice_trim((struct slice){buffer, size});
    return is_found;
}

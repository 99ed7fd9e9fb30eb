/* Whatever a text is: one kind, a number where it is read as one, and the same again around it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cell_text.h"

static void check_readings(const struct text_look *look, struct slice text)
{
    for (int reading = READING_NUMBER; reading <= READING_MONTH_FIRST; reading++) {
        double number = 0;
        bool is_null = false;

        if (text_look_number(look, text, (enum input_reading)reading, &number, &is_null) &&
            (isnan(number) || (is_null && number != 0)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = {(const char *)data, size};
    const struct text_look look = text_look_at(text);
    char *padded = malloc(size + 2);
    struct text_look again;

    if (!padded || look.kind >= TEXT_KINDS ||
        (look.kind == TEXT_MISSING && look.spelling >= MISSING_SPELLINGS))
        abort();
    padded[0] = padded[size + 1] = ' ';
    if (size)
        memcpy(padded + 1, data, size);
    again = text_look_at((struct slice){padded, size + 2});
    if (again.kind != look.kind || again.spelling != look.spelling || again.by != look.by ||
        again.order != look.order)
        abort();
    check_readings(&look, text);
    free(padded);
    return 0;
}

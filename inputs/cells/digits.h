/*
 * digits.h - digits of other scripts, as people write numbers and dates with them.
 *
 *     ١٢٫٥   ۱۲۳   १२   １２．５   12 with a mark of no width before it
 *
 * A text has ASCII's digits in their place, and ASCII's signs for those that belong to them: the
 * Arabic separators of a fraction and of thousands, and the wide forms that fonts of East Asia
 * have. Marks that nobody sees, of no width or for the direction of the writing, are left out.
 */
#pragma once

#include "base/text.h"

#define DIGITS_BYTES_MAX 64 /* bytes of a text that is looked at */

/* Characters beyond ASCII that lie side by side, of which the first means `meant` and each next one
 * the next; 0: nobody sees any of them. */
struct digits_run {
    uint32_t first, last, meant;
};
/* By their number, from 0 on; false: there are no more. */
bool digits_run_at(size_t number, struct digits_run *run);

/* The character that a character beyond ASCII stands for in numbers: itself; 0: nobody sees it. */
uint32_t digits_meant(uint32_t point);

/* False: the text has none of these, or more bytes, and plain stays. Else it lies in the buffer. */
bool digits_to_ascii(struct slice text, char buffer[DIGITS_BYTES_MAX], struct slice *plain);

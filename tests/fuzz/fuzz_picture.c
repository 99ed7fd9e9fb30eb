/* Whatever a blob is: a picture of whole numbers from 0 to 255, or refused; in other channels,
 * where it is read, the same picture. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "inputs/picture.h"

#define SIDES 8 /* widths and heights are 1 to 8 */

static void check_numbers(const struct cell_list *list, const double *numbers)
{
    for (uint32_t i = 0; i < list->size; i++)
        if (!(numbers[i] >= 0 && numbers[i] <= UINT8_MAX && numbers[i] == trunc(numbers[i])))
            abort();
}

/* Grey pixels are colours. */
static void check_colours(const struct cell_list *grey, const double *numbers, struct slice blob)
{
    const struct cell_list colours = {LIST_PICTURE, 3 * grey->size, 0, 0, 0, false, grey->width, 3};
    static double again[3 * SIDES * SIDES];
    struct error err;

    if (picture_read(blob, &colours, SLICE("c"), again, &err) != STATUS_OK)
        return;
    for (uint32_t i = 0; i < colours.size; i++)
        if (again[i] != numbers[i / 3])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double numbers[4 * SIDES * SIDES];
    struct cell_list list = {.form = LIST_PICTURE};
    struct slice blob;
    struct error err;

    if (size < 1)
        return 0;
    list.width = 1 + data[0] % SIDES;
    list.channels = 1 + data[0] / (SIDES * SIDES);
    list.size = list.width * list.channels * (1 + data[0] / SIDES % SIDES);
    blob = (struct slice){(const char *)data + 1, size - 1};
    if (picture_read(blob, &list, SLICE("c"), numbers, &err) != STATUS_OK)
        return 0;
    check_numbers(&list, numbers);
    if (list.channels == 1 && blob.size != list.size)
        check_colours(&list, numbers, blob);
    return 0;
}

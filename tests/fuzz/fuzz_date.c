/*
 * Any bytes as a date: what is read has parts that are among the words, and the same moment
 * of the day, written in the plainest form, is read as the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/dates.h"

static struct slice word_of(const struct date *date, enum date_part part)
{
    return date_part_cell(date, part).text;
}

static void check_again(const struct date *date)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const int seconds = (int)(date->microsecond / 1000000);
    struct date again;
    char text[64];

    if (word_of(date, DATE_MONTH).size != 3 || !strstr(months, word_of(date, DATE_MONTH).data) ||
        word_of(date, DATE_DAY).size != 2 || word_of(date, DATE_WEEKDAY).size != 3)
        abort();
    if (date->microsecond < 0 || seconds >= 86400)
        abort();
    snprintf(text, sizeof text, "2000-01-01 %02d:%02d:%02d.%06d", seconds / 3600, seconds / 60 % 60,
             seconds % 60, (int)(date->microsecond % 1000000));
    if (!date_read(slice_of(text), &again) || again.microsecond != date->microsecond)
        abort();
    if (!slice_equal(word_of(&again, DATE_HOUR), word_of(date, DATE_HOUR)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size + 1); /* in memory of exactly its size, from the second byte on */
    struct date date;

    if (!exact)
        abort();
    if (size > 0)
        memcpy(exact + 1, data, size);
    if (date_read((struct slice){exact + 1, size}, &date))
        check_again(&date);
    for (int reading = READING_DATE; reading <= READING_MONTH_FIRST; reading++)
        if (date_text_read((struct slice){exact + 1, size}, (enum input_reading)reading, &date))
            check_again(&date);
    free(exact);
    return 0;
}

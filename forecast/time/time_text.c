#include "forecast/time/time_text.h"

#include <stdio.h>
#include <string.h>

#include "forecast/time/steps.h"

void time_print(enum time_kind kind, int64_t time, const char *zone, char out[TIME_BYTES])
{
    struct date date = {time / DAY_MICROSECONDS, time % DAY_MICROSECONDS};
    char text[DATE_BYTES];

    if (kind == TIME_NUMBER) {
        snprintf(out, TIME_BYTES, "%lld", (long long)time);
        return;
    }
    if (date.microsecond < 0) {
        date.day--;
        date.microsecond += DAY_MICROSECONDS;
    }
    date_print(&date, text);
    if (kind == TIME_MOMENT)
        snprintf(out, TIME_BYTES, "%s%s%s", text, strlen(text) > 10 ? "" : " 00:00:00", zone);
    else
        slice_copy(slice_prefix(slice_of(text), kind == TIME_MONTH ? 7 : 10), out, TIME_BYTES);
}

#include "base/memory_size.h"

#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 19

static const struct {
    const char *suffix;
    double factor;
} units[] = {{"", 1},          {"k", 1e3},          {"M", 1e6},
             {"G", 1e9},       {"T", 1e12},         {"Ki", 1024.},
             {"Mi", 1048576.}, {"Gi", 1073741824.}, {"Ti", 1099511627776.}};

#define UNITS (sizeof units / sizeof *units)

bool number_with_suffix(struct slice text, double *number, struct slice *suffix)
{
    size_t digits = 0;

    while (digits < text.size && (strchr("0123456789.", text.data[digits]) && text.data[digits]))
        digits++;
    *suffix = (struct slice){text.data + digits, text.size - digits};
    return digits > 0 && digits <= DIGITS_MAX &&
           slice_to_real((struct slice){text.data, digits}, number);
}

bool memory_size_read(struct slice text, double *bytes)
{
    struct slice suffix;
    double number;

    if (!number_with_suffix(text, &number, &suffix))
        return false;
    for (size_t i = 0; i < UNITS; i++)
        if (slice_is(suffix, units[i].suffix)) {
            *bytes = number * units[i].factor;
            return true;
        }
    return false;
}

void memory_size_append(struct text *out, uint64_t bytes)
{
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t unit = 0;

    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < sizeof binary / sizeof *binary) {
        bytes /= 1024;
        unit++;
    }
    text_printf(out, "%llu%s", (unsigned long long)bytes, binary[unit]);
}

bool memory_size_suggest(struct slice text, char suggestion[MEMORY_SIZE_BYTES_MAX])
{
    struct slice suffix, rest = slice_trim(text);
    double number;
    int digits;

    if (!number_with_suffix(rest, &number, &suffix))
        return false;
    digits = (int)(rest.size - suffix.size);
    suffix = slice_trim(suffix);
    if (suffix.size > 0 && (suffix.data[suffix.size - 1] | 0x20) == 'b')
        suffix.size--;
    for (size_t i = 0; i < UNITS; i++)
        if (slice_is_fold(suffix, units[i].suffix)) {
            snprintf(suggestion, MEMORY_SIZE_BYTES_MAX, "%.*s%s", digits, rest.data,
                     units[i].suffix);
            return true;
        }
    return false;
}

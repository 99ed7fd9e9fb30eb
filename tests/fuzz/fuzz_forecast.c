/*
 * Any options, on their first line, and any values: a forecast is refused, or it has finite numbers
 * in order, and the same bytes from rows in the other order.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/points.h"

#define ROWS_MAX 60

struct row {
    int64_t time;
    double value;
};

/* Three bytes a row: a number, its power of two, and how many steps after the one before. */
static uint32_t read_rows(const uint8_t *data, size_t size, struct row *rows)
{
    uint32_t count = 0;
    int64_t time = 0;

    for (; size >= 3 && count < ROWS_MAX; data += 3, size -= 3) {
        time += 1 + data[2] % 4;
        rows[count].time = time;
        rows[count++].value = data[0] == 0x80 ? NAN : ldexp((int8_t)data[0], 8 * (int8_t)data[1]);
    }
    return count;
}

static enum status forecast(struct slice options, const struct row *rows, uint32_t count,
                            bool is_backwards, struct text *json)
{
    const struct cell horizon = {.type = CELL_INTEGER, .integer = 1 + count % 30};
    const struct cell given = {.type = CELL_TEXT, .text = options};
    enum status status = STATUS_OK;
    struct points points;
    struct error err;
    bool has_any = false;

    points_init(&points, ARENA_MAXIMUM);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct row *row = &rows[is_backwards ? count - 1 - i : i];
        const struct cell time = {.type = CELL_INTEGER, .integer = row->time};
        struct cell value = {.type = CELL_REAL, .real = row->value};

        if (isnan(row->value))
            value.type = CELL_NULL;
        status = points_add(&points, &time, &value, &horizon, &given, &err);
    }
    if (status == STATUS_OK)
        status = points_forecast(&points, NULL, NULL, json, &has_any, &err);
    if (status != STATUS_OK && err.message[0] == 0)
        abort();
    if (status == STATUS_OK && has_any != (json->size > 0))
        abort();
    points_deinit(&points);
    return status;
}

/* Each object has value, lower and upper; NaN and infinity would be words. */
static void check_numbers(const struct text *json)
{
    const char *at = text_string(json);

    while ((at = strstr(at, "\"value\":"))) {
        double value = strtod(at + 8, NULL), bounds[2];

        at = strstr(at, "\"lower\":");
        bounds[0] = strtod(at + 8, NULL);
        at = strstr(at, "\"upper\":");
        bounds[1] = strtod(at + 8, NULL);
        if (!isfinite(value) || !(bounds[0] <= value && value <= bounds[1]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    struct row rows[ROWS_MAX];
    struct slice options;
    struct text made[2];
    enum status status[2];
    uint32_t count;

    if (!end)
        return 0;
    options = (struct slice){(const char *)data, (size_t)(end - data)};
    count = read_rows(end + 1, size - options.size - 1, rows);
    for (int backwards = 0; backwards < 2; backwards++) {
        text_init(&made[backwards], 100000);
        status[backwards] = forecast(options, rows, count, backwards, &made[backwards]);
    }
    if (status[0] != status[1] ||
        (status[0] == STATUS_OK && !slice_equal(text_slice(&made[0]), text_slice(&made[1]))))
        abort();
    if (status[0] == STATUS_OK && made[0].size)
        check_numbers(&made[0]);
    text_deinit(&made[0]);
    text_deinit(&made[1]);
    return 0;
}

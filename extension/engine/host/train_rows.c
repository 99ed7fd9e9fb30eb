#include "extension/engine/host/train_rows.h"

#include <stdio.h>

#include "extension/engine/host/notice_rows.h"

const struct slice train_columns[TRAIN_COLUMNS] = {
    {"name", 4}, {"value", 5}, {"part", 4}, {"detail", 6}};

enum status train_row_value(const struct sink *sink, const char *name, double value,
                            const char *part, struct error *err)
{
    const struct cell row[] = {cell_string(name), cell_real(value),
                               part ? cell_string(part) : cell_null(), cell_null()};

    return sink_row(sink, row, TRAIN_COLUMNS, err);
}

enum status train_row_detail(const struct sink *sink, const char *name, double value,
                             const char *part, const char *detail, struct error *err)
{
    return sink_row(sink,
                    (struct cell[]){cell_string(name), cell_real(value), cell_string(part),
                                    cell_string(detail)},
                    TRAIN_COLUMNS, err);
}

enum status train_row_number(const struct sink *sink, const char *name, int64_t number,
                             struct error *err)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%lld", (long long)number);
    return sink_row(
        sink, (struct cell[]){cell_string(name), cell_null(), cell_null(), cell_string(digits)},
        TRAIN_COLUMNS, err);
}

enum status train_row_notices(const struct sink *sink, const struct notice_list *notices,
                              struct error *err)
{
    return notice_rows(notices, TRAIN_COLUMNS, TRAIN_COLUMNS - 1, sink, err);
}

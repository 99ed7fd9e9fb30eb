#include "planner/columns/column_dates.h"

#include "planner/plan/query.h"

#define OTHERS_FEW_SHARE 20 /* one of so many cells among dates may be none: a bad row */

static uint32_t bit(enum date_part part)
{
    return (uint32_t)1 << part;
}

/* Cells that are neither NULL, blank, a spelling of a missing value nor a date. */
static uint32_t others_of(const struct query_column *column)
{
    return column->integers + column->reals + column->texts - column->blank_texts -
           column->missing_texts + column->blobs + column->vectors - column->dates;
}

bool column_is_date(const struct query_column *column)
{
    const uint64_t others = others_of(column);

    return column->dates > 0 && others * OTHERS_FEW_SHARE <= others + column->dates;
}

uint32_t date_parts_usual(const struct planning *planning, const struct query_column *column)
{
    const struct kind *kind = planning->plan->estimator->kind;

    if (kind->spreads_words)
        return bit(DATE_AGE);
    return bit(DATE_AGE) | bit(DATE_MONTH) | bit(DATE_WEEKDAY) |
           (column->times > 0 ? bit(DATE_HOUR) : 0);
}

/* ----- DATE(c, ...) ----- */

/* A word or a text; size 0: neither. */
static struct slice argument_word(const struct column *argument)
{
    if (argument->kind == COLUMN_NAME)
        return argument->name.text;
    if (argument->kind == COLUMN_VALUE && argument->value.kind == VALUE_STRING)
        return argument->value.text;
    return (struct slice){"", 0};
}

static enum status read_part(const struct column *argument, uint32_t *parts, struct error *err)
{
    const char *const *words = date_part_words + 1; /* behind "whole" */
    const struct slice word = argument_word(argument);
    const int position = argument->span.start;
    int nearest;

    for (unsigned part = DATE_WHOLE + 1; part < DATE_PARTS; part++)
        if (slice_is_fold(word, date_part_words[part])) {
            if (*parts & bit((enum date_part)part))
                return fail_at(err, STATUS_INVALID, position, "'%s' is named twice",
                               date_part_words[part]);
            *parts |= bit((enum date_part)part);
            return STATUS_OK;
        }
    if (word.size == 0)
        fail_at(err, STATUS_INVALID, position, "DATE takes parts of a date, as in 'weekday'");
    else
        fail_at(err, STATUS_INVALID, position, "a date has no part '%.*s'", SLICE_FORMAT(word));
    nearest = text_nearest(word, words, DATE_PARTS - 1);
    if (nearest >= 0)
        return error_hint(err, "Did you mean '%s'?", words[nearest]);
    return error_hint(err, "The parts are 'age', 'month', 'day', 'weekday' and 'hour'.");
}

enum status date_parts_read(const struct column *call, uint32_t *parts, struct error *err)
{
    *parts = 0;
    for (size_t i = 1; i < call->count; i++)
        TRY(read_part(&call->items[i], parts, err));
    return STATUS_OK;
}

void date_parts_append(uint32_t parts, struct text *out)
{
    const uint32_t count = date_parts_count(parts);
    uint32_t done = 0;

    for (unsigned part = DATE_WHOLE + 1; part < DATE_PARTS; part++)
        if (parts & bit((enum date_part)part)) {
            text_append_string(out, done == 0 ? "" : done + 1 < count ? ", " : " and ");
            text_append_string(out, date_part_words[part]);
            done++;
        }
}

/* ----- what is told ----- */

enum status column_check_dates(const struct planning *planning, const struct query_column *column,
                               int position)
{
    const uint32_t others = others_of(column);
    const char *name = SQL_NAME(column->name);

    if (others == 0 || column_is_date(column))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, position,
            "DATE: column \"%.*s\" holds values that are no dates, in %u of %u %s",
            SLICE_FORMAT(column->name), others, planning->plan->query.sample_rows,
            query_rows_word(&planning->plan->query));
    if (column->integers + column->reals < others)
        return error_hint(planning->err,
                          "A date is text such as '2024-01-31' or '2024-01-31 12:34:56', "
                          "with a zone or without, or as people write it, where all "
                          "cells show whether the day or the month is first.");
    if (planning->catalog->dialect == SQL_POSTGRES)
        return error_hint(planning->err,
                          "Make a time of the number: SELECT to_timestamp(%s) AS %s; of one such "
                          "as 20240131 it is to_date(%s::text, 'YYYYMMDD').",
                          name, name, name);
    return error_hint(planning->err,
                      "Make a date of the number: SELECT datetime(%s, 'unixepoch') AS %s; of one "
                      "such as 20240131 it is substr(%s, 1, 4) || '-' || substr(%s, 5, 2) || '-' "
                      "|| substr(%s, 7, 2).",
                      name, name, name, name, name);
}

static const char *order_word(enum input_reading reading)
{
    return reading == READING_DAY_FIRST     ? " with the day first"
           : reading == READING_MONTH_FIRST ? " with the month first"
                                            : "";
}

enum status date_notice(const struct planning *planning, const struct query_column *column)
{
    struct notice_list *notices = planning->plan->notices;
    const bool is_number = column->texts == 0;
    enum status status = STATUS_OK;
    struct text parts;

    text_init(&parts, NOTICE_BYTES_MAX);
    date_parts_append(column->parts, &parts);
    notice_add(notices, NOTICE_READING, "column \"%.*s\" holds dates%s: the model uses their %s",
               SLICE_FORMAT(column->name), order_word(column->date_reading), text_string(&parts));
    notice_hint(notices,
                "COLUMN DATE(%.*s, 'day', ...) chooses other parts, %s(%.*s) reads the dates "
                "as %s.",
                SLICE_FORMAT(column->name), is_number ? "NUMERIC" : "VOCABULARY",
                SLICE_FORMAT(column->name), is_number ? "numbers" : "words");
    if (parts.failed)
        status = fail_no_memory(planning->err);
    text_deinit(&parts);
    return status;
}

#include "planner/forecast/holiday_table.h"

#include <stdlib.h>
#include <string.h>

#include "inputs/cells/dates.h"
#include "kinds/forecast/forecast_model.h"
#include "planner/columns/column_dates.h"
#include "planner/columns/old_model.h"
#include "planner/plan/settings.h"

#define HOLIDAYS  "forecast.holidays"
#define ONLY_NAME "holiday" /* name of all days where none has one */

struct named_day {
    uint32_t name; /* place among the names */
    int32_t day;
};

struct reading_holidays {
    struct planning *planning;
    const struct setting *setting;
    struct query query;
    int day, name; /* columns; name -1: there is none */
    struct slice names[HOLIDAYS_MAX];
    uint32_t name_count, names_most;
    struct named_day *days; /* (HOLIDAY_DAYS_MAX) */
    uint32_t count;
};

static int place(const struct setting *setting)
{
    return setting->value.span.start;
}

/* ---- the columns ---- */

/* SELECT * FROM "schema"."holidays" */
static enum status make_select(const struct reading_holidays *reading, struct slice *select)
{
    const struct slice written = slice_trim(reading->setting->value.text);
    const char *dot = memchr(written.data, '.', written.size);
    const size_t size = dot ? (size_t)(dot - written.data) : 0;
    struct planning *planning = reading->planning;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT * FROM ");
    if (dot) {
        text_append_identifier(&sql, (struct slice){written.data, size});
        text_append_char(&sql, '.');
        text_append_identifier(&sql, (struct slice){dot + 1, written.size - size - 1});
    } else {
        text_append_identifier(&sql, written);
    }
    *select = sql.failed ? (struct slice){NULL, 0} : arena_copy(planning->arena, text_slice(&sql));
    text_deinit(&sql);
    return select->data ? STATUS_OK : fail_no_memory(planning->err);
}

static enum status refuse_columns(const struct reading_holidays *reading, const char *what)
{
    struct error *err = reading->planning->err;

    fail_at(err, STATUS_INVALID, place(reading->setting), "table '%.*s' has %s",
            SLICE_FORMAT(slice_prefix(reading->setting->value.text, 80)), what);
    return error_hint(err, HOLIDAYS " takes a table or view with one column of dates, such as "
                                    "'2026-12-25', and at most one of names.");
}

static enum status find_columns(struct reading_holidays *reading)
{
    reading->day = reading->name = -1;
    if (reading->query.sample_rows == 0)
        return refuse_columns(reading, "no rows");
    for (size_t i = 0; i < reading->query.count; i++) {
        const struct query_column *column = &reading->query.columns[i];

        if (column_is_date(column)) {
            if (reading->day >= 0)
                return refuse_columns(reading, "several columns of dates");
            reading->day = (int)i;
        } else if (column->texts > 0) {
            if (reading->name >= 0)
                return refuse_columns(reading, "several columns of texts");
            reading->name = (int)i;
        }
    }
    return reading->day >= 0 ? STATUS_OK : refuse_columns(reading, "no column of dates");
}

/* ---- the rows ---- */

static enum status refuse_row(const struct reading_holidays *reading, const char *what,
                              struct error *err)
{
    fail(err, STATUS_INVALID, "row %u of table '%.*s': %s", reading->count + 1,
         SLICE_FORMAT(slice_prefix(reading->setting->value.text, 80)), what);
    return error_hint(err, "Name a view that leaves such rows out.");
}

static enum status refuse_many(struct error *err)
{
    fail(err, STATUS_LIMIT, "a forecast has %d regressors and holidays at most", HOLIDAYS_MAX);
    return error_hint(err, "Give rare holidays the same name, or select fewer columns of numbers.");
}

static enum status take_name(struct reading_holidays *reading, struct slice name, uint32_t *found,
                             struct error *err)
{
    for (*found = 0; *found < reading->name_count; ++*found)
        if (slice_equal(reading->names[*found], name))
            return STATUS_OK;
    if (reading->name_count >= reading->names_most)
        return refuse_many(err);
    name = arena_copy(reading->planning->arena, name);
    if (!name.data)
        return fail_no_memory(err);
    reading->names[reading->name_count++] = name;
    return STATUS_OK;
}

static enum status find_day(const struct reading_holidays *reading, const struct cell *cell,
                            int32_t *day, struct error *err)
{
    const struct query_column *column = &reading->query.columns[reading->day];
    struct date date;
    bool is_null;

    TRY(cell_to_date(cell, column->date_reading, column->name, &date, &is_null, err));
    if (is_null)
        return refuse_row(reading, "its day is NULL", err);
    if (date.day < TIME_DAY_LEAST || date.day > TIME_DAY_MOST)
        return refuse_row(reading, "its day is not one of the years 1 to 9999", err);
    *day = (int32_t)date.day;
    return STATUS_OK;
}

static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct reading_holidays *reading = self;
    struct named_day *own = &reading->days[reading->count];
    struct slice name = SLICE(ONLY_NAME);

    if (count < reading->query.count)
        return fail(err, STATUS_DATABASE, "the table no longer returns the columns it had");
    if (reading->count == HOLIDAY_DAYS_MAX) {
        fail(err, STATUS_LIMIT, HOLIDAYS " takes %d rows at most", HOLIDAY_DAYS_MAX);
        return error_hint(err, "Name a view of the years that the history and the horizon span.");
    }
    TRY(find_day(reading, &cells[reading->day], &own->day, err));
    if (reading->name >= 0) {
        if (cells[reading->name].type != CELL_TEXT)
            return refuse_row(reading, "its name is no text", err);
        name = slice_trim(cells[reading->name].text);
        if (name.size == 0 || name.size > HOLIDAY_NAME_MAX)
            return refuse_row(reading, "its name is empty, or longer than 100 bytes", err);
        if (memchr(name.data, '\0', name.size)) /* JSON would end there */
            return refuse_row(reading, "its name has a zero byte", err);
    }
    TRY(take_name(reading, name, &own->name, err));
    reading->count++;
    return STATUS_OK;
}

/* ---- the holidays ---- */

static int by_holiday(const void *a, const void *b)
{
    const struct holiday *left = a, *right = b;

    return slice_compare(left->name, right->name);
}

static int by_day(const void *a, const void *b)
{
    const struct named_day *left = a, *right = b;

    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    return (left->day > right->day) - (left->day < right->day);
}

/* Each name with its days, of which equal ones are one. */
static enum status gather(struct reading_holidays *reading, const struct holidays **found)
{
    struct planning *planning = reading->planning;
    struct holidays *holidays = ARENA_NEW(planning->arena, struct holidays, 1);
    struct holiday *items = ARENA_NEW(planning->arena, struct holiday, reading->name_count);
    int32_t *days = ARENA_NEW(planning->arena, int32_t, reading->count);
    uint32_t kept = 0;

    if (!holidays || !items || !days)
        return fail_no_memory(planning->err);
    qsort(reading->days, reading->count, sizeof *reading->days, by_day);
    for (uint32_t i = 0; i < reading->name_count; i++)
        items[i] = (struct holiday){.name = reading->names[i]};
    for (uint32_t i = 0; i < reading->count; i++) {
        struct holiday *holiday = &items[reading->days[i].name];

        if (i > 0 && by_day(&reading->days[i - 1], &reading->days[i]) == 0)
            continue;
        if (holiday->count++ == 0)
            holiday->days = days + kept;
        days[kept++] = reading->days[i].day;
    }
    qsort(items, reading->name_count, sizeof *items, by_holiday);
    *holidays = (struct holidays){reading->name_count, items};
    *found = holidays;
    return STATUS_OK;
}

/* A position is one of the SELECT that was made, which nobody has written. */
static enum status refuse_table(const struct reading_holidays *reading)
{
    struct error *err = reading->planning->err;

    err->position = place(reading->setting);
    return err->hint[0] ? err->status
                        : error_hint(err, HOLIDAYS " names a table or view of the database.");
}

static enum status read_table(struct reading_holidays *reading, const struct holidays **found)
{
    struct planning *planning = reading->planning;
    const struct catalog *catalog = planning->catalog;
    const struct row_taker taker = {reading, take_row};
    struct slice select;

    TRY(make_select(reading, &select));
    reading->days = ARENA_NEW(planning->arena, struct named_day, HOLIDAY_DAYS_MAX);
    if (!reading->days)
        return fail_no_memory(planning->err);
    if (catalog->describe(catalog->self, select, planning->arena, &reading->query, planning->err) !=
        STATUS_OK)
        return refuse_table(reading);
    TRY(find_columns(reading));
    if (catalog->each_row(catalog->self, select, &taker, planning->err) != STATUS_OK)
        return refuse_table(reading);
    if (reading->count == 0)
        return refuse_columns(reading, "no rows");
    return gather(reading, found);
}

/* ---- the statement ---- */

static enum status refuse_setting(const struct planning *planning, const struct setting *setting,
                                  const char *why)
{
    fail_at(planning->err, STATUS_INVALID, setting->name.position, "%s", why);
    return error_hint(planning->err, "Leave " HOLIDAYS " out.");
}

/* Coefficients that are kept belong to holidays by their order. */
static enum status check_old(const struct planning *planning, const struct setting *setting)
{
    static const struct holidays none = {.count = 0};
    const struct holidays *own = planning->plan->spec.holidays;
    const struct forecast_model *old;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    old = planning->plan->model.outline;
    if (holidays_same_names(&old->holidays, own ? own : &none))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID,
            setting ? place(setting) : path_last(&planning->statement->object).position,
            "model \"%.*s\" was trained with %sholidays", SLICE_FORMAT(planning->plan->model_name),
            old->holidays.count == 0 ? "no "
            : own                    ? "other "
                                     : "");
    return error_hint(
        planning->err,
        old->holidays.count == 0
            ? "Leave " HOLIDAYS " out, or USING."
            : "Its table has to have the same names, with any days; name it by " HOLIDAYS
              ", or leave USING out.");
}

enum status holiday_table_plan(struct planning *planning, bool is_dated, bool takes_regressors,
                               size_t regressors)
{
    const struct setting *setting = settings_find(planning, HOLIDAYS);
    struct reading_holidays reading = {.planning = planning, .setting = setting};

    if (setting && !takes_regressors)
        return refuse_setting(planning, setting,
                              "holidays are regressors, which totals and models of rare demand "
                              "do not have");
    if (setting && !is_dated)
        return refuse_setting(planning, setting, "holidays are days, and the times are numbers");
    if (setting) {
        reading.names_most = HOLIDAYS_MAX - (uint32_t)regressors;
        TRY(read_table(&reading, &planning->plan->spec.holidays));
    }
    return check_old(planning, setting);
}

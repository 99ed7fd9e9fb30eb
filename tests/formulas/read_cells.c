/*
 * Reads texts as the columns of models do, and prints programs that must read the same.
 *
 *     read_cells < { reading (1 byte), size (4 bytes), bytes } ...
 *
 * prints a line for each: refused, null, or the number, that of a date in seconds since 1970 in
 * UTC, with all digits.
 *
 *     read_cells LANGUAGE READING...
 *
 * prints a model that has columns c0, c1, ... of these readings, and outputs n0, n1, ...: the
 * numbers that it reads.
 *
 *     read_cells names
 *
 * prints the names in dates, each behind its month, or 0 for a weekday, and "." if it is short.
 */
#include <stdio.h>

#include "inputs/cells/cells.h"
#include "inputs/cells/date_names.h"
#include "inputs/cells/dates.h"
#include "interop/formulas/formula_c.h"
#include "interop/formulas/formula_postgres.h"
#include "interop/formulas/formula_sqlite.h"

#define SIZE_MOST 4096

static void print_read(const struct cell *cell, enum input_reading reading)
{
    struct date date;
    struct error err;
    double number;
    bool is_null;
    enum status status;

    if (reading_is_of_dates(reading)) {
        status = cell_to_date(cell, reading, SLICE("x"), &date, &is_null, &err);
        number = (double)date.day * 86400 + (double)(date.microsecond / 1000000) +
                 (double)(date.microsecond % 1000000) / 1e6;
    } else
        status = cell_to_number(cell, reading, SLICE("x"), &number, &is_null, &err);
    if (status != STATUS_OK || is_null)
        puts(status != STATUS_OK ? "refused" : "null");
    else
        printf("%.17g\n", number);
}

static int read_all(void)
{
    static char bytes[SIZE_MOST];
    int reading;

    while ((reading = getchar()) != EOF) {
        uint32_t size;
        struct cell cell = {.type = CELL_TEXT};

        if (fread(&size, sizeof size, 1, stdin) != 1 || size > SIZE_MOST ||
            fread(bytes, 1, size, stdin) != size)
            return 1;
        cell.text = (struct slice){bytes, size};
        print_read(&cell, (enum input_reading)reading);
    }
    return 0;
}

static int print_names(void)
{
    struct date_name name;

    for (size_t i = 0; date_name_at(i, &name); i++)
        printf("%d%s %.*s\n", name.month, name.is_short ? "." : "", (int)name.text.size,
               name.text.data);
    return 0;
}

/* A formula for each reading, in a program whose model has their columns. */
static void add(struct formula_program *program, struct transform *transform, unsigned reading)
{
    static char names[2 * READING_MONTH_FIRST + 2][4];
    const unsigned column = transform->column_count++;

    snprintf(names[2 * column], sizeof names[0], "c%u", column % 10);
    snprintf(names[2 * column + 1], sizeof names[0], "n%u", column % 10);
    transform->columns[column] = slice_of(names[2 * column]);
    formula_output(
        program, names[2 * column + 1], false,
        formula_let(program, formula_read(program,
                                          reading_is_of_dates(reading) ? FORMULA_READ_DATE
                                                                       : FORMULA_READ_NUMBER,
                                          column, (enum input_reading)reading)));
}

static unsigned reading_of(const char *word)
{
    int64_t reading = 0;

    slice_to_integer(slice_of(word), &reading);
    return (unsigned)reading;
}

int main(int count, char **arguments)
{
    struct slice columns[READING_MONTH_FIRST + 1];
    struct model model = {.task = TASK_REGRESSION, .transform.columns = columns};
    struct formula_program program = {.model = &model};
    enum status status;
    struct arena arena;
    struct error err;
    struct text out;

    if (count < 2)
        return read_all();
    if (slice_is(slice_of(arguments[1]), "names"))
        return print_names();
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    program.arena = &arena;
    for (int i = 2; i < count && i < READING_MONTH_FIRST + 3; i++)
        add(&program, &model.transform, reading_of(arguments[i]));
    status = slice_is(slice_of(arguments[1]), "c")
                 ? formula_print_c(&program, SLICE("m"), &out, &err)
             : slice_is(slice_of(arguments[1]), "postgres")
                 ? formula_print_postgres(&program, SLICE("m"), &out, &err)
                 : formula_print_sqlite(&program, SLICE("m"), &out, &err);
    fputs(text_string(&out), stdout);
    text_deinit(&out);
    arena_deinit(&arena);
    return status != STATUS_OK || program.failed;
}

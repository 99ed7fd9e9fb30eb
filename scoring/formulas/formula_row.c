/* The transform as formulas: what transform_row does with cells. */

#include "scoring/formulas/formula_row.h"

#include "inputs/word_table.h"

#define DAY_SECONDS 86400.0
#define DAY_2000    10957.0
#define MARCH_0     719468.0 /* days from the 1st of March of the year 0 to 1970 */

static const struct formula *binary(struct formula_program *program, enum formula_op op,
                                    const struct formula *a, double b)
{
    return formula_of(program, op, a, formula_number(program, b));
}

/* ----- parts of dates ----- */

/* floor(a / b), as a variable. */
static const struct formula *whole_part(struct formula_program *program, const struct formula *a,
                                        double b)
{
    return formula_let(
        program, formula_of(program, FORMULA_FLOOR, binary(program, FORMULA_DIVIDE, a, b), NULL));
}

/* a - b whole */
static const struct formula *less_whole(struct formula_program *program, const struct formula *a,
                                        double b, const struct formula *whole)
{
    return formula_of(program, FORMULA_SUBTRACT, a, binary(program, FORMULA_MULTIPLY, whole, b));
}

static const struct formula *remainder_of(struct formula_program *program, const struct formula *a,
                                          double b)
{
    return formula_let(program, less_whole(program, a, b, whole_part(program, a, b)));
}

/* The steps of dates.c: months from March on, from 0; day_of_month from 1. */
static const struct formula *month_and_day(struct formula_program *program,
                                           const struct formula *day,
                                           const struct formula **day_of_month)
{
    const struct formula *of_era = remainder_of(
        program, formula_let(program, binary(program, FORMULA_SUBTRACT, day, -MARCH_0)), 146097);
    const struct formula *year, *of_year, *march, *first;

    year = less_whole(program, of_era, 1, whole_part(program, of_era, 1460));
    year = formula_add(program, year, whole_part(program, of_era, 36524));
    year = less_whole(program, year, 1, whole_part(program, of_era, 146096));
    year = whole_part(program, formula_let(program, year), 365);
    of_year = less_whole(program, of_era, 365, year);
    of_year = less_whole(program, of_year, 1, whole_part(program, year, 4));
    of_year = formula_let(program, formula_add(program, of_year, whole_part(program, year, 100)));
    march = whole_part(
        program,
        binary(program, FORMULA_SUBTRACT, binary(program, FORMULA_MULTIPLY, of_year, 5), -2), 153);
    first = whole_part(
        program,
        binary(program, FORMULA_SUBTRACT, binary(program, FORMULA_MULTIPLY, march, 153), -2), 5);
    *day_of_month =
        formula_let(program, binary(program, FORMULA_SUBTRACT,
                                    formula_of(program, FORMULA_SUBTRACT, of_year, first), -1));
    return march;
}

/* A date that has value `number` of a part, from 0 on; march counts months. */
static struct date date_with(enum date_part part, uint32_t number)
{
    switch (part) {
    case DATE_MONTH: /* the middle of March 1970, and months of 30 or 31 days after it */
        return (struct date){.day = 59 + 14 + (int64_t)(number * 30.5)};
    case DATE_DAY:
        return (struct date){.day = (int64_t)number - 1};
    case DATE_WEEKDAY:
        return (struct date){.day = number};
    default:
        return (struct date){.microsecond = (int64_t)number * 3600 * 1000000};
    }
}

/* A part as a number: months from March on, days from 1, weekdays from Thursday on, hours. */
static const struct formula *part_number(struct formula_program *program,
                                         const struct formula *seconds, enum date_part part)
{
    const struct formula *day = whole_part(program, seconds, DAY_SECONDS), *day_of_month, *march;

    switch (part) {
    case DATE_AGE:
        return formula_let(program,
                           formula_of(program, FORMULA_SUBTRACT, formula_number(program, DAY_2000),
                                      binary(program, FORMULA_DIVIDE, seconds, DAY_SECONDS)));
    case DATE_HOUR:
        return whole_part(program, remainder_of(program, seconds, DAY_SECONDS), 3600);
    case DATE_WEEKDAY:
        return remainder_of(program, day, 7);
    default:
        march = month_and_day(program, day, &day_of_month);
        return part == DATE_MONTH ? march : day_of_month;
    }
}

/* ----- inputs ----- */

/* `instead`: what the SELECT of the training may have instead; the rows that are scored then have
 * it, too. */
static enum status refuse(const struct transform_input *input, const char *what,
                          const char *instead, struct error *err)
{
    fail(err, STATUS_UNSUPPORTED, "input \"%.*s\" is %s, which is not exported",
         SLICE_FORMAT(input->spec.name), what);
    return error_hint(err, "%s, in the SELECT that trains and in the rows that are scored.",
                      instead);
}

/* Where a row may have arrays: all numbers of the list, as the model takes them. */
static bool is_array(const struct formula_program *program, const struct transform_input *input)
{
    const enum list_form form = input->spec.list.form;

    return program->is_graph && (form == LIST_DENSE || form == LIST_STEPS || form == LIST_SPARSE ||
                                 cell_list_has_bytes(&input->spec.list));
}

/* Likewise: words in order, each of which a model knows. */
static bool is_word_array(const struct formula_program *program,
                          const struct transform_input *input)
{
    return program->is_graph && input->spec.rule == RULE_ORDERED;
}

/* Words that are not known select nothing, and behind the last one a row has the empty word. */
static enum status check_words(const struct transform_input *input, struct error *err)
{
    if (input->hash_buckets > 0) {
        fail(err, STATUS_UNSUPPORTED,
             "input \"%.*s\" takes some words by their hash, which is not exported",
             SLICE_FORMAT(input->spec.name));
        return error_hint(err, "These are words beyond the vocabulary, and of one row alone: "
                               "VOCABULARY(SEQUENCE(...), n) of rows without them has none.");
    }
    for (uint32_t i = 0; i < input->word_count; i++)
        if (input->words[i].size == 0)
            return refuse(input, "of lists that have the empty word",
                          "Write another word in place of the empty one", err);
    return STATUS_OK;
}

/* A graph has no operation that computes the hash of a word. */
static enum status check_graph(const struct transform_input *input, struct error *err)
{
    const char *name = SQL_NAME(slice_prefix(input->spec.name, 100));

    if (input->spec.cross)
        return refuse(input, "a cross of columns",
                      "Make one column of them, as a || ' ' || b AS a_and_b", err);
    if (input->spec.type == INPUT_TEXT)
        return refuse(input, "the words of a text",
                      "Make a column of each word that matters, as (note LIKE '%late%') AS late",
                      err);
    if (input->spec.type != INPUT_CATEGORY || input->hash_buckets == 0 ||
        input->spec.rule == RULE_ID || input->spec.part)
        return STATUS_OK;
    if (input->word_count == 0)
        return refuse(input, "a category by the hash of its words",
                      "Take the words themselves by COLUMN VOCABULARY, rare ones as one", err);
    fail(err, STATUS_UNSUPPORTED,
         "input \"%.*s\" takes rare words by their hash, which is not exported as ONNX",
         SLICE_FORMAT(input->spec.name));
    return error_hint(err,
                      "FORMAT sql and FORMAT c have it. Or make one word of those, in the SELECT "
                      "that trains: CASE WHEN count(*) OVER "
                      "(PARTITION BY %s) > 1 THEN %s ELSE 'other' END AS %s.",
                      name, name, name);
}

/* A graph has no operation that reads how people write numbers and dates. */
static enum status check_reading(const struct transform_input *input, enum input_reading reading,
                                 struct error *err)
{
    if (reading == READING_POINT || reading == READING_COMMA)
        return refuse(input, "of numbers as people write them, such as 1.234,50",
                      "Convert it by replace() and CAST", err);
    if (reading == READING_SEPARATED)
        return refuse(input, "of numbers with separators, such as 1,234",
                      "Convert it, for example by CAST(replace(a, ',', '') AS REAL) AS a", err);
    if (reading_is_of_dates(reading))
        return refuse(input, "of dates as people write them",
                      "Make a date such as 2024-12-31 of its parts by substr()", err);
    return STATUS_OK;
}

static enum status check_readings(const struct transform_input *input, struct error *err)
{
    const struct cross *cross = input->spec.cross;

    for (uint32_t i = 0; cross && i < cross->count; i++)
        if (rule_takes_numbers(cross->columns[i].rule))
            TRY(check_reading(input, cross->columns[i].reading, err));
    return check_reading(input, input->spec.reading, err);
}

static bool is_counts(const struct formula_program *program, const struct transform_input *input)
{
    return !program->is_graph && input->spec.list.form == LIST_WORDS;
}

static enum status check_input(const struct formula_program *program,
                               const struct transform_input *input, struct error *err)
{
    if (is_word_array(program, input))
        return check_words(input, err);
    if (input->spec.list.form && !is_array(program, input) && !is_counts(program, input))
        return refuse(input, "of a list in a text", "Make a column of each number or word", err);
    if (!program->is_graph)
        return STATUS_OK;
    TRY(check_graph(input, err));
    return check_readings(input, err);
}

/* Parts of one date, and counts of one text, are read once. */
struct read_dates {
    uint32_t column;
    const struct formula *seconds, *terms;
};

static const struct formula *seconds_of(struct formula_program *program,
                                        const struct transform_input *input,
                                        struct read_dates *dates)
{
    if (!dates->seconds || dates->column != input->column)
        *dates = (struct read_dates){
            .column = input->column,
            .seconds = formula_let(program, formula_read(program, FORMULA_READ_DATE, input->column,
                                                         input->spec.reading))};
    return dates->seconds;
}

static const struct formula *count_of(struct formula_program *program,
                                      const struct transform_input *input, struct read_dates *dates)
{
    if (!dates->terms || dates->column != input->column)
        *dates = (struct read_dates){.column = input->column,
                                     .terms = formula_let(program, formula_terms(program, input))};
    return formula_let(program, formula_terms_of(program, dates->terms, input->spec.element));
}

static const struct formula *number_of(struct formula_program *program,
                                       const struct transform_input *input,
                                       struct read_dates *dates)
{
    const struct formula *number;

    if (input->spec.part)
        return part_number(program, seconds_of(program, input, dates), input->spec.part);
    if (is_counts(program, input))
        return count_of(program, input, dates);
    number = formula_let(program, input->spec.list.form
                                      ? formula_item(program, input->column, input->spec.element)
                                      : formula_read(program, FORMULA_READ_NUMBER, input->column,
                                                     input->spec.reading));
    if (!input->has_code)
        return number;
    return formula_let(program,
                       formula_if(program, binary(program, FORMULA_EQUAL, number, input->code),
                                  formula_missing(program), number));
}

static const struct formula *cut(struct formula_program *program, const struct formula *a,
                                 double most)
{
    return binary(program, FORMULA_GREATEST, binary(program, FORMULA_LEAST, a, most), -most);
}

static const struct formula *scaled(struct formula_program *program,
                                    const struct transform_input *input,
                                    const struct formula *number)
{
    if (input->mean != 0)
        number = binary(program, FORMULA_SUBTRACT, number, input->mean);
    if (input->scale != 1)
        number = binary(program, FORMULA_DIVIDE, number, input->scale);
    return formula_let(program, number);
}

static const struct formula *is_missing(struct formula_program *program, const struct formula *a)
{
    return formula_of(program, FORMULA_IS_MISSING, a, NULL);
}

static void make_number(struct formula_program *program, const struct transform_input *input,
                        struct read_dates *dates, struct formula_row *row)
{
    const struct transform *transform = &program->model->transform;
    const struct formula *number = number_of(program, input, dates);
    const struct formula *dense = scaled(program, input, number);

    if (!transform->keeps_numbers) {
        dense = formula_let(program, formula_if(program, is_missing(program, dense),
                                                formula_number(program, (double)input->null_value),
                                                cut(program, dense, (double)input->limit)));
        if (!transform->has_rests) /* with them it has more digits than a float */
            dense = formula_float(program, dense);
    }
    row->dense[input->dense_offset] = dense;
    if (input->dense_count == 2)
        row->dense[input->dense_offset + 1] = formula_let(
            program, formula_if(program, is_missing(program, number), formula_number(program, 1),
                                formula_number(program, 0)));
}

static void make_offset(struct formula_program *program, const struct transform_input *input,
                        struct read_dates *dates, struct formula_row *row)
{
    const struct formula *number = number_of(program, input, dates);
    const struct formula *refused =
        formula_read(program, FORMULA_REFUSE, input->column, input->spec.reading);

    if (input->spec.offset == OFFSET_EXPOSURE)
        number = formula_let(
            program,
            formula_if(program,
                       formula_of(program, FORMULA_LESS, formula_number(program, 0), number),
                       formula_of(program, FORMULA_LOG, number, NULL), refused));
    else
        number =
            formula_let(program, formula_if(program, is_missing(program, number), refused, number));
    row->offset =
        formula_let(program, cut(program, scaled(program, input, number), (double)input->limit));
}

static const struct formula *bucket(struct formula_program *program, const struct formula *number,
                                    const double *bounds, uint32_t first, uint32_t end)
{
    const uint32_t middle = first + (end - first) / 2;

    if (first == end)
        return formula_number(program, first);
    return formula_if(program, binary(program, FORMULA_LESS, number, bounds[middle]),
                      bucket(program, number, bounds, first, middle),
                      bucket(program, number, bounds, middle + 1, end));
}

/* A category that takes numbers. */
static const struct formula *number_id(struct formula_program *program,
                                       const struct transform_input *input,
                                       const struct formula *number, const struct formula *missing)
{
    const struct formula *is_whole, *is_within;

    if (input->spec.rule == RULE_BUCKET)
        return formula_if(program, is_missing(program, number), missing,
                          bucket(program, number, input->spec.bounds, 0, input->spec.bound_count));
    is_whole = formula_of(program, FORMULA_EQUAL, formula_of(program, FORMULA_FLOOR, number, NULL),
                          number);
    is_within = formula_of(program, FORMULA_AND,
                           formula_of(program, FORMULA_AT_MOST, formula_number(program, 0), number),
                           binary(program, FORMULA_LESS, number, (double)input->hash_buckets));
    return formula_if(
        program, is_missing(program, number), missing,
        formula_if(program, is_within,
                   formula_if(program, is_whole, number,
                              formula_read(program, FORMULA_REFUSE, input->column, 0)),
                   formula_read(program, FORMULA_REFUSE, input->column, 0)));
}

/* The id of a part of a date, by its words, of which there are few. */
static const struct formula *part_id(struct formula_program *program,
                                     const struct transform_input *input,
                                     const struct formula *part, const struct formula *missing)
{
    const uint32_t count = date_part_words_max(input->spec.part) + (input->spec.part == DATE_DAY);
    double *ids = ARENA_NEW(program->arena, double, count);

    program->failed |= !ids;
    for (uint32_t i = 0; ids && i < count; i++) {
        const struct date date = date_with(input->spec.part, i);
        const struct cell word = date_part_cell(&date, input->spec.part);
        const int32_t id = word_id(input, word.text);

        ids[i] = id < 0 ? -1 : (double)((uint32_t)id - input->first_id);
    }
    return formula_if(program, is_missing(program, part), missing,
                      formula_lookup(program, part, ids, count));
}

/* The number that the column's rule makes of a cell, by which a cross knows it; NULL: none. */
static const struct formula *crossed(struct formula_program *program,
                                     const struct cross_column *column)
{
    const struct transform_input input = {.spec.rule = column->rule,
                                          .spec.bounds = column->bounds,
                                          .spec.bound_count = column->bound_count,
                                          .column = column->cell,
                                          .hash_buckets = column->rows};
    const struct formula *number;

    if (column->rule == RULE_HASH)
        return formula_let(program, formula_hash(program, column->cell, column->rows));
    if (!rule_takes_numbers(column->rule))
        return NULL;
    number = formula_let(program,
                         formula_read(program, FORMULA_READ_NUMBER, column->cell, column->reading));
    return formula_let(program, number_id(program, &input, number, formula_missing(program)));
}

static const struct formula *cross_id(struct formula_program *program, const struct cross *cross)
{
    const struct formula **terms = (const struct formula **)arena_alloc_array(
        program->arena, cross->count, sizeof(struct formula *));

    program->failed |= !terms;
    for (uint32_t i = 0; terms && i < cross->count; i++)
        terms[i] = crossed(program, &cross->columns[i]);
    return terms ? formula_cross(program, cross, terms) : formula_missing(program);
}

/* By its place among the words; another one, and one of a category without words, by its hash,
 * which is computed where it is needed alone. */
static const struct formula *word_id_of(struct formula_program *program,
                                        const struct transform_input *input,
                                        const struct formula *missing)
{
    const struct formula *word, *hash = NULL;

    if (input->hash_buckets > 0)
        hash = formula_hash(program, input->column, input->hash_buckets);
    if (input->spec.rule == RULE_HASH) {
        word = formula_let(program, hash);
        return formula_if(program, is_missing(program, word), missing, word);
    }
    word =
        formula_let(program, formula_word(program, input->column, input->words, input->word_count));
    if (hash)
        hash = formula_if(program, binary(program, FORMULA_LESS, word, 0),
                          formula_add(program, hash, formula_number(program, input->word_count)),
                          word);
    return formula_if(program, is_missing(program, word), missing, hash ? hash : word);
}

static void make_category(struct formula_program *program, const struct transform_input *input,
                          struct read_dates *dates, struct formula_row *row)
{
    const struct formula *missing = formula_number(
        program, input->null_id < 0 ? -1 : (double)((uint32_t)input->null_id - input->first_id));
    const struct formula *id;

    if (input->spec.cross)
        id = cross_id(program, input->spec.cross);
    else if (input->spec.part)
        id = part_id(program, input,
                     part_number(program, seconds_of(program, input, dates), input->spec.part),
                     missing);
    else if (rule_takes_numbers(input->spec.rule))
        id = number_id(program, input, number_of(program, input, dates), missing);
    else
        id = word_id_of(program, input, missing);
    row->ids[input->id_offset] = formula_let(program, id);
}

static void make_words(struct formula_program *program, const struct transform_input *input,
                       struct formula_row *row)
{
    for (uint32_t i = 0; i < input->spec.words_max; i++)
        row->ids[input->id_offset + i] = formula_let(
            program, formula_listed(program, input->column, i, input->words, input->word_count));
}

enum status formula_row_make(struct formula_program *program, struct formula_row *row,
                             struct error *err)
{
    const struct transform *transform = &program->model->transform;
    struct read_dates dates = {0};

    *row = (struct formula_row){
        .dense = (const struct formula **)arena_alloc_array(
            program->arena, (size_t)transform->dense_width + 1, sizeof(struct formula *)),
        .ids = (const struct formula **)arena_alloc_array(
            program->arena, (size_t)transform->id_count + 1, sizeof(struct formula *))};
    if (!row->dense || !row->ids)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        TRY(check_input(program, input, err));
        if (input->spec.offset)
            make_offset(program, input, &dates, row);
        else if (input->spec.type == INPUT_NUMERIC)
            make_number(program, input, &dates, row);
        else if (input->spec.type == INPUT_TEXT && program->is_graph)
            make_words(program, input, row);
        else if (input->spec.type == INPUT_TEXT)
            row->ids[input->id_offset] = formula_let(program, formula_terms(program, input));
        else
            make_category(program, input, &dates, row);
    }
    return program->failed ? fail_no_memory(err) : STATUS_OK;
}

/* Formulas of models, computed here, beside what the scorer says of the same rows: of every seed of
 * the fuzzer of models, and of fixtures with other inputs. */
#include "inputs/cells/cells.h"
#include "tests/check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/dates.h"
#include "inputs/encoder.h"
#include "scoring/formulas/formula_outputs.h"
#include "scoring/formulas/formula_row.h"
#include "scoring/kind.h"
#include "scoring/outputs.h"
#include "tests/fuzz/made_model.h"
#include "tests/unit/scoring_fixture.h"

#define SEED_BYTES_MAX 8192
#define ROWS           300
#define WORD_BYTES     24

/* ----- the machine that formulas are written for ----- */

struct machine {
    const struct formula_program *program;
    const struct cell *cells;
    double *variables;
    bool is_refused;
};

static double run(struct machine *machine, const struct formula *formula);

static double refuse(struct machine *machine)
{
    machine->is_refused = true;
    return NAN;
}

static double read_cell(struct machine *machine, const struct formula *formula)
{
    const struct cell *cell = &machine->cells[formula->index];
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word, column = SLICE("c");
    struct date date;
    struct error err;
    double number = 0;
    bool is_null;

    if (formula->op == FORMULA_READ_NUMBER) {
        if (cell_to_number(cell, formula->reading, column, &number, &is_null, &err) != STATUS_OK)
            return refuse(machine);
        return is_null ? NAN : number;
    }
    if (formula->op == FORMULA_READ_DATE) {
        if (cell_to_date(cell, formula->reading, column, &date, &is_null, &err) != STATUS_OK)
            return refuse(machine);
        return is_null ? NAN : (double)date.day * 86400 + (double)date.microsecond / 1e6;
    }
    if (cell_to_word(cell, column, buffer, &word, &is_null, &err) != STATUS_OK)
        return refuse(machine);
    for (uint32_t i = 0; i < formula->count && !is_null; i++)
        if (slice_equal(formula->words[i], word))
            return i;
    return is_null || slice_trim(word).size == 0 ? NAN : -1;
}

static double read_hash(struct machine *machine, const struct formula *formula)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    struct error err;
    bool is_null;

    if (cell_to_word(&machine->cells[formula->index], SLICE("c"), buffer, &word, &is_null, &err) !=
        STATUS_OK)
        return refuse(machine);
    return is_null ? NAN : (double)(transform_word_hash(word) % formula->count);
}

/* The key of each column, as cross.h describes them, of the numbers that formulas make. */
static double read_cross(struct machine *machine, const struct formula *formula)
{
    char keys[CROSS_COLUMNS_MAX * sizeof(uint64_t)], buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    struct error err;
    bool is_null;

    for (uint32_t i = 0; i < formula->count; i++) {
        const struct cell *cell = &machine->cells[formula->cross->columns[i].cell];
        const double number = formula->terms[i] ? run(machine, formula->terms[i]) : 0;
        const struct cell counted = {.type = isnan(number) ? CELL_NULL : CELL_INTEGER,
                                     .integer = isnan(number) ? 0 : (int64_t)number};
        uint64_t key;

        if (cell_to_word(formula->terms[i] ? &counted : cell, SLICE("c"), buffer, &word, &is_null,
                         &err) != STATUS_OK)
            return refuse(machine);
        key = is_null ? 0 : transform_word_hash(word);
        memcpy(keys + 8 * i, &key, 8); /* the least byte first, as here */
    }
    return (double)(transform_word_hash((struct slice){keys, formula->count * 8u}) %
                    formula->cross->buckets);
}

/* Terms are no number: it is read where their sum is. */
static double of_terms(struct machine *machine, const struct formula *formula)
{
    const struct transform_input *input = machine->program->variables[formula->a->index]->input;
    const struct text_ids text = text_ids_of(input);
    int32_t ids[2 * TEXT_WORDS_MAX];
    double numbers[LIST_NUMBERS_MAX], sum = 0;
    char buffer[TRANSFORM_WORD_BUFFER];
    struct text_shares shares;
    struct slice word;
    struct error err;
    uint32_t used;
    bool is_null;

    if (formula->op == FORMULA_TERMS_OF)
        return cell_list_read(&machine->cells[input->column], &input->spec.list, SLICE("c"),
                              numbers, &is_null, &err) == STATUS_OK
                   ? numbers[(uint32_t)formula->number]
                   : refuse(machine);
    if (cell_to_word(&machine->cells[input->column], SLICE("c"), buffer, &word, &is_null, &err) !=
        STATUS_OK)
        return refuse(machine);
    CHECK(input->encoder->text_ids(input, word, ids));
    used = text_ids_used(ids, text.count);
    shares = text_shares_of(&(struct text_ids){0, text.count, text.combiner, text.is_weighted}, ids,
                            used);
    for (uint32_t i = 0; i < used; i++)
        sum +=
            (double)text_share(&shares, i) * formula->numbers[(uint32_t)ids[i] - input->first_id];
    return sum;
}

static bool holds(struct machine *machine, const struct formula *formula)
{
    double a, b;

    if (formula->op == FORMULA_AND)
        return holds(machine, formula->a) && holds(machine, formula->b);
    a = run(machine, formula->a);
    if (formula->op == FORMULA_IS_MISSING)
        return isnan(a);
    for (uint32_t i = 0; formula->op == FORMULA_IS_IN && i < formula->count; i++)
        if (a == formula->numbers[i])
            return true;
    if (formula->op == FORMULA_IS_IN)
        return false;
    b = run(machine, formula->b);
    return formula->op == FORMULA_LESS ? a < b : formula->op == FORMULA_AT_MOST ? a <= b : a == b;
}

static double sum(struct machine *machine, const struct formula *formula)
{
    double sum = 0;

    for (uint32_t i = 0; i < formula->count; i++)
        sum += run(machine, formula->terms[i]);
    return sum;
}

static double lookup(struct machine *machine, const struct formula *formula)
{
    const double a = run(machine, formula->a);

    return a >= 0 && a < formula->count ? formula->numbers[(uint32_t)a] : 0;
}

static double run(struct machine *machine, const struct formula *formula)
{
    switch (formula->op) {
    case FORMULA_NUMBER:
        return formula->number;
    case FORMULA_MISSING:
        return NAN;
    case FORMULA_VARIABLE:
        return machine->variables[formula->index];
    case FORMULA_SUM:
        return sum(machine, formula);
    case FORMULA_SUBTRACT:
        return run(machine, formula->a) - run(machine, formula->b);
    case FORMULA_MULTIPLY:
        return run(machine, formula->a) * run(machine, formula->b);
    case FORMULA_DIVIDE:
        return run(machine, formula->a) / run(machine, formula->b);
    case FORMULA_LEAST:
    case FORMULA_GREATEST: {
        const double a = run(machine, formula->a), b = run(machine, formula->b);

        return isnan(a) || isnan(b) ? NAN : (formula->op == FORMULA_LEAST) == (a < b) ? a : b;
    }
    case FORMULA_EXP:
        return exp(run(machine, formula->a));
    case FORMULA_LOG:
        return log(run(machine, formula->a));
    case FORMULA_ROOT:
        return sqrt(run(machine, formula->a));
    case FORMULA_FLOOR:
        return floor(run(machine, formula->a));
    case FORMULA_IF:
        return run(machine, holds(machine, formula->a) ? formula->b : formula->c);
    case FORMULA_LOOKUP:
        return lookup(machine, formula);
    case FORMULA_READ_NUMBER:
    case FORMULA_READ_WORD:
    case FORMULA_READ_DATE:
        return read_cell(machine, formula);
    case FORMULA_READ_HASH:
        return read_hash(machine, formula);
    case FORMULA_READ_CROSS:
        return read_cross(machine, formula);
    case FORMULA_READ_TERMS:
        return 0;
    case FORMULA_TERMS_SUM:
    case FORMULA_TERMS_OF:
        return of_terms(machine, formula);
    case FORMULA_REFUSE:
        return refuse(machine);
    default:
        check_failed("operation %d gives no number", formula->op);
        return NAN;
    }
}

/* ----- rows ----- */

static struct cell draw_cell(const struct transform *transform, uint32_t column, uint64_t row)
{
    static const char *const texts[] = {" 7 ",
                                        "n/a",
                                        "",
                                        "1e3",
                                        "2024-02-29 23:59:59.5",
                                        "1931-07-04",
                                        "yes",
                                        "it's",
                                        "2000-01-01T07:10+02:00",
                                        "1,234.5",
                                        "1.234,50 €",
                                        "31.12.2024 9:05 PM"};
    const uint64_t drawn = random_bits(5, RANDOM_INITIAL, row, column);
    const struct transform_input *input = NULL;

    for (uint32_t i = 0; i < transform->input_count && !input; i++)
        if (transform->inputs[i].column == column)
            input = &transform->inputs[i];
    if (drawn % 8 == 0)
        return (struct cell){.type = CELL_NULL};
    if (drawn % 8 == 1)
        return (struct cell){.type = CELL_TEXT,
                             .text = slice_of(texts[drawn / 8 % (sizeof texts / sizeof *texts)])};
    if (input && input->spec.part)
        return (struct cell){.type = CELL_TEXT, .text = slice_of(texts[4 + drawn / 8 % 2])};
    if (input && input->spec.type == INPUT_CATEGORY && input->word_count > 0 && drawn % 8 < 6)
        return (struct cell){.type = CELL_TEXT,
                             .text = input->words[drawn / 8 % input->word_count]};
    if (drawn % 2)
        return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)(drawn / 8 % 12) - 2};
    return (struct cell){.type = CELL_REAL,
                         .real = random_uniform(6, RANDOM_INITIAL, row, column) * 100 - 20};
}

static bool is_same(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return false;
    return a->type == CELL_TEXT   ? slice_equal(a->text, b->text)
           : a->type == CELL_REAL ? a->real == b->real
                                  : a->integer == b->integer;
}

/* The scorer adds floats, which lose digits of a number far from 0. */
static bool is_near(const struct model *model, double found, double wanted)
{
    return fabs(found - wanted) <= 1e-5 * fmax(1, fabs(wanted)) + 1e-6 * fabs(model->label_mean);
}

/* Counts over all models, so that a test that compares nothing fails. */
struct seen {
    uint32_t models, unsupported, compared, refused;
};

static void compare(struct machine *machine, const struct scorer *scorer,
                    struct output_workspace *workspace, const char *name, struct seen *seen)
{
    const struct formula_program *program = machine->program;
    const struct labels *labels = &program->model->labels;
    struct error err;

    for (uint32_t i = 0; i < program->output_count; i++) {
        const struct formula_output *shown = &program->outputs[i];
        const double found = run(machine, shown->formula);
        struct cell wanted;
        double number;

        if (machine->is_refused)
            return;
        if (strncmp(shown->name, "component_", 10) == 0)
            CHECK_OK(scorer_component_output(scorer, shown->name[10] - '0', &wanted, &err));
        else if (strcmp(shown->name, "prediction") == 0)
            wanted = scorer_prediction(scorer);
        else if (strcmp(shown->name, "probability") == 0)
            CHECK_OK(scorer_output(scorer, OUTPUT_PROBABILITY, workspace, &wanted, &err));
        else if (strcmp(shown->name, "distance") == 0)
            CHECK_OK(scorer_output(scorer, OUTPUT_DISTANCE, workspace, &wanted, &err));
        else if (strcmp(shown->name, "points") == 0)
            CHECK_OK(scorer_output(scorer, OUTPUT_POINTS, workspace, &wanted, &err));
        else
            continue;
        number = wanted.type == CELL_INTEGER ? (double)wanted.integer : wanted.real;
        if (shown->is_class) {
            CHECK(found >= 0 && found < labels->count);
            if (!is_same(&labels->values[(uint32_t)found], &wanted))
                check_failed("%s: class %g is another one", name, found);
        } else if (!is_near(program->model, found,
                            wanted.type == CELL_INTEGER ? (double)wanted.integer : wanted.real))
            check_failed("%s: %s is %.17g and not %.17g", name, shown->name, found, number);
        seen->compared++;
    }
}

static void check_rows(const struct model *model, const struct formula_program *program,
                       const char *name, struct seen *seen)
{
    const struct transform *transform = &model->transform;
    struct cell *cells = calloc(transform->column_count + 1, sizeof *cells);
    double *variables = calloc(program->variable_count + 1, sizeof *variables);
    struct output_workspace workspace;
    struct scorer scorer;
    struct error err;

    CHECK_OK(scorer_init(&scorer, model, 1, &err));
    CHECK_OK(output_workspace_init(&workspace, model, &err));
    for (uint64_t row = 0; row < ROWS; row++) {
        struct machine machine = {.program = program, .cells = cells, .variables = variables};
        enum status status;

        for (uint32_t i = 0; i < transform->column_count; i++)
            cells[i] = draw_cell(transform, i, row);
        status = scorer_transform(&scorer, 0, cells, &err);
        for (uint32_t i = 0; i < program->variable_count; i++)
            variables[i] = run(&machine, program->variables[i]);
        CHECK_INT(machine.is_refused, status != STATUS_OK);
        seen->refused += machine.is_refused;
        if (machine.is_refused)
            continue;
        scorer_score(&scorer, 1);
        compare(&machine, &scorer, &workspace, name, seen);
    }
    output_workspace_deinit(&workspace);
    scorer_deinit(&scorer);
    free(variables);
    free(cells);
}

static void check_model(const struct model *model, const char *name, struct seen *seen)
{
    struct formula_program program = {0};
    struct arena arena;
    struct error err;
    enum status status;

    error_clear(&err);
    arena_init(&arena, ARENA_MAXIMUM);
    status = model_formulas(model, &arena, &program, &err);
    seen->models++;
    if (status == STATUS_OK)
        check_rows(model, &program, name, seen);
    else {
        CHECK_INT(status, STATUS_UNSUPPORTED);
        CHECK(err.message[0] && err.hint[0]);
        seen->unsupported++;
    }
    arena_deinit(&arena);
}

/* ----- models ----- */

static void check_seed(const char *name, struct seen *seen)
{
    char bytes[SEED_BYTES_MAX], path[512];
    struct arena arena;
    struct model model;
    struct error err;
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", SEEDS, name);
    file = fopen(path, "rb");
    CHECK(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    CHECK_OK(made_model_load((struct slice){bytes, size}, &arena, &model, &err));
    check_model(&model, name, seen);
    arena_deinit(&arena);
}

static void every_seed_predicts_as_the_scorer(void **state)
{
    struct seen seen = {0};
    DIR *folder = opendir(SEEDS);
    (void)state;

    CHECK(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            check_seed(entry->d_name, &seen);
    closedir(folder);
    CHECK(seen.models - seen.unsupported >= 10);
    CHECK(seen.compared > 1000 && seen.refused > 100);
}

static void by_hash(struct fixture *fixture)
{
    struct transform *transform = &fixture->model.transform;
    struct error err;

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (slice_is(transform->inputs[i].spec.name, "colour")) {
            transform->inputs[i].spec.rule = RULE_HASH;
            transform->inputs[i].word_count = 0;
        }
    CHECK_OK(transform_finish(transform, &fixture->arena, &err));
}

static void fixtures_predict_as_the_scorer(void **state)
{
    static void (*const changes[])(struct fixture * fixture) = {
        NULL, fixture_dates, fixture_rules, fixture_text, fixture_cross, by_hash};
    static const uint32_t classes[] = {0, 2, 3};
    struct seen seen = {0};
    (void)state;

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (size_t j = 0; j < 3; j++) {
            const uint32_t widths[] = {5, classes[j] == 3 ? 3 : 1};
            struct fixture fixture;
            struct error err;

            fixture_init(&fixture, classes[j]);
            if (changes[i])
                changes[i](&fixture);
            CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
            fixture_layers(&fixture, widths, 2);
            check_model(&fixture.model, "fixture", &seen);
            fixture_deinit(&fixture);
        }
    CHECK_INT(seen.unsupported, 0);
    CHECK(seen.compared > 1500);
}

static void refused(void (*change)(struct fixture *fixture), bool is_graph, const char *what,
                    const char *hint)
{
    const uint32_t widths[] = {3};
    struct formula_program program = {.is_graph = is_graph};
    struct fixture fixture;
    struct error err;

    fixture_init(&fixture, 3);
    change(&fixture);
    fixture_layers(&fixture, widths, 1);
    CHECK_FAILS(model_formulas(&fixture.model, &fixture.arena, &program, &err), STATUS_UNSUPPORTED,
                what);
    if (!strstr(err.hint, hint))
        check_failed("%s: the hint is \"%s\"", what, err.hint);
    fixture_deinit(&fixture);
}

static void plain(struct fixture *fixture)
{
    (void)fixture;
}

static void cross_of_known_words(struct fixture *fixture)
{
    struct transform *transform = &fixture->model.transform;
    struct error err;

    fixture_cross(fixture);
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (slice_is(transform->inputs[i].spec.name, "colour"))
            transform->inputs[i].hash_buckets = 0;
    CHECK_OK(transform_finish(transform, &fixture->arena, &err));
}

static void dates_with_the_day_first(struct fixture *fixture)
{
    fixture->model.transform.inputs[0].spec.reading = READING_DAY_FIRST;
}

static void numbers_with_a_comma(struct fixture *fixture)
{
    fixture->model.transform.inputs[0].spec.reading = READING_COMMA;
}

static void inputs_that_no_formula_reads_are_named(void **state)
{
    (void)state;
    refused(plain, true,
            "input \"colour\" takes rare words by their hash, which is not exported as ONNX",
            "CASE WHEN count(*) OVER (PARTITION BY colour) > 1 THEN colour ELSE 'other' END AS "
            "colour.");
    refused(by_hash, true,
            "input \"colour\" is a category by the hash of its words, which is not exported",
            "COLUMN VOCABULARY");
    refused(fixture_text, true, "input \"note\" is the words of a text, which is not exported",
            "(note LIKE '%late%') AS late, in the SELECT that trains and in the rows");
    refused(fixture_lists, false, "input \"seen[0]\" is of a list in a text, which is not exported",
            "a column of each number");
    refused(dates_with_the_day_first, true, "of dates as people write them, which is not exported",
            "substr()");
    refused(numbers_with_a_comma, true, "such as 1.234,50, which is not exported",
            "replace() and CAST");
    refused(cross_of_known_words, true, "is a cross of columns, which is not exported",
            "a || ' ' || b");
    refused(fixture_rules, true,
            "input \"CATEGORY_ID(age)\" is of numbers with separators, such as 1,234, "
            "which is not exported",
            "CAST(replace(a, ',', '') AS REAL) AS a");
}

static void check_words(struct fixture *fixture, const char *refused)
{
    struct formula_program program = {
        .arena = &fixture->arena, .model = &fixture->model, .is_graph = true};
    struct formula_row row;
    struct error err;

    if (refused) {
        CHECK_FAILS(formula_row_make(&program, &row, &err), STATUS_UNSUPPORTED, refused);
        return;
    }
    CHECK_OK(formula_row_make(&program, &row, &err));
    for (uint32_t i = 0; i < 4; i++) {
        const struct formula *word = program.variables[row.ids[i]->index];

        CHECK_INT(word->op, FORMULA_READ_LISTED);
        CHECK_INT(word->count, 3);
        CHECK(word->number == i && word->stage == 0);
    }
}

/* Where a row has lists, as a file of ONNX does. */
static void words_in_order_are_places_of_a_list(void **state)
{
    struct fixture fixture;
    struct transform_input *input;
    struct slice words[3];
    struct error err;
    (void)state;

    fixture_init(&fixture, 3);
    fixture_sequence(&fixture);
    input = &fixture.model.transform.inputs[2];
    input->spec.rule = RULE_ORDERED;
    CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
    check_words(&fixture,
                "input \"SEQUENCE(seen)\" takes some words by their hash, which is not exported");
    input->hash_buckets = 0;
    check_words(&fixture, NULL);
    memcpy(words, input->words, sizeof words);
    words[1] = SLICE("");
    input->words = words;
    check_words(&fixture, "input \"SEQUENCE(seen)\" is of lists that have the empty word, which is "
                          "not exported");
    fixture_deinit(&fixture);
}

/* Each allocation of a small model's program is one that fails once. */
static void without_memory_there_is_an_error(void **state)
{
    const uint32_t widths[] = {3, 3};
    bool has_failed = false;
    (void)state;

    for (size_t most = 0; most < 200000; most += 1024) {
        struct formula_program program = {0};
        struct fixture fixture;
        struct arena arena;
        struct error err;
        enum status status;

        fixture_init(&fixture, 3);
        fixture_dates(&fixture);
        fixture_layers(&fixture, widths, 2);
        arena_init(&arena, most);
        status = model_formulas(&fixture.model, &arena, &program, &err);
        CHECK(status == STATUS_OK || status == STATUS_NO_MEMORY);
        has_failed |= status == STATUS_NO_MEMORY;
        arena_deinit(&arena);
        fixture_deinit(&fixture);
        if (status == STATUS_OK)
            break;
        CHECK(most < 190000);
    }
    CHECK(has_failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_predicts_as_the_scorer),
        cmocka_unit_test(fixtures_predict_as_the_scorer),
        cmocka_unit_test(inputs_that_no_formula_reads_are_named),
        cmocka_unit_test(words_in_order_are_places_of_a_list),
        cmocka_unit_test(without_memory_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

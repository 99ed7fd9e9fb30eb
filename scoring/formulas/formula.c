#include "scoring/formulas/formula.h"

#include <math.h>
#include <string.h>

#include "inputs/cells/cells.h"

#define FLOAT_SPLIT 536870913.0 /* 2^29 + 1: what a product with it leaves has a float's digits */

/* The formula of a program that had no memory. */
static const struct formula nothing = {.op = FORMULA_MISSING};

static uint32_t stage_of(const struct formula *formula)
{
    return formula ? formula->stage : 0;
}

static const struct formula *make(struct formula_program *program, const struct formula *filled)
{
    struct formula *made = ARENA_NEW(program->arena, struct formula, 1);

    if (!made) {
        program->failed = true;
        return &nothing;
    }
    *made = *filled;
    if (stage_of(made->a) > made->stage)
        made->stage = stage_of(made->a);
    if (stage_of(made->b) > made->stage)
        made->stage = stage_of(made->b);
    if (stage_of(made->c) > made->stage)
        made->stage = stage_of(made->c);
    for (uint32_t i = 0; made->terms && i < made->count; i++)
        if (stage_of(made->terms[i]) > made->stage)
            made->stage = stage_of(made->terms[i]);
    return made;
}

const struct formula *formula_number(struct formula_program *program, double number)
{
    return make(program, &(struct formula){.op = FORMULA_NUMBER, .number = number});
}

const struct formula *formula_missing(struct formula_program *program)
{
    (void)program;
    return &nothing;
}

const struct formula *formula_of(struct formula_program *program, enum formula_op op,
                                 const struct formula *a, const struct formula *b)
{
    return make(program, &(struct formula){.op = op, .a = a, .b = b});
}

const struct formula *formula_if(struct formula_program *program, const struct formula *condition,
                                 const struct formula *then, const struct formula *otherwise)
{
    return make(program,
                &(struct formula){.op = FORMULA_IF, .a = condition, .b = then, .c = otherwise});
}

const struct formula *formula_sum(struct formula_program *program,
                                  const struct formula *const *terms, uint32_t count)
{
    if (count == 0)
        return formula_number(program, 0);
    if (count == 1)
        return terms[0];
    return make(program, &(struct formula){.op = FORMULA_SUM, .terms = terms, .count = count});
}

const struct formula *formula_in(struct formula_program *program, const struct formula *a,
                                 const double *numbers, uint32_t count)
{
    return make(program,
                &(struct formula){.op = FORMULA_IS_IN, .a = a, .numbers = numbers, .count = count});
}

static bool is_terms(const struct formula_program *program, const struct formula *a)
{
    return a->op == FORMULA_VARIABLE && program->variables[a->index]->op == FORMULA_READ_TERMS;
}

const struct formula *formula_lookup(struct formula_program *program, const struct formula *a,
                                     const double *numbers, uint32_t count)
{
    return make(program,
                &(struct formula){.op = is_terms(program, a) ? FORMULA_TERMS_SUM : FORMULA_LOOKUP,
                                  .a = a,
                                  .numbers = numbers,
                                  .count = count});
}

const struct formula *formula_read(struct formula_program *program, enum formula_op op,
                                   uint32_t column, enum input_reading reading)
{
    return make(program, &(struct formula){.op = op, .index = column, .reading = reading});
}

const struct formula *formula_word(struct formula_program *program, uint32_t column,
                                   const struct slice *words, uint32_t count)
{
    return make(program,
                &(struct formula){
                    .op = FORMULA_READ_WORD, .index = column, .words = words, .count = count});
}

const struct formula *formula_hash(struct formula_program *program, uint32_t column,
                                   uint32_t buckets)
{
    return make(program,
                &(struct formula){.op = FORMULA_READ_HASH, .index = column, .count = buckets});
}

const struct formula *formula_cross(struct formula_program *program, const struct cross *cross,
                                    const struct formula *const *terms)
{
    return make(program, &(struct formula){.op = FORMULA_READ_CROSS,
                                           .cross = cross,
                                           .terms = terms,
                                           .count = cross->count});
}

const struct formula *formula_terms(struct formula_program *program,
                                    const struct transform_input *input)
{
    return make(program, &(struct formula){.op = FORMULA_READ_TERMS,
                                           .index = input->column,
                                           .input = input,
                                           .words = input->words,
                                           .count = input->word_count,
                                           .numbers = input->rarity});
}

const struct formula *formula_terms_of(struct formula_program *program, const struct formula *terms,
                                       uint32_t term)
{
    return make(program, &(struct formula){.op = FORMULA_TERMS_OF, .a = terms, .number = term});
}

const struct formula *formula_item(struct formula_program *program, uint32_t column, uint32_t item)
{
    return make(program,
                &(struct formula){.op = FORMULA_READ_ITEM, .index = column, .count = item});
}

const struct formula *formula_listed(struct formula_program *program, uint32_t column,
                                     uint32_t item, const struct slice *words, uint32_t count)
{
    return make(program, &(struct formula){.op = FORMULA_READ_LISTED,
                                           .index = column,
                                           .number = item,
                                           .words = words,
                                           .count = count});
}

const struct formula *formula_graph(struct formula_program *program,
                                    const struct formula *const *terms, uint32_t count,
                                    uint32_t output)
{
    return make(program, &(struct formula){
                             .op = FORMULA_GRAPH, .terms = terms, .count = count, .index = output});
}

/* Items of a list that grows; NULL: no memory. */
static void *grow(struct arena *arena, const void *items, uint32_t count, uint32_t *room,
                  size_t size)
{
    void *grown;

    *room = *room ? 2 * *room : 64;
    grown = arena_alloc_array(arena, *room, size);
    if (grown && count > 0)
        memcpy(grown, items, count * size);
    return grown;
}

const struct formula *formula_let(struct formula_program *program, const struct formula *formula)
{
    if (formula->op == FORMULA_VARIABLE || formula->op == FORMULA_NUMBER || program->failed)
        return formula;
    if (program->variable_count == program->variable_room) {
        program->variables = grow(program->arena, program->variables, program->variable_count,
                                  &program->variable_room, sizeof(struct formula *));
        if (!program->variables) {
            program->failed = true;
            return &nothing;
        }
    }
    program->variables[program->variable_count] = formula;
    return make(program, &(struct formula){.op = FORMULA_VARIABLE,
                                           .index = program->variable_count++,
                                           .stage = formula->stage + 1});
}

const struct formula *formula_add(struct formula_program *program, const struct formula *a,
                                  const struct formula *b)
{
    struct formula_terms terms;

    formula_terms_init(&terms, program, 2);
    formula_terms_add(&terms, a);
    formula_terms_add(&terms, b);
    return formula_sum(program, terms.items, terms.count);
}

const struct formula *formula_size(struct formula_program *program, const struct formula *a)
{
    return formula_of(program, FORMULA_GREATEST, a,
                      formula_of(program, FORMULA_SUBTRACT, formula_number(program, 0), a));
}

const struct formula *formula_exp(struct formula_program *program, const struct formula *a,
                                  double most)
{
    const struct formula *below =
        formula_of(program, FORMULA_LEAST, a, formula_number(program, most));

    return formula_of(program, FORMULA_EXP,
                      formula_of(program, FORMULA_GREATEST, below, formula_number(program, -most)),
                      NULL);
}

const struct formula *formula_times(struct formula_program *program, const struct formula *a,
                                    double weight)
{
    return weight == 0 ? NULL
                       : formula_of(program, FORMULA_MULTIPLY, a, formula_number(program, weight));
}

/* Veltkamp's splitting: c - (c - a) with c = a (2^29 + 1). */
const struct formula *formula_float(struct formula_program *program, const struct formula *a)
{
    const struct formula *c = formula_let(
        program, formula_of(program, FORMULA_MULTIPLY, a, formula_number(program, FLOAT_SPLIT)));

    return formula_let(program, formula_of(program, FORMULA_SUBTRACT, c,
                                           formula_of(program, FORMULA_SUBTRACT, c, a)));
}

void formula_output(struct formula_program *program, const char *name, bool is_class,
                    const struct formula *formula)
{
    const struct slice copy = arena_copy(program->arena, (struct slice){name, strlen(name) + 1});

    if (program->output_count == program->output_room)
        program->outputs = grow(program->arena, program->outputs, program->output_count,
                                &program->output_room, sizeof *program->outputs);
    if (!copy.data || !program->outputs) {
        program->failed = true;
        program->output_count = program->output_room = 0;
        return;
    }
    program->outputs[program->output_count++] =
        (struct formula_output){.name = copy.data, .is_class = is_class, .formula = formula};
}

void formula_terms_init(struct formula_terms *terms, struct formula_program *program, size_t most)
{
    *terms = (struct formula_terms){.items = (const struct formula **)arena_alloc_array(
                                        program->arena, most + 1, sizeof(struct formula *))};
    program->failed |= !terms->items;
}

bool formula_word_number(struct slice word, double *number)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct cell cell = {.type = CELL_INTEGER};
    struct slice spelled = {0};
    struct error ignored;
    bool is_null;

    if (slice_to_integer(word, &cell.integer)) {
        cell.real = (double)cell.integer;
    } else {
        if (!slice_to_real(word, &cell.real) || !isfinite(cell.real))
            return false;
        cell.type = CELL_REAL;
    }
    *number = cell.real;
    return cell_to_word(&cell, SLICE(""), buffer, &spelled, &is_null, &ignored) == STATUS_OK &&
           slice_equal(spelled, word);
}

void formula_output_class(struct formula_program *program, const char *name,
                          const struct labels *labels, const struct formula *formula)
{
    formula_output(program, name, true, formula);
    if (!program->failed)
        program->outputs[program->output_count - 1].labels = labels;
}

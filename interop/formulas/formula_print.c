#include "interop/formulas/formula_print.h"

#include <stdlib.h>

#include "interop/formulas/formula_c.h"
#include "interop/formulas/formula_onnx.h"
#include "interop/formulas/formula_postgres.h"
#include "interop/formulas/formula_sqlite.h"
#include "scoring/formulas/formula_outputs.h"

bool formula_language_find(struct slice name, struct slice file, enum formula_language here,
                           enum formula_language *language)
{
#define X(name, word) word,
    static const char *const words[] = {FORMULA_LANGUAGE_MAP(X)};
#undef X

    *language = here;
    if (name.size == 0 && slice_ends_fold(file, ".sql"))
        return true;
    if (name.size == 0 && (slice_ends_fold(file, ".c") || slice_ends_fold(file, ".onnx"))) {
        *language = slice_ends_fold(file, ".c") ? FORMULA_C : FORMULA_ONNX;
        return true;
    }
    if (slice_is_fold(name, "sql"))
        return true;
    for (unsigned i = 0; i < FORMULA_LANGUAGES; i++)
        if (slice_is_fold(name, words[i])) {
            *language = (enum formula_language)i;
            return true;
        }
    return false;
}

/* Choices behind each other are many, those within each other few. */
static void mark(const struct formula *formula, bool *needed)
{
    for (; formula; formula = formula->c) {
        if (formula->op == FORMULA_VARIABLE)
            needed[formula->index] = true;
        if (formula->a)
            mark(formula->a, needed);
        if (formula->b)
            mark(formula->b, needed);
        for (uint32_t i = 0; formula->terms && i < formula->count; i++)
            mark(formula->terms[i], needed);
    }
}

bool *formula_needed(const struct formula_program *program, uint32_t first, uint32_t end)
{
    bool *needed = calloc((size_t)program->variable_count + 1, sizeof *needed);

    for (uint32_t i = first; needed && i < end; i++)
        mark(program->outputs[i].formula, needed);
    for (uint32_t i = program->variable_count; needed && i-- > 0;)
        if (needed[i])
            mark(program->variables[i], needed);
    return needed;
}

bool formula_is_written(const struct formula *formula)
{
    const enum input_reading reading = formula->reading;

    return formula->op == FORMULA_READ_NUMBER
               ? reading == READING_SEPARATED || reading == READING_POINT ||
                     reading == READING_COMMA
               : formula->op == FORMULA_READ_DATE && reading_is_of_dates(reading);
}

/* Each cell that is read so is a variable. */
struct formula_written formula_written_of(const struct formula_program *program, const bool *needed)
{
    struct formula_written found = {false};

    for (uint32_t i = 0; i < program->variable_count; i++) {
        const struct formula *formula = program->variables[i];

        if (!needed[i] || !formula_is_written(formula))
            continue;
        found.has_numbers |= formula->op == FORMULA_READ_NUMBER;
        found.has_dates |= formula->op == FORMULA_READ_DATE;
    }
    return found;
}

struct formula_text formula_text_of(const struct formula *terms)
{
    const struct transform_input *input = terms->input;
    const struct input_spec *spec = &input->spec;

    if (spec->type == INPUT_NUMERIC) /* a column for each bucket */
        return (struct formula_text){.most = spec->list.words_max,
                                     .buckets = spec->list.size,
                                     .has_pairs = spec->list.has_pairs,
                                     .ends_full = true,
                                     .is_counted = true,
                                     .combiner = COMBINER_SUM};
    return (struct formula_text){.most = spec->words_max,
                                 .buckets = input->hash_buckets,
                                 .has_pairs = spec->has_pairs,
                                 .ends_full = input->hash_buckets > 0,
                                 .is_counted = input->hash_buckets == 0,
                                 .combiner = spec->combiner};
}

void formula_prefix(struct slice name, size_t most, struct text *out)
{
    text_append_string(out, name.size > 0 && *name.data >= '0' && *name.data <= '9' ? "m" : "");
    for (size_t i = 0; i < name.size && i < most; i++) {
        const char c = name.data[i];
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';

        text_append_char(out, is_plain ? c : '_');
    }
}

enum status formula_export(const struct model *model, struct slice name,
                           enum formula_language language, struct arena *arena, struct text *out,
                           struct error *err)
{
    struct formula_program program = {.is_graph = language == FORMULA_ONNX};

    TRY(model_formulas(model, arena, &program, err));
    switch (language) {
    case FORMULA_SQLITE:
        TRY(formula_print_sqlite(&program, name, out, err));
        break;
    case FORMULA_POSTGRES:
        TRY(formula_print_postgres(&program, name, out, err));
        break;
    case FORMULA_ONNX:
        TRY(formula_print_onnx(&program, name, out, err));
        break;
    default:
        TRY(formula_print_c(&program, name, out, err));
    }
    return out->failed ? fail(err, STATUS_LIMIT, "the text of the model is larger than can be held")
                       : STATUS_OK;
}

/* Words by a LabelEncoder: of an input of strings, or of numbers that are written so. */
#include "interop/onnx/onnx_words.h"

#include <math.h>

#define WHITE_SPACE "[ \\t\\n\\v\\f\\r]*"

static const double no_place = -1, zero = 0, missing = (double)NAN;

static onnx_value constant(struct onnx_walk *walk, const double *number)
{
    return onnx_doubles(walk->file, number, 1, 1);
}

/* -1 for a word that is not known. */
static onnx_value strings_place(struct onnx_walk *walk, const struct formula *word,
                                onnx_value input)
{
    struct onnx_node *node = onnx_node_new(walk->file, "ai.onnx.ml", "LabelEncoder", &input, 1);
    int64_t *places = ONNX_NEW(walk, int64_t, word->count);

    for (uint32_t i = 0; places && i < word->count; i++)
        places[i] = i;
    onnx_set_strings(walk->file, node, "keys_strings", word->words, word->count);
    onnx_set_integers(walk->file, node, "values_int64s", places, word->count);
    onnx_set_integer(walk->file, node, "default_int64", -1);
    return onnx_cast(walk->file, onnx_node_value(node), ONNX_DOUBLE);
}

/* Words that are no numbers are not met. NULL: there are no others. */
static onnx_value numbers_place(struct onnx_walk *walk, const struct formula *word,
                                onnx_value input)
{
    double *keys = ONNX_NEW(walk, double, word->count);
    double *places = ONNX_NEW(walk, double, word->count);
    struct onnx_node *node;
    uint32_t count = 0;

    for (uint32_t i = 0; !walk->failed && i < word->count; i++)
        if (formula_word_number(word->words[i], &keys[count]))
            places[count++] = i;
    if (count == 0)
        return NULL;
    node = onnx_node_new(walk->file, "ai.onnx.ml", "LabelEncoder", &input, 1);
    onnx_set_doubles(walk->file, node, "keys_tensor", keys, count);
    onnx_set_doubles(walk->file, node, "values_tensor", places, count);
    onnx_set_doubles(walk->file, node, "default_tensor", &no_place, 1);
    return onnx_node_value(node);
}

/* A word that is not known and has nothing but white space. */
static onnx_value is_blank(struct onnx_walk *walk, onnx_value input, onnx_value place)
{
    struct onnx_node *node = onnx_node_new(walk->file, "", "RegexFullMatch", &input, 1);

    onnx_set_string(walk->file, node, "pattern", SLICE(WHITE_SPACE));
    return onnx_apply(walk->file, "And", onnx_node_value(node),
                      onnx_apply(walk->file, "Less", place, constant(walk, &zero), NULL), NULL);
}

struct onnx_packed onnx_pack_word(struct onnx_walk *walk, const struct formula *word)
{
    const onnx_value input = walk->inputs[word->index];
    const bool is_string = walk->has_words[word->index];
    onnx_value place = NULL, is_missing;

    if (word->count > 0)
        place = is_string ? strings_place(walk, word, input) : numbers_place(walk, word, input);
    if (!place)
        place = onnx_full(walk, (struct onnx_packed){constant(walk, &no_place), 1, true});
    is_missing = is_string ? is_blank(walk, input, place)
                           : onnx_apply(walk->file, "IsNaN", input, NULL, NULL);
    return (struct onnx_packed){
        onnx_apply(walk->file, "Where", is_missing, constant(walk, &missing), place), 1, false};
}

/* ----- lists ----- */

/* (N, size): the places from 0 on come first, in their order. Keys are size for one of these, less
 * its place in the list. */
static onnx_value known_first(struct onnx_walk *walk, onnx_value places, uint32_t size)
{
    double *less = ONNX_NEW(walk, double, size), *most = ONNX_NEW(walk, double, 1);
    int64_t *all = ONNX_NEW(walk, int64_t, 1);
    onnx_value values[2], is_known;
    struct onnx_node *node;

    if (walk->failed)
        return "";
    for (uint32_t i = 0; i < size; i++)
        less[i] = i;
    *most = *all = size;
    is_known = onnx_apply(walk->file, "Less", constant(walk, &no_place), places, NULL);
    values[0] = onnx_apply(walk->file, "Mul", onnx_cast(walk->file, is_known, ONNX_DOUBLE),
                           constant(walk, most), NULL);
    values[0] =
        onnx_apply(walk->file, "Sub", values[0], onnx_doubles(walk->file, less, 1, size), NULL);
    values[1] = onnx_integers(walk->file, all, 0, 1);
    node = onnx_node_new(walk->file, "", "TopK", values, 2);
    values[0] = places;
    values[1] = onnx_node_next(walk->file, node);
    node = onnx_node_new(walk->file, "", "GatherElements", values, 2);
    onnx_set_integer(walk->file, node, "axis", 1);
    return onnx_node_value(node);
}

struct onnx_packed onnx_pack_listed(struct onnx_walk *walk, const struct formula *const *formulas,
                                    uint32_t count)
{
    const struct formula *words = formulas[0];
    int64_t *places = ONNX_NEW(walk, int64_t, count);
    uint32_t size = 0;
    struct onnx_node *node;
    onnx_value values[2];

    if (words->count == 0 || !places)
        return (struct onnx_packed){constant(walk, &no_place), 1, true};
    for (uint32_t i = 0; i < walk->program->model->transform.input_count; i++)
        if (walk->program->model->transform.inputs[i].column == words->index)
            size = walk->program->model->transform.inputs[i].spec.list.size;
    for (uint32_t i = 0; i < count; i++)
        places[i] = (int64_t)formulas[i]->number;
    values[0] = known_first(walk, strings_place(walk, words, walk->inputs[words->index]), size);
    values[1] = onnx_integers(walk->file, places, 0, count);
    node = onnx_node_new(walk->file, "", "Gather", values, 2);
    onnx_set_integer(walk->file, node, "axis", 1);
    return (struct onnx_packed){onnx_node_value(node), count, false};
}

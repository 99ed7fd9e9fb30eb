/* Words by a LabelEncoder: of an input of strings, or of numbers that are written so. */
#include "interop/onnx/onnx_words.h"

#include <math.h>

#define WHITE_SPACE "[ \\t\\n\\v\\f\\r]*"

static const double no_place = -1, zero = 0, missing = (double)NAN;

static onnx_value constant(struct onnx_walk *walk, const double *number)
{
    return onnx_doubles(walk->file, number, 1, 1);
}

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

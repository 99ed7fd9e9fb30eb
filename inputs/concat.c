#include "inputs/concat.h"

#include "base/json.h"

void concat_append(struct concat concat, struct text *out)
{
    if (concat.number > 0)
        text_printf(out, ", with the others of CONCAT %u by their %s", concat.number,
                    combiner_words[concat.combiner]);
}

cJSON *concat_to_json(struct concat concat)
{
    cJSON *object = cJSON_CreateObject();

    json_add_integer(object, "number", concat.number);
    json_add_string(object, "combiner", slice_of(combiner_words[concat.combiner]));
    return object;
}

enum status concat_from_json(const cJSON *object, struct concat *concat, struct error *err)
{
    const cJSON *json;
    struct slice word;
    unsigned combiner;
    int64_t number;

    *concat = (struct concat){0};
    if (!json_has(object, "concat"))
        return STATUS_OK;
    TRY(json_get_object(object, "concat", &json, err));
    TRY(json_get_integer(json, "number", 1, MODEL_INPUTS_MAX, &number, err));
    TRY(json_get_string(json, "combiner", &word, err));
    if (!term_find(combiner_words, word, &combiner) || cJSON_GetArraySize(json) != 2)
        return fail(err, STATUS_CORRUPT, "member \"concat\": a number and a combiner");
    *concat = (struct concat){(uint32_t)number, (enum combiner)combiner};
    return STATUS_OK;
}

#include "runtime/data/columns/class_weights.h"

#include "base/json.h"
#include "runtime/data/columns/class_names.h"

static void balance(uint64_t rows, struct dataset *dataset)
{
    for (uint32_t i = 0; i < dataset->labels.count; i++) {
        const double per_class = (double)dataset->labels.count * (double)dataset->class_counts[i];

        dataset->class_weights[i] = per_class > 0 ? (float)((double)rows / per_class) : 1;
    }
}

static enum status take_list(const struct jobspec *spec, const cJSON *list, struct dataset *dataset,
                             struct error *err)
{
    const cJSON *item;
    uint32_t count = 0;

    cJSON_ArrayForEach(item, list)
    {
        if (count < dataset->labels.count)
            dataset->class_weights[count] = (float)item->valuedouble;
        count++;
    }
    if (count == dataset->labels.count)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "train.class_weight has %u weight%s, and label column \"%.*s\" has %u classes", count,
         count == 1 ? "" : "s", SLICE_FORMAT(spec->label), dataset->labels.count);
    return class_names_hint(spec->label, &dataset->labels, err);
}

static enum status take_labelled(const struct jobspec *spec, const cJSON *object,
                                 struct dataset *dataset, struct error *err)
{
    const struct labels *labels = &dataset->labels;
    const cJSON *item;

    cJSON_ArrayForEach(item, object)
    {
        const struct slice name = slice_of(item->string);
        uint32_t class = 0;

        while (class < labels->count && !class_is_named(labels, class, name))
            class ++;
        if (class == labels->count) {
            fail(err, STATUS_INVALID, "train.class_weight names '%.*s', and no row has that label",
                 SLICE_FORMAT(slice_prefix(name, 64)));
            return class_names_hint(spec->label, labels, err);
        }
        dataset->class_weights[class] = (float)item->valuedouble;
    }
    return STATUS_OK;
}

static enum status take_weights(const struct jobspec *spec, struct dataset *dataset,
                                struct error *err)
{
    cJSON *json, *item;
    bool are_numbers = true;
    enum status status;

    TRY(json_parse(spec->class_weights, CLASS_WEIGHTS_BYTES_MAX, &json, err));
    cJSON_ArrayForEach(item, json) are_numbers &= cJSON_IsNumber(item) && item->valuedouble >= 0;
    if (!are_numbers || !(cJSON_IsArray(json) || cJSON_IsObject(json)))
        status = fail(err, STATUS_CORRUPT, "member \"weights\": expected weights of classes");
    else
        status = cJSON_IsArray(json) ? take_list(spec, json, dataset, err)
                                     : take_labelled(spec, json, dataset, err);
    cJSON_Delete(json);
    return status;
}

enum status class_weights_take(const struct jobspec *spec, uint64_t rows, struct dataset *dataset,
                               struct error *err)
{
    double sum = 0;

    for (uint32_t i = 0; i < dataset->labels.count; i++)
        dataset->class_weights[i] = 1;
    dataset->class_weight_average = 0;
    if (spec->balanced)
        balance(rows, dataset);
    if (spec->class_weights.size == 0)
        return STATUS_OK;
    TRY(take_weights(spec, dataset, err));
    for (uint32_t i = 0; i < dataset->labels.count; i++)
        sum += (double)dataset->class_weights[i] * (double)dataset->class_counts[i];
    dataset->class_weight_average = rows > 0 ? sum / (double)rows : 0;
    if (sum > 0 || rows == 0)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "train.class_weight is 0 for all rows to learn from");
}

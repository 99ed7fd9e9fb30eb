#include "kinds/forecast/forecast_name.h"

#include "base/json.h"

static enum status copy_word(struct slice word, struct arena *arena, struct slice *copy,
                             struct error *err)
{
    *copy = arena_copy(arena, word);
    return copy->data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_array(const cJSON *array, uint32_t groups, struct arena *arena,
                              struct slice *words, bool *is_name, struct error *err)
{
    uint32_t count = 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, array)
    {
        if (count == groups || !(cJSON_IsString(item) || cJSON_IsNull(item))) {
            *is_name = false;
            return STATUS_OK;
        }
        words[count] = (struct slice){NULL, 0};
        if (cJSON_IsString(item))
            TRY(copy_word(slice_of(item->valuestring), arena, &words[count], err));
        count++;
    }
    *is_name = count == groups;
    return STATUS_OK;
}

enum status forecast_name_words(uint32_t groups, struct slice name, struct arena *arena,
                                struct slice *words, bool *is_name, struct error *err)
{
    struct error ignored;
    enum status status;
    cJSON *array;

    *is_name = groups == 1;
    if (groups == 1 && name.data)
        return copy_word(name, arena, &words[0], err);
    if (groups <= 1) {
        *is_name = false;
        return STATUS_OK;
    }
    if (json_parse(name, JSON_BYTES_MAX, &array, &ignored) != STATUS_OK)
        return ignored.status == STATUS_NO_MEMORY ? fail_no_memory(err) : STATUS_OK;
    status =
        cJSON_IsArray(array) ? read_array(array, groups, arena, words, is_name, err) : STATUS_OK;
    cJSON_Delete(array);
    return status;
}

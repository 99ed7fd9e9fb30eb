#include "jobspec/jobspec_get.h"

#include <string.h>

#include "jobspec/jobspec_parts.h"

/* Exactly these members, each once. */
enum status spec_check_members(const cJSON *object, const char *const *names, struct error *err)
{
    for (const cJSON *member = object->child; member; member = member->next) {
        size_t found = 0;
        while (names[found] && strcmp(names[found], member->string) != 0)
            found++;
        if (!names[found])
            return fail(err, STATUS_CORRUPT, "unknown member \"%.100s\"", member->string);
        if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member)
            return fail(err, STATUS_CORRUPT, "member \"%s\" is there twice", member->string);
    }
    for (size_t i = 0; names[i]; i++)
        if (!cJSON_GetObjectItemCaseSensitive(object, names[i]))
            return fail(err, STATUS_CORRUPT, "member \"%s\" is missing", names[i]);
    return STATUS_OK;
}

enum status spec_get_section(const cJSON *json, const char *name, const char *const *members,
                             const cJSON **section, struct error *err)
{
    TRY(json_get_object(json, name, section, err));
    return spec_check_members(*section, members, err);
}

enum status spec_get_u32(const cJSON *object, const char *name, uint32_t least, uint32_t most,
                         uint32_t *value, struct error *err)
{
    int64_t integer;

    TRY(json_get_integer(object, name, least, most, &integer, err));
    *value = (uint32_t)integer;
    return STATUS_OK;
}

enum status spec_get_text(const cJSON *object, const char *name, size_t least, size_t most,
                          struct arena *arena, struct slice *value, struct error *err)
{
    struct slice text;

    TRY(json_get_string(object, name, &text, err));
    if (text.size < least || text.size > most)
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected %zu to %zu bytes", name, least,
                    most);
    *value = arena_copy(arena, text);
    return value->data ? STATUS_OK : fail_no_memory(err);
}

/* An absolute one, or none. */
enum status spec_get_path(const cJSON *object, const char *name, struct arena *arena,
                          struct slice *value, struct error *err)
{
    TRY(spec_get_text(object, name, 0, JOBSPEC_PATH_BYTES_MAX, arena, value, err));
    if (value->size > 0 && value->data[0] != '/')
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected an absolute path", name);
    return STATUS_OK;
}

enum status spec_get_word(const cJSON *object, const char *name, const char *const *words,
                          unsigned *index, struct error *err)
{
    struct slice word;

    TRY(json_get_string(object, name, &word, err));
    for (*index = 0; words[*index]; ++*index)
        if (slice_is(word, words[*index]))
            return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"%s\": \"%.40s\" is not one of its words", name,
                word.data);
}

enum status spec_get_words(const cJSON *object, const char *name, size_t most, struct arena *arena,
                           struct slice *words, size_t *count, struct error *err)
{
    const cJSON *array, *item;

    TRY(json_get_array(object, name, most, &array, err));
    cJSON_ArrayForEach(item, array)
    {
        struct slice word = slice_of(cJSON_IsString(item) ? item->valuestring : NULL);
        if (word.size < 1 || word.size > WORD_BYTES_MAX)
            return fail(err, STATUS_CORRUPT, "member \"%s\": expected names of 1 to %d bytes", name,
                        WORD_BYTES_MAX);
        word = arena_copy(arena, word);
        if (!word.data)
            return fail_no_memory(err);
        words[(*count)++] = word;
    }
    return STATUS_OK;
}

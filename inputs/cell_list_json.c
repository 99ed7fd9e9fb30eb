#include "inputs/cell_list_json.h"

static void add_delimiter(cJSON *json, const char *name, const char *delimiter)
{
    json_add_string(json, name, (struct slice){delimiter, *delimiter != '\0'});
}

void cell_list_write(const struct cell_list *list, cJSON *object)
{
    cJSON *json = json_add_object(object, "list");

    json_add_string(json, "form", slice_of(list_form_words[list->form]));
    json_add_integer(json, "size", list->size);
    add_delimiter(json, "delimiter", &list->delimiter);
    add_delimiter(json, "pair", &list->pair);
    if (list->form == LIST_WORDS)
        json_add_integer(json, "words_max", list->words_max);
    if (list->has_pairs)
        json_add_boolean(json, "pairs", true);
}

static enum status get_delimiter(const cJSON *json, const char *name, char *delimiter,
                                 struct error *err)
{
    struct slice text;

    TRY(json_get_string(json, name, &text, err));
    if (text.size > 1)
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected one byte or none", name);
    *delimiter = text.size > 0 ? text.data[0] : '\0';
    return STATUS_OK;
}

enum status cell_list_get(const cJSON *object, struct cell_list *list, struct error *err)
{
    const cJSON *json;
    struct slice word;
    unsigned form;
    int64_t size, words_max = 0;
    bool has_pairs = false;

    TRY(json_get_object(object, "list", &json, err));
    TRY(json_get_string(json, "form", &word, err));
    TRY(json_get_integer(json, "size", 1, LIST_SIZE_MAX, &size, err));
    if (!term_find(list_form_words, word, &form))
        return fail(err, STATUS_CORRUPT, "member \"form\": there are no such lists");
    if (form == LIST_WORDS)
        TRY(json_get_integer(json, "words_max", 1, TEXT_WORDS_MAX, &words_max, err));
    if (json_has(json, "pairs"))
        TRY(json_get_boolean(json, "pairs", &has_pairs, err));
    *list = (struct cell_list){.form = (enum list_form)form,
                               .size = (uint32_t)size,
                               .words_max = (uint32_t)words_max,
                               .has_pairs = has_pairs};
    TRY(get_delimiter(json, "delimiter", &list->delimiter, err));
    TRY(get_delimiter(json, "pair", &list->pair, err));
    return cell_list_fits(list) && cJSON_GetArraySize(json) == 4 + (form == LIST_WORDS) + has_pairs
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"list\": lists that cannot be read");
}

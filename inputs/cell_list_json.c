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
    if (list->form == LIST_PICTURE) {
        json_add_integer(json, "width", list->width);
        json_add_integer(json, "channels", list->channels);
    }
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
    int64_t size, words_max = 0, width = 0, channels = 0;
    bool has_pairs = false;

    TRY(json_get_object(object, "list", &json, err));
    TRY(json_get_string(json, "form", &word, err));
    if (!term_find(list_form_words, word, &form))
        return fail(err, STATUS_CORRUPT, "member \"form\": there are no such lists");
    TRY(json_get_integer(json, "size", 1, cell_list_size_max((enum list_form)form), &size, err));
    if (form == LIST_WORDS)
        TRY(json_get_integer(json, "words_max", 1, TEXT_WORDS_MAX, &words_max, err));
    if (form == LIST_PICTURE) {
        TRY(json_get_integer(json, "width", 1, PICTURE_NUMBERS_MAX, &width, err));
        TRY(json_get_integer(json, "channels", 1, PICTURE_NUMBERS_MAX, &channels, err));
    }
    if (json_has(json, "pairs"))
        TRY(json_get_boolean(json, "pairs", &has_pairs, err));
    *list = (struct cell_list){.form = (enum list_form)form,
                               .size = (uint32_t)size,
                               .words_max = (uint32_t)words_max,
                               .has_pairs = has_pairs,
                               .width = (uint32_t)width,
                               .channels = (uint32_t)channels};
    TRY(get_delimiter(json, "delimiter", &list->delimiter, err));
    TRY(get_delimiter(json, "pair", &list->pair, err));
    return cell_list_fits(list) && cJSON_GetArraySize(json) == 4 + (form == LIST_WORDS) +
                                                                   has_pairs +
                                                                   2 * (form == LIST_PICTURE)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"list\": lists that cannot be read");
}

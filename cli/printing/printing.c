#include "cli/printing/printing.h"

#include <stdio.h>

cJSON *printing_begin(cJSON **items)
{
    cJSON *list = cJSON_CreateObject();

    json_add_string(list, "apiVersion", SLICE("v1"));
    json_add_string(list, "kind", SLICE("List"));
    *items = json_add_array(list, "items");
    return list;
}

enum status printing_end(cJSON *list, struct error *err)
{
    struct text text;
    enum status status;

    text_init(&text, TEXT_MAXIMUM);
    status = json_print(list, true, &text, err);
    if (status == STATUS_OK)
        puts(text_string(&text));
    text_deinit(&text);
    cJSON_Delete(list);
    return status;
}

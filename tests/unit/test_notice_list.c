#include <stdlib.h>

#include "params/notice_list.h"
#include "tests/check.h"

static struct notice_list *new_list(void)
{
    struct notice_list *list = calloc(1, sizeof *list);

    CHECK(list != NULL);
    return list;
}

static enum status read(const char *json, struct notice_list *list, struct error *err)
{
    enum status status;
    cJSON *object;

    TRY(json_parse(slice_of(json), JSON_BYTES_MAX, &object, err));
    status = notice_list_from_json(object, list, err);
    cJSON_Delete(object);
    return status;
}

/* Writes a list and reads it again. */
static void read_back(const struct notice_list *list, struct notice_list *again)
{
    cJSON *object = cJSON_CreateObject();
    struct error err;
    struct text json;

    json_add(object, "notices", notice_list_to_json(list));
    text_init(&json, TEXT_MAXIMUM);
    CHECK_OK(json_print(object, false, &json, &err));
    CHECK_OK(read(text_string(&json), again, &err));
    text_deinit(&json);
    cJSON_Delete(object);
}

static void a_notice_is_text_and_what_to_write(void **state)
{
    struct notice_list *list = new_list();
    struct text out;
    (void)state;

    notice_add(list, NOTICE_KEY, "column \"%s\" has %d values in %d rows", "id", 9, 9);
    notice_hint(list, "COLUMN %s takes it.", "id");
    notice_add(list, NOTICE_METRIC, "AUC is NULL");
    CHECK_INT(list->count, 2);
    text_init(&out, 1000);
    notice_print(&list->items[0], &out);
    CHECK_SLICE(text_slice(&out), "column \"id\" has 9 values in 9 rows. COLUMN id takes it.");
    text_clear(&out);
    notice_print(&list->items[1], &out);
    CHECK_SLICE(text_slice(&out), "AUC is NULL");
    text_deinit(&out);
    free(list);
}

static void of_one_kind_the_first_are_kept_and_the_rest_counted(void **state)
{
    struct notice_list *list = new_list();
    struct text out;
    (void)state;

    for (int i = 0; i < NOTICES_OF_KIND_MAX + 5; i++) {
        notice_add(list, NOTICE_CONSTANT, "column %d", i);
        notice_hint(list, "hint %d", i);
    }
    notice_add(list, NOTICE_KEY, "key");
    CHECK_INT(list->count, NOTICES_OF_KIND_MAX + 1);
    text_init(&out, 1000);
    notice_print(&list->items[NOTICES_OF_KIND_MAX - 1], &out);
    CHECK_SLICE(text_slice(&out), "column 7; and 5 more of this kind. hint 7");
    text_deinit(&out);
    free(list);
}

static void lists_are_joined_in_order(void **state)
{
    struct notice_list *list = new_list(), *other = new_list();
    (void)state;

    notice_add(list, NOTICE_KEY, "first");
    for (int i = 0; i < NOTICES_OF_KIND_MAX + 2; i++)
        notice_add(other, NOTICE_KEY, "key %d", i);
    notice_list_join(list, NULL);
    notice_list_join(list, other);
    CHECK_INT(list->count, NOTICES_OF_KIND_MAX);
    CHECK_SLICE(slice_of(list->items[1].text), "key 0");
    CHECK_INT(list->items[NOTICES_OF_KIND_MAX - 1].others, 3);
    free(list);
    free(other);
}

static void what_is_written_is_read_back(void **state)
{
    struct notice_list *list = new_list(), *again = new_list();
    (void)state;

    for (int kind = 0; kind < NOTICE_KINDS; kind++)
        notice_add(list, (enum notice_kind)kind, "\"%d\" \xc3\xa4", kind);
    notice_hint(list, "write this");
    list->items[1].others = 12;
    read_back(list, again);
    CHECK(notice_list_equal(list, again));
    again->items[1].others = 13;
    CHECK(!notice_list_equal(list, again));
    CHECK(!notice_list_equal(list, NULL));
    read_back(NULL, again);
    CHECK(notice_list_equal(NULL, again));
    free(list);
    free(again);
}

static void a_long_text_is_cut_at_a_whole_character(void **state)
{
    struct notice_list *list = new_list(), *again = new_list();
    char text[NOTICE_BYTES_MAX + 3];
    (void)state;

    memset(text, 'a', sizeof text);
    memcpy(text + NOTICE_BYTES_MAX - 1, "\xc3\xa4z", 4);
    notice_add(list, NOTICE_KEY, "%s", text);
    CHECK_INT(strlen(list->items[0].text), NOTICE_BYTES_MAX - 1);
    read_back(list, again);
    CHECK(notice_list_equal(list, again));
    free(list);
    free(again);
}

static void check_damaged(const char *json, const char *message)
{
    struct notice_list *list = new_list();
    struct error err;

    CHECK_FAILS(read(json, list, &err), STATUS_CORRUPT, message);
    free(list);
}

static void what_is_no_list_is_refused(void **state)
{
    struct text many;
    (void)state;

    check_damaged("{}", "member \"notices\"");
    check_damaged("{\"notices\":{}}", "member \"notices\"");
    check_damaged("{\"notices\":[1]}", "expected objects");
    check_damaged("{\"notices\":[{\"text\":\"a\"}]}", "kind");
    check_damaged("{\"notices\":[{\"kind\":\"key\"}]}", "text");
    check_damaged("{\"notices\":[{\"kind\":\"key\",\"text\":\"a\",\"others\":-1}]}", "others");
    text_init(&many, TEXT_MAXIMUM);
    text_append_string(&many, "{\"notices\":[0");
    for (int i = 0; i < NOTICES_MAX; i++)
        text_append_string(&many, ",0");
    text_append_string(&many, "]}");
    check_damaged(text_string(&many), "at most");
    text_deinit(&many);
}

static void a_kind_of_a_later_version_is_another_one(void **state)
{
    struct notice_list *list = new_list();
    struct error err;
    (void)state;

    CHECK_OK(
        read("{\"notices\":[{\"kind\":\"phase of the moon\",\"text\":\"full\"}]}", list, &err));
    CHECK_INT(list->items[0].kind, NOTICE_OTHER);
    CHECK_SLICE(slice_of(list->items[0].text), "full");
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notice_is_text_and_what_to_write),
        cmocka_unit_test(of_one_kind_the_first_are_kept_and_the_rest_counted),
        cmocka_unit_test(lists_are_joined_in_order),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_long_text_is_cut_at_a_whole_character),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(a_kind_of_a_later_version_is_another_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "params/notice_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_BYTES 2048 /* before it is cut */

const char *const notice_words[] = {
#define X(name, word) word,
    NOTICE_KIND_MAP(X)
#undef X
        NULL};

/* ----- adding ----- */

static uint32_t count_of_kind(const struct notice_list *list, enum notice_kind kind,
                              struct notice **last)
{
    uint32_t count = 0;

    *last = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind != kind)
            continue;
        *last = (struct notice *)&list->items[i];
        count++;
    }
    return count;
}

/* The next one of this kind; NULL where it is only counted. */
static struct notice *next_of_kind(struct notice_list *list, enum notice_kind kind)
{
    struct notice *last;
    const uint32_t count = count_of_kind(list, kind, &last);

    list->was_dropped = count >= NOTICES_OF_KIND_MAX || list->count == NOTICES_MAX;
    if (list->was_dropped) {
        if (last)
            last->others++;
        return NULL;
    }
    last = &list->items[list->count++];
    *last = (struct notice){.kind = kind};
    return last;
}

static void format_cut(char *into, const char *format, va_list arguments)
{
    char message[MESSAGE_BYTES];

    vsnprintf(message, sizeof message, format, arguments);
    slice_copy(slice_of(message), into, NOTICE_BYTES_MAX + 1);
}

void notice_add(struct notice_list *list, enum notice_kind kind, const char *format, ...)
{
    struct notice *notice = next_of_kind(list, kind);
    va_list arguments;

    if (!notice)
        return;
    va_start(arguments, format);
    format_cut(notice->text, format, arguments);
    va_end(arguments);
}

void notice_hint(struct notice_list *list, const char *format, ...)
{
    va_list arguments;

    if (list->was_dropped || list->count == 0)
        return;
    va_start(arguments, format);
    format_cut(list->items[list->count - 1].hint, format, arguments);
    va_end(arguments);
}

void notice_list_join(struct notice_list *list, const struct notice_list *other)
{
    for (size_t i = 0; other && i < other->count; i++) {
        struct notice *notice = next_of_kind(list, other->items[i].kind), *last;

        if (notice) {
            *notice = other->items[i];
            continue;
        }
        count_of_kind(list, other->items[i].kind, &last);
        if (last)
            last->others += other->items[i].others;
    }
}

/* ----- comparing, printing ----- */

static bool same_notice(const struct notice *a, const struct notice *b)
{
    return a->kind == b->kind && a->others == b->others && strcmp(a->text, b->text) == 0 &&
           strcmp(a->hint, b->hint) == 0;
}

bool notice_list_equal(const struct notice_list *a, const struct notice_list *b)
{
    const size_t count = a ? a->count : 0;

    if (count != (b ? b->count : 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_notice(&a->items[i], &b->items[i]))
            return false;
    return true;
}

void notice_print(const struct notice *notice, struct text *out)
{
    text_append_string(out, notice->text);
    if (notice->others > 0)
        text_printf(out, "; and %u more of this kind", notice->others);
    if (notice->hint[0])
        text_printf(out, ". %s", notice->hint);
}

/* ----- JSON ----- */

cJSON *notice_list_to_json(const struct notice_list *list)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; list && i < list->count; i++) {
        const struct notice *notice = &list->items[i];
        cJSON *object = cJSON_CreateObject();

        json_add_string(object, "kind", slice_of(notice_words[notice->kind]));
        json_add_string(object, "text", slice_of(notice->text));
        if (notice->hint[0])
            json_add_string(object, "hint", slice_of(notice->hint));
        if (notice->others > 0)
            json_add_integer(object, "others", notice->others);
        json_append(array, object);
    }
    return array;
}

static enum status read_text(const cJSON *object, const char *name, char into[NOTICE_BYTES_MAX + 1],
                             struct error *err)
{
    struct slice text;

    TRY(json_get_string(object, name, &text, err));
    if (text.size > NOTICE_BYTES_MAX)
        return fail(err, STATUS_CORRUPT,
                    "member \"notices\": \"%s\" has %zu bytes, where at most %d are read", name,
                    text.size, NOTICE_BYTES_MAX);
    slice_copy(text, into, NOTICE_BYTES_MAX + 1);
    return STATUS_OK;
}

static enum notice_kind kind_of_word(struct slice word)
{
    for (unsigned kind = 0; kind < NOTICE_KINDS; kind++)
        if (slice_is(word, notice_words[kind]))
            return (enum notice_kind)kind;
    return NOTICE_OTHER;
}

static enum status read_notice(const cJSON *object, struct notice *notice, struct error *err)
{
    struct slice word;
    int64_t others = 0;

    if (!cJSON_IsObject(object))
        return fail(err, STATUS_CORRUPT, "member \"notices\": expected objects");
    TRY(json_get_string(object, "kind", &word, err));
    notice->kind = kind_of_word(word);
    TRY(read_text(object, "text", notice->text, err));
    if (json_has(object, "hint"))
        TRY(read_text(object, "hint", notice->hint, err));
    if (json_has(object, "others"))
        TRY(json_get_integer(object, "others", 0, UINT32_MAX, &others, err));
    notice->others = (uint32_t)others;
    return STATUS_OK;
}

enum status notice_list_from_json(const cJSON *object, struct notice_list *list, struct error *err)
{
    const cJSON *array, *notice;

    *list = (struct notice_list){0};
    TRY(json_get_array(object, "notices", NOTICES_MAX, &array, err));
    cJSON_ArrayForEach(notice, array)
    {
        TRY(read_notice(notice, &list->items[list->count++], err));
    }
    return STATUS_OK;
}

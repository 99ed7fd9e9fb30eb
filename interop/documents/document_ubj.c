#include "interop/documents/document_ubj.h"

#include <string.h>

struct ubj {
    struct slice bytes;
    size_t at;
    unsigned depth;
    const struct stop *stop;
    uint32_t values;
    struct arena *arena;
    struct error *err;
};

static enum status read_value(struct ubj *ubj, char marker, struct value *value);

static enum status no_ubj(const struct ubj *ubj)
{
    return fail(ubj->err, STATUS_CORRUPT, "no UBJSON at byte %zu", ubj->at);
}

static size_t left(const struct ubj *ubj)
{
    return ubj->bytes.size - ubj->at;
}

/* Zero bytes at the end are no marker. */
static char take_marker(struct ubj *ubj)
{
    char marker;

    do
        marker = left(ubj) > 0 ? ubj->bytes.data[ubj->at++] : '\0';
    while (marker == 'N');
    return marker;
}

static bool take_byte(struct ubj *ubj, char marker)
{
    if (left(ubj) == 0 || ubj->bytes.data[ubj->at] != marker)
        return false;
    ubj->at++;
    return true;
}

/* Bytes of a number; 0: the marker is of none. */
static size_t number_bytes(char marker)
{
    switch (marker) {
    case 'i':
    case 'U':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

/* Big-endian, from bytes that are there. */
static double number_at(const char *at, char marker)
{
    uint64_t bits = 0;
    uint32_t half;
    double real;
    float single;

    for (size_t i = 0; i < number_bytes(marker); i++)
        bits = bits << 8 | (unsigned char)at[i];
    half = (uint32_t)bits;
    switch (marker) {
    case 'i':
        return (int8_t)bits;
    case 'U':
        return (double)bits;
    case 'I':
        return (int16_t)bits;
    case 'l':
        return (int32_t)half;
    case 'L':
        return (double)(int64_t)bits;
    case 'd':
        memcpy(&single, &half, sizeof single);
        return (double)single;
    default:
        memcpy(&real, &bits, sizeof real);
        return real;
    }
}

static bool read_number(struct ubj *ubj, char marker, double *number)
{
    const size_t bytes = number_bytes(marker);

    if (bytes == 0 || left(ubj) < bytes)
        return false;
    *number = number_at(ubj->bytes.data + ubj->at, marker);
    ubj->at += bytes;
    return true;
}

/* No more than there are bytes left: whatever is counted takes one at least. */
static bool read_count(struct ubj *ubj, size_t *count)
{
    const char marker = take_marker(ubj);
    double number;

    if (marker == 'd' || marker == 'D' || !read_number(ubj, marker, &number) || number < 0 ||
        number > (double)left(ubj))
        return false;
    *count = (size_t)number;
    return true;
}

static enum status read_text(struct ubj *ubj, struct slice *text)
{
    size_t size;

    if (!read_count(ubj, &size))
        return no_ubj(ubj);
    *text = (struct slice){ubj->bytes.data + ubj->at, size};
    ubj->at += size;
    return STATUS_OK;
}

static enum status read_typed(struct ubj *ubj, struct value *list)
{
    const char marker = take_marker(ubj);
    const size_t bytes = number_bytes(marker);
    double *numbers;
    size_t count;

    if (bytes == 0 || !take_byte(ubj, '#') || !read_count(ubj, &count) || count > left(ubj) / bytes)
        return no_ubj(ubj);
    numbers = ARENA_NEW(ubj->arena, double, count);
    if (!numbers)
        return fail_no_memory(ubj->err);
    for (size_t i = 0; i < count; i++, ubj->at += bytes)
        numbers[i] = number_at(ubj->bytes.data + ubj->at, marker);
    *list = (struct value){.type = VALUE_NUMBERS, .count = count, .of.numbers = numbers};
    return STATUS_OK;
}

/* A list without anything but numbers is as one that says so. */
static enum status finish_list(struct ubj *ubj, const struct value *items, size_t count,
                               struct value *list)
{
    double *numbers;

    *list = (struct value){.type = VALUE_LIST, .count = count, .of.items = items};
    for (size_t i = 0; i < count; i++)
        if (items[i].type != VALUE_NUMBER)
            return STATUS_OK;
    numbers = ARENA_NEW(ubj->arena, double, count);
    if (!numbers)
        return fail_no_memory(ubj->err);
    for (size_t i = 0; i < count; i++)
        numbers[i] = items[i].of.number;
    list->type = VALUE_NUMBERS;
    list->of.numbers = numbers;
    return STATUS_OK;
}

static enum status read_counted(struct ubj *ubj, struct value *list)
{
    struct value *items;
    size_t count;

    if (!read_count(ubj, &count))
        return no_ubj(ubj);
    items = ARENA_NEW(ubj->arena, struct value, count);
    if (!items)
        return fail_no_memory(ubj->err);
    for (size_t i = 0; i < count; i++)
        TRY(read_value(ubj, take_marker(ubj), &items[i]));
    return finish_list(ubj, items, count, list);
}

/* Copies the items collected, one behind the other, to where they stay. */
static enum status keep(struct ubj *ubj, const struct text *collected, void **kept)
{
    *kept = arena_alloc(ubj->arena, collected->size);
    if (!*kept || collected->failed)
        return fail_no_memory(ubj->err);
    if (collected->size > 0)
        memcpy(*kept, collected->data, collected->size);
    return STATUS_OK;
}

static enum status read_items(struct ubj *ubj, struct text *items)
{
    struct value item;

    while (!take_byte(ubj, ']')) {
        TRY(read_value(ubj, take_marker(ubj), &item));
        text_append(items, (struct slice){(const char *)&item, sizeof item});
    }
    return STATUS_OK;
}

static enum status read_list(struct ubj *ubj, struct value *list)
{
    struct text items;
    enum status status;
    void *kept;

    if (take_byte(ubj, '$'))
        return read_typed(ubj, list);
    if (take_byte(ubj, '#'))
        return read_counted(ubj, list);
    text_init(&items, DOCUMENT_ARENA_MAX);
    status = read_items(ubj, &items);
    if (status == STATUS_OK)
        status = keep(ubj, &items, &kept);
    if (status == STATUS_OK)
        status = finish_list(ubj, kept, items.size / sizeof(struct value), list);
    text_deinit(&items);
    return status;
}

static enum status read_members(struct ubj *ubj, struct text *members)
{
    struct member member;

    while (!take_byte(ubj, '}')) {
        TRY(read_text(ubj, &member.name));
        TRY(read_value(ubj, take_marker(ubj), &member.value));
        text_append(members, (struct slice){(const char *)&member, sizeof member});
    }
    return STATUS_OK;
}

static enum status read_object(struct ubj *ubj, struct value *object)
{
    struct text members;
    enum status status;
    void *kept;

    text_init(&members, DOCUMENT_ARENA_MAX);
    status = read_members(ubj, &members);
    if (status == STATUS_OK)
        status = keep(ubj, &members, &kept);
    if (status == STATUS_OK)
        *object = (struct value){.type = VALUE_OBJECT,
                                 .count = members.size / sizeof(struct member),
                                 .of.members = kept};
    text_deinit(&members);
    return status;
}

static enum status read_nested(struct ubj *ubj, bool is_list, struct value *value)
{
    enum status status;

    if (++ubj->depth > DOCUMENT_DEPTH_MAX)
        return fail(ubj->err, STATUS_CORRUPT, "UBJSON is nested deeper than %d",
                    DOCUMENT_DEPTH_MAX);
    status = is_list ? read_list(ubj, value) : read_object(ubj, value);
    ubj->depth--;
    return status;
}

static enum status read_value(struct ubj *ubj, char marker, struct value *value)
{
    struct slice text = {"", 0};

    TRY(stop_count(ubj->stop, &ubj->values, ubj->err));
    *value = (struct value){.type = VALUE_NULL};
    switch (marker) {
    case '{':
    case '[':
        return read_nested(ubj, marker == '[', value);
    case 'S':
        TRY(read_text(ubj, &text));
        *value = (struct value){.type = VALUE_TEXT, .count = text.size, .of.text = text.data};
        return STATUS_OK;
    case 'Z':
        return STATUS_OK;
    case 'T':
    case 'F':
        *value = (struct value){.type = VALUE_NUMBER, .of.number = marker == 'T'};
        return STATUS_OK;
    default:
        value->type = VALUE_NUMBER;
        return read_number(ubj, marker, &value->of.number) ? STATUS_OK : no_ubj(ubj);
    }
}

enum status document_read_ubj(struct slice bytes, const struct stop *stop, struct arena *arena,
                              struct value *document, struct error *err)
{
    struct ubj ubj = {.bytes = bytes, .stop = stop, .arena = arena, .err = err};

    if (bytes.size > DOCUMENT_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "UBJSON of %zu bytes, where at most %zu are read",
                    bytes.size, DOCUMENT_BYTES_MAX);
    TRY(read_value(&ubj, take_marker(&ubj), document));
    return ubj.at == bytes.size ? STATUS_OK : no_ubj(&ubj);
}

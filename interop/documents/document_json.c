#include "interop/documents/document_json.h"

#include <math.h>
#include <string.h>

struct json {
    struct slice bytes;
    size_t at;
    unsigned depth;
    const struct stop *stop;
    uint32_t values;
    struct arena *arena;
    struct text numbers; /* numbers of the list that is being read: lists of numbers do not nest */
    struct error *err;
};

static enum status read_value(struct json *json, struct value *value);

static enum status no_json(const struct json *json)
{
    return fail(json->err, STATUS_CORRUPT, "no JSON at byte %zu", json->at);
}

static char peek(struct json *json)
{
    while (json->at < json->bytes.size && memchr(" \t\r\n", json->bytes.data[json->at], 4))
        json->at++;
    return json->at < json->bytes.size ? json->bytes.data[json->at] : '\0';
}

static bool take_char(struct json *json, char c)
{
    if (peek(json) != c || json->at == json->bytes.size)
        return false;
    json->at++;
    return true;
}

static bool take_word(struct json *json, const char *word)
{
    const size_t size = strlen(word);

    if (json->bytes.size - json->at < size || memcmp(json->bytes.data + json->at, word, size) != 0)
        return false;
    json->at += size;
    return true;
}

/* ----- texts ----- */

static bool read_hexadecimal(struct json *json, uint32_t *value)
{
    *value = 0;
    if (json->bytes.size - json->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = memchr(digits, json->bytes.data[json->at++], sizeof digits - 1);
        if (!digit)
            return false;
        *value = *value << 4 | (uint32_t)((digit - digits) % 16);
    }
    return true;
}

static size_t put_utf8(uint32_t point, char *into)
{
    if (point < 0x80) {
        into[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        into[0] = (char)(0xC0 | point >> 6);
        into[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        into[0] = (char)(0xE0 | point >> 12);
        into[1] = (char)(0x80 | (point >> 6 & 0x3F));
        into[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    into[0] = (char)(0xF0 | point >> 18);
    into[1] = (char)(0x80 | (point >> 12 & 0x3F));
    into[2] = (char)(0x80 | (point >> 6 & 0x3F));
    into[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

/* Reads the rest of an escape after its backslash. A character never has more bytes than its
 * escape. */
static bool read_escape(struct json *json, char *into, size_t *size)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char c = json->at < json->bytes.size ? json->bytes.data[json->at++] : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    uint32_t point, low;

    if (letter) {
        into[(*size)++] = means[letter - letters];
        return true;
    }
    if (c != 'u' || !read_hexadecimal(json, &point))
        return false;
    if (point >= 0xD800 && point < 0xDC00) {
        if (!take_word(json, "\\u") || !read_hexadecimal(json, &low) || low < 0xDC00 ||
            low >= 0xE000)
            return false;
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    *size += put_utf8(point, into + *size);
    return true;
}

/* Behind its first quote, up to the last one. */
static enum status read_text(struct json *json, struct slice *text)
{
    const size_t first = json->at;
    size_t end = first, size = 0;
    bool has_escapes = false;
    char *into;

    while (end < json->bytes.size && json->bytes.data[end] != '"') {
        const bool is_escape = json->bytes.data[end] == '\\';
        has_escapes |= is_escape;
        end += is_escape ? 2 : 1;
    }
    if (end >= json->bytes.size)
        return no_json(json);
    *text = (struct slice){json->bytes.data + first, end - first};
    if (has_escapes) {
        into = arena_alloc(json->arena, end - first);
        if (!into)
            return fail_no_memory(json->err);
        while (json->at < end) {
            const char c = json->bytes.data[json->at++];
            if (c != '\\')
                into[size++] = c;
            else if (!read_escape(json, into, &size))
                return no_json(json);
        }
        *text = (struct slice){into, size};
    }
    json->at = end + 1;
    return STATUS_OK;
}

/* ----- numbers ----- */

static bool read_number(struct json *json, double *number)
{
    const size_t first = json->at;
    size_t end = first;

    if (take_word(json, "true") || take_word(json, "false")) {
        *number = json->bytes.data[first] == 't';
        return true;
    }
    if (take_word(json, "NaN")) {
        *number = (double)NAN;
        return true;
    }
    if (take_word(json, "Infinity") || take_word(json, "-Infinity")) {
        *number = json->bytes.data[first] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    while (end < json->bytes.size && json->bytes.data[end] &&
           strchr("0123456789+-.eE", json->bytes.data[end]))
        end++;
    if (!slice_to_real((struct slice){json->bytes.data + first, end - first}, number))
        return false;
    json->at = end;
    return true;
}

static enum status read_numbers(struct json *json, struct value *list)
{
    double number, *numbers;

    text_clear(&json->numbers);
    do {
        peek(json);
        TRY(stop_count(json->stop, &json->values, json->err));
        if (!read_number(json, &number))
            return no_json(json);
        text_append(&json->numbers, (struct slice){(const char *)&number, sizeof number});
    } while (take_char(json, ','));
    if (!take_char(json, ']'))
        return no_json(json);
    *list = (struct value){.type = VALUE_NUMBERS, .count = json->numbers.size / sizeof number};
    numbers = ARENA_NEW(json->arena, double, list->count);
    if (!numbers || json->numbers.failed)
        return fail_no_memory(json->err);
    memcpy(numbers, json->numbers.data, json->numbers.size);
    list->of.numbers = numbers;
    return STATUS_OK;
}

/* ----- lists and objects ----- */

/* Items and members are collected behind one another, then copied to where they stay. */
static enum status keep(struct json *json, const struct text *collected, size_t size,
                        struct value *value)
{
    void *kept = arena_alloc(json->arena, collected->size);

    if (!kept || collected->failed)
        return fail_no_memory(json->err);
    memcpy(kept, collected->data, collected->size);
    value->count = collected->size / size;
    if (value->type == VALUE_LIST)
        value->of.items = kept;
    else
        value->of.members = kept;
    return STATUS_OK;
}

static enum status read_items(struct json *json, struct text *items)
{
    struct value item;

    do {
        TRY(read_value(json, &item));
        text_append(items, (struct slice){(const char *)&item, sizeof item});
    } while (take_char(json, ','));
    return take_char(json, ']') ? STATUS_OK : no_json(json);
}

static enum status read_list(struct json *json, struct value *list)
{
    struct text items;
    enum status status;
    char first = peek(json);

    *list = (struct value){.type = VALUE_NUMBERS};
    if (take_char(json, ']'))
        return STATUS_OK;
    if (first != '{' && first != '[' && first != '"' && first != 'n')
        return read_numbers(json, list);
    list->type = VALUE_LIST;
    text_init(&items, DOCUMENT_ARENA_MAX);
    status = read_items(json, &items);
    if (status == STATUS_OK)
        status = keep(json, &items, sizeof(struct value), list);
    text_deinit(&items);
    return status;
}

static enum status read_members(struct json *json, struct text *members)
{
    struct member member;

    do {
        if (!take_char(json, '"'))
            return no_json(json);
        TRY(read_text(json, &member.name));
        if (!take_char(json, ':'))
            return no_json(json);
        TRY(read_value(json, &member.value));
        text_append(members, (struct slice){(const char *)&member, sizeof member});
    } while (take_char(json, ','));
    return take_char(json, '}') ? STATUS_OK : no_json(json);
}

static enum status read_object(struct json *json, struct value *object)
{
    struct text members;
    enum status status;

    *object = (struct value){.type = VALUE_OBJECT};
    if (take_char(json, '}'))
        return STATUS_OK;
    text_init(&members, DOCUMENT_ARENA_MAX);
    status = read_members(json, &members);
    if (status == STATUS_OK)
        status = keep(json, &members, sizeof(struct member), object);
    text_deinit(&members);
    return status;
}

static enum status read_nested(struct json *json, bool is_list, struct value *value)
{
    enum status status;

    if (++json->depth > DOCUMENT_DEPTH_MAX)
        return fail(json->err, STATUS_CORRUPT, "JSON is nested deeper than %d", DOCUMENT_DEPTH_MAX);
    status = is_list ? read_list(json, value) : read_object(json, value);
    json->depth--;
    return status;
}

static enum status read_value(struct json *json, struct value *value)
{
    struct slice text;

    TRY(stop_count(json->stop, &json->values, json->err));
    if (take_char(json, '{'))
        return read_nested(json, false, value);
    if (take_char(json, '['))
        return read_nested(json, true, value);
    if (take_char(json, '"')) {
        TRY(read_text(json, &text));
        *value = (struct value){.type = VALUE_TEXT, .count = text.size, .of.text = text.data};
        return STATUS_OK;
    }
    *value = (struct value){.type = VALUE_NULL};
    if (take_word(json, "null"))
        return STATUS_OK;
    value->type = VALUE_NUMBER;
    return read_number(json, &value->of.number) ? STATUS_OK : no_json(json);
}

enum status document_read_json(struct slice bytes, const struct stop *stop, struct arena *arena,
                               struct value *document, struct error *err)
{
    struct json json = {.bytes = bytes, .stop = stop, .arena = arena, .err = err};
    enum status status;

    if (bytes.size > DOCUMENT_BYTES_MAX)
        return fail(err, STATUS_CORRUPT, "JSON of %zu bytes, where at most %zu are read",
                    bytes.size, DOCUMENT_BYTES_MAX);
    text_init(&json.numbers, DOCUMENT_ARENA_MAX);
    status = read_value(&json, document);
    if (status == STATUS_OK && (peek(&json) || json.at < bytes.size))
        status = no_json(&json);
    text_deinit(&json.numbers);
    return status;
}

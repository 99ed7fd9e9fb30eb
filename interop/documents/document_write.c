#include "interop/documents/document_write.h"

#include <math.h>
#include <string.h>

/* Big-endian. */
static void put_bytes(struct text *out, uint64_t bits, unsigned bytes)
{
    while (bytes-- > 0)
        text_append_char(out, (char)(bits >> (8 * bytes)));
}

static void put_size(struct text *out, size_t size)
{
    text_append_char(out, 'L');
    put_bytes(out, size, 8);
}

static void put_quoted(struct text *out, struct slice text)
{
    text_append_char(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (c == '"' || c == '\\')
            text_append_char(out, '\\');
        if ((unsigned char)c < 0x20)
            text_printf(out, "\\u%04x", (unsigned)c);
        else
            text_append_char(out, c);
    }
    text_append_char(out, '"');
}

static void put_name(struct document_writer *writer, const char *name)
{
    if (writer->is_ubj) {
        if (name) {
            put_size(writer->out, strlen(name));
            text_append_string(writer->out, name);
        }
        return;
    }
    if (writer->has_before)
        text_append_char(writer->out, ',');
    writer->has_before = true;
    if (name) {
        put_quoted(writer->out, slice_of(name));
        text_append_char(writer->out, ':');
    }
}

void write_begin(struct document_writer *writer, const char *name, enum write_nested nested,
                 size_t count)
{
    put_name(writer, name);
    text_append_char(writer->out, nested == WRITE_LIST ? '[' : '{');
    writer->has_before = false;
    if (writer->is_ubj && nested == WRITE_LIST) {
        text_append_char(writer->out, '#');
        put_size(writer->out, count);
    }
}

/* A list of UBJSON that says its size has no end. */
void write_end(struct document_writer *writer, enum write_nested nested)
{
    if (!writer->is_ubj || nested == WRITE_OBJECT)
        text_append_char(writer->out, nested == WRITE_LIST ? ']' : '}');
    writer->has_before = true;
}

void write_text(struct document_writer *writer, const char *name, struct slice text)
{
    put_name(writer, name);
    if (!writer->is_ubj) {
        put_quoted(writer->out, text);
        return;
    }
    text_append_char(writer->out, 'S');
    put_size(writer->out, text.size);
    text_append(writer->out, text);
}

void write_integer(struct document_writer *writer, const char *name, int32_t value)
{
    put_name(writer, name);
    if (!writer->is_ubj) {
        text_printf(writer->out, "%d", value);
        return;
    }
    text_append_char(writer->out, 'l');
    put_bytes(writer->out, (uint32_t)value, 4);
}

static bool is_stopped(const struct document_writer *writer)
{
    return writer->watch && stop_seen(writer->watch);
}

static void begin_typed(struct document_writer *writer, const char *name, char letter, size_t count)
{
    put_name(writer, name);
    text_append_char(writer->out, '[');
    if (!writer->is_ubj)
        return;
    text_append_char(writer->out, '$');
    text_append_char(writer->out, letter);
    text_append_char(writer->out, '#');
    put_size(writer->out, count);
}

static void end_typed(struct document_writer *writer)
{
    if (!writer->is_ubj)
        text_append_char(writer->out, ']');
}

void write_integers(struct document_writer *writer, const char *name, char letter,
                    const int32_t *values, size_t count)
{
    const unsigned bytes = letter == 'L' ? 8 : letter == 'l' ? 4 : 1;

    begin_typed(writer, name, letter, count);
    for (size_t i = 0; i < count && !is_stopped(writer); i++)
        if (writer->is_ubj)
            put_bytes(writer->out, (uint64_t)(int64_t)values[i], bytes);
        else
            text_printf(writer->out, i ? ",%d" : "%d", values[i]);
    end_typed(writer);
}

void write_float_digits(struct text *out, float value)
{
    struct text digits;

    if (isnan(value) || isinf(value)) {
        text_append_string(out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        return;
    }
    text_init(&digits, 64);
    text_append_float(&digits, value);
    text_append(out, text_slice(&digits));
    if (!memchr(digits.data, '.', digits.size) && !memchr(digits.data, 'e', digits.size))
        text_append_string(out, "E0");
    text_deinit(&digits);
}

void write_floats(struct document_writer *writer, const char *name, const float *values,
                  size_t count)
{
    begin_typed(writer, name, 'd', count);
    for (size_t i = 0; i < count && !is_stopped(writer); i++) {
        uint32_t bits;

        if (writer->is_ubj) {
            memcpy(&bits, &values[i], sizeof bits);
            put_bytes(writer->out, bits, 4);
            continue;
        }
        if (i > 0)
            text_append_char(writer->out, ',');
        write_float_digits(writer->out, values[i]);
    }
    end_typed(writer);
}

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CONTEXT_BYTES 60 /* shown on each side of the caret in a long line */

void error_clear(struct error *err)
{
    if (err)
        *err = (struct error){.status = STATUS_OK, .position = -1};
}

/* Longer than what it is cut to, so that the cut sees the character that it falls into. The
 * arguments may be the error's own texts. */
static void print_cut(char *into, size_t capacity, const char *format, va_list arguments)
{
    char whole[sizeof((struct error *)0)->hint + 8];

    vsnprintf(whole, sizeof whole, format, arguments);
    slice_copy(slice_of(whole), into, capacity);
}

static void fill(struct error *err, enum status status, int position, const char *format,
                 va_list arguments)
{
    if (!err)
        return;
    err->status = status;
    err->position = position;
    err->hint[0] = '\0';
    print_cut(err->message, sizeof err->message, format, arguments);
}

enum status fail(struct error *err, enum status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(err, status, -1, format, arguments);
    va_end(arguments);
    return status;
}

enum status fail_at(struct error *err, enum status status, int position, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(err, status, position, format, arguments);
    va_end(arguments);
    return status;
}

enum status fail_errno(struct error *err, enum status status, const char *format, ...)
{
    int reason = errno;
    va_list arguments;

    va_start(arguments, format);
    fill(err, status, -1, format, arguments);
    va_end(arguments);
    if (err) {
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, ": %s", strerror(reason));
    }
    return status;
}

enum status fail_no_memory(struct error *err)
{
    return fail(err, STATUS_NO_MEMORY, "out of memory");
}

enum status error_hint(struct error *err, const char *format, ...)
{
    va_list arguments;

    if (!err)
        return STATUS_FAILED;
    va_start(arguments, format);
    print_cut(err->hint, sizeof err->hint, format, arguments);
    va_end(arguments);
    return err->status;
}

enum status error_place(struct error *err, int position)
{
    if (!err)
        return STATUS_FAILED;
    if (err->position < 0)
        err->position = position;
    return err->status;
}

static const struct {
    const char *name, *text;
    int exit_code;
} statuses[] = {
#define X(name, exit_code, text) {#name, text, exit_code},
    STATUS_MAP(X)
#undef X
};

void error_restore(struct error *err, uint32_t status, struct slice message, struct slice hint)
{
    error_clear(err);
    fail(err, STATUS_FAILED, "%.*s", SLICE_FORMAT(message));
    error_hint(err, "%.*s", SLICE_FORMAT(hint));
    if (status > STATUS_OK && status <= STATUS_INTERRUPTED)
        err->status = (enum status)status;
}

const char *status_name(enum status status)
{
    return statuses[status].name;
}

const char *status_text(enum status status)
{
    return statuses[status].text;
}

int status_exit_code(enum status status)
{
    return statuses[status].exit_code;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* One column on a terminal, and no escape sequence of the SQL. */
static char shown(char c)
{
    unsigned char byte = (unsigned char)c;

    return c == '\t' ? ' ' : byte < 0x20 || byte == 0x7f ? '?' : c;
}

/* The message of a function called in SQL may have lines: LINE and caret. */
static void append_shown(struct text *out, const char *text)
{
    for (; *text; text++)
        text_append_char(out, *text == '\n' ? '\n' : shown(*text));
}

/* The line of `sql` around `position`, cut to the context on both sides. */
static void render_line(const struct error *err, struct slice sql, const struct error_style *style,
                        struct text *out)
{
    size_t position = (size_t)err->position;
    size_t start = position, end = position, number = 1, indent, caret = 0;
    size_t before;

    while (start > 0 && sql.data[start - 1] != '\n')
        start--;
    while (end < sql.size && sql.data[end] != '\n' && sql.data[end] != '\r')
        end++;
    for (size_t i = 0; i < start; i++)
        number += sql.data[i] == '\n';
    before = out->size;
    text_printf(out, "LINE %zu: ", number);
    indent = out->size - before;
    if (position - start > CONTEXT_BYTES) {
        start = position - CONTEXT_BYTES;
        while (start < position && is_continuation(sql.data[start]))
            start++;
        text_append_string(out, "...");
        indent += 3;
    }
    bool cut = end - position > CONTEXT_BYTES;
    if (cut) {
        end = position + CONTEXT_BYTES;
        while (end > position && is_continuation(sql.data[end]))
            end--;
    }
    for (size_t i = start; i < end; i++) {
        char c = sql.data[i];
        text_append_char(out, shown(c));
        caret += i < position && !is_continuation(c);
    }
    text_append_string(out, cut ? "...\n" : "\n");
    for (size_t i = 0; i < indent + caret; i++)
        text_append_char(out, ' ');
    text_printf(out, "%s^%s\n", style->caret, style->end);
}

void error_render_styled(const struct error *err, struct slice sql, const struct error_style *style,
                         struct text *out)
{
    text_printf(out, "%sERROR:%s  %s", style->label, style->end, style->message);
    append_shown(out, err->message);
    text_printf(out, "%s\n", style->end);
    if (err->position >= 0 && (size_t)err->position <= sql.size && sql.size > 0)
        render_line(err, sql, style, out);
    if (!err->hint[0])
        return;
    text_printf(out, "%sHINT:%s  ", style->hint, style->end);
    append_shown(out, err->hint);
    text_append_char(out, '\n');
}

void error_render(const struct error *err, struct slice sql, struct text *out)
{
    static const struct error_style plain = {"", "", "", "", ""};

    error_render_styled(err, sql, &plain, out);
}

#include "cli/printing/display.h"

#include <string.h>
#include <wchar.h>

/* Controls of one byte, and those that UTF-8 writes as C2 80 to C2 9F. */
static bool is_control(const char *at, size_t size)
{
    const unsigned char first = (unsigned char)at[0], second = size == 2 ? (unsigned char)at[1] : 0;

    return first < 0x20 || first == 0x7F || (first == 0xC2 && second < 0xA0);
}

void display_append(struct text *out, struct slice value)
{
    for (size_t i = 0, size; i < value.size; i += size) {
        const char *at = value.data + i;

        size = utf8_sequence(at, value.size - i);
        if (size > 0 && !is_control(at, size)) {
            text_append(out, (struct slice){at, size});
            continue;
        }
        size = size ? size : 1;
        if (*at == '\n')
            text_append_string(out, "\\n");
        else if (*at == '\t')
            text_append_string(out, "\\t");
        else
            text_printf(out, "\\x%02x", (unsigned char)at[size - 1]);
    }
}

/* One character: its columns, and its bytes in *size. */
static unsigned character_width(struct slice text, size_t at, size_t *size)
{
    mbstate_t state = {0};
    wchar_t character;
    int columns;

    *size = mbrtowc(&character, text.data + at, text.size - at, &state);
    if (*size == (size_t)-1 || *size == (size_t)-2 || *size == 0) {
        *size = 1;
        return 1;
    }
    columns = wcwidth(character);
    return columns > 0 ? (unsigned)columns : 0;
}

/* The size of the longest beginning of at most `width` columns, with what combines behind it. */
static size_t prefix_size(struct slice text, unsigned width)
{
    size_t at = 0, size;
    unsigned used = 0;

    while (at < text.size) {
        used += character_width(text, at, &size);
        if (used > width)
            break;
        at += size;
    }
    return at;
}

unsigned display_width(struct slice text)
{
    unsigned width = 0;

    for (size_t at = 0, size; at < text.size; at += size)
        width += character_width(text, at, &size);
    return width;
}

void display_append_cut(struct text *out, struct slice text, unsigned width)
{
    if (prefix_size(text, width) == text.size) {
        text_append(out, text);
        return;
    }
    text_append(out, (struct slice){text.data, prefix_size(text, width ? width - 1 : 0)});
    text_append_string(out, "…");
}

size_t display_line(struct slice text, unsigned width, size_t *next)
{
    size_t fits = prefix_size(text, width), size;

    if (fits == 0 && text.size > 0) /* a line has one character at least */
        character_width(text, 0, &fits);
    size = *next = fits;
    if (fits == text.size)
        return fits;
    while (size > 0 && text.data[size] != ' ')
        size--;
    if (size == 0) /* a word that is longer than the line */
        return fits;
    *next = size + 1;
    while (*next < text.size && text.data[*next] == ' ')
        ++*next;
    return size;
}

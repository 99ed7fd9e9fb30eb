#include "cli/shell/dot_line.h"

#include <string.h>

#include "parser/scan.h"

struct slice dot_line_find(struct slice text, int *at)
{
    struct scan scan = scan_next(text, *at, SCAN_HOST);
    int start;
    size_t size;
    const char *end;

    while (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT) {
        *at = scan.end;
        scan = scan_next(text, *at, SCAN_HOST);
    }
    if ((size_t)*at >= text.size || text.data[*at] != '.')
        return SLICE("");
    for (start = *at; start > 0 && (text.data[start - 1] == ' ' || text.data[start - 1] == '\t');)
        start--;
    if (start > 0 && text.data[start - 1] != '\n')
        return SLICE("");
    size = text.size - (size_t)*at;
    end = memchr(text.data + *at, '\n', size);
    return (struct slice){text.data + *at, end ? (size_t)(end - text.data) - (size_t)*at : size};
}

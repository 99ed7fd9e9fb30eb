#include "tests/unit/golden_topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOPIC_BYTES_MAX (4 << 20)
#define CASE_BYTES_MAX  65536

static void give_up(const char *what, struct slice where)
{
    fprintf(stderr, "golden_topic: %s \"%.*s\"\n", what, SLICE_FORMAT(where));
    abort();
}

struct golden_topic golden_topic_read(const char *path)
{
    static char buffer[TOPIC_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    size_t size;

    if (!file)
        give_up("cannot open", slice_of(path));
    size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    if (size == sizeof buffer)
        give_up("too large is", slice_of(path));
    return (struct golden_topic){.rest = {buffer, size}};
}

static bool begins(struct slice text, const char *prefix)
{
    return slice_is(slice_prefix(text, strlen(prefix)), prefix);
}

/* A line with its end. */
static struct slice next_line(struct slice *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    struct slice line = {rest->data, end ? (size_t)(end - rest->data) + 1 : rest->size};

    rest->data += line.size;
    rest->size -= line.size;
    return line;
}

/* All up to a line that begins so, or so; without the empty line before "===". */
static struct slice section(struct slice *rest, const char *end, const char *other_end)
{
    struct slice found = {rest->data, 0};

    while (rest->size > 0 && !begins(*rest, end) && !begins(*rest, other_end))
        found.size += next_line(rest).size;
    if (begins(*rest, "=== ") && found.size > 0)
        found.size--;
    return found;
}

static void append(struct slice *text, char *buffer, struct slice bytes)
{
    if (text->size + bytes.size > CASE_BYTES_MAX)
        give_up("too long is", bytes);
    memcpy(buffer + text->size, bytes.data, bytes.size);
    text->size += bytes.size;
}

/* Each line of the tables is a comment. */
static struct slice text_of(struct slice tables, struct slice statement)
{
    static char buffer[CASE_BYTES_MAX];
    struct slice text = {buffer, 0};

    while (tables.size > 0) {
        append(&text, buffer, SLICE("-- "));
        append(&text, buffer, next_line(&tables));
    }
    append(&text, buffer, statement);
    return text;
}

/* "=== error_empty, like train_iris: a remark" */
static struct slice name_of(struct slice head)
{
    struct slice name = {head.data + 4, 0};

    while (4 + name.size < head.size && !strchr(",:\n", name.data[name.size]))
        name.size++;
    return name;
}

bool golden_topic_next(struct golden_topic *topic, struct golden_case *next)
{
    for (;;) {
        section(&topic->rest, "=== ", "=== ");
        if (topic->rest.size == 0)
            return false;
        next->name = name_of(next_line(&topic->rest));
        if (!slice_is(next->name, "tables"))
            break;
        topic->tables = section(&topic->rest, "=== ", "=== ");
    }
    next->text = text_of(topic->tables, section(&topic->rest, "--- ", "=== "));
    return true;
}

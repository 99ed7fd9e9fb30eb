#include "codegen/model_path.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(struct slice name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!is_letter(name.data[i]) && !(i > 0 && name.data[i] >= '0' && name.data[i] <= '9'))
            return false;
    return name.size > 0;
}

static void write_part(struct slice part, struct text *out)
{
    if (is_plain(part))
        text_append(out, part);
    else
        text_append_identifier(out, part);
}

void model_path_write(struct slice schema, struct slice name, struct text *out)
{
    if (schema.size > 0) {
        write_part(schema, out);
        text_append_char(out, '.');
    }
    write_part(name, out);
}

static enum status refuse_path(struct slice text, const char *why, struct error *err)
{
    fail(err, STATUS_INVALID, "\"%.*s\" is not a valid name of a model: %s", SLICE_FORMAT(text),
         why);
    return error_hint(err, "Write 'model', 'schema.model', or '\"my model\"' for a name with other "
                           "characters.");
}

/* "..." with doubled quotes inside; *at is behind the closing one afterwards. */
static const char *read_quoted(struct slice text, size_t *at, struct text *part)
{
    for (++*at; *at < text.size; ++*at) {
        if (text.data[*at] == '"') {
            if (*at + 1 >= text.size || text.data[*at + 1] != '"') {
                ++*at;
                return NULL;
            }
            ++*at;
        }
        text_append_char(part, text.data[*at]);
    }
    return "a quote is open";
}

static const char *read_word(struct slice text, size_t *at, struct text *part)
{
    for (; *at < text.size && text.data[*at] != '.'; ++*at) {
        if (text.data[*at] == '"')
            return "a quote stands inside a word";
        text_append_char(part, text.data[*at]);
    }
    return NULL;
}

static const char *read_part(struct slice text, size_t *at, struct text *part)
{
    const char *fault;

    text_clear(part);
    if (*at < text.size && text.data[*at] == '"')
        fault = read_quoted(text, at, part);
    else
        fault = read_word(text, at, part);
    if (fault)
        return fault;
    if (part->size == 0)
        return "a part is empty";
    if (*at < text.size && text.data[*at] != '.')
        return "text follows a quoted part";
    return NULL;
}

enum status model_path_read(struct slice text, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err)
{
    struct slice parts[2] = {{NULL, 0}, {NULL, 0}};
    struct text part;
    const char *fault = NULL;
    size_t at = 0, count = 0;
    bool has_memory;

    if (text.size > MODEL_PATH_BYTES_MAX)
        return fail(err, STATUS_INVALID, "a model's name of %zu bytes, where at most %d are read",
                    text.size, MODEL_PATH_BYTES_MAX);
    text_init(&part, MODEL_PATH_BYTES_MAX);
    do {
        fault = count == 2 ? "it has more than two parts" : read_part(text, &at, &part);
        if (!fault)
            parts[count++] = arena_copy(arena, text_slice(&part));
        has_memory = !part.failed && (count == 0 || parts[count - 1].data);
    } while (has_memory && !fault && at++ < text.size);
    text_deinit(&part);
    if (!has_memory)
        return fail_no_memory(err);
    if (fault)
        return refuse_path(text, fault, err);
    *schema = count == 2 ? parts[0] : (struct slice){NULL, 0};
    *name = parts[count - 1];
    return STATUS_OK;
}

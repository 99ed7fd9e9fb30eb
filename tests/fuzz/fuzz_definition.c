/*
 * fuzz_definition.c - any bytes as the text of a definition, and as a statement that is stored.
 *
 * A text that is read becomes a graph, or an error with a place in the text; a graph that is made
 * stands as JSON, which is read back as the same calls; shapes follow or do not.
 */
#include <stdlib.h>

#include "definition/definition.h"
#include "graph/graph_infer.h"
#include "graph/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

static const struct definition_column columns[] = {
    {.name = {"a", 1}}, {.name = {"b", 1}}, {.name = {"w", 1}, .is_word = true}};
static const struct definition_columns known = {.columns = columns, .count = 3};
static const struct graph_column row_columns[] = {{.name = {"a", 1}, .dense = 0, .dense_count = 1},
                                                  {.name = {"b", 1}, .dense = 1, .dense_count = 1},
                                                  {.name = {"w", 1}, .id_count = 1, .rows = 4}};
static const struct graph_row row = {
    .columns = row_columns, .column_count = 3, .features = 2, .ids = 1, .id_rows = 4, .outputs = 2};

static void check_json(const struct graph *graph, struct arena *arena)
{
    cJSON *object = cJSON_CreateObject(), *read;
    struct graph again;
    struct text text;
    struct error err;

    text_init(&text, TEXT_MAXIMUM);
    CLAIM(object);
    graph_write(graph, object);
    CLAIM(json_print(object, false, &text, &err) == STATUS_OK);
    CLAIM(json_parse(text_slice(&text), TEXT_MAXIMUM, &read, &err) == STATUS_OK);
    CLAIM(graph_read(read, arena, &again, &err) == STATUS_OK);
    CLAIM(graph_equal(graph, &again));
    cJSON_Delete(read);
    cJSON_Delete(object);
    text_deinit(&text);
}

static void check_text(struct slice text, struct arena *arena)
{
    struct definition definition = {.text = text};
    struct graph graph;
    struct error err;

    error_clear(&err);
    if (definition_read(text, arena, &definition.steps, &err) != STATUS_OK ||
        definition_compile(&definition, NULL, &known, arena, &graph, &err) != STATUS_OK) {
        CLAIM(err.message[0] && err.position >= -1 && err.position <= (int)text.size);
        return;
    }
    check_json(&graph, arena);
    (void)graph_infer(&graph, &row, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = {(const char *)data, size};
    struct definition definition;
    struct arena arena;
    struct error err;

    arena_init(&arena, (size_t)64 << 20);
    check_text(text, &arena);
    error_clear(&err);
    (void)definition_of_stored(text, SLICE("zoo/x"), &arena, &definition, &err);
    arena_deinit(&arena);
    return 0;
}

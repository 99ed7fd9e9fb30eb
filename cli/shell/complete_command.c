#include "cli/shell/complete_command.h"

#include <stdio.h>

#include "base/json.h"
#include "cli/session/input.h"
#include "cli/session/options.h"
#include "cli/shell/completion.h"
#include "cli/shell/names.h"

static const char usage[] =
    "usage: totrain complete\n"
    "\n"
    "Reads a text, a position in it and the names of a database from standard input,\n"
    "and prints what may be typed there, both as one line of JSON. For editors and\n"
    "notebooks; needs no database.\n"
    "\n"
    "    echo '{\"text\":\"SELECT * FROM t TO TR\",\"cursor\":21,\"tables\":{\"t\":[\"a\"]},"
    "\"models\":[]}' |\n"
    "        totrain complete\n";

static enum status read_list(const cJSON *array, size_t *count, struct arena *arena,
                             struct slice **names, struct error *err)
{
    const cJSON *item;

    *count = 0;
    *names = ARENA_NEW(arena, struct slice, (size_t)cJSON_GetArraySize(array) + 1);
    if (!*names)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, array)
    {
        if (!cJSON_IsString(item))
            return fail(err, STATUS_INVALID, "complete: a name is a text");
        (*names)[(*count)++] = names_spell(arena, slice_of(item->valuestring));
    }
    return STATUS_OK;
}

static enum status read_tables(const cJSON *tables, struct arena *arena,
                               struct completion_names *names, struct error *err)
{
    const cJSON *item;
    struct completion_table *made =
        ARENA_NEW(arena, struct completion_table, (size_t)cJSON_GetArraySize(tables) + 1);

    if (!made)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, tables)
    {
        struct completion_table *table = &made[names->table_count++];
        struct slice *columns;
        if (!cJSON_IsArray(item))
            return fail(err, STATUS_INVALID, "complete: a table is a list of its columns");
        table->name = names_spell(arena, slice_of(item->string));
        TRY(read_list(item, &table->column_count, arena, &columns, err));
        table->columns = columns;
    }
    names->tables = made;
    return STATUS_OK;
}

static enum status find(const cJSON *asked, struct arena *arena, struct completion *completion,
                        struct error *err)
{
    struct completion_names names = {.commands = NULL};
    const cJSON *tables, *models;
    struct slice text, *listed;
    int64_t cursor;

    TRY(json_get_string(asked, "text", &text, err));
    TRY(json_get_integer(asked, "cursor", 0, (int64_t)text.size, &cursor, err));
    TRY(json_get_object(asked, "tables", &tables, err));
    TRY(json_get_array(asked, "models", NAMES_MAX, &models, err));
    TRY(read_tables(tables, arena, &names, err));
    TRY(read_list(models, &names.model_count, arena, &listed, err));
    names.models = listed;
    return completion_find(text, (size_t)cursor, &names, arena, completion, err);
}

static enum status print(const struct completion *completion, struct error *err)
{
    cJSON *found = cJSON_CreateObject(), *candidates = json_add_array(found, "candidates");
    struct text line;
    enum status status;

    json_add_integer(found, "start", (int64_t)completion->start);
    for (size_t i = 0; i < completion->count; i++) {
        cJSON *candidate = cJSON_CreateObject();
        json_add_string(candidate, "text", completion->candidates[i].text);
        json_add_string(candidate, "help", completion->candidates[i].help);
        json_append(candidates, candidate);
    }
    json_add_string(found, "note", completion->note);
    text_init(&line, JSON_BYTES_MAX);
    status = json_print(found, false, &line, err);
    if (status == STATUS_OK)
        puts(text_string(&line));
    text_deinit(&line);
    cJSON_Delete(found);
    return status;
}

static enum status complete(struct slice bytes, struct error *err)
{
    struct completion completion;
    struct arena arena;
    cJSON *asked;
    enum status status;

    TRY(json_parse(bytes, INPUT_BYTES_MAX, &asked, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = find(asked, &arena, &completion, err);
    if (status == STATUS_OK)
        status = print(&completion, err);
    arena_deinit(&arena);
    cJSON_Delete(asked);
    return status;
}

int command_complete(int argc, char **argv)
{
    struct options options;
    struct text input;
    struct error err;
    enum status status;

    error_clear(&err);
    if (options_read(argc, argv, OPTION_COLOUR | OPTION_HELP, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        return 0;
    }
    text_init(&input, INPUT_BYTES_MAX);
    status = input_read("-", &input, &err);
    if (status == STATUS_OK)
        status = complete(text_slice(&input), &err);
    text_deinit(&input);
    return status == STATUS_OK ? 0 : report(&err, options.colour);
}

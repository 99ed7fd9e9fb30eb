#include "parser/statement.h"

#include <string.h>

static const char *const kind_names[] = {
    [STATEMENT_SQL] = "SQL",
    [STATEMENT_TRAIN] = "TRAIN",
    [STATEMENT_PREDICT] = "PREDICT",
    [STATEMENT_EVALUATE] = "EVALUATE",
    [STATEMENT_EXPLAIN] = "EXPLAIN",
    [STATEMENT_RUN] = "RUN",
    [STATEMENT_OPTIMIZE] = "OPTIMIZE",
    [STATEMENT_FORECAST] = "FORECAST",
    [STATEMENT_SHOW_TRAIN] = "SHOW TRAIN",
    [STATEMENT_SHOW_MODEL] = "SHOW MODEL",
    [STATEMENT_SHOW_MODELS] = "SHOW MODELS",
    [STATEMENT_SHOW_VERSIONS] = "SHOW VERSIONS",
    [STATEMENT_SHOW_TRIALS] = "SHOW TRIALS",
    [STATEMENT_SHOW_JOBS] = "SHOW JOBS",
    [STATEMENT_SHOW_ATTRIBUTES] = "SHOW ATTRIBUTES",
    [STATEMENT_CANCEL_JOB] = "CANCEL JOB",
    [STATEMENT_ROLLBACK_MODEL] = "ROLLBACK MODEL",
    [STATEMENT_EXPORT_MODEL] = "EXPORT MODEL",
    [STATEMENT_IMPORT_MODEL] = "IMPORT MODEL",
    [STATEMENT_REPORT_MODEL] = "REPORT MODEL",
    [STATEMENT_DEFINE_MODEL] = "DEFINE MODEL",
    [STATEMENT_SHOW_DEFINITIONS] = "SHOW DEFINITIONS",
    [STATEMENT_SHOW_DEFINITION] = "SHOW DEFINITION",
    [STATEMENT_DROP_DEFINITION] = "DROP DEFINITION",
    [STATEMENT_EXPORT_DEFINITION] = "EXPORT DEFINITION",
    [STATEMENT_IMPORT_DEFINITION] = "IMPORT DEFINITION",
};

const char *statement_kind_name(enum statement_kind kind)
{
    return kind_names[kind];
}

struct name path_last(const struct path *path)
{
    if (path->count == 0)
        return (struct name){.position = -1};
    return path->parts[path->count - 1];
}

bool statement_writes_nothing(const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_PREDICT:
        return !statement_predicts_into_table(statement);
    case STATEMENT_EVALUATE:
    case STATEMENT_EXPLAIN:
    case STATEMENT_FORECAST:
        return statement->into.count == 0;
    case STATEMENT_SHOW_TRAIN:
    case STATEMENT_SHOW_MODEL:
    case STATEMENT_SHOW_MODELS:
    case STATEMENT_SHOW_VERSIONS:
    case STATEMENT_SHOW_TRIALS:
    case STATEMENT_SHOW_JOBS:
    case STATEMENT_SHOW_ATTRIBUTES:
    case STATEMENT_SHOW_DEFINITIONS:
    case STATEMENT_SHOW_DEFINITION:
        return true;
    default:
        return false;
    }
}

/* Quotes are doubled in a string, and a backslash stands before some letters. */
int statement_definition_place(const struct statement *statement, int offset)
{
    const struct slice written = statement->definition_written;
    size_t at = 1;

    if (written.size > 0 && written.data[0] == '$')
        return statement->definition_position +
               (int)(written.size - statement->definition.size) / 2 + offset;
    for (int i = 0; i < offset && at + 1 < written.size; i++) {
        const char c = written.data[at], next = written.data[at + 1];
        const bool is_escape = c == '\\' && strchr("ntr\\'\"", next);

        at += is_escape || c == '\'' ? 2 : 1;
    }
    return statement->definition_position + (int)at;
}

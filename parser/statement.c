#include "parser/statement.h"

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

#include "console/model_desk.h"

#include "codegen/model_path.h"
#include "console/json_rows.h"
#include "extension/engine/engine.h"
#include "extension/engine/host/result.h"
#include "extension/engine/model_picture.h"
#include "extension/engine/report_run.h"

#define TYPE_JSON "application/json"

void desk_task_fail(struct desk_task *task, const struct error *err)
{
    text_clear(&task->reply);
    task->code = err->status == STATUS_NOT_FOUND    ? 404
                 : err->status == STATUS_PERMISSION ? 403
                                                    : 409;
    task->type = TYPE_JSON;
    text_append_string(&task->reply, "{\"error\":");
    json_append_string(&task->reply, slice_of(err->message));
    text_append_string(&task->reply, ",\"hint\":");
    json_append_string(&task->reply, slice_of(err->hint));
    text_append_string(&task->reply, "}\n");
}

/* ----- names ----- */

/* The model of a request as a path of the scoring functions. A name of SQLite's list is a table's
 * name; PostgreSQL lists a path. */
static void write_path(const struct host *host, const char *name, struct text *path)
{
    if (host->catalog.dialect == SQL_POSTGRES)
        text_append_string(path, name);
    else
        model_path_write(SLICE(""), slice_of(name), path);
}

/* The same quoted, as statements take it whatever is in it. */
static enum status write_name(const struct host *host, const char *listed, struct text *out,
                              struct error *err)
{
    struct slice schema, name;
    struct arena arena;
    struct text path;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&path, TEXT_MAXIMUM);
    write_path(host, listed, &path);
    status = path.failed ? fail_no_memory(err)
                         : model_path_read(text_slice(&path), &arena, &schema, &name, err);
    if (status == STATUS_OK && schema.size > 0) {
        text_append_identifier(out, schema);
        text_append_char(out, '.');
    }
    if (status == STATUS_OK)
        text_append_identifier(out, name);
    text_deinit(&path);
    arena_deinit(&arena);
    return status;
}

/* ----- tables ----- */

/* {"columns":[...],"rows":[...]} of a statement of ours. */
static enum status append_rows(const struct host *host, struct slice statement, struct text *out,
                               struct error *err)
{
    struct result result;
    struct sink sink;
    enum status status;

    result_init(&result);
    sink = result_sink(&result);
    status = engine_run(host, statement, NULL, &sink, err);
    text_append_string(out, "{\"columns\":[");
    for (size_t i = 0; i < result.column_count; i++) {
        text_append_string(out, i > 0 ? "," : "");
        json_append_string(out, result.names[i]);
    }
    text_append_string(out, "],\"rows\":[");
    for (const struct result_row *row = result.first; row; row = row->next) {
        json_append_cells(out, row->cells, result.column_count);
        text_append_string(out, row->next ? ",\n" : "");
    }
    text_append_string(out, "]}");
    result_deinit(&result);
    return status;
}

static enum status append_rows_of(const struct host *host, const char *verb, const char *name,
                                  struct text *out, struct error *err)
{
    struct text statement;
    enum status status;

    text_init(&statement, TEXT_MAXIMUM);
    text_append_string(&statement, verb);
    status = write_name(host, name, &statement, err);
    if (status == STATUS_OK)
        status = statement.failed ? fail_no_memory(err)
                                  : append_rows(host, text_slice(&statement), out, err);
    text_deinit(&statement);
    return status;
}

static enum status list_models(const struct host *host, struct desk_task *task, struct error *err)
{
    task->type = TYPE_JSON;
    return append_rows(host, SLICE("SHOW MODELS FULL"), &task->reply, err);
}

/* The name as statements take it, for those that the page offers to copy. */
static enum status append_name(const struct host *host, const char *listed, struct text *out,
                               struct error *err)
{
    struct text name;
    enum status status;

    text_init(&name, TEXT_MAXIMUM);
    status = write_name(host, listed, &name, err);
    json_append_string(out, text_slice(&name));
    text_deinit(&name);
    return status;
}

/* The statement that makes a report: inside of a PostgreSQL server none writes a file. */
static enum status append_report(const struct host *host, const char *listed, struct text *out,
                                 struct error *err)
{
    struct text statement, name;
    enum status status;

    text_init(&statement, TEXT_MAXIMUM);
    text_init(&name, TEXT_MAXIMUM);
    status = write_name(host, listed, &name, err);
    if (host->catalog.dialect == SQL_POSTGRES) {
        text_append_string(&statement, "SELECT totrain.report(");
        text_append_literal(&statement, text_slice(&name));
        text_append_string(&statement, ");");
    } else {
        text_printf(&statement, "REPORT MODEL %s TO 'card.html';", text_string(&name));
    }
    json_append_string(out, text_slice(&statement));
    text_deinit(&name);
    text_deinit(&statement);
    return status;
}

static enum status show_model(const struct host *host, struct desk_task *task, struct error *err)
{
    const char *name = task->request.name;

    task->type = TYPE_JSON;
    text_append_string(&task->reply, "{\"quoted\":");
    TRY(append_name(host, name, &task->reply, err));
    text_append_string(&task->reply, ",\n\"report\":");
    TRY(append_report(host, name, &task->reply, err));
    text_append_string(&task->reply, ",\n\"facts\":");
    TRY(append_rows_of(host, "SHOW MODEL ", name, &task->reply, err));
    text_append_string(&task->reply, ",\n\"versions\":");
    TRY(append_rows_of(host, "SHOW VERSIONS ", name, &task->reply, err));
    text_append_string(&task->reply, "}\n");
    return STATUS_OK;
}

/* ----- pages ----- */

static enum status draw_picture(const struct host *host, struct desk_task *task, struct error *err)
{
    struct model_picture picture = {.theme = THEME_AUTO};
    struct text name;
    enum status status;

    if (!picture_find(slice_of(task->request.kind), &picture.kind) ||
        (task->request.theme[0] && !theme_find(slice_of(task->request.theme), &picture.theme)))
        return fail(err, STATUS_NOT_FOUND, "there is no such picture");
    task->type = "image/svg+xml";
    text_init(&name, TEXT_MAXIMUM);
    status = write_name(host, task->request.name, &name, err);
    picture.model = text_string(&name);
    if (status == STATUS_OK)
        status = model_picture_draw(host, &picture, &task->reply, err);
    text_deinit(&name);
    return status;
}

static enum status write_report(const struct host *host, struct desk_task *task, struct error *err)
{
    struct text path;
    enum status status;

    task->type = "text/html; charset=utf-8";
    text_init(&path, TEXT_MAXIMUM);
    write_path(host, task->request.name, &path);
    status = path.failed ? fail_no_memory(err)
                         : report_function(host, &(struct report_call){.model = text_slice(&path)},
                                           &task->reply, err);
    text_deinit(&path);
    return status;
}

void model_desk_work(const struct host *host, struct desk_task *task)
{
    struct error err;
    enum status status;

    error_clear(&err);
    task->code = 200;
    switch (task->request.call) {
    case CONSOLE_MODELS:
        status = list_models(host, task, &err);
        break;
    case CONSOLE_MODEL:
        status = show_model(host, task, &err);
        break;
    case CONSOLE_PICTURE:
        status = draw_picture(host, task, &err);
        break;
    default:
        status = write_report(host, task, &err);
        break;
    }
    if (status == STATUS_OK && task->reply.failed)
        status = fail(&err, STATUS_LIMIT, "the answer is larger than %d MiB",
                      (int)(DESK_REPLY_MAX >> 20));
    if (status != STATUS_OK)
        desk_task_fail(task, &err);
}

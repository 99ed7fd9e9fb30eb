#include "extension/engine/model_picture.h"

#include "extension/engine/host/result.h"
#include "extension/engine/model_rows.h"

static enum status write_statement(const struct host *host, const struct model_picture *picture,
                                   struct arena *arena, struct text *sql, struct error *err)
{
    struct slice select = picture->select;
    struct picture_table shown;

    if (select.size == 0 && picture_needs_rows(picture->kind)) {
        TRY(model_rows_show(host, picture->model, arena, &shown, err));
        TRY(model_rows_select(host, picture->model, &shown, arena, &select, err));
    }
    picture_statement(picture->kind, select, slice_of(picture->model), sql);
    return STATUS_OK;
}

enum status model_picture_draw(const struct host *host, const struct model_picture *picture,
                               struct text *svg, struct error *err)
{
    struct slice schema, name;
    struct picture_table table;
    struct arena arena;
    struct text sql;
    enum status status;

    arena_init(&arena, RESULT_BYTES_MAX);
    text_init(&sql, TEXT_MAXIMUM);
    status = write_statement(host, picture, &arena, &sql, err);
    if (status == STATUS_OK)
        status = model_rows(host, &sql, &arena, &table, err);
    if (status == STATUS_OK)
        status = model_rows_name(picture->model, &arena, &schema, &name, err);
    if (status == STATUS_OK)
        status = picture_draw(picture->kind, &table, name, picture->theme, svg, err);
    text_deinit(&sql);
    arena_deinit(&arena);
    return status;
}

#include "extension/sqlite/frame_vtab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct frame_vtab {
    sqlite3_vtab base;
    struct frame *frame;
};

struct frame_cursor {
    sqlite3_vtab_cursor base;
    int64_t row;
};

/* The declared types say to the planner, as those of a table would, what a column holds. */
static const char *declared(const struct frame_column *column)
{
    if (column->kind == FRAME_FLOAT64 || column->kind == FRAME_FLOAT32)
        return " REAL";
    return column->kind == FRAME_WORDS ? " TEXT" : " INTEGER";
}

static int declare(sqlite3 *db, const struct frame *frame)
{
    struct text sql;
    int code;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "CREATE TABLE t(");
    for (int32_t i = 0; i < frame->count; i++) {
        text_append_string(&sql, i > 0 ? ", " : "");
        text_append_identifier(&sql, slice_of(frame->columns[i].name));
        text_append_string(&sql, declared(&frame->columns[i]));
    }
    text_append_string(&sql, ")");
    code = sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, text_string(&sql));
    text_deinit(&sql);
    return code;
}

static int connect_frame(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **vtab, char **message)
{
    struct frame_vtab *made;
    struct frame *frame = NULL;
    int code;

    (void)context;
    if (count == 4)
        frame = frame_use(strtoll(arguments[3], NULL, 10));
    if (!frame) {
        *message = sqlite3_mprintf("totrain_frame: there is no frame of this key");
        return SQLITE_ERROR;
    }
    code = declare(db, frame);
    made = code == SQLITE_OK ? sqlite3_malloc64(sizeof *made) : NULL;
    if (!made) {
        if (code != SQLITE_OK)
            *message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
        frame_let_go(frame);
        return code != SQLITE_OK ? code : SQLITE_NOMEM;
    }
    *made = (struct frame_vtab){.frame = frame};
    *vtab = &made->base;
    return SQLITE_OK;
}

static int disconnect_frame(sqlite3_vtab *vtab)
{
    frame_let_go(((struct frame_vtab *)vtab)->frame);
    sqlite3_free(vtab);
    return SQLITE_OK;
}

static const struct frame *frame_of(const sqlite3_vtab_cursor *cursor)
{
    return ((const struct frame_vtab *)cursor->pVtab)->frame;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    const struct frame *frame = ((struct frame_vtab *)vtab)->frame;

    info->estimatedCost = (double)frame->rows;
    info->estimatedRows = frame->rows;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct frame_cursor *made = sqlite3_malloc64(sizeof *made);

    (void)vtab;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *text, int count,
                  sqlite3_value **values)
{
    (void)index;
    (void)text;
    (void)count;
    (void)values;
    ((struct frame_cursor *)base)->row = 0;
    if (!frame_of(base)->is_removed)
        return SQLITE_OK;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("totrain_frame: the frame has been removed");
    return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct frame_cursor *)base)->row++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct frame *frame = frame_of(base);

    return frame->is_removed || ((struct frame_cursor *)base)->row >= frame->rows;
}

static void give_real(sqlite3_context *context, double value)
{
    if (!isnan(value)) /* else NULL, which is the result of a function that sets none */
        sqlite3_result_double(context, value);
}

static void give_unsigned(sqlite3_context *context, uint64_t value)
{
    if (value > INT64_MAX)
        sqlite3_result_double(context, (double)value);
    else
        sqlite3_result_int64(context, (sqlite3_int64)value);
}

static void give_word(sqlite3_context *context, const struct frame_column *column, int32_t code)
{
    if (code >= 0 && code < column->texts)
        sqlite3_result_text64(context, column->bytes + column->offsets[code],
                              (sqlite3_uint64)(column->offsets[code + 1] - column->offsets[code]),
                              SQLITE_STATIC, SQLITE_UTF8);
}

/* Values lie where the caller's arrays have them, which need not be aligned. */
static void give_value(sqlite3_context *context, const struct frame_column *column, int64_t row)
{
    const char *at = (const char *)column->values + row * column->stride;
    union {
        double f64;
        float f32;
        int64_t i64;
        int32_t i32;
        int16_t i16;
        int8_t i8;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } value;
    static const uint8_t sizes[] = {8, 4, 8, 4, 2, 1, 8, 4, 2, 1, 1, 4};

    memcpy(&value, at, sizes[column->kind]);
    switch ((enum frame_kind)column->kind) {
    case FRAME_FLOAT64:
        return give_real(context, value.f64);
    case FRAME_FLOAT32:
        return give_real(context, (double)value.f32);
    case FRAME_INT64:
        return sqlite3_result_int64(context, value.i64);
    case FRAME_INT32:
        return sqlite3_result_int64(context, value.i32);
    case FRAME_INT16:
        return sqlite3_result_int64(context, value.i16);
    case FRAME_INT8:
        return sqlite3_result_int64(context, value.i8);
    case FRAME_UINT64:
        return give_unsigned(context, value.u64);
    case FRAME_UINT32:
        return sqlite3_result_int64(context, value.u32);
    case FRAME_UINT16:
        return sqlite3_result_int64(context, value.u16);
    case FRAME_UINT8:
        return sqlite3_result_int64(context, value.u8);
    case FRAME_BOOL:
        return sqlite3_result_int64(context, value.u8 != 0);
    case FRAME_WORDS:
        return give_word(context, column, value.i32);
    }
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct frame_column *column = &frame_of(base)->columns[number];
    const int64_t row = ((struct frame_cursor *)base)->row;

    if (!column->valid || column->valid[row]) /* else NULL */
        give_value(context, column, row);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((struct frame_cursor *)base)->row + 1;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 1,
    .xCreate = connect_frame,
    .xConnect = connect_frame,
    .xBestIndex = best_index,
    .xDisconnect = disconnect_frame,
    .xDestroy = disconnect_frame,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = give_column,
    .xRowid = row_id,
};

int frame_vtab_register(sqlite3 *db)
{
    return sqlite3_create_module_v2(db, "totrain_frame", &module, NULL, NULL);
}

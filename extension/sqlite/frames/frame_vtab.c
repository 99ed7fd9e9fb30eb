#include "extension/sqlite/frames/frame_vtab.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct frame_vtab {
    sqlite3_vtab base;
    struct frame *frame;
    sqlite3 *db;
    char *schema, *table;
    struct frame_vtab *next;
};

/* All tables of this process that show frames. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct frame_vtab *tables;

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

static void vtab_free(struct frame_vtab *vtab)
{
    if (!vtab)
        return;
    sqlite3_free(vtab->schema);
    sqlite3_free(vtab->table);
    sqlite3_free(vtab);
}

static struct frame_vtab *vtab_new(sqlite3 *db, const char *schema, const char *table)
{
    struct frame_vtab *vtab = sqlite3_malloc64(sizeof *vtab);

    if (!vtab)
        return NULL;
    *vtab = (struct frame_vtab){
        .db = db, .schema = sqlite3_mprintf("%s", schema), .table = sqlite3_mprintf("%s", table)};
    if (vtab->schema && vtab->table)
        return vtab;
    vtab_free(vtab);
    return NULL;
}

static void list(struct frame_vtab *vtab)
{
    pthread_mutex_lock(&lock);
    vtab->next = tables;
    tables = vtab;
    pthread_mutex_unlock(&lock);
}

static void unlist(struct frame_vtab *vtab)
{
    struct frame_vtab **at = &tables;

    pthread_mutex_lock(&lock);
    while (*at != vtab)
        at = &(*at)->next;
    *at = vtab->next;
    pthread_mutex_unlock(&lock);
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
    made = code == SQLITE_OK ? vtab_new(db, arguments[1], arguments[2]) : NULL;
    if (!made) {
        if (code != SQLITE_OK)
            *message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
        frame_let_go(frame);
        return code != SQLITE_OK ? code : SQLITE_NOMEM;
    }
    made->frame = frame;
    list(made);
    *vtab = &made->base;
    return SQLITE_OK;
}

static int disconnect_frame(sqlite3_vtab *base)
{
    struct frame_vtab *vtab = (struct frame_vtab *)base;

    unlist(vtab);
    frame_let_go(vtab->frame);
    vtab_free(vtab);
    return SQLITE_OK;
}

struct frame *frame_vtab_find(sqlite3 *db, struct slice schema, struct slice table)
{
    struct frame *frame = NULL;

    pthread_mutex_lock(&lock);
    for (const struct frame_vtab *vtab = tables; vtab && !frame; vtab = vtab->next)
        if (vtab->db == db && slice_equal_fold(slice_of(vtab->schema), schema) &&
            slice_equal_fold(slice_of(vtab->table), table))
            frame = frame_use(vtab->frame->key);
    pthread_mutex_unlock(&lock);
    return frame;
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

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    struct cell cell;

    frame_cell(&frame_of(base)->columns[number], ((struct frame_cursor *)base)->row, &cell);
    if (cell.type == CELL_REAL)
        sqlite3_result_double(context, cell.real);
    else if (cell.type == CELL_INTEGER)
        sqlite3_result_int64(context, cell.integer);
    else if (cell.type == CELL_TEXT)
        sqlite3_result_text64(context, cell.text.data, cell.text.size, SQLITE_STATIC, SQLITE_UTF8);
    return SQLITE_OK; /* else NULL, which is the result of a function that sets none */
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

#include "extension/sqlite/frames/frame.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct frame *frames;

static bool is_whole(const struct frame_column *column, int64_t rows)
{
    if (!column->name || column->kind < FRAME_FLOAT64 || column->kind > FRAME_WORDS)
        return false;
    if (rows > 0 && !column->values)
        return false;
    return column->kind != FRAME_WORDS || (column->offsets && column->bytes && column->texts >= 0);
}

static void frame_free(struct frame *frame)
{
    for (int32_t i = 0; frame->columns && i < frame->count; i++)
        free((char *)frame->columns[i].name);
    free(frame->columns);
    free(frame);
}

static struct frame *frame_copy(const struct frame_column *columns, int32_t count, int64_t rows)
{
    struct frame *frame = calloc(1, sizeof *frame);

    if (!frame)
        return NULL;
    *frame = (struct frame){.rows = rows, .users = 1};
    frame->columns = calloc((size_t)count, sizeof *frame->columns);
    while (frame->columns && frame->count < count) {
        struct frame_column *column = &frame->columns[frame->count];
        *column = columns[frame->count++];
        column->name = strdup(column->name);
        if (!column->name)
            break;
    }
    if (frame->columns && frame->columns[count - 1].name)
        return frame;
    frame_free(frame);
    return NULL;
}

int64_t totrain_frame_add(const struct frame_column *columns, int32_t count, int64_t rows)
{
    struct frame *frame;
    int64_t key = 0;

    if (count < 1 || count > FRAME_COLUMNS_MAX || rows < 0 || rows > FRAME_ROWS_MAX)
        return 0;
    for (int32_t i = 0; i < count; i++)
        if (!is_whole(&columns[i], rows))
            return 0;
    if (getrandom(&key, sizeof key, 0) != sizeof key)
        return 0;
    frame = frame_copy(columns, count, rows);
    if (!frame)
        return 0;
    frame->key = (key & INT64_MAX) | 1;
    pthread_mutex_lock(&lock);
    frame->next = frames;
    frames = frame;
    pthread_mutex_unlock(&lock);
    return frame->key;
}

/* Under the lock. */
static struct frame *find(int64_t key)
{
    struct frame *frame = frames;

    while (frame && (frame->key != key || frame->is_removed))
        frame = frame->next;
    return frame;
}

struct frame *frame_use(int64_t key)
{
    struct frame *frame;

    pthread_mutex_lock(&lock);
    frame = find(key);
    if (frame)
        frame->users++;
    pthread_mutex_unlock(&lock);
    return frame;
}

/* Under the lock. */
static void leave(struct frame *frame)
{
    struct frame **at = &frames;

    if (--frame->users > 0)
        return;
    while (*at && *at != frame)
        at = &(*at)->next;
    if (*at)
        *at = frame->next;
    frame_free(frame);
}

void frame_let_go(struct frame *frame)
{
    pthread_mutex_lock(&lock);
    leave(frame);
    pthread_mutex_unlock(&lock);
}

bool totrain_frame_remove(int64_t key)
{
    struct frame *frame;

    pthread_mutex_lock(&lock);
    frame = find(key);
    if (frame) {
        frame->is_removed = true;
        leave(frame);
    }
    pthread_mutex_unlock(&lock);
    return frame != NULL;
}

static struct cell real_cell(double value)
{
    return isnan(value) ? (struct cell){.type = CELL_NULL}
                        : (struct cell){.type = CELL_REAL, .real = value};
}

static struct cell whole_cell(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

static struct cell word_cell(const struct frame_column *column, int32_t code)
{
    if (code < 0 || code >= column->texts)
        return (struct cell){.type = CELL_NULL};
    return (struct cell){.type = CELL_TEXT,
                         .text = {column->bytes + column->offsets[code],
                                  (size_t)(column->offsets[code + 1] - column->offsets[code])}};
}

/* Values lie where the caller's arrays have them, which need not be aligned. */
static struct cell value_cell(const struct frame_column *column, const char *at)
{
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
        return real_cell(value.f64);
    case FRAME_FLOAT32:
        return real_cell((double)value.f32);
    case FRAME_INT64:
        return whole_cell(value.i64);
    case FRAME_INT32:
        return whole_cell(value.i32);
    case FRAME_INT16:
        return whole_cell(value.i16);
    case FRAME_INT8:
        return whole_cell(value.i8);
    case FRAME_UINT64:
        return value.u64 > INT64_MAX ? real_cell((double)value.u64)
                                     : whole_cell((int64_t)value.u64);
    case FRAME_UINT32:
        return whole_cell(value.u32);
    case FRAME_UINT16:
        return whole_cell(value.u16);
    case FRAME_UINT8:
        return whole_cell(value.u8);
    case FRAME_BOOL:
        return whole_cell(value.u8 != 0);
    case FRAME_WORDS:
        return word_cell(column, value.i32);
    }
    return (struct cell){.type = CELL_NULL}; /* totrain_frame_add takes no other kind */
}

void frame_cell(const struct frame_column *column, int64_t row, struct cell *cell)
{
    if (column->valid && !column->valid[row])
        *cell = (struct cell){.type = CELL_NULL};
    else
        *cell = value_cell(column, (const char *)column->values + row * column->stride);
}

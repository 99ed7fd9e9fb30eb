#include "runtime/data/dataset/fold_scores.h"

#include <math.h>
#include <string.h>

#include "runtime/data/dataset/model_file.h"

#define SLICE_SCORES (MODEL_CHUNK_BYTES / sizeof(struct fold_score))

_Static_assert(sizeof(struct fold_score) == 32, "a score has no padding");

enum status fold_scores_slice(const struct fold_score *scores, size_t count, struct arena *arena,
                              struct slice **slices, uint32_t *slice_count, struct error *err)
{
    const size_t needed = (count + SLICE_SCORES - 1) / SLICE_SCORES;

    *slices = ARENA_NEW(arena, struct slice, needed + 1);
    if (!*slices)
        return fail_no_memory(err);
    *slice_count = (uint32_t)needed;
    for (size_t i = 0; i < needed; i++) {
        const size_t first = i * SLICE_SCORES, left = count - first;
        const size_t taken = left < SLICE_SCORES ? left : SLICE_SCORES;

        (*slices)[i] = (struct slice){(const char *)(scores + first), taken * sizeof *scores};
    }
    return STATUS_OK;
}

bool fold_scores_is_row(const struct model_row *row)
{
    return slice_is(row->part, MODEL_FOLD_SCORES);
}

struct reading {
    struct fold_score *scores; /* NULL: they are counted */
    size_t count;
};

static enum status refuse(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "the scores of the folds are damaged");
}

static bool is_score(const struct fold_score *score)
{
    return !isnan(score->score) && score->rows > 0 && score->hits <= score->rows &&
           score->map < score->classes && score->classes <= CLASSES_MAX;
}

static enum status take_row(void *context, const struct model_row *row, struct error *err)
{
    struct reading *reading = context;
    const size_t count = row->data.size / sizeof *reading->scores;

    if (!fold_scores_is_row(row) || !row->has_data ||
        count * sizeof *reading->scores != row->data.size ||
        count > FOLD_SCORES_MAX - reading->count)
        return refuse(err);
    if (reading->scores)
        memcpy(reading->scores + reading->count, row->data.data, row->data.size);
    for (size_t i = 0; reading->scores && i < count; i++)
        if (!is_score(&reading->scores[reading->count + i]))
            return refuse(err);
    reading->count += count;
    return STATUS_OK;
}

enum status fold_scores_read(const char *path, struct arena *arena, struct fold_score **scores,
                             size_t *count, struct error *err)
{
    struct reading reading = {NULL, 0};

    TRY(model_file_read(path, take_row, &reading, err));
    *count = reading.count;
    *scores = ARENA_NEW(arena, struct fold_score, reading.count + 1);
    if (!*scores)
        return fail_no_memory(err);
    reading = (struct reading){*scores, 0};
    TRY(model_file_read(path, take_row, &reading, err));
    return reading.count == *count && *count > 0 ? STATUS_OK : refuse(err);
}

#include "runtime/data/keyed_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/dataset_ranges.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_learn.h"
#include "runtime/data/spool/spool_reader.h"

#define RELEASED_BYTES ((uint64_t)64 << 20)
#define TASKS_A_MEMBER 2 /* tasks of a load, so that nobody waits long for the last */

struct keyed_rows {
    struct part_source train, validation;
    struct class_index index;
    struct range_loader *loaders[TEAM_SIZE_MAX]; /* made when a team of so many loads */
    uint64_t bytes_read; /* bytes of the spools, about, since they were released */
    uint64_t loading_us;
};

static enum status open_sources(struct keyed_rows *rows, const struct dataset *dataset,
                                bool has_validation, struct error *err)
{
    const struct spool *spool = has_validation ? &dataset->validation_spool : &dataset->spool;
    const enum spool_part part = has_validation ? SPOOL_KEPT : SPOOL_HELD_OUT;

    TRY(part_source_init(&rows->train, &dataset->spool, SPOOL_KEPT, &dataset->transform, err));
    return part_source_init(&rows->validation, spool, part, &dataset->transform, err);
}

/* ---- load ---- */

struct loading {
    struct keyed_rows *rows;
    const struct dataset *dataset;
    const struct part_source *source;
    struct dataset_part part; /* where the rows go */
    uint32_t first, end, tasks;
    struct error *errors; /* (tasks) */
};

static void load_task(void *context, uint32_t member, uint32_t task)
{
    const struct loading *loading = context;
    const uint64_t ranges = loading->end - loading->first;

    error_clear(&loading->errors[task]);
    range_load(loading->rows->loaders[member], loading->dataset, loading->source,
               &loading->rows->index, loading->first + (uint32_t)(ranges * task / loading->tasks),
               loading->first + (uint32_t)(ranges * (task + 1) / loading->tasks),
               (struct dataset_part *)&loading->part, &loading->errors[task]);
}

static enum status make_loaders(struct keyed_rows *rows, const struct dataset *dataset,
                                uint32_t count, struct error *err)
{
    for (uint32_t m = 0; m < count; m++)
        if (!rows->loaders[m])
            TRY(range_loader_new(dataset, rows->train.spool, &rows->loaders[m], err));
    return STATUS_OK;
}

/* Now and then, since it takes as long as a step: what was read is not read again soon. */
static void release_spool(struct keyed_rows *rows, const struct part_source *source, uint64_t count)
{
    const struct spool *spool = source->spool;

    rows->bytes_read += spool->map_size / (spool->rows + 1) * count;
    if (rows->bytes_read < RELEASED_BYTES)
        return;
    rows->bytes_read = 0;
    spool_release(spool);
}

static enum status load_ranges(struct keyed_rows *rows, const struct dataset *dataset,
                               const struct part_source *source, const struct dataset_part *part,
                               uint64_t first, uint64_t end, struct team *team, struct error *err)
{
    struct error errors[TASKS_A_MEMBER * TEAM_SIZE_MAX];
    struct loading loading = {
        .rows = rows, .dataset = dataset, .source = source, .part = *part, .errors = errors};

    TRY(part_source_find(source, first, end, &loading.first, &loading.end, err));
    part_source_expect(source, loading.first, loading.end); /* at once, for all tasks */
    loading.tasks = TASKS_A_MEMBER * team_size(team);
    if (loading.tasks > loading.end - loading.first)
        loading.tasks = loading.end - loading.first;
    team_run(team, loading.tasks, load_task, &loading);
    release_spool(rows, source, end - first);
    return first_failure(errors, loading.tasks, err);
}

/* ---- the sample ---- */

struct sample_loading {
    const struct keyed_rows *rows;
    const struct dataset *dataset;
    struct dataset_part part;
    struct error *errors; /* (blocks of the sample) */
};

/* A block of the sample: its rows go where they lie. */
static enum status load_sampled(const struct sample_loading *loading, uint32_t member,
                                uint32_t block, struct error *err)
{
    const struct keyed_rows *rows = loading->rows;
    const struct spool *spool = rows->train.spool;
    const uint32_t count = spool->blocks[block].rows;
    struct dataset_part part = loading->part;
    uint32_t *numbers = calloc(2 * (size_t)count, sizeof *numbers), first = 0;
    struct spool_need *need;
    enum status status;

    if (!numbers)
        return fail_no_memory(err);
    for (uint32_t b = spool->ranges.sample_block; b < block; b++)
        first += spool->blocks[b].rows;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
        numbers[count + i] = first + i;
    }
    status = spool_need_blocks(spool, &block, 1, &need, err);
    spool_read_ahead(spool, &block, 1);
    if (status == STATUS_OK)
        status = range_load_block(
            rows->loaders[member], loading->dataset, &rows->train, &rows->index, block,
            &(struct placed_rows){0, numbers, numbers + count, count, spool->number_count}, &part,
            err);
    spool_done_with(spool, need);
    free(numbers);
    return status;
}

static void load_sampled_task(void *context, uint32_t member, uint32_t task)
{
    const struct sample_loading *loading = context;

    error_clear(&loading->errors[task]);
    load_sampled(loading, member, loading->rows->train.spool->ranges.sample_block + task,
                 &loading->errors[task]);
}

static enum status load_sample(const struct keyed_rows *rows, const struct dataset *dataset,
                               const struct dataset_part *part, struct team *team,
                               struct error *err)
{
    const struct spool *spool = rows->train.spool;
    const uint32_t count = spool->block_count - spool->ranges.sample_block;
    struct sample_loading loading = {rows, dataset, *part,
                                     calloc(count + 1ull, sizeof(struct error))};
    enum status status;

    if (!loading.errors)
        return fail_no_memory(err);
    team_run(team, count, load_sampled_task, &loading);
    status = first_failure(loading.errors, count, err);
    free(loading.errors);
    return status;
}

static enum status load_part(struct keyed_rows *rows, const struct dataset *dataset,
                             const struct dataset_part *part, uint64_t first, uint64_t end,
                             struct team *team, struct error *err)
{
    TRY(make_loaders(rows, dataset, team_size(team), err));
    if (part == &dataset->sample)
        return load_sample(rows, dataset, part, team, err);
    return load_ranges(rows, dataset, part == &dataset->train ? &rows->train : &rows->validation,
                       part, first, end, team, err);
}

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Whatever is wrong with files, or with where their bytes come from, is the trouble of this worker,
 * and no memory that changed by itself. */
static enum status load(void *context, const struct dataset *dataset,
                        const struct dataset_part *part, uint64_t first, uint64_t end,
                        struct team *team, struct error *err)
{
    struct keyed_rows *rows = context;
    const uint64_t since = now_us();
    const enum status status = load_part(rows, dataset, part, first, end, team, err);

    rows->loading_us += now_us() - since;
    if (status == STATUS_OK || status == STATUS_NO_MEMORY || status == STATUS_INVALID)
        return status;
    if (err)
        err->status = STATUS_IO;
    return STATUS_IO;
}

static void expect(void *context, const struct dataset *dataset, const struct dataset_part *part,
                   uint64_t first, uint64_t end)
{
    const struct keyed_rows *rows = context;
    const struct part_source *source =
        part == &dataset->validation ? &rows->validation : &rows->train;
    uint32_t first_range, end_range;
    struct error ignored; /* load says it */

    if (part_source_find(source, first, end, &first_range, &end_range, &ignored) == STATUS_OK)
        part_source_expect(source, first_range, end_range);
}

/* Whole pages alone: those at the ends hold rows of others, too. */
static void forget(const void *start, size_t row_bytes, uint64_t first, uint64_t end)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)start + first * row_bytes + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)start + end * row_bytes) / page * page;

    if (start && from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

static void drop(void *context, const struct dataset *dataset, const struct dataset_part *part,
                 uint64_t first, uint64_t end)
{
    (void)context;
    forget(part->dense, dataset->transform.dense_width * sizeof *part->dense, first, end);
    forget(part->ids, dataset->transform.id_count * sizeof *part->ids, first, end);
    forget(part->values, sizeof *part->values, first, end);
    forget(part->classes, sizeof *part->classes, first, end);
    forget(part->labels, sizeof *part->labels, first, end);
    for (unsigned role = 0; role < ROW_ROLES; role++)
        forget(part->roles[role], sizeof(float), first, end);
    forget(part->hashes, sizeof *part->hashes, first, end);
}

/* ---- open and close ---- */

static enum status reserve_part(const struct dataset *dataset, enum task task,
                                const struct part_source *source, struct dataset_part *part,
                                struct error *err)
{
    const struct spool_ranges *ranges = &source->spool->ranges;

    TRY(part_allocate(dataset, task, ranges->rows[source->part], part, err));
    part->sum = ranges->sums[source->part];
    part->range_starts = source->starts;
    part->range_bits = ranges->bits;
    return STATUS_OK;
}

static enum status check_order(const struct spool *spool, const struct jobspec *spec,
                               struct error *err)
{
    return spec->shuffle && spool->ranges.seed == spec->seed
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the rows lie in another order than the job's");
}

enum status keyed_rows_open(struct dataset *dataset, const struct jobspec *spec, struct team *team,
                            struct error *err)
{
    struct keyed_rows *rows = calloc(1, sizeof *rows);
    struct row_source source = {.context = rows, .load = load, .drop = drop, .has_sample = true};

    if (!rows)
        return fail_no_memory(err);
    dataset->keyed = rows;
    if (dataset->spool.source)
        source.expect = expect;
    TRY(check_order(&dataset->spool, spec, err));
    if (spec->has_validation)
        TRY(check_order(&dataset->validation_spool, spec, err));
    TRY(dataset_learn(&dataset->spool, spec, NULL, team, dataset, &rows->index, err));
    TRY(open_sources(rows, dataset, spec->has_validation, err));
    TRY(reserve_part(dataset, spec->task, &rows->train, &dataset->train, err));
    TRY(reserve_part(dataset, spec->task, &rows->validation, &dataset->validation, err));
    TRY(part_allocate(dataset, spec->task, dataset->spool.ranges.sample_rows, &dataset->sample,
                      err));
    return row_store_open(dataset, &source, team, err);
}

void keyed_rows_close(struct keyed_rows *rows)
{
    if (!rows)
        return;
    for (int m = 0; m < TEAM_SIZE_MAX; m++)
        range_loader_free(rows->loaders[m]);
    part_source_deinit(&rows->train);
    part_source_deinit(&rows->validation);
    class_index_deinit(&rows->index);
    free(rows);
}

uint64_t keyed_rows_loading_ms(const struct keyed_rows *rows)
{
    return rows->loading_us / 1000;
}

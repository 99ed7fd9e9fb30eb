#include "runtime/data/dataset/row_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/progress.h"
#include "base/sums/hash.h"
#include "base/sums/words.h"

#define CHUNK_BYTES ((uint64_t)1 << 20)
#define CHUNK_BITS  24 /* bits of a position for the chunk: above them is the run's number */

/* Not by address: a data set may be moved. */
enum part_name { PART_TRAIN, PART_VALIDATION, PART_SAMPLE };

/* Rows that came together and go together. */
struct row_run {
    uint64_t number;
    enum part_name part;
    uint64_t first, end;
    uint32_t holders, chunk_rows, chunk_count;
    bool is_leaving;  /* a call of row_store_release_all removes it */
    uint64_t *chunks; /* (chunk_count): hashes */
};

static enum part_name name_of(const struct dataset *dataset, const struct dataset_part *part)
{
    return part == &dataset->train        ? PART_TRAIN
           : part == &dataset->validation ? PART_VALIDATION
                                          : PART_SAMPLE;
}

static const struct dataset_part *part_of(const struct dataset *dataset, enum part_name name)
{
    return name == PART_TRAIN        ? &dataset->train
           : name == PART_VALIDATION ? &dataset->validation
                                     : &dataset->sample;
}

/* ---- hashes ---- */

struct region {
    const void *start;
    size_t row_bytes;
};

#define REGIONS (5 + ROW_ROLES)

static struct region region_of(const void *start, size_t row_bytes)
{
    return (struct region){start, start ? row_bytes : 0};
}

static void list_regions(const struct dataset *dataset, const struct dataset_part *part,
                         struct region regions[REGIONS])
{
    const void *labels = part->values ? (const void *)part->values : part->classes;

    regions[0] = region_of(part->dense, dataset->transform.dense_width * sizeof(float));
    regions[1] = region_of(part->ids, dataset->transform.id_count * sizeof(int32_t));
    regions[2] = region_of(labels, sizeof(int32_t));
    regions[3] = region_of(part->hashes, sizeof *part->hashes);
    regions[4] = region_of(part->labels, sizeof *part->labels);
    for (unsigned role = 0; role < ROW_ROLES; role++)
        regions[5 + role] = region_of(part->roles[role], sizeof(float));
}

static uint32_t rows_of_chunk(const struct dataset *dataset, const struct dataset_part *part)
{
    struct region regions[REGIONS];
    uint64_t of_row = 0;

    list_regions(dataset, part, regions);
    for (int i = 0; i < REGIONS; i++)
        of_row += regions[i].row_bytes;
    return of_row < CHUNK_BYTES ? (uint32_t)(CHUNK_BYTES / of_row) : 1;
}

static uint64_t hash_chunk(const struct dataset *dataset, const struct row_run *run, uint32_t chunk)
{
    const size_t first = run->first + (size_t)chunk * run->chunk_rows;
    const size_t left = run->end - first, rows = left < run->chunk_rows ? left : run->chunk_rows;
    struct region regions[REGIONS];
    uint64_t hash = 0;

    list_regions(dataset, part_of(dataset, run->part), regions);
    for (int i = 0; i < REGIONS; i++)
        if (regions[i].row_bytes > 0)
            hash = bytes_hash((const char *)regions[i].start + first * regions[i].row_bytes,
                              rows * regions[i].row_bytes, hash);
    return hash;
}

static bool is_good(const struct dataset *dataset, const struct row_run *run, uint32_t chunk)
{
    progress_note();
    return hash_chunk(dataset, run, chunk) == run->chunks[chunk];
}

struct hashing {
    const struct dataset *dataset;
    const struct row_run *run;
};

static void note_chunk(void *context, uint32_t member, uint32_t chunk)
{
    const struct hashing *hashing = context;
    (void)member;

    hashing->run->chunks[chunk] = hash_chunk(hashing->dataset, hashing->run, chunk);
}

/* ---- runs ---- */

static struct row_run *find_run(const struct row_store *store, enum part_name part, uint64_t first,
                                uint64_t end)
{
    for (size_t i = 0; i < store->run_count; i++) {
        struct row_run *run = &store->runs[i];

        if (run->part == part && run->first == first && run->end == end)
            return run;
    }
    return NULL;
}

static enum status make_room(struct row_store *store, struct error *err)
{
    const size_t room = 2 * store->room + 16;
    struct row_run *runs;

    if (store->run_count < store->room)
        return STATUS_OK;
    runs = realloc(store->runs, room * sizeof *runs);
    if (!runs)
        return fail_no_memory(err);
    store->runs = runs;
    store->room = room;
    return STATUS_OK;
}

/* Do its rows come when they are held? */
static bool comes_and_goes(const struct row_store *store, enum part_name part)
{
    return store->source.load && (part != PART_SAMPLE || store->source.has_sample);
}

static uint64_t bytes_of(const struct dataset *dataset, const struct row_run *run)
{
    struct region regions[REGIONS];
    uint64_t of_row = 0;

    list_regions(dataset, part_of(dataset, run->part), regions);
    for (int i = 0; i < REGIONS; i++)
        of_row += regions[i].row_bytes;
    return of_row * (run->end - run->first);
}

/* It is held by nobody yet. */
static enum status add_run(const struct dataset *dataset, struct row_run run, struct team *team,
                           struct row_run **added, struct error *err)
{
    struct row_store *store = dataset->store;
    const struct row_source *source = &store->source;
    const struct dataset_part *part = part_of(dataset, run.part);
    enum status status;

    TRY(make_room(store, err));
    run.number = store->made++;
    run.chunk_rows = rows_of_chunk(dataset, part);
    run.chunk_count = (uint32_t)((run.end - run.first - 1) / run.chunk_rows) + 1;
    run.chunks = calloc(run.chunk_count, sizeof *run.chunks);
    if (!run.chunks)
        return fail_no_memory(err);
    if (comes_and_goes(store, run.part)) {
        status = source->load(source->context, dataset, part, run.first, run.end, team, err);
        if (status != STATUS_OK) {
            free(run.chunks);
            return status;
        }
    }
    team_run(team, run.chunk_count, note_chunk, &(struct hashing){dataset, &run});
    store->bytes += bytes_of(dataset, &run);
    *added = &store->runs[store->run_count++];
    **added = run;
    return STATUS_OK;
}

/* Rows that stay for a short time are compared here alone. */
static void drop_run(void *context, uint32_t member, uint32_t number)
{
    const struct dataset *dataset = context;
    struct row_store *store = dataset->store;
    const struct row_run *run = &store->runs[number];
    (void)member;

    if (!run->is_leaving)
        return;
    for (uint32_t chunk = 0; chunk < run->chunk_count; chunk++)
        if (!is_good(dataset, run, chunk))
            __atomic_store_n(&store->was_bad, true, __ATOMIC_RELAXED);
    store->source.drop(store->source.context, dataset, part_of(dataset, run->part), run->first,
                       run->end);
    free(run->chunks);
}

static void remove_leaving(struct row_store *store)
{
    size_t kept = 0;

    for (size_t i = 0; i < store->run_count; i++)
        if (!store->runs[i].is_leaving)
            store->runs[kept++] = store->runs[i];
    store->run_count = kept;
}

/* ---- life ---- */

enum status row_store_open(struct dataset *dataset, const struct row_source *source,
                           struct team *team, struct error *err)
{
    enum status status;

    dataset->store = calloc(1, sizeof *dataset->store);
    if (!dataset->store)
        return fail_no_memory(err);
    if (source)
        dataset->store->source = *source;
    status = source && source->has_sample
                 ? STATUS_OK
                 : row_store_hold(dataset, &dataset->sample, 0, dataset->sample.rows, team, err);
    if (status != STATUS_OK)
        row_store_close(dataset);
    return status;
}

void row_store_close(struct dataset *dataset)
{
    struct row_store *store = dataset->store;

    for (size_t i = 0; store && i < store->run_count; i++)
        free(store->runs[i].chunks);
    if (store)
        free(store->runs);
    free(store);
    dataset->store = NULL;
}

void row_store_keep(const struct dataset *dataset, uint64_t bytes)
{
    dataset->store->bytes_kept = bytes;
}

enum status row_store_hold(const struct dataset *dataset, const struct dataset_part *part,
                           uint64_t first, uint64_t end, struct team *team, struct error *err)
{
    const struct row_run wanted = {.part = name_of(dataset, part), .first = first, .end = end};
    struct row_run *run;

    if (first == end)
        return STATUS_OK;
    run = find_run(dataset->store, wanted.part, first, end);
    if (!run)
        TRY(add_run(dataset, wanted, team, &run, err));
    run->holders++;
    return STATUS_OK;
}

/* Whether the rows are to leave. */
static bool let_go(const struct dataset *dataset, enum part_name part, const struct row_span *span)
{
    struct row_store *store = dataset->store;
    struct row_run *run;

    if (span->first == span->end)
        return false;
    run = find_run(store, part, span->first, span->end);
    assert(run && run->holders > 0);
    run->holders--;
    run->is_leaving =
        run->holders == 0 && comes_and_goes(store, run->part) && store->bytes > store->bytes_kept;
    if (run->is_leaving)
        store->bytes -= bytes_of(dataset, run);
    return run->is_leaving;
}

void row_store_release_all(const struct dataset *dataset, const struct dataset_part *part,
                           const struct row_span *spans, uint32_t count, struct team *team)
{
    struct row_store *store = dataset->store;
    bool are_leaving = false;

    for (uint32_t i = 0; i < count; i++)
        are_leaving |= let_go(dataset, name_of(dataset, part), &spans[i]);
    if (!are_leaving)
        return;
    team_run(team, (uint32_t)store->run_count, drop_run, (void *)dataset);
    remove_leaving(store);
}

void row_store_release(const struct dataset *dataset, const struct dataset_part *part,
                       uint64_t first, uint64_t end)
{
    row_store_release_all(dataset, part, &(struct row_span){first, end}, 1, NULL);
}

/* ---- expect ---- */

bool row_store_expects(const struct dataset *dataset)
{
    return dataset->store->source.expect != NULL;
}

void row_store_expect(const struct dataset *dataset, const struct dataset_part *part,
                      uint64_t first, uint64_t end)
{
    const struct row_source *source = &dataset->store->source;

    if (source->expect && first < end &&
        !find_run(dataset->store, name_of(dataset, part), first, end))
        source->expect(source->context, dataset, part, first, end);
}

/* ---- verify ---- */

/* The first run of that number or a later one. */
static size_t find_number(const struct row_store *store, uint64_t number)
{
    size_t low = 0, high = store->run_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (store->runs[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The chunk at the position, or where its run is gone or has no more, the next one. False: there
 * is none. */
static bool find_chunk(const struct row_store *store, uint64_t position, const struct row_run **run,
                       uint32_t *chunk)
{
    const uint64_t number = position >> CHUNK_BITS;
    size_t at = find_number(store, number);

    *chunk = 0;
    if (at < store->run_count && store->runs[at].number == number) {
        *chunk = position & (((uint32_t)1 << CHUNK_BITS) - 1);
        if (*chunk == store->runs[at].chunk_count) {
            *chunk = 0;
            at++;
        }
    }
    *run = &store->runs[at];
    return at < store->run_count;
}

enum status row_store_verify(const struct dataset *dataset, uint64_t *position, uint64_t most,
                             struct error *err)
{
    const struct row_store *store = dataset->store;
    const struct row_run *run;
    uint32_t chunk;

    if (store->was_bad)
        return memory_damaged(err, "rows");
    for (uint64_t i = 0; i < most && find_chunk(store, *position, &run, &chunk); i++) {
        if (!is_good(dataset, run, chunk))
            return memory_damaged(err, "rows");
        *position = (run->number << CHUNK_BITS) + chunk + 1;
    }
    if (!find_chunk(store, *position, &run, &chunk))
        *position = 0;
    return STATUS_OK;
}

uint64_t row_store_bytes(const struct dataset *dataset, uint64_t rows)
{
    const struct transform *transform = &dataset->transform;
    uint64_t numbers = transform->dense_width + transform->id_count + 1ull;

    for (unsigned role = 0; role < ROW_ROLES; role++)
        numbers += dataset->role_columns[role] > 0;
    return rows * sizeof(float) * numbers;
}

#include "scoring/metrics/silhouette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"

#define SAMPLE_SEED 0x73696c686f756574u

enum status silhouette_init(struct silhouette *silhouette, uint32_t width, struct error *err)
{
    const double columns = (double)width + 1;
    const double rows =
        fmin(sqrt(SILHOUETTE_WORK / columns), SILHOUETTE_BYTES / (columns * sizeof(float)));
    const uint32_t most = rows < 1 ? 1 : rows < SILHOUETTE_ROWS ? (uint32_t)rows : SILHOUETTE_ROWS;

    *silhouette = (struct silhouette){
        .width = width,
        .rows_most = most,
        .rows = calloc(most, sizeof *silhouette->rows),
        .inputs = calloc((size_t)most * width + 1, sizeof *silhouette->inputs),
        .sums = calloc(most, sizeof *silhouette->sums),
        .sizes = calloc(most, sizeof *silhouette->sizes),
    };
    if (silhouette->rows && silhouette->inputs && silhouette->sums && silhouette->sizes)
        return STATUS_OK;
    silhouette_deinit(silhouette);
    return fail_no_memory(err);
}

void silhouette_deinit(struct silhouette *silhouette)
{
    free(silhouette->rows);
    free(silhouette->inputs);
    free(silhouette->sums);
    free(silhouette->sizes);
    *silhouette = (struct silhouette){.count = 0};
}

void silhouette_clear(struct silhouette *silhouette)
{
    silhouette->count = 0;
}

/* ---- the sample ---- */

static void swap_rows(struct silhouette_row *a, struct silhouette_row *b)
{
    const struct silhouette_row row = *a;

    *a = *b;
    *b = row;
}

static void sift_up(struct silhouette_row *rows, uint32_t i)
{
    for (; i > 0 && rows[(i - 1) / 2].hash < rows[i].hash; i = (i - 1) / 2)
        swap_rows(&rows[(i - 1) / 2], &rows[i]);
}

static void sift_down(struct silhouette_row *rows, uint32_t count)
{
    for (uint32_t i = 0, child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && rows[child + 1].hash > rows[child].hash)
            child++;
        if (rows[child].hash <= rows[i].hash)
            break;
        swap_rows(&rows[child], &rows[i]);
        i = child;
    }
}

bool silhouette_add(struct silhouette *silhouette, const void *inputs, uint32_t cluster)
{
    const size_t bytes = silhouette->width * sizeof(float);
    struct silhouette_row row = {.hash = bytes_hash(inputs, bytes, SAMPLE_SEED),
                                 .cluster = cluster};
    const bool is_full = silhouette->count == silhouette->rows_most;

    if (is_full && row.hash >= silhouette->rows[0].hash)
        return false;
    row.place = is_full ? silhouette->rows[0].place : silhouette->count;
    if (bytes > 0)
        memcpy(silhouette->inputs + (size_t)row.place * silhouette->width, inputs, bytes);
    if (is_full) {
        silhouette->rows[0] = row;
        sift_down(silhouette->rows, silhouette->count);
    } else {
        silhouette->rows[silhouette->count] = row;
        sift_up(silhouette->rows, silhouette->count++);
    }
    return true;
}

/* ---- the value ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct silhouette_row *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? 1 : -1;
    return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

/* Returns how many clusters occur. */
static uint32_t group_rows(struct silhouette *silhouette)
{
    struct silhouette_row *rows = silhouette->rows;
    uint32_t groups = 0;

    for (uint32_t i = 0; i < silhouette->count; i++) {
        uint32_t same = 0;

        while (same < i && rows[same].cluster != rows[i].cluster)
            same++;
        rows[i].group = same < i ? rows[same].group : groups++;
        if (same == i)
            silhouette->sizes[rows[i].group] = 0;
        silhouette->sizes[rows[i].group]++;
    }
    return groups;
}

static double distance(const struct silhouette *silhouette, uint32_t i, uint32_t j)
{
    const float *a = silhouette->inputs + (size_t)silhouette->rows[i].place * silhouette->width;
    const float *b = silhouette->inputs + (size_t)silhouette->rows[j].place * silhouette->width;
    double sum = 0;

    for (uint32_t k = 0; k < silhouette->width; k++) {
        const double difference = (double)a[k] - (double)b[k];

        sum += difference * difference;
    }
    return sqrt(sum);
}

static double value_of_row(struct silhouette *silhouette, uint32_t i, uint32_t groups)
{
    const uint32_t own = silhouette->rows[i].group;
    double within, nearest = INFINITY;

    if (silhouette->sizes[own] == 1)
        return 0;
    memset(silhouette->sums, 0, groups * sizeof *silhouette->sums);
    for (uint32_t j = 0; j < silhouette->count; j++)
        silhouette->sums[silhouette->rows[j].group] += distance(silhouette, i, j);
    within = silhouette->sums[own] / (silhouette->sizes[own] - 1);
    for (uint32_t group = 0; group < groups; group++)
        if (group != own && silhouette->sums[group] / silhouette->sizes[group] < nearest)
            nearest = silhouette->sums[group] / silhouette->sizes[group];
    if (within == nearest) /* both may be 0 */
        return 0;
    return (nearest - within) / (nearest > within ? nearest : within);
}

double silhouette_value(struct silhouette *silhouette)
{
    uint32_t groups;
    double sum = 0;

    /* Greatest hash first is a heap, too: rows can be added afterwards. */
    qsort(silhouette->rows, silhouette->count, sizeof *silhouette->rows, compare_rows);
    groups = group_rows(silhouette);
    if (groups < 2)
        return NAN;
    for (uint32_t i = 0; i < silhouette->count; i++)
        sum += value_of_row(silhouette, i, groups);
    return sum / silhouette->count;
}

#include "runtime/share/share_paces.h"

#include <math.h>
#include <stdio.h>

#include "runtime/share/share.h"

#define CLEARLY_FASTER 0.9 /* a share of the other's seconds: measurements are noisy */
#define LANES_MAX      65536

static const char words[] = " lanes; seconds of a row by workers: ";

/* ----- as text ----- */

void share_paces_write(const struct share_paces *paces, char text[SHARE_PACES_BYTES_MAX + 1])
{
    size_t size = (size_t)snprintf(text, SHARE_PACES_BYTES_MAX + 1, "%u%s", paces->lanes, words);

    for (size_t i = paces->count; i-- > 0;) {
        const struct share_point *point = &paces->points[i];
        char one[64];
        const size_t more =
            (size_t)snprintf(one, sizeof one, "%s%u %.4g", i + 1 < paces->count ? ", " : "",
                             point->workers, point->seconds);

        if (size + more > SHARE_PACES_BYTES_MAX)
            return;
        memcpy(text + size, one, more + 1);
        size += more;
    }
}

/* Takes what stands before `separator` off the text; false: there is no separator. */
static bool take_before(struct slice *text, struct slice separator, struct slice *before)
{
    for (size_t at = 0; at + separator.size <= text->size; at++) {
        if (memcmp(text->data + at, separator.data, separator.size) != 0)
            continue;
        *before = (struct slice){text->data, at};
        *text = (struct slice){text->data + at + separator.size, text->size - at - separator.size};
        return true;
    }
    return false;
}

static bool read_number(struct slice text, int64_t most, uint32_t *number)
{
    int64_t value;

    if (!slice_to_integer(text, &value) || value < 0 || value > most)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_point(struct slice text, struct share_paces *paces)
{
    const size_t before = paces->count;
    struct share_point point;
    struct slice workers;

    if (!take_before(&text, SLICE(" "), &workers) ||
        !read_number(workers, SHARE_WORKERS_MAX, &point.workers) ||
        !slice_to_real(text, &point.seconds))
        return false;
    share_paces_add(paces, point);
    return paces->count > before;
}

static bool read_all(struct slice text, struct share_paces *paces)
{
    struct slice part;

    if (text.size > SHARE_PACES_BYTES_MAX || !take_before(&text, SLICE(words), &part) ||
        !read_number(part, LANES_MAX, &paces->lanes))
        return false;
    while (take_before(&text, SLICE(", "), &part))
        if (!read_point(part, paces))
            return false;
    return read_point(text, paces);
}

bool share_paces_read(struct slice text, struct share_paces *paces)
{
    *paces = (struct share_paces){.count = 0};
    if (read_all(text, paces)) {
        share_paces_reverse(paces); /* the text begins with the newest */
        return true;
    }
    *paces = (struct share_paces){.count = 0};
    return false;
}

/* ----- what they say ----- */

void share_paces_add(struct share_paces *paces, struct share_point point)
{
    if (point.workers > 0 && point.seconds > 0 && isfinite(point.seconds) &&
        paces->count < SHARE_PACES_MAX && share_paces_of(paces, point.workers) == 0)
        paces->points[paces->count++] = point;
}

void share_paces_reverse(struct share_paces *paces)
{
    for (size_t i = 0; i < paces->count / 2; i++) {
        const struct share_point point = paces->points[i];

        paces->points[i] = paces->points[paces->count - 1 - i];
        paces->points[paces->count - 1 - i] = point;
    }
}

double share_paces_of(const struct share_paces *paces, uint32_t workers)
{
    for (size_t i = 0; i < paces->count; i++)
        if (paces->points[i].workers == workers)
            return paces->points[i].seconds;
    return 0;
}

uint32_t share_paces_useful(const struct share_paces *paces, const struct share_curve *curve,
                            uint32_t least, uint32_t most)
{
    const uint32_t fitted = share_curve_largest(curve, least, most);
    double fastest = CLEARLY_FASTER * share_paces_of(paces, fitted);
    uint32_t useful = fitted;

    for (size_t i = 0; i < paces->count; i++) {
        const struct share_point *point = &paces->points[i];

        if (point->workers >= least && point->workers < fitted && point->seconds <= fastest) {
            fastest = point->seconds;
            useful = point->workers;
        }
    }
    return useful;
}

uint32_t share_paces_first(const struct share_paces *paces, uint32_t least, uint32_t most)
{
    struct share_curve curve;

    if (paces->count < 2 || paces->lanes == 0)
        return 0;
    curve = share_curve_fit(paces->lanes, paces->points, paces->count);
    return share_paces_useful(paces, &curve, least, most);
}

double share_paces_expected(const struct share_paces *paces, uint32_t workers)
{
    const double measured = share_paces_of(paces, workers);
    const struct share_point *newest;
    struct share_curve curve;

    if (measured > 0 || paces->count == 0)
        return measured;
    curve = share_curve_fit(paces->lanes, paces->points, paces->count);
    newest = &paces->points[paces->count - 1];
    return newest->seconds * share_curve_time(&curve, workers) /
           share_curve_time(&curve, newest->workers);
}

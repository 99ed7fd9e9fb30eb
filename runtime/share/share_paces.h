/*
 * share_paces.h - how fast a job was with some numbers of workers, as text: the detail of its event
 * `paces`, from which later jobs of the same model take their first size.
 *
 *     64 lanes; seconds of a row by workers: 4 7.02e-05, 2 3.17e-05
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "runtime/share/share_curve.h"

#define SHARE_PACES_MAX       16
#define SHARE_PACES_BYTES_MAX 255 /* the text's length */

struct share_paces {
    uint32_t lanes;                             /* 0: not known */
    struct share_point points[SHARE_PACES_MAX]; /* the newest last */
    size_t count;
};

/* Writes as many points as there is room for, the newest first; none is cut. */
void share_paces_write(const struct share_paces *paces, char text[SHARE_PACES_BYTES_MAX + 1]);
/* False: that is no such text, or one of numbers that no job has; there are no paces then. */
bool share_paces_read(struct slice text, struct share_paces *paces);

/* Nothing, where the time is no positive number, where there is a point of as many workers, and
 * where there is no room. */
void share_paces_add(struct share_paces *paces, struct share_point point);
/* For points that were added the newest first. */
void share_paces_reverse(struct share_paces *paces);
/* Seconds of a row with so many workers; 0: not known. */
double share_paces_of(const struct share_paces *paces, uint32_t workers);
/* The most workers, from `least` to `most`, that pay by the curve; but fewer where these were
 * measured to be clearly faster, as no curve has the points of a job whose pace changed while it
 * was measured. */
uint32_t share_paces_useful(const struct share_paces *paces, const struct share_curve *curve,
                            uint32_t least, uint32_t most);
/* The workers, from `least` to `most`, that a job of these paces begins with; 0: they do not say
 * it, as one number of workers alone was measured. */
uint32_t share_paces_first(const struct share_paces *paces, uint32_t least, uint32_t most);
/* Seconds of a row with so many workers, by the points' curve where there is no such point; 0: no
 * point is known. */
double share_paces_expected(const struct share_paces *paces, uint32_t workers);

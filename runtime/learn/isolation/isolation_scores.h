/*
 * isolation_scores.h - scores of training rows by a forest, computed by a team.
 *
 *     isolation_scores_open --> isolation_scores_of ... --> isolation_scores_close
 */
#pragma once

#include "base/process/team.h"
#include "runtime/data/dataset/dataset.h"
#include "scoring/numbers/elementary.h"

struct isolation_scores {
    struct model model;
    const struct dataset *dataset;
    void *scorers[TEAM_SIZE_MAX];
    uint32_t count;      /* scorers; 0: it is closed */
    float *scores;       /* (count * SCORER_ROWS) */
    uint64_t first, end; /* rows that are scored */
};

/* A scorer for each of the team. The model's content is borrowed. NO_MEMORY: it stays closed. */
enum status isolation_scores_open(struct isolation_scores *scores, const struct model *model,
                                  const struct dataset *dataset, struct team *team,
                                  struct error *err);
void isolation_scores_close(struct isolation_scores *scores); /* also where it is closed */

/* Rows that can be scored at a time. */
uint64_t isolation_scores_most(const struct isolation_scores *scores);
/* Outputs of the training rows [first, end), which are held; they stay until the next call. The
 * team is the one that it was opened with. */
const float *isolation_scores_of(struct isolation_scores *scores, struct team *team, uint64_t first,
                                 uint64_t end);

/* Whole numbers in the order of the scores, and back. */
static inline uint32_t isolation_score_key(float score)
{
    const uint32_t bits = bits_of(score);

    return bits >> 31 ? ~bits : bits | (uint32_t)1 << 31;
}

static inline float isolation_key_score(uint32_t key)
{
    return float_of(key >> 31 ? key & ~((uint32_t)1 << 31) : ~key);
}

#include "runtime/learn/isolation/isolation_scores.h"

#include <stdlib.h>

#include "scoring/kind.h"

enum status isolation_scores_open(struct isolation_scores *scores, const struct model *model,
                                  const struct dataset *dataset, struct team *team,
                                  struct error *err)
{
    const uint32_t members = team_size(team);

    *scores = (struct isolation_scores){.model = *model, .dataset = dataset};
    scores->scores = malloc((size_t)members * SCORER_ROWS * sizeof *scores->scores);
    if (!scores->scores)
        return fail_no_memory(err);
    for (; scores->count < members; scores->count++) {
        void **scorer = &scores->scorers[scores->count];

        if (model->kind->open(&scores->model, SCORER_ROWS, scorer, err) == STATUS_OK)
            continue;
        isolation_scores_close(scores);
        return err->status;
    }
    return STATUS_OK;
}

void isolation_scores_close(struct isolation_scores *scores)
{
    for (uint32_t i = 0; i < scores->count; i++)
        scores->model.kind->close(scores->scorers[i]);
    free(scores->scores);
    scores->scores = NULL;
    scores->count = 0;
}

uint64_t isolation_scores_most(const struct isolation_scores *scores)
{
    return (uint64_t)scores->count * SCORER_ROWS;
}

static void score_task(void *context, uint32_t member, uint32_t task)
{
    const struct isolation_scores *scores = context;
    const struct dataset_part *part = &scores->dataset->train;
    const struct transform *transform = &scores->dataset->transform;
    const uint64_t first = scores->first + (uint64_t)task * SCORER_ROWS;
    const uint64_t left = scores->end - first;

    scores->model.kind->score(scores->scorers[member], part->dense + first * transform->dense_width,
                              part->ids + first * transform->id_count,
                              left < SCORER_ROWS ? (uint32_t)left : SCORER_ROWS,
                              scores->scores + (size_t)task * SCORER_ROWS);
}

const float *isolation_scores_of(struct isolation_scores *scores, struct team *team, uint64_t first,
                                 uint64_t end)
{
    scores->first = first;
    scores->end = end;
    team_run(team, (uint32_t)((end - first + SCORER_ROWS - 1) / SCORER_ROWS), score_task, scores);
    return scores->scores;
}

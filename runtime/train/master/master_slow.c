#include "runtime/train/master/master_slow.h"

#include <stdlib.h>

#define OTHERS_LEAST 2 /* one alone may be the fast one */

/* Milliseconds of a lane, as they are remembered for longest; 0: not known for long enough. */
static double lane_ms(const struct master_worker *worker)
{
    const struct lane_times *times = &worker->times[MASTER_MEMORIES - 1];

    return times->busy_ms >= MASTER_SLOW_MS && times->lanes > 0 ? times->busy_ms / times->lanes : 0;
}

static int by_value(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

/* The middle one of the other members; 0: too few are known. */
static double usual_ms(const struct master *master, uint32_t but, double *found)
{
    uint32_t count = 0;

    for (uint32_t rank = 0; rank < master->group.count; rank++) {
        const uint32_t index = master->group.members[rank].index;

        if (index != but && lane_ms(&master->workers[index]) > 0)
            found[count++] = lane_ms(&master->workers[index]);
    }
    qsort(found, count, sizeof *found, by_value);
    return count >= OTHERS_LEAST ? found[count / 2] : 0;
}

void master_find_slow(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];
    const double own = lane_ms(worker);
    struct slow_worker slow = {index, worker->member.incarnation, 0};
    double *found, usual;

    if (worker->is_slow || own <= 0)
        return;
    found = calloc(master->crew.workers, sizeof *found);
    if (!found) {
        outbox->failed = true;
        return;
    }
    usual = usual_ms(master, index, found);
    free(found);
    if (usual <= 0 || own < MASTER_SLOW_TIMES * usual)
        return;
    worker->is_slow = true;
    slow.times = own / usual;
    crew_put_event(&master->crew, now_ms, index, "slow", outbox,
                   "its lanes take %.1f times as long as the others'", slow.times);
    outbox_put(outbox, OUTBOX_SLOW, &slow, sizeof slow);
}

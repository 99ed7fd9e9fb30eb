#include "runtime/train/worker/worker_fault.h"

#include <string.h>

static void *memory_of(struct worker *worker, const char *name, size_t *size)
{
    const struct sums *sums = &worker->sums;

    *size = 0;
    if (strcmp(name, "sums") == 0) {
        *size = ((size_t)sums->owned_count + sums->real_count) * sizeof *sums->elements;
        return sums->elements;
    }
    if (strcmp(name, "integers") == 0) {
        *size = sums->integer_count * sizeof *sums->integers;
        return sums->integers;
    }
    if (strcmp(name, "reals") == 0) {
        *size = sums->real_count * sizeof *sums->reals;
        return sums->reals;
    }
    return learner_memory(worker->learner, name, size);
}

void worker_do_fault(struct worker *worker, enum fault_point point)
{
    const uint64_t step = worker->learner->phase.step;
    struct fault *fault = &worker->fault;
    size_t size;
    void *memory;

    if (fault->starves) {
        worker->is_starved = fault_is_reached(fault, point, "worker", worker->options.index,
                                              worker->options.incarnation, step);
        return;
    }
    if (!fault->flips) {
        fault_reach(fault, point, "worker", worker->options.index, worker->options.incarnation,
                    step);
        return;
    }
    if (!fault_is_reached(fault, point, "worker", worker->options.index,
                          worker->options.incarnation, step))
        return;
    fault->is_set = false; /* once */
    if (strcmp(fault->memory, "message") == 0) {
        worker->flips_message = true;
        return;
    }
    memory = memory_of(worker, fault->memory, &size);
    fault_flip(fault, memory, memory ? size : 0);
}

void worker_flip_message(struct worker *worker, struct outbox *outbox)
{
    const struct outbox_entry *entry;

    if (!worker->flips_message || outbox->failed || outbox->count == 0)
        return;
    worker->flips_message = false;
    entry = &outbox->entries[outbox->count - 1];
    fault_flip(&worker->fault, outbox->bytes.data + entry->offset, entry->size);
}

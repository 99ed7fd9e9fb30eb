#include "base/process/progress.h"

#include <stdatomic.h>

static _Atomic uint64_t count;

void progress_note(void)
{
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

uint64_t progress_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
}

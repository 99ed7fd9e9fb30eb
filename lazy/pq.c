#define LAZY_PQ_TABLE
#include "lazy/pq.h"

#include <pthread.h>

#include "lazy/lazy.h"

#define LIBRARY "libpq.so.5"

struct lazy_pq lazy_pq;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

enum status lazy_pq_load(struct error *err)
{
#define LAZY_PQ_SYMBOL(name) {#name, (void **)&lazy_pq.name##_},
    static const struct lazy_symbol symbols[] = {LAZY_PQ(LAZY_PQ_SYMBOL)};
    enum status status = STATUS_OK;

    pthread_mutex_lock(&lock);
    if (!is_loaded)
        status = lazy_load(LIBRARY, symbols, sizeof symbols / sizeof *symbols, err);
    is_loaded = status == STATUS_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

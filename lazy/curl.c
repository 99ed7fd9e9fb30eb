#define LAZY_CURL_TABLE
#include "lazy/curl.h"

#include <pthread.h>

#include "lazy/lazy.h"

#define LIBRARY "libcurl.so.4"

struct lazy_curl lazy_curl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

enum status lazy_curl_load(struct error *err)
{
#define LAZY_CURL_SYMBOL(name) {"curl_" #name, (void **)&lazy_curl.name},
    static const struct lazy_symbol symbols[] = {LAZY_CURL(LAZY_CURL_SYMBOL)};
    enum status status = STATUS_OK;

    pthread_mutex_lock(&lock);
    if (!is_loaded)
        status = lazy_load(LIBRARY, symbols, sizeof symbols / sizeof *symbols, err);
    is_loaded = status == STATUS_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

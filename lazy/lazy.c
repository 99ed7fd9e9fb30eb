#include "lazy/lazy.h"

#include <dlfcn.h>

enum status lazy_load(const char *library, const struct lazy_symbol *symbols, size_t count,
                      struct error *err)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return fail(err, STATUS_CONNECTION, "cannot load %s: %s", library, dlerror());
    for (size_t i = 0; i < count; i++) {
        *symbols[i].address = dlsym(handle, symbols[i].name);
        if (!*symbols[i].address)
            return fail(err, STATUS_CONNECTION, "%s has no %s", library, symbols[i].name);
    }
    return STATUS_OK;
}

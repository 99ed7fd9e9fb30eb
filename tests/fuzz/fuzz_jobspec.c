#include <stdlib.h>

#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is read, written and read again is the same job. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jobspec first, second;
    struct arena arena;
    struct error err;
    struct text text;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&text, TEXT_MAXIMUM);
    if (jobspec_read((struct slice){(const char *)data, size}, &arena, &first, &err) == STATUS_OK) {
        if (jobspec_write(&first, &text, &err) != STATUS_OK ||
            jobspec_read(text_slice(&text), &arena, &second, &err) != STATUS_OK ||
            !jobspec_equal(&first, &second))
            abort();
    }
    text_deinit(&text);
    arena_deinit(&arena);
    return 0;
}

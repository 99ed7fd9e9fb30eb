#include "k8s/job/kube_job_name.h"

#include <ctype.h>
#include <string.h>
#include <sys/random.h>

#define NAME_STEM_MAX 30

static void write_stem(struct slice model, char name[NAME_STEM_MAX + 1])
{
    size_t size = 0;

    for (size_t i = 0; i < model.size && size < NAME_STEM_MAX; i++) {
        int c = tolower((unsigned char)model.data[i]);
        bool is_fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (is_fine || (size > 0 && name[size - 1] != '-'))
            name[size++] = is_fine ? (char)c : '-';
    }
    while (size > 0 && name[size - 1] == '-')
        size--;
    name[size] = '\0';
    if (size == 0)
        memcpy(name, "job", sizeof "job");
}

enum status kube_job_stem(struct slice model, struct arena *arena, struct slice *stem,
                          struct error *err)
{
    char name[NAME_STEM_MAX + 1];

    write_stem(model, name);
    *stem = arena_copy(arena, slice_of(name));
    return stem->data ? STATUS_OK : fail_no_memory(err);
}

enum status kube_job_invent_name(struct slice model, struct arena *arena, struct slice *invented,
                                 struct error *err)
{
    static const char letters[] = "bcdfghjkmnpqrstvwxz2456789abcdef";
    char name[NAME_STEM_MAX + 1], end[6] = "";
    unsigned char chance[5];

    write_stem(model, name);
    if (getrandom(chance, sizeof chance, 0) != sizeof chance)
        return fail_errno(err, STATUS_IO, "no random numbers");
    for (int i = 0; i < 5; i++)
        end[i] = letters[chance[i] % 32];
    *invented = arena_printf(arena, "%s-%s", name, end);
    return invented->data ? STATUS_OK : fail_no_memory(err);
}

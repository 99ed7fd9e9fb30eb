#include <ctype.h>
#include <sys/random.h>

#include "k8s_job/kube_job.h"

#define NAME_STEM_MAX 30

enum status kube_job_invent_name(struct slice model, struct arena *arena, struct slice *invented,
                                 struct error *err)
{
    static const char letters[] = "bcdfghjkmnpqrstvwxz2456789abcdef";
    char name[NAME_STEM_MAX + 1], end[6] = "";
    unsigned char chance[5];
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
    if (getrandom(chance, sizeof chance, 0) != sizeof chance)
        return fail_errno(err, STATUS_IO, "no random numbers");
    for (int i = 0; i < 5; i++)
        end[i] = letters[chance[i] % 32];
    *invented = arena_printf(arena, "%s-%s", size > 0 ? name : "job", end);
    return invented->data ? STATUS_OK : fail_no_memory(err);
}

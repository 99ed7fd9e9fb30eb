#include "runtime/net/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    [IDENTITY_MASTER] = "master", [IDENTITY_WORKER] = "worker", [IDENTITY_SERVER] = "server"};

void identity_write(const struct identity *identity, char text[IDENTITY_TEXT_MAX])
{
    const char *word = words[identity->role];

    if (identity->role == IDENTITY_MASTER)
        snprintf(text, IDENTITY_TEXT_MAX, "totrain:job/%" PRIu64 "/%s", identity->job, word);
    else
        snprintf(text, IDENTITY_TEXT_MAX, "totrain:job/%" PRIu64 "/%s/%" PRIu32, identity->job,
                 word, identity->index);
}

void identity_describe(const struct identity *identity, char text[IDENTITY_TEXT_MAX])
{
    if (identity->role == IDENTITY_MASTER)
        snprintf(text, IDENTITY_TEXT_MAX, "the master of job %" PRIu64, identity->job);
    else
        snprintf(text, IDENTITY_TEXT_MAX, "%s %" PRIu32 " of job %" PRIu64, words[identity->role],
                 identity->index, identity->job);
}

static bool take_word(const char **at, const char *word)
{
    size_t size = strlen(word);

    if (strncmp(*at, word, size) != 0)
        return false;
    *at += size;
    return true;
}

/* strtoull takes more than digits; what it took is compared in the end. */
static uint64_t take_number(const char **at)
{
    char *end;
    uint64_t number = strtoull(*at, &end, 10);

    *at = end;
    return number;
}

bool identity_read(struct slice text, struct identity *identity)
{
    char copy[IDENTITY_TEXT_MAX], again[IDENTITY_TEXT_MAX];
    const char *at = copy;
    uint64_t index = 0;

    if (text.size >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (!take_word(&at, "totrain:job/"))
        return false;
    identity->job = take_number(&at);
    identity->role = IDENTITY_MASTER;
    if (take_word(&at, "/worker/"))
        identity->role = IDENTITY_WORKER;
    else if (take_word(&at, "/server/"))
        identity->role = IDENTITY_SERVER;
    if (identity->role != IDENTITY_MASTER)
        index = take_number(&at);
    if (index > UINT32_MAX)
        return false;
    identity->index = (uint32_t)index;
    identity_write(identity, again);
    return slice_is(text, again);
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
    return a->job == b->job && a->role == b->role && a->index == b->index;
}

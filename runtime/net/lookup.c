#include "runtime/net/lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <event2/event.h>

/* The answer that the thread and the loop share; the last of the two frees it. */
struct answer {
    atomic_int holders;
    int done; /* an eventfd: written when the rest is filled */
    struct address name;
    struct address found[LOOKUP_ADDRESSES_MAX];
    size_t count;
    int failure; /* getaddrinfo's error */
};

struct lookup {
    struct answer *answer;
    struct event *event;
    struct lookup_owner owner;
};

static void let_go(struct answer *answer)
{
    if (atomic_fetch_sub(&answer->holders, 1) > 1)
        return;
    close(answer->done);
    free(answer);
}

static void *run_lookup(void *argument)
{
    struct answer *answer = argument;
    struct addrinfo hints = {.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;

    answer->failure = getaddrinfo(answer->name.host, answer->name.port, &hints, &list);
    for (struct addrinfo *at = list; at && answer->count < LOOKUP_ADDRESSES_MAX; at = at->ai_next) {
        struct address *address = &answer->found[answer->count];

        if (at->ai_addrlen > sizeof address->where)
            continue;
        memcpy(&address->where, at->ai_addr, at->ai_addrlen);
        address->size = at->ai_addrlen;
        answer->count++;
    }
    if (list)
        freeaddrinfo(list);
    (void)eventfd_write(answer->done, 1);
    let_go(answer);
    return NULL;
}

static void on_done(evutil_socket_t fd, short what, void *context)
{
    struct lookup *lookup = context;
    struct answer *answer = lookup->answer;
    eventfd_t times;
    struct error err;
    (void)what;

    (void)eventfd_read(fd, &times);
    error_clear(&err);
    if (answer->count == 0)
        fail(&err, STATUS_CONNECTION, "cannot find \"%s\": %s", answer->name.host,
             answer->failure ? gai_strerror(answer->failure) : "it has no address");
    lookup->owner.on_found(lookup->owner.context, answer->found, answer->count, &err);
}

static bool start_thread(struct answer *answer)
{
    pthread_attr_t detached;
    pthread_t thread;
    bool is_started;

    if (pthread_attr_init(&detached) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    is_started = pthread_create(&thread, &detached, run_lookup, answer) == 0;
    pthread_attr_destroy(&detached);
    return is_started;
}

enum status lookup_start(struct event_base *base, const struct address *name,
                         struct lookup_owner owner, struct lookup **out, struct error *err)
{
    struct lookup *lookup = calloc(1, sizeof *lookup);
    struct answer *answer = calloc(1, sizeof *answer);

    if (!lookup || !answer) {
        free(lookup);
        free(answer);
        return fail_no_memory(err);
    }
    answer->holders = 1;
    answer->name = *name;
    answer->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *lookup = (struct lookup){.answer = answer, .owner = owner};
    if (answer->done >= 0)
        lookup->event = event_new(base, answer->done, EV_READ, on_done, lookup);
    atomic_fetch_add(&answer->holders, 1); /* the thread's */
    if (!lookup->event || event_add(lookup->event, NULL) != 0 || !start_thread(answer)) {
        atomic_fetch_sub(&answer->holders, 1);
        lookup_free(lookup);
        return fail(err, STATUS_LIMIT, "cannot start a thread to look up \"%s\"", name->host);
    }
    *out = lookup;
    return STATUS_OK;
}

void lookup_free(struct lookup *lookup)
{
    if (!lookup)
        return;
    if (lookup->event)
        event_free(lookup->event);
    let_go(lookup->answer);
    free(lookup);
}

#include "cli/cluster/share_command.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "k8s/loop/share_seat.h"
#include "planner/training/metrics_address.h"
#include "runtime/loop/loop_http.h"
#include "runtime/loop/loop_source.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/record/exposition.h"

#define TICK_MS  50
#define LEAVE_MS 3000

struct sharer {
    struct loop *loop;
    struct client *client;
    struct share_seat *seat;
    struct loop_source *timer; /* runs when it ends */
    struct slice namespaces[SHARE_BOARD_SPACES];
    size_t count;
    int64_t ends_at; /* 0: it goes on */
};

static enum status split(struct sharer *sharer, struct slice list, struct error *err)
{
    while (list.size > 0) {
        const char *comma = memchr(list.data, ',', list.size);
        const size_t size = comma ? (size_t)(comma - list.data) : list.size;
        const struct slice name = {list.data, size};

        if (access_check_namespace(name, err) != STATUS_OK)
            return fail(err, STATUS_INVALID, "\"%.*s\" is not a valid name of a namespace",
                        SLICE_FORMAT(name));
        if (sharer->count == SHARE_BOARD_SPACES)
            return fail(err, STATUS_LIMIT, "at most %d namespaces share a cluster",
                        SHARE_BOARD_SPACES);
        sharer->namespaces[sharer->count++] = name;
        list.data += size + (comma != NULL);
        list.size -= size + (comma != NULL);
    }
    return STATUS_OK;
}

static void on_change(void *context)
{
    (void)context;
}

static void on_end_time(void *context)
{
    struct sharer *sharer = context;

    if (share_seat_has_left(sharer->seat) || loop_now_ms() >= sharer->ends_at)
        loop_stop(sharer->loop, STATUS_OK, NULL);
    else
        loop_source_wake_in(sharer->timer, TICK_MS);
}

static void on_signal(void *context)
{
    struct sharer *sharer = context;

    if (sharer->ends_at > 0)
        return;
    sharer->ends_at = loop_now_ms() + LEAVE_MS;
    share_seat_leave(sharer->seat, false);
    loop_source_wake_in(sharer->timer, 0);
}

static bool get_page(void *context, const char *path, struct text *page, const char **type)
{
    const struct sharer *sharer = context;

    if (strcmp(path, "/metrics") != 0)
        return false;
    *type = EXPOSITION_TYPE;
    share_seat_write_metrics(sharer->seat, page);
    return true;
}

/* `address` NULL: nothing is served. */
static enum status serve(struct sharer *sharer, const char *address, struct error *err)
{
    const struct http_reader reader = {sharer, get_page};
    char name[64], bound[64];
    struct slice host;
    uint32_t port;

    if (!address)
        return STATUS_OK;
    if (!metrics_address_read(slice_of(address), &host, &port))
        return fail(err, STATUS_INVALID, "an address is PORT or IP:PORT, not %s", address);
    slice_copy(host, name, sizeof name);
    TRY(loop_serve_http(sharer->loop, name, (uint16_t)port, reader, bound, sizeof bound, err));
    log_info("serves http://%s/metrics", bound);
    return STATUS_OK;
}

static enum status run(struct sharer *sharer, const struct kube_access *access,
                       enum share_rule rule, const char *metrics, struct error *err)
{
    const struct loop_source_calls calls = {sharer, NULL, on_end_time};
    char identity[SHARE_HOLDER_MAX], host[256] = "";
    struct share_seat_options options = {.namespaces = sharer->namespaces,
                                         .count = sharer->count,
                                         .rule = rule,
                                         .is_central = true,
                                         .context = sharer,
                                         .on_change = on_change};

    (void)gethostname(host, sizeof host - 1);
    share_seat_name(slice_of(host), true, identity);
    options.identity = slice_of(identity);
    TRY(loop_new(TICK_MS, &sharer->loop, err));
    TRY(loop_add_source(sharer->loop, &calls, &sharer->timer, err));
    TRY(loop_on_signal(sharer->loop, SIGTERM, on_signal, sharer, err));
    TRY(loop_on_signal(sharer->loop, SIGINT, on_signal, sharer, err));
    TRY(client_open(sharer->loop, access, &sharer->client, err));
    TRY(share_seat_open(sharer->loop, sharer->client, &options, &sharer->seat, err));
    TRY(serve(sharer, metrics, err));
    return loop_run(sharer->loop, err);
}

enum status share_command(const struct kube_access *access, struct slice namespaces,
                          const char *word, const char *metrics, struct error *err)
{
    struct sharer sharer = {.loop = NULL};
    enum share_rule rule = SHARE_MIXED;
    enum status status;

    if (word && !share_rule_of(slice_of(word), &rule))
        return fail(err, STATUS_INVALID, "--rule is even, mixed or soonest, not %s", word);
    TRY(split(&sharer, namespaces, err));
    log_open("share", LOG_INFO);
    status = run(&sharer, access, rule, metrics, err);
    share_seat_close(sharer.seat);
    client_close(sharer.client);
    if (sharer.timer)
        loop_remove_source(sharer.timer);
    if (sharer.loop)
        loop_free(sharer.loop);
    return status;
}

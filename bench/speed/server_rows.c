/*
 * server_rows SERVERS BATCHES FOLDER: rows of 16 floats that a worker pulls from parameter servers
 * and pushes with Adam, by the real roles over Unix sockets, beside one loop over the same tables
 * in one process. Ids are skewed: half of a batch's draws are of an eighth of the rows.
 *
 * Prints JSON: rows a second of each, batches and rows. The parent is master and worker, each
 * server is a process of its own: server_rows --server INDEX SERVERS FOLDER.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/loop/loop.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/worker/push_worker.h"

#define WIDTH       16
#define IDS         2000000 /* ids of the table: 512 MB with their slots */
#define DRAWS       16384   /* draws for a batch; an id that is drawn twice is one row */
#define JOB         ((uint64_t)1)
#define SERVERS_MAX 16

static const uint32_t widths[] = {WIDTH};
static const struct row_table_options table_options = {.seed = 1,
                                                       .width = WIDTH,
                                                       .start = 0.05,
                                                       .settings = {.optimizer = OPTIMIZER_ADAM,
                                                                    .learning_rate = 1e-3,
                                                                    .beta1 = 0.9,
                                                                    .beta2 = 0.999,
                                                                    .epsilon = 1e-7},
                                                       .steps = 1000};

static void stop_with(const char *what, const struct error *err)
{
    fprintf(stderr, "server_rows: %s: %s\n", what, err->message);
    exit(1);
}

/* ---- batches ---- */

struct batches {
    uint32_t count; /* ids of a batch */
    uint64_t *ids;  /* (DRAWS) */
    uint32_t *seen;
    float *gradient;
    uint64_t rows; /* selected so far */
};

static int by_id(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static void draw_batch(struct batches *batches, uint32_t batch)
{
    for (uint32_t i = 0; i < DRAWS; i++) {
        const double uniform = random_uniform(1, RANDOM_SIMULATION, batch, i);

        batches->ids[i] = (uint64_t)(IDS * uniform * uniform * uniform);
    }
    qsort(batches->ids, DRAWS, sizeof *batches->ids, by_id);
    batches->count = 0;
    for (uint32_t i = 0; i < DRAWS; i++)
        if (!i || batches->ids[i] != batches->ids[batches->count - 1])
            batches->ids[batches->count++] = batches->ids[i];
    batches->rows += batches->count;
}

static void batches_init(struct batches *batches)
{
    batches->ids = malloc(DRAWS * sizeof *batches->ids);
    batches->seen = malloc(DRAWS * sizeof *batches->seen);
    batches->gradient = malloc((size_t)DRAWS * WIDTH * sizeof *batches->gradient);
    if (!batches->ids || !batches->seen || !batches->gradient)
        exit(1);
    for (uint32_t i = 0; i < DRAWS; i++)
        batches->seen[i] = 1;
    for (uint32_t i = 0; i < DRAWS * WIDTH; i++)
        batches->gradient[i] = 0.01f * (float)((int)(i % 7) - 3);
}

/* ---- one process ---- */

struct rates {
    double pulled, pushed; /* seconds */
};

static struct rates run_alone(struct batches *batches, uint32_t count)
{
    struct row_memory memory = {.limit = UINT64_MAX};
    struct row_table table;
    struct rates rates = {0, 0};
    float *values = malloc((size_t)DRAWS * WIDTH * sizeof *values);
    struct error err;

    if (!values || row_table_init(&table, &table_options, &memory, &err) != STATUS_OK)
        exit(1);
    for (uint32_t b = 0; b < count; b++) {
        struct row_push push = {.seen = batches->seen,
                                .gradient = batches->gradient,
                                .step = b + 1,
                                .rate_step = b,
                                .rate_factor = 1};
        int64_t at[3];

        draw_batch(batches, b);
        push.ids = (struct row_ids){batches->ids, batches->count};
        at[0] = loop_now_us();
        row_table_pull(&table, b, push.ids, values);
        at[1] = loop_now_us();
        if (row_table_reserve(&table, &push, &err) != STATUS_OK)
            stop_with("a push", &err);
        row_table_push(&table, &push);
        at[2] = loop_now_us();
        rates.pulled += (double)(at[1] - at[0]) / 1e6;
        rates.pushed += (double)(at[2] - at[1]) / 1e6;
    }
    row_table_deinit(&table);
    free(values);
    return rates;
}

/* ---- a server ---- */

static void address_of(const char *folder, const char *name, char address[256])
{
    snprintf(address, 256, "unix:%s/%s", folder, name);
}

static void server_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                           struct outbox *outbox)
{
    server_role_on_message(self, now_ms, from, message, outbox);
}

static void server_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    server_role_on_disconnect(self, now_ms, peer, outbox);
}

static void server_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    server_role_on_tick(self, now_ms, outbox);
}

static int run_server(uint32_t index, uint32_t servers, const char *folder)
{
    char own[32], address[256], master[256];
    static struct server_role server;
    const struct role role = {.self = &server,
                              .on_message = server_message,
                              .on_disconnect = server_disconnect,
                              .on_tick = server_tick};
    struct server_options options = {.job = JOB,
                                     .index = index,
                                     .server_count = servers,
                                     .master = master,
                                     .address = address,
                                     .tables = &table_options,
                                     .table_count = 1,
                                     .memory_limit = UINT64_MAX,
                                     .alive_ms = 1000,
                                     .reconnect_ms = 50,
                                     .search_ms = 10000,
                                     .piece_bytes = 1 << 20};
    struct loop *loop;
    struct loop_role *added;
    struct error err;

    snprintf(own, sizeof own, "server%u", index);
    address_of(folder, own, address);
    address_of(folder, "master", master);
    error_clear(&err);
    if (loop_new(50, &loop, &err) != STATUS_OK ||
        server_role_init(&server, &options, &err) != STATUS_OK ||
        loop_add_role(loop, &role, address, NULL, 0, &added, &err) != STATUS_OK)
        stop_with("a server", &err);
    server_role_start(&server, loop_now_ms(), loop_outbox(added));
    loop_flush(added);
    (void)loop_run(loop, &err);
    server_role_deinit(&server);
    loop_free(loop);
    return 0;
}

/* ---- master and worker ---- */

struct bench {
    struct push_worker worker;
    struct batches batches;
    uint32_t servers, count;
    /* the master */
    peer_id worker_peer, server_peers[SERVERS_MAX];
    char addresses[SERVERS_MAX][256];
    uint32_t here;
    bool has_leased;
    /* the worker */
    int64_t asked_at;
    double pulled, pushed; /* seconds from the first request to the last answer */
    enum push_worker_state state;
};

static void send_to(peer_id peer, struct message message, struct outbox *outbox)
{
    message.job = JOB;
    message.epoch = 1;
    outbox_send(outbox, peer, &message);
}

static void begin_when_all_are_here(struct bench *bench, struct outbox *outbox)
{
    struct text places;

    if (bench->has_leased || bench->worker_peer == PEER_NONE || bench->here < bench->servers)
        return;
    bench->has_leased = true;
    text_init(&places, 8192);
    for (uint32_t s = 0; s < bench->servers; s++)
        message_put_server_place(
            &places, &(struct message_server_place){.address = slice_of(bench->addresses[s])});
    send_to(bench->worker_peer,
            (struct message){.type = MESSAGE_SERVERS,
                             .servers = {1, bench->servers, text_slice(&places)}},
            outbox);
    send_to(bench->worker_peer, (struct message){.type = MESSAGE_LEASE, .lease = {.id = 1}},
            outbox);
    text_deinit(&places);
}

static void end_all(struct bench *bench, struct outbox *outbox)
{
    for (uint32_t s = 0; s < bench->servers; s++)
        send_to(bench->server_peers[s], (struct message){.type = MESSAGE_END}, outbox);
    send_to(bench->worker_peer, (struct message){.type = MESSAGE_END}, outbox);
}

static void master_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                           struct outbox *outbox)
{
    struct bench *bench = self;
    (void)now_ms;

    if (message->type == MESSAGE_HELLO)
        bench->worker_peer = from;
    if (message->type == MESSAGE_SERVER && message->server.index < SERVERS_MAX) {
        bench->here++;
        bench->server_peers[message->server.index] = from;
        slice_copy(message->server.address, bench->addresses[message->server.index], 256);
    }
    begin_when_all_are_here(bench, outbox);
    if (message->type == MESSAGE_SHARD_DONE)
        end_all(bench, outbox);
}

static void ignore_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    (void)self;
    (void)now_ms;
    (void)peer;
    (void)outbox;
}

static void ignore_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    (void)self;
    (void)now_ms;
    (void)outbox;
}

static enum status bench_open(void *self, uint64_t shard, uint32_t *batches, struct error *err)
{
    const struct bench *bench = self;
    (void)shard;
    (void)err;

    *batches = bench->count;
    return STATUS_OK;
}

static void bench_close(void *self, uint64_t shard)
{
    (void)self;
    (void)shard;
}

static enum status bench_select(void *self, uint64_t shard, uint32_t batch, struct batch_rows *rows,
                                struct error *err)
{
    struct bench *bench = self;
    (void)shard;
    (void)err;

    draw_batch(&bench->batches, batch);
    bench->asked_at = loop_now_us();
    *rows = (struct batch_rows){&bench->batches.count, bench->batches.ids, bench->batches.seen};
    return STATUS_OK;
}

static enum status bench_compute(void *self, const float *values, float *gradient,
                                 struct error *err)
{
    const struct bench *bench = self;
    (void)values;
    (void)err;

    memcpy(gradient, bench->batches.gradient,
           (size_t)bench->batches.count * WIDTH * sizeof *gradient);
    return STATUS_OK;
}

static struct batch_loss bench_take_loss(void *self)
{
    (void)self;
    return (struct batch_loss){.rows = 0};
}

/* Counts the time that the worker waits for servers; its own drawing and computing do not count. */
static void note_state(struct bench *bench)
{
    const int64_t now = loop_now_us();
    const enum push_worker_state state = bench->worker.state;

    if (state == bench->state)
        return;
    if (bench->state == PUSH_PULLING)
        bench->pulled += (double)(now - bench->asked_at) / 1e6;
    if (bench->state == PUSH_PUSHING)
        bench->pushed += (double)(now - bench->asked_at) / 1e6;
    bench->state = state;
}

static void worker_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                           struct outbox *outbox)
{
    struct bench *bench = self;

    push_worker_on_message(&bench->worker, now_ms, from, message, outbox);
    note_state(bench);
}

static void worker_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct bench *bench = self;

    push_worker_on_disconnect(&bench->worker, now_ms, peer, outbox);
}

static void worker_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct bench *bench = self;

    push_worker_on_tick(&bench->worker, now_ms, outbox);
}

static bool worker_is_busy(void *self)
{
    struct bench *bench = self;

    return push_worker_has_work(&bench->worker);
}

/* The requests are written in `work`: pulling and pushing include their time. */
static void worker_work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct bench *bench = self;

    bench->asked_at = loop_now_us(); /* drawing a batch sets it anew */
    push_worker_work(&bench->worker, now_ms, outbox);
    note_state(bench);
}

static pid_t start_server(const char *program, uint32_t index, const char *servers,
                          const char *folder)
{
    char number[16];
    char *arguments[] = {(char *)program, "--server",     number,
                         (char *)servers, (char *)folder, NULL};
    extern char **environ;
    pid_t process;

    snprintf(number, sizeof number, "%u", index);
    if (posix_spawn(&process, program, NULL, NULL, arguments, environ) != 0)
        exit(1);
    return process;
}

static void run_servers(struct bench *bench, const char *program, char **argv)
{
    char address[256];
    const struct role master = {.self = bench,
                                .on_message = master_message,
                                .on_disconnect = ignore_disconnect,
                                .on_tick = ignore_tick};
    const struct role worker = {.self = bench,
                                .on_message = worker_message,
                                .on_disconnect = worker_disconnect,
                                .on_tick = worker_tick,
                                .has_work = worker_is_busy,
                                .work = worker_work};
    const struct push_worker_options options = {
        .job = JOB, .master = address, .alive_ms = 1000, .reconnect_ms = 50, .search_ms = 10000};
    const struct batch_learning learning = {.self = bench,
                                            .plan = {.shards_per_epoch = UINT32_MAX, .epochs = 1},
                                            .table_count = 1,
                                            .widths = widths,
                                            .open = bench_open,
                                            .close = bench_close,
                                            .select = bench_select,
                                            .compute = bench_compute,
                                            .take_loss = bench_take_loss};
    struct loop_role *roles[2];
    struct loop *loop;
    struct error err;

    error_clear(&err);
    address_of(argv[3], "master", address);
    push_worker_init(&bench->worker, &options, &learning, NULL);
    if (loop_new(50, &loop, &err) != STATUS_OK ||
        loop_add_role(loop, &master, address, NULL, 0, &roles[0], &err) != STATUS_OK ||
        loop_add_role(loop, &worker, NULL, NULL, 0, &roles[1], &err) != STATUS_OK)
        stop_with("the worker", &err);
    for (uint32_t s = 0; s < bench->servers; s++)
        (void)start_server(program, s, argv[1], argv[3]);
    push_worker_start(&bench->worker, loop_now_ms(), loop_outbox(roles[1]));
    loop_flush(roles[1]);
    if (loop_run(loop, &err) != STATUS_OK)
        stop_with("the worker", &err);
    loop_free(loop);
    for (uint32_t s = 0; s < bench->servers; s++)
        (void)wait(NULL);
    push_worker_deinit(&bench->worker);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct rates alone;
    uint64_t rows;

    if (argc == 5 && strcmp(argv[1], "--server") == 0)
        return run_server((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), argv[4]);
    if (argc != 4 || atoi(argv[1]) < 1 || atoi(argv[1]) > SERVERS_MAX || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: server_rows SERVERS BATCHES FOLDER\n");
        return 2;
    }
    bench.servers = (uint32_t)atoi(argv[1]);
    bench.count = (uint32_t)atoi(argv[2]);
    batches_init(&bench.batches);
    alone = run_alone(&bench.batches, bench.count);
    rows = bench.batches.rows;
    bench.batches.rows = 0;
    run_servers(&bench, argv[0], argv);
    printf("{\"servers\": %u, \"batches\": %u, \"rows\": %llu, \"pulled\": %.0f, \"pushed\": %.0f, "
           "\"alone_pulled\": %.0f, \"alone_pushed\": %.0f}\n",
           bench.servers, bench.count, (unsigned long long)rows, (double)rows / bench.pulled,
           (double)rows / bench.pushed, (double)rows / alone.pulled, (double)rows / alone.pushed);
    return 0;
}

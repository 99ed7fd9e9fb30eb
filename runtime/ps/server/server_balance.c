#include "runtime/ps/server/server_balance.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_LEAST   50   /* a server's mean: fewer say nothing */
#define BUSY_LEAST   .25  /* share of the time that the hot server is busy */
#define EVEN_AT      1.03 /* times the mean: good enough */
#define HELPS_AT     .9   /* times the highest load before */
#define BUCKETS_MOST 256  /* moved at once */

enum status server_balance_init(struct server_balance *balance, uint32_t servers, struct error *err)
{
    *balance = (struct server_balance){.room = servers,
                                       .servers = calloc(servers, sizeof *balance->servers)};
    return balance->servers ? STATUS_OK : fail_no_memory(err);
}

void server_balance_deinit(struct server_balance *balance)
{
    free(balance->servers);
    balance->servers = NULL;
}

void server_balance_clear(struct server_balance *balance)
{
    memset(balance->rows, 0, sizeof balance->rows);
    memset(balance->servers, 0, balance->room * sizeof *balance->servers);
    balance->said = balance->hot_rounds = 0;
}

/* ---- loads ---- */

/* By server, and what a row costs each; by bucket the rows of a millisecond. */
struct loads {
    uint32_t serving;
    double of[BUCKETS_PER_TABLE], costs[BUCKETS_PER_TABLE], rates[BUCKETS_PER_TABLE];
    uint64_t rows[BUCKETS_PER_TABLE];
    uint32_t buckets[BUCKETS_PER_TABLE]; /* by server: how many it has */
    bool know_time;
};

/* A server that has served hardly any row is as fast as all are together. */
static void find_costs(const struct server_balance *balance, struct loads *loads)
{
    uint64_t busy_us = 0, rows = 0;

    loads->know_time = true;
    for (uint32_t s = 0; s < loads->serving; s++) {
        busy_us += balance->servers[s].busy_us;
        rows += loads->rows[s];
        loads->know_time &= balance->servers[s].busy_us > 0;
    }
    for (uint32_t s = 0; s < loads->serving; s++)
        if (!loads->know_time || rows == 0)
            loads->costs[s] = 1;
        else if (loads->rows[s] < ROWS_LEAST)
            loads->costs[s] = (double)busy_us / (double)rows;
        else
            loads->costs[s] = (double)balance->servers[s].busy_us / (double)loads->rows[s];
}

static void find_loads(const struct server_balance *balance, const struct server_layout *layout,
                       struct loads *loads)
{
    *loads = (struct loads){.serving = layout->serving};
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        const uint32_t server = server_of_bucket(layout, b);
        const uint64_t ms = balance->servers[server].ms;

        loads->rows[server] += balance->rows[b];
        loads->buckets[server]++;
        loads->rates[b] = ms > 0 ? (double)balance->rows[b] / (double)ms : 0;
    }
    find_costs(balance, loads);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        const uint32_t server = server_of_bucket(layout, b);

        loads->of[server] += loads->rates[b] * loads->costs[server];
    }
}

static double mean_of(const struct loads *loads)
{
    double sum = 0;

    for (uint32_t s = 0; s < loads->serving; s++)
        sum += loads->of[s];
    return sum / loads->serving;
}

static uint32_t highest_of(const struct loads *loads)
{
    uint32_t found = 0;

    for (uint32_t s = 1; s < loads->serving; s++)
        found = loads->of[s] > loads->of[found] ? s : found;
    return found;
}

static uint32_t lowest_of(const struct loads *loads)
{
    uint32_t found = 0;

    for (uint32_t s = 1; s < loads->serving; s++)
        found = loads->of[s] < loads->of[found] ? s : found;
    return found;
}

/* ---- rounds ---- */

static bool is_one_hot(const struct server_balance *balance, const struct loads *loads)
{
    const uint32_t hot = highest_of(loads);
    const struct balance_server *server = balance->servers + hot;
    uint64_t rows = 0;

    for (uint32_t s = 0; s < loads->serving; s++)
        rows += loads->rows[s];
    return rows >= (uint64_t)ROWS_LEAST * loads->serving &&
           loads->of[hot] >= BALANCE_HOT_AT * mean_of(loads) &&
           (!loads->know_time || (double)server->busy_us >= BUSY_LEAST * 1000 * (double)server->ms);
}

static void end_round(struct server_balance *balance, const struct server_layout *now)
{
    struct loads loads;

    find_loads(balance, now, &loads);
    balance->hot_rounds = is_one_hot(balance, &loads) ? balance->hot_rounds + 1 : 0;
    balance->said = 0;
    for (uint32_t s = 0; s < now->serving; s++)
        balance->servers[s].has_said = false;
}

static void begin_round(struct server_balance *balance, const struct server_layout *now)
{
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        balance->rows[b] /= 2;
    for (uint32_t s = 0; s < now->serving; s++) {
        balance->servers[s].ms /= 2;
        balance->servers[s].busy_us /= 2;
    }
}

void server_balance_note(struct server_balance *balance, const struct server_layout *now,
                         uint32_t server, const struct message_load *load)
{
    struct balance_server *from = balance->servers + server;

    if (load->layout != now->id || server >= now->serving || server >= balance->room ||
        load->rows.size != BUCKETS_PER_TABLE * sizeof(uint32_t) || load->ms > UINT32_MAX ||
        load->busy_us > UINT64_C(1000) * UINT32_MAX)
        return;
    if (balance->said == 0)
        begin_round(balance, now);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        uint32_t rows;

        memcpy(&rows, load->rows.data + b * sizeof rows, sizeof rows); /* need not be aligned */
        if (server_of_bucket(now, b) == server)
            balance->rows[b] += rows;
    }
    from->ms += load->ms;
    from->busy_us += load->busy_us;
    balance->said += !from->has_said;
    from->has_said = true;
    if (balance->said == now->serving)
        end_round(balance, now);
}

/* ---- the choice ---- */

/* The bucket that makes the higher load of the two lowest. BUCKETS_PER_TABLE: none lowers it. */
static uint32_t choose_bucket(const struct loads *loads, const struct server_layout *layout,
                              uint32_t from, uint32_t to)
{
    double best = loads->of[from];
    uint32_t found = BUCKETS_PER_TABLE;

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE && loads->buckets[from] > 1; b++) {
        const double left = loads->of[from] - loads->rates[b] * loads->costs[from];
        const double came = loads->of[to] + loads->rates[b] * loads->costs[to];
        const double higher = left > came ? left : came;

        if (layout->servers[b] != from || higher >= best)
            continue;
        best = higher;
        found = b;
    }
    return found;
}

static void move_bucket(struct loads *loads, struct server_layout *layout, uint32_t bucket,
                        uint32_t to)
{
    const uint32_t from = layout->servers[bucket];

    loads->of[from] -= loads->rates[bucket] * loads->costs[from];
    loads->of[to] += loads->rates[bucket] * loads->costs[to];
    loads->buckets[from]--;
    loads->buckets[to]++;
    layout->servers[bucket] = (uint16_t)to;
}

bool server_balance_choose(const struct server_balance *balance, const struct server_layout *now,
                           struct server_layout *next, struct balance_choice *choice)
{
    struct loads loads;
    double highest;

    find_loads(balance, now, &loads);
    *choice = (struct balance_choice){.hot = highest_of(&loads)};
    highest = loads.of[choice->hot];
    choice->before = highest / mean_of(&loads);
    *next = *now;
    server_layout_make_map(next);
    for (uint32_t i = 0; i < BUCKETS_MOST; i++) {
        const uint32_t from = highest_of(&loads), to = lowest_of(&loads);
        const uint32_t bucket = choose_bucket(&loads, next, from, to);

        if (bucket == BUCKETS_PER_TABLE || loads.of[from] <= EVEN_AT * mean_of(&loads))
            break;
        move_bucket(&loads, next, bucket, to);
    }
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        choice->moved += server_of_bucket(now, b) != next->servers[b];
    choice->after = loads.of[highest_of(&loads)] / mean_of(&loads);
    return choice->moved > 0 && choice->before >= BALANCE_HOT_AT &&
           loads.of[highest_of(&loads)] <= HELPS_AT * highest;
}

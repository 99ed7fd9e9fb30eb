#include "runtime/score/dispatch.h"

#include <stdlib.h>

#include "runtime/score/dispatch_leases.h"
#include "runtime/score/dispatch_parts.h"
#include "runtime/score/dispatch_record.h"

#define SETTLING_LEASE (1u << 31) /* no shard has so many leases */
/* It is one long piece of work, which a second worker would do as a whole. */
#define SETTLING_BACKUP_MS 120000

static uint64_t count_settled(const struct dispatch_options *options)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < options->settled_count; i++)
        rows += options->settled[i].count;
    return rows;
}

static enum status open_ledger(struct dispatch *dispatch, uint64_t first_lease, struct error *err)
{
    const struct dispatch_options *options = &dispatch->options;
    const uint64_t rows = options->rows - (options->stages && !dispatch->settles);
    const struct ledger_options ledger = {.rows = rows,
                                          .shard_rows = options->shard_rows,
                                          .workers_max = options->crew.max_workers,
                                          .leases_per_worker = options->leases_per_worker,
                                          .suspects_max = LEDGER_SUSPECTS_MAX,
                                          .first_lease = first_lease,
                                          .backup_ms = dispatch->settles ? SETTLING_BACKUP_MS
                                                                         : options->backup_ms,
                                          .settled = options->settled,
                                          .settled_count = options->settled_count};

    return rows > 0 ? ledger_new(&ledger, &dispatch->ledger, err) : STATUS_OK;
}

/* Every shard is staged. Leases that are still out are refused: they are none of this ledger's. */
static enum status begin_settling(struct dispatch *dispatch, struct error *err)
{
    const uint64_t shards = dispatch->options.rows - 1;
    const struct settled_rows all = {.first = 0, .count = shards};

    ledger_free(dispatch->ledger);
    dispatch->ledger = NULL;
    dispatch->settles = true;
    dispatch->options.settled = &all;
    dispatch->options.settled_count = shards > 0;
    TRY(open_ledger(dispatch, dispatch->crew.epoch + SETTLING_LEASE, err));
    dispatch->options.settled = NULL;
    dispatch->options.settled_count = 0;
    return STATUS_OK;
}

/* Results of a job that has failed are of no use. */
static void drop_results(void *leader, struct outbox *outbox)
{
    const struct dispatch *dispatch = leader;

    if (dispatch->crew.state != JOB_STATE_DONE)
        outbox_put(outbox, OUTBOX_DROP, "", 0);
}

static void forget_leases(void *leader, uint32_t index, struct outbox *outbox)
{
    struct dispatch *dispatch = leader;
    (void)outbox;

    dispatch->workers[index].lease_count = 0;
}

/* It is not here any more. */
static void lose(struct dispatch *dispatch, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox)
{
    outbox_close(outbox, dispatch->workers[index].member.peer);
    crew_let_go(&dispatch->crew, now_ms, index);
    dispatch_put_worker(dispatch, index, "lost", outbox);
    crew_put_event(&dispatch->crew, now_ms, index, "lost", outbox, "%s", why);
}

/* It is not here any more, and others get its leases. */
static void give_up(void *leader, int64_t now_ms, uint32_t index, const char *why,
                    struct outbox *outbox)
{
    lose(leader, now_ms, index, why, outbox);
    dispatch_take_back(leader, now_ms, index, LEDGER_LOST, outbox);
}

static const struct crew_calls calls = {.member_bytes = sizeof(struct dispatch_worker),
                                        .fill_row = dispatch_fill_row,
                                        .fill_report = dispatch_fill_report,
                                        .lose = give_up,
                                        .end = drop_results,
                                        .dismiss = forget_leases};

enum status dispatch_init(struct dispatch *dispatch, const struct dispatch_options *options,
                          int64_t now_ms, struct outbox *outbox, struct error *err)
{
    *dispatch = (struct dispatch){.options = *options, .claim_at = LEDGER_NEVER};
    TRY(crew_init(&dispatch->crew, &dispatch->options.crew, &calls, now_ms, err));
    dispatch->crew.epoch = (uint64_t)options->crew.incarnation << 32;
    dispatch->workers = dispatch->crew.members;
    dispatch->settles = options->stages && count_settled(options) + 1 >= options->rows;
    TRY(open_ledger(dispatch, dispatch->crew.epoch + 1, err));
    dispatch->crew.rate_rows = dispatch->rows_before = dispatch_rows_done(dispatch);
    if (options->crew.facts.previous)
        dispatch->rows_redone = options->crew.facts.previous->rows_redone;
    crew_put_job(&dispatch->crew, now_ms, outbox);
    return STATUS_OK;
}

void dispatch_deinit(struct dispatch *dispatch)
{
    ledger_free(dispatch->ledger);
    crew_deinit(&dispatch->crew);
}

void dispatch_finish(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    struct error err;

    if (!dispatch->options.stages) {
        crew_end(&dispatch->crew, now_ms, JOB_STATE_DONE, outbox);
        return;
    }
    if (dispatch->settles) {
        /* The job goes on: its end is not stored. */
        crew_put_job(&dispatch->crew, now_ms, outbox);
        crew_put_event(&dispatch->crew, now_ms, -1, "staged", outbox, "%llu shards",
                       (unsigned long long)dispatch->options.rows - 1);
        crew_hand_on(&dispatch->crew, MESSAGE_STAGED, outbox);
        return;
    }
    error_clear(&err);
    if (begin_settling(dispatch, &err) != STATUS_OK)
        crew_fail(&dispatch->crew, now_ms, &err, outbox);
    else
        dispatch_serve_all(dispatch, now_ms, outbox);
}

static void start(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    if (!crew_begin(&dispatch->crew, now_ms, outbox))
        return;
    if (!dispatch->ledger || ledger_is_finished(dispatch->ledger))
        dispatch_finish(dispatch, now_ms, outbox);
    else
        dispatch_serve_all(dispatch, now_ms, outbox);
}

/* Puts a newer incarnation in the place of one that had leases: it died over them. When staging,
 * the shard is not blamed: it cannot be made smaller, and hardly any causes a death. */
static void succeed(struct dispatch *dispatch, int64_t now_ms, uint32_t index, bool is_newer,
                    struct outbox *outbox)
{
    struct dispatch_worker *worker = &dispatch->workers[index];
    const bool has_died = is_newer && worker->lease_count > 0;

    if (crew_is_here(&dispatch->crew, index))
        lose(dispatch, now_ms, index, "its successor is here", outbox);
    dispatch_take_back(dispatch, now_ms, index,
                       is_newer && !dispatch->options.stages ? LEDGER_CRASHED : LEDGER_LOST,
                       outbox);
    if (has_died && dispatch->options.stages)
        dispatch_note_death(dispatch, now_ms, outbox);
}

static void admit(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                  const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct crew *crew = &dispatch->crew;
    const struct crew_member *member;

    if (crew_is_followed(crew, message->epoch, outbox))
        return;
    if (hello->index >= crew->workers) {
        crew_send_end(crew, from, outbox);
        return;
    }
    if (hello->is_staging != dispatch->options.stages) {
        outbox_close(outbox, from);
        return;
    }
    member = crew_at(crew, hello->index);
    if (hello->is_leaving || (member->was_seen && hello->incarnation < member->incarnation)) {
        crew_send_end(crew, from, outbox);
        return;
    }
    if (member->was_seen)
        succeed(dispatch, now_ms, hello->index, hello->incarnation > member->incarnation, outbox);
    if (crew_has_ended(crew)) {
        crew_send_end(crew, from, outbox);
        return;
    }
    crew_take_in(crew, now_ms, hello->index, hello->incarnation, from);
    dispatch_put_worker(dispatch, hello->index, dispatch->options.stages ? "staging" : "scoring",
                        outbox);
    crew_put_event(crew, now_ms, hello->index, "joined", outbox, "incarnation %u",
                   hello->incarnation);
    if (crew->state == JOB_STATE_WAITING)
        start(dispatch, now_ms, outbox);
    else
        dispatch_serve(dispatch, now_ms, hello->index, outbox);
}

static void on_worker_message(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                              const struct message *message, struct outbox *outbox)
{
    crew_at(&dispatch->crew, index)->heard_at = now_ms;
    switch (message->type) {
    case MESSAGE_PHASE_ALIVE:
        break;
    case MESSAGE_SCORED:
        if (message->epoch == dispatch->crew.epoch)
            dispatch_on_scored(dispatch, now_ms, index, &message->scored, outbox);
        break;
    case MESSAGE_LEAVING:
        crew_send_end(&dispatch->crew, crew_at(&dispatch->crew, index)->peer, outbox);
        give_up(dispatch, now_ms, index, "was asked to go", outbox);
        break;
    case MESSAGE_FAILED:
        crew_on_failed(&dispatch->crew, now_ms, &message->failure, outbox);
        break;
    default:
        give_up(dispatch, now_ms, index, "broke the protocol", outbox);
        break;
    }
}

void dispatch_on_message(struct dispatch *dispatch, int64_t now_ms, peer_id from,
                         const struct message *message, struct outbox *outbox)
{
    struct crew *crew = &dispatch->crew;
    const uint32_t index = crew_find(crew, from);

    /* A worker that stages sends PROCESS_ALIVE already; only the master that follows needs it. */
    if (message->type == MESSAGE_PROCESS_ALIVE && dispatch->options.stages)
        return;
    if (message->job != crew->options->job || message->type == MESSAGE_PROCESS_ALIVE) {
        outbox_close(outbox, from);
        return;
    }
    if (crew_has_ended(crew))
        crew_send_end(crew, from, outbox);
    else if (message->type == MESSAGE_UNABLE)
        crew_on_unable(crew, now_ms, from, &message->unable, outbox);
    else if (message->type == MESSAGE_HELLO && index == CREW_NONE)
        admit(dispatch, now_ms, from, message, outbox);
    else if (index == CREW_NONE)
        outbox_close(outbox, from); /* declared dead, or unknown */
    else
        on_worker_message(dispatch, now_ms, index, message, outbox);
}

void dispatch_on_disconnect(struct dispatch *dispatch, int64_t now_ms, peer_id peer,
                            struct outbox *outbox)
{
    const uint32_t index = crew_find(&dispatch->crew, peer);

    if (index == CREW_NONE || crew_has_ended(&dispatch->crew))
        return;
    lose(dispatch, now_ms, index, "closed its connection", outbox);
    dispatch->workers[index].is_missed = dispatch->workers[index].lease_count > 0;
    dispatch->workers[index].missed_at = now_ms;
}

void dispatch_on_tick(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    struct crew *crew = &dispatch->crew;
    const int64_t pause = crew_note_pause(crew, now_ms);

    for (uint32_t index = 0; index < crew->workers && !crew_has_ended(crew); index++) {
        struct dispatch_worker *worker = &dispatch->workers[index];

        worker->missed_at += pause;
        if (worker->is_missed && now_ms - worker->missed_at >= dispatch->options.missed_ms)
            dispatch_take_back(dispatch, now_ms, index, LEDGER_LOST, outbox);
        else
            crew_check_silence(crew, now_ms, index, crew->options->dead_ms, outbox);
    }
    if (crew->state != JOB_STATE_RUNNING)
        return;
    if (now_ms >= dispatch->claim_at)
        dispatch_serve_all(dispatch, now_ms, outbox);
    dispatch_note_progress(dispatch, now_ms, outbox);
}

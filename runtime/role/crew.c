#include "runtime/role/crew.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE_SECONDS_LEAST 0.05

/* ----- life ----- */

/* The job goes on where the leader before left it. */
static void continue_job(struct crew *crew, const struct job_row *row)
{
    crew->started_at -= (int64_t)(row->seconds * 1000);
    crew->waited_ms = (int64_t)(row->seconds_waiting * 1000);
    usage_continue(&crew->usage, row->slot_seconds, row->goodput, row->rows_done);
}

enum status crew_init(struct crew *crew, const struct crew_options *options,
                      const struct crew_calls *calls, int64_t now_ms, struct error *err)
{
    const int64_t began_at = options->facts.began_at_ms;

    *crew = (struct crew){.calls = calls,
                          .options = options,
                          .state = JOB_STATE_WAITING,
                          .workers = options->max_workers,
                          .count = options->max_workers + options->servers,
                          .wanted = options->max_workers,
                          .started_at = began_at > 0 ? began_at : now_ms,
                          .waiting_since = now_ms,
                          .ticked_at = now_ms,
                          .reported_at = now_ms,
                          .rate_at = now_ms};
    crew->ms_before = now_ms - crew->started_at;
    error_clear(&crew->failure);
    usage_init(&crew->usage, now_ms);
    while (crew->hint_mask < 2 * (uint64_t)crew->count)
        crew->hint_mask = 2 * crew->hint_mask + 1;
    crew->members = calloc(crew->count, calls->member_bytes);
    crew->hints = calloc(crew->hint_mask + (size_t)1, sizeof *crew->hints);
    if (!crew->members || !crew->hints)
        return fail_no_memory(err);
    TRY(unable_init(&crew->unable, crew->workers, options->dead_ms, err));
    if (options->facts.previous)
        continue_job(crew, options->facts.previous);
    return STATUS_OK;
}

void crew_deinit(struct crew *crew)
{
    free(crew->members);
    free(crew->hints);
    unable_deinit(&crew->unable);
}

bool crew_has_ended(const struct crew *crew)
{
    return !crew->calls || crew->is_handed_on || job_state_has_ended(crew->state);
}

/* ----- members ----- */

struct crew_member *crew_at(const struct crew *crew, uint32_t index)
{
    return (void *)((char *)crew->members + index * crew->calls->member_bytes);
}

bool crew_is_here(const struct crew *crew, uint32_t index)
{
    return crew_at(crew, index)->peer != PEER_NONE;
}

/* Peers count upwards, so that two hardly ever share a hint. An unknown peer is searched for among
 * all members. */
uint32_t crew_find(struct crew *crew, peer_id peer)
{
    uint32_t *hint = &crew->hints[peer & crew->hint_mask];

    if (crew_at(crew, *hint)->peer == peer)
        return *hint;
    for (uint32_t index = 0; index < crew->count; index++) {
        if (crew_at(crew, index)->peer == peer) {
            *hint = index;
            return index;
        }
    }
    return CREW_NONE;
}

bool crew_is_followed(const struct crew *crew, uint64_t epoch, struct outbox *outbox)
{
    if (epoch < ((uint64_t)crew->options->incarnation + 1) << 32)
        return false;
    outbox_end(outbox, STATUS_STALE);
    return true;
}

void crew_take_in(struct crew *crew, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  peer_id from)
{
    struct crew_member *member = crew_at(crew, index);

    crew_count_slots(crew, now_ms);
    crew->live += index < crew->workers && member->peer == PEER_NONE;
    unable_note_joined(&crew->unable, index, incarnation);
    *member = (struct crew_member){
        .peer = from, .incarnation = incarnation, .was_seen = true, .heard_at = now_ms};
}

void crew_let_go(struct crew *crew, int64_t now_ms, uint32_t index)
{
    crew_count_slots(crew, now_ms);
    crew_at(crew, index)->peer = PEER_NONE;
    if (index >= crew->workers)
        return;
    crew->live--;
    unable_note_left(&crew->unable, index);
}

void crew_dismiss(struct crew *crew, enum message_type to_workers, struct outbox *outbox)
{
    for (uint32_t index = 0; index < crew->count; index++) {
        struct crew_member *member = crew_at(crew, index);

        if (member->peer != PEER_NONE)
            crew_send_last(crew, member->peer, index < crew->workers ? to_workers : MESSAGE_END,
                           outbox);
        member->peer = PEER_NONE;
        if (crew->calls->dismiss)
            crew->calls->dismiss(crew, index, outbox);
    }
}

void crew_end_members(struct crew *crew, struct outbox *outbox)
{
    crew_dismiss(crew, MESSAGE_END, outbox);
}

/* ----- messages ----- */

struct message crew_message(const struct crew *crew, enum message_type type)
{
    return (struct message){.type = type, .job = crew->options->job, .epoch = crew->epoch};
}

void crew_send_last(const struct crew *crew, peer_id peer, enum message_type type,
                    struct outbox *outbox)
{
    const struct message message = crew_message(crew, type);

    outbox_send(outbox, peer, &message);
    outbox_close(outbox, peer);
}

void crew_send_end(const struct crew *crew, peer_id peer, struct outbox *outbox)
{
    crew_send_last(crew, peer, MESSAGE_END, outbox);
}

void crew_on_unable(struct crew *crew, int64_t now_ms, peer_id from,
                    const struct message_unable *unable, struct outbox *outbox)
{
    const uint32_t here = crew_find(crew, from);
    const bool was_at_work = here != CREW_NONE && here == unable->index;

    if (unable_is_stale(&crew->unable, unable, was_at_work)) {
        crew_send_end(crew, from, outbox);
        return;
    }
    if (!unable_note(&crew->unable, unable, was_at_work)) {
        outbox_close(outbox, from);
        return;
    }
    crew_put_event(crew, now_ms, unable->index, "unable", outbox, "%s", crew->unable.last.message);
    if (crew->calls->note_unable)
        crew->calls->note_unable(crew, now_ms, unable->index, was_at_work, outbox);
    crew_send_end(crew, from, outbox);
    if (here != CREW_NONE)
        crew->calls->lose(crew, now_ms, here, "cannot go on", outbox);
    if ((was_at_work && unable_all_fail_at_work(&crew->unable)) ||
        unable_is_for_good(&crew->unable, now_ms, crew->wanted))
        crew_fail(crew, now_ms, &crew->unable.last, outbox);
}

void crew_on_failed(struct crew *crew, int64_t now_ms, const struct message_failure *failure,
                    struct outbox *outbox)
{
    struct error err;

    error_restore(&err, failure->status, failure->message, failure->hint);
    crew_fail(crew, now_ms, &err, outbox);
}

/* ----- time ----- */

int64_t crew_note_pause(struct crew *crew, int64_t now_ms)
{
    const int64_t pause = now_ms - crew->ticked_at;

    crew->ticked_at = now_ms;
    if (crew->options->dead_ms == 0 || pause <= crew->options->dead_ms / 2)
        return 0;
    for (uint32_t index = 0; index < crew->count; index++)
        crew_at(crew, index)->heard_at += pause;
    return pause;
}

bool crew_is_silent(const struct crew *crew, int64_t now_ms, uint32_t index, int64_t patience_ms)
{
    return patience_ms > 0 && now_ms - crew_at(crew, index)->heard_at >= patience_ms;
}

void crew_check_silence(struct crew *crew, int64_t now_ms, uint32_t index, int64_t patience_ms,
                        struct outbox *outbox)
{
    if (!crew_is_here(crew, index) || !crew_is_silent(crew, now_ms, index, patience_ms))
        return;
    outbox_replace(outbox, index, crew_at(crew, index)->incarnation);
    crew->calls->lose(crew, now_ms, index, "was silent", outbox);
}

/* ----- the job's course ----- */

bool crew_begin(struct crew *crew, int64_t now_ms, struct outbox *outbox)
{
    if (crew->state != JOB_STATE_WAITING || crew->live < crew->options->min_workers)
        return false;
    crew->waited_ms += now_ms - crew->waiting_since;
    crew->rate_at = now_ms;
    crew->state = JOB_STATE_RUNNING;
    crew_put_job(crew, now_ms, outbox);
    return true;
}

void crew_end(struct crew *crew, int64_t now_ms, enum job_state state, struct outbox *outbox)
{
    const bool is_done = state == JOB_STATE_DONE;

    crew_count_slots(crew, now_ms);
    crew->state = state;
    crew_put_job(crew, now_ms, outbox);
    for (uint32_t index = 0; index < crew->count; index++)
        if (crew_at(crew, index)->was_seen)
            crew_put_member(crew, index, "ended", 0, 0, outbox);
    crew_end_members(crew, outbox);
    crew->live = 0;
    crew->calls->end(crew, outbox);
    crew_put_event(crew, now_ms, -1, job_state_name(state), outbox, "%s", crew->failure.message);
    crew_report(crew, now_ms, is_done ? JOB_DONE : JOB_FAILED, outbox);
    outbox_end(outbox, is_done ? STATUS_OK : crew->failure.status);
}

void crew_hand_on(struct crew *crew, enum message_type to_workers, struct outbox *outbox)
{
    crew_dismiss(crew, to_workers, outbox);
    crew->live = 0;
    crew->is_handed_on = true;
}

/* ----- requests of the launcher ----- */

void crew_cancel(struct crew *crew, int64_t now_ms, struct outbox *outbox)
{
    if (crew_has_ended(crew))
        return;
    error_clear(&crew->failure);
    fail(&crew->failure, STATUS_INTERRUPTED, "the job was cancelled");
    crew_end(crew, now_ms, JOB_STATE_CANCELLED, outbox);
}

void crew_fail(struct crew *crew, int64_t now_ms, const struct error *err, struct outbox *outbox)
{
    if (crew_has_ended(crew))
        return;
    crew->failure = *err;
    crew_end(crew, now_ms, JOB_STATE_FAILED, outbox);
}

void crew_leave(struct crew *crew, int64_t now_ms, struct outbox *outbox)
{
    if (crew_has_ended(crew))
        return;
    crew_put_job(crew, now_ms, outbox);
    crew_put_event(crew, now_ms, -1, "leaving", outbox, "was asked to go");
    outbox_end(outbox, STATUS_OK);
}

void crew_want(struct crew *crew, int64_t now_ms, uint64_t version, uint32_t workers,
               struct outbox *outbox)
{
    if (crew_has_ended(crew) || version < crew->wanted_version || workers > crew->workers)
        return;
    if (workers != crew->wanted)
        crew_put_event(crew, now_ms, -1, "wanted", outbox, "%" PRIu32 " workers", workers);
    crew->wanted_version = version;
    crew->wanted = workers;
}

void crew_stand(struct crew *crew, const char *text)
{
    slice_copy(slice_of(text), crew->standing, sizeof crew->standing);
}

void crew_note_size(struct crew *crew, const char *text)
{
    slice_copy(slice_of(text), crew->measured, sizeof crew->measured);
}

static const char *standing_of(const struct crew *crew)
{
    return crew->standing[0] != '\0' ? crew->standing : crew->measured;
}

/* ----- record ----- */

void crew_count_slots(struct crew *crew, int64_t now_ms)
{
    const bool works = crew->state == JOB_STATE_WAITING || crew->state == JOB_STATE_RUNNING;

    usage_count(&crew->usage, now_ms, works ? crew->live : 0);
}

double crew_seconds(const struct crew *crew, int64_t now_ms)
{
    return (double)(now_ms - crew->started_at) / 1000;
}

double crew_seconds_left(const struct crew *crew, double seconds, uint64_t done, uint64_t all)
{
    const double run_s = seconds - (double)crew->ms_before / 1000;

    if (done == 0 || all < done || run_s < JOB_ESTIMATE_AFTER_S)
        return (double)NAN;
    return run_s * (double)(all - done) / (double)done;
}

struct job_row crew_job_row(struct crew *crew, int64_t now_ms)
{
    int64_t waited = crew->waited_ms;
    struct job_row row;

    crew_count_slots(crew, now_ms);
    if (crew->state == JOB_STATE_WAITING)
        waited += now_ms - crew->waiting_since;
    memset(&row, 0, sizeof row);
    row.id = (int64_t)crew->options->job;
    row.state = crew->state;
    job_facts_fill(&crew->options->facts, &row);
    row.workers = crew->live;
    row.loss = row.validation_loss = (double)NAN;
    row.rows_per_second = crew->rows_per_second;
    row.slot_seconds = usage_slot_seconds(&crew->usage);
    row.seconds_waiting = (double)waited / 1000;
    row.seconds = crew_seconds(crew, now_ms);
    slice_copy(slice_of(crew_has_ended(crew) ? crew->failure.message : standing_of(crew)),
               row.error, sizeof row.error);
    crew->calls->fill_row(crew, &row);
    row.goodput = usage_goodput(&crew->usage, row.rows_done);
    return row;
}

void crew_put_job(struct crew *crew, int64_t now_ms, struct outbox *outbox)
{
    const struct job_row row = crew_job_row(crew, now_ms);

    outbox_put(outbox, OUTBOX_JOB, &row, sizeof row);
}

void crew_put_member(const struct crew *crew, uint32_t index, const char *state, uint32_t lanes,
                     double rows_per_second, struct outbox *outbox)
{
    struct worker_row row;

    memset(&row, 0, sizeof row);
    row.index = index;
    row.incarnation = crew_at(crew, index)->incarnation;
    row.lanes = lanes;
    row.state = state;
    row.rows_per_second = rows_per_second;
    outbox_put(outbox, OUTBOX_WORKER, &row, sizeof row);
}

void crew_put_event(const struct crew *crew, int64_t now_ms, int64_t index, const char *event,
                    struct outbox *outbox, const char *format, ...)
{
    const int64_t workers = crew->workers;
    const bool is_server = index >= workers;
    const char *worker = index < 0 ? "master" : "worker";
    va_list arguments;

    va_start(arguments, format);
    outbox_put_event(outbox, crew_seconds(crew, now_ms), is_server ? "server" : worker,
                     is_server ? index - workers : index, event, format, arguments);
    va_end(arguments);
}

struct job_event crew_event(const struct crew *crew, int64_t now_ms, enum job_event_kind kind)
{
    struct job_event event;

    memset(&event, 0, sizeof event);
    error_clear(&event.error);
    event.kind = kind;
    event.loss = event.validation_loss = event.validation_score = (double)NAN;
    event.seconds = crew_seconds(crew, now_ms);
    event.seconds_left = (double)NAN;
    return event;
}

void crew_report(struct crew *crew, int64_t now_ms, enum job_event_kind kind, struct outbox *outbox)
{
    const struct job_row row = crew_job_row(crew, now_ms);
    struct job_event event = crew_event(crew, now_ms, kind);

    event.step = row.step;
    event.steps = row.steps;
    event.epoch = row.epoch;
    event.epochs = row.epochs;
    event.workers = row.workers;
    event.rows_per_second = row.rows_per_second;
    event.loss = row.loss;
    event.validation_loss = row.validation_loss;
    event.seconds_left = crew_seconds_left(crew, event.seconds, row.step, row.steps);
    if (kind == JOB_PROGRESS)
        slice_copy(slice_of(standing_of(crew)), event.message, sizeof event.message);
    if (kind == JOB_FAILED)
        event.error = crew->failure;
    if (crew->calls->fill_report)
        crew->calls->fill_report(crew, &event);
    outbox_put(outbox, OUTBOX_REPORT, &event, sizeof event);
}

bool crew_is_report_due(const struct crew *crew, int64_t now_ms)
{
    return now_ms - crew->reported_at >= crew->options->report_ms;
}

void crew_put_progress(struct crew *crew, int64_t now_ms, enum job_event_kind kind,
                       struct outbox *outbox)
{
    crew->reported_at = now_ms;
    crew_put_job(crew, now_ms, outbox);
    crew_report(crew, now_ms, kind, outbox);
}

void crew_note_rate(struct crew *crew, int64_t now_ms, uint64_t rows_done)
{
    const double seconds = (double)(now_ms - crew->rate_at) / 1000;

    if (seconds < RATE_SECONDS_LEAST)
        return;
    if (rows_done >= crew->rate_rows)
        crew->rows_per_second = (double)(rows_done - crew->rate_rows) / seconds;
    crew->rate_at = now_ms;
    crew->rate_rows = rows_done;
}

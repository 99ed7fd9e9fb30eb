/*
 * crew.h - the crew of a job: the processes that work for the role which leads it, and what every
 * such role keeps of the job.
 *
 *     struct master, struct dispatch, struct shard_master      the leaders
 *        |  the first member of each
 *        v
 *     struct crew --struct crew_calls--> what one leader does in its own way
 *
 *     WAITING --crew_begin--> RUNNING (--> PUBLISHING) --crew_end--> DONE
 *     any of them --crew_fail--> FAILED
 *     any of them --crew_cancel--> CANCELLED
 *     any of them --crew_hand_on--> the state stays, another leader goes on in this process
 *
 * A member is a worker or, behind the workers, a parameter server; its index is its place. The
 * crew knows who is here and since when it was heard, who cannot go on (unable.h), how many are
 * wanted, and it makes the rows, events and reports of the job. What a member is asked to do, and
 * what becomes of it when it is lost, is its leader's.
 *
 * A silent member is not dead before dead_ms; a pause of the leader itself is not counted as
 * silence.
 *
 * Pure: no clock, socket, thread or file. See outbox.h.
 */
#pragma once

#include "runtime/launch/job_event.h"
#include "runtime/role/job_facts.h"
#include "runtime/role/outbox.h"
#include "runtime/role/unable.h"
#include "runtime/role/usage.h"

#define CREW_NONE UINT32_MAX /* the index of nobody */

/* ----- state ----- */

struct crew_options {
    uint64_t job;
    uint32_t incarnation; /* grows with every restart: so do epochs and leases */
    uint32_t min_workers, max_workers;
    uint32_t servers;  /* parameter servers that there may be */
    int64_t dead_ms;   /* silence after which a member is replaced; 0: never */
    int64_t report_ms; /* between progress rows */
    struct job_facts facts;
};

/* The first member of each leader's own struct of a worker. */
struct crew_member {
    peer_id peer; /* PEER_NONE: not here */
    uint32_t incarnation;
    bool was_seen;
    int64_t heard_at;
};

/* The parts of a leader that the crew calls; `leader` is the struct that begins with the crew. */
struct crew_calls {
    size_t member_bytes; /* size of the struct that begins with a crew_member */
    /* The members of the job's row that the leader alone knows: steps, rows, losses. */
    void (*fill_row)(const void *leader, struct job_row *row);
    /* (optional) Changes a report, which has what the row has. */
    void (*fill_report)(const void *leader, struct job_event *event);
    /* A member is lost, for this reason. */
    void (*lose)(void *leader, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox);
    /* The job ends: drops what lies in the store and is of no use any more. */
    void (*end)(void *leader, struct outbox *outbox);
    /* (optional) A member was sent away, like all others. */
    void (*dismiss)(void *leader, uint32_t index, struct outbox *outbox);
    /* (optional) A worker is unable, for the first time or again; crew->unable has why. */
    void (*note_unable)(void *leader, int64_t now_ms, uint32_t index, bool was_at_work,
                        struct outbox *outbox);
};

#define CREW_STANDING_MAX 160

struct crew {
    const struct crew_calls *calls;
    const struct crew_options *options; /* in those of the leader */
    enum job_state state;
    bool is_handed_on; /* this leader's part is done: nothing more is to be called */
    struct error failure;
    uint64_t epoch;        /* it stands in messages to the members */
    void *members;         /* (count) of calls->member_bytes each */
    uint32_t workers;      /* members below this index; parameter servers are behind them */
    uint32_t count;        /* members that there may be */
    uint32_t *hints;       /* by the last bits of a peer: the member that had it last */
    uint32_t hint_mask;    /* their number - 1 */
    uint32_t live, wanted; /* workers here; workers that the launcher tries to keep running */
    uint64_t wanted_version;
    char standing[CREW_STANDING_MAX]; /* line on what others have; may be empty */
    char measured[CREW_STANDING_MAX]; /* line on how many workers pay; may be empty */
    struct unable unable;
    struct usage usage;
    int64_t started_at; /* the job's beginning, with earlier leaders' time */
    int64_t ms_before;  /* time of this process before this leader began: no step is made in it */
    int64_t waiting_since, waited_ms, ticked_at;
    int64_t reported_at, rate_at;
    uint64_t rate_rows;
    double rows_per_second;
};

/* ----- life ----- */

/* A crew of nobody, of a job that waits; where another leader was before, the job's times go on. */
enum status crew_init(struct crew *crew, const struct crew_options *options,
                      const struct crew_calls *calls, int64_t now_ms, struct error *err);
void crew_deinit(struct crew *crew);

/* Also true of a crew that is zeroed: its leader has not begun. */
bool crew_has_ended(const struct crew *crew);

/* ----- members ----- */

struct crew_member *crew_at(const struct crew *crew, uint32_t index);
bool crew_is_here(const struct crew *crew, uint32_t index);
/* The index of the member over this connection; CREW_NONE. */
uint32_t crew_find(struct crew *crew, peer_id peer);
/* A message of a leader with a higher incarnation has reached its sender: this leader ends, with
 * STALE. */
bool crew_is_followed(const struct crew *crew, uint64_t epoch, struct outbox *outbox);
/* This incarnation of the member is here, over this connection. */
void crew_take_in(struct crew *crew, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  peer_id from);
/* It is not here any more. */
void crew_let_go(struct crew *crew, int64_t now_ms, uint32_t index);
/* Every member that is here gets a last message: workers this one, parameter servers END. */
void crew_dismiss(struct crew *crew, enum message_type to_workers, struct outbox *outbox);
/* END to all members, and nothing stored: a job that was deleted needs no store. */
void crew_end_members(struct crew *crew, struct outbox *outbox);

/* ----- messages ----- */

struct message crew_message(const struct crew *crew, enum message_type type);
/* The last message over this connection, which closes; END is one without content. */
void crew_send_last(const struct crew *crew, peer_id peer, enum message_type type,
                    struct outbox *outbox);
void crew_send_end(const struct crew *crew, peer_id peer, struct outbox *outbox);

/* UNABLE: the trouble of one worker. Its launcher starts it again, and the others do not wait for
 * it; the job fails when no other can do better. */
void crew_on_unable(struct crew *crew, int64_t now_ms, peer_id from,
                    const struct message_unable *unable, struct outbox *outbox);
/* FAILED: the job fails, as each worker would fail in the same way. */
void crew_on_failed(struct crew *crew, int64_t now_ms, const struct message_failure *failure,
                    struct outbox *outbox);

/* ----- time ----- */

/* On each tick: how long the leader itself did not run, where it is too long to be counted as
 * silence of the others; else 0. */
int64_t crew_note_pause(struct crew *crew, int64_t now_ms);
bool crew_is_silent(const struct crew *crew, int64_t now_ms, uint32_t index, int64_t patience_ms);
/* A member that is here and was silent for so long is lost, and the launcher is to replace it. */
void crew_check_silence(struct crew *crew, int64_t now_ms, uint32_t index, int64_t patience_ms,
                        struct outbox *outbox);

/* ----- the job's course ----- */

/* A job that waits and has workers enough runs from now on: true. */
bool crew_begin(struct crew *crew, int64_t now_ms, struct outbox *outbox);
void crew_end(struct crew *crew, int64_t now_ms, enum job_state state, struct outbox *outbox);
/* All members go on with another leader, and get this message; the job does not end. */
void crew_hand_on(struct crew *crew, enum message_type to_workers, struct outbox *outbox);

/* ----- requests of the launcher ----- */

void crew_cancel(struct crew *crew, int64_t now_ms, struct outbox *outbox);
void crew_fail(struct crew *crew, int64_t now_ms, const struct error *err, struct outbox *outbox);
/* This leader goes, the job stays: what is known is stored for the next incarnation. */
void crew_leave(struct crew *crew, int64_t now_ms, struct outbox *outbox);
/* So many workers are wanted; an older version than is known does not count. */
void crew_want(struct crew *crew, int64_t now_ms, uint64_t version, uint32_t workers,
               struct outbox *outbox);

/* Where others have what this job could use: a line for the job's row and its reports, while it has
 * not ended. */
void crew_stand(struct crew *crew, const char *text);
/* The same of what was measured: it is said where there is no line on others. */
void crew_note_size(struct crew *crew, const char *text);

/* ----- record ----- */

/* Before every change of the number of workers: counts the slots that learned until now. */
void crew_count_slots(struct crew *crew, int64_t now_ms);
double crew_seconds(const struct crew *crew, int64_t now_ms); /* since the job began */
/* The seconds that a job goes on of which so much is done `seconds` after it began; NAN: it is too
 * early to tell. */
double crew_seconds_left(const struct crew *crew, double seconds, uint64_t done, uint64_t all);
/* The job's row as it would be stored now. */
struct job_row crew_job_row(struct crew *crew, int64_t now_ms);
void crew_put_job(struct crew *crew, int64_t now_ms, struct outbox *outbox);
void crew_put_member(const struct crew *crew, uint32_t index, const char *state, uint32_t lanes,
                     double rows_per_second, struct outbox *outbox);
/* An event of the member with this index; -1: of the leader itself. */
void crew_put_event(const struct crew *crew, int64_t now_ms, int64_t index, const char *event,
                    struct outbox *outbox, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* A report without numbers but the time. */
struct job_event crew_event(const struct crew *crew, int64_t now_ms, enum job_event_kind kind);
void crew_report(struct crew *crew, int64_t now_ms, enum job_event_kind kind,
                 struct outbox *outbox);
bool crew_is_report_due(const struct crew *crew, int64_t now_ms);
/* The row and a report, and the next are due report_ms later. */
void crew_put_progress(struct crew *crew, int64_t now_ms, enum job_event_kind kind,
                       struct outbox *outbox);
/* The rate since this was called before, with so many rows of the job done by now. */
void crew_note_rate(struct crew *crew, int64_t now_ms, uint64_t rows_done);

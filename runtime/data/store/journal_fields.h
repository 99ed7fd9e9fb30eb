/*
 * journal_fields.h - what each entry of a journal has in its body: the one list (base/field.h)
 * behind the structs here, what is written and read, and docs/journal.md.
 *
 * Members are written in the order of their list, and read in any. A journal may have been written
 * by an older program: a member that is added must be one that may be missing, as an F64 may.
 */
#pragma once

#include "base/error.h"
#include "base/field.h"

struct cJSON; /* base/json.h */

/* clang-format off */

/*    kind        name          written at once    meaning */
#define JOURNAL_KIND_MAP(X) \
    X(SPEC,       "spec",       true,  "job.json, by the submitter") \
    X(INPUT,      "input",      true,  "what the rows are read from, by the submitter") \
    X(CLAIM,      "claim",      true,  "a new master, with a greater number than all before; its data are random") \
    X(JOB,        "job",        false, "how the job goes; the last one of a job that has ended is its last entry") \
    X(WORKER,     "worker",     true,  "a worker has changed") \
    X(EVENT,      "event",      true,  "something happened to the job or to a worker") \
    X(METRIC,     "metric",     false, "a metric of the training or of the validation") \
    X(RESULT,     "result",     true,  "a metric of the finished model") \
    X(MODEL,      "model",      true,  "a row of the model; its data are the row's") \
    X(CHECKPOINT, "checkpoint", true,  "the head of a checkpoint, whose pieces lie apart") \
    X(DROP,       "drop",       true,  "the checkpoints so far were found damaged") \
    X(SHARD,      "shard",      true,  "a lease of rows to be scored; its data are the results of one that is done") \
    X(REPORT,     "report",     false, "what the session hears (runtime/launch/job_event.h); no store keeps it")

/* The members of struct job_row (jobstore.h), behind "state", the name of its state. */
#define JOURNAL_JOB_FIELDS(F) \
    F(CHARS, statement,       1024, "cut") \
    F(CHARS, model,           256, "") \
    F(U32,   workers,         FIELD_ANY, "that take part") \
    F(U64,   step,            FIELD_ANY, "") \
    F(U64,   rows_done,       FIELD_ANY, "") \
    F(U64,   rows_redone,     FIELD_ANY, "") \
    F(F64,   loss,            FIELD_ANY, "") \
    F(F64,   goodput,         FIELD_ANY, "NaN while it is not known") \
    F(F64,   seconds_waiting, FIELD_ANY, "") \
    F(F64,   seconds,         FIELD_ANY, "") \
    F(CHARS, error,           512, "") \
    F(CHARS, started_at,      32, "RFC 3339, UTC") \
    F(U64,   steps,           FIELD_ANY, "in all; 0: unknown") \
    F(U32,   epoch,           FIELD_ANY, "") \
    F(U32,   epochs,          FIELD_ANY, "in all") \
    F(F64,   rows_per_second, FIELD_ANY, "") \
    F(F64,   validation_loss, FIELD_ANY, "") \
    F(F64,   slot_seconds,    FIELD_ANY, "runtime/role/usage.h") \
    F(CHARS, metrics,         64, "HOST:PORT where /metrics is; empty: nowhere")

#define JOURNAL_WORKER_FIELDS(F) \
    F(U32,    index,           FIELD_ANY, "of the worker") \
    F(STRING, state,           64, "") \
    F(U32,    lanes,           FIELD_ANY, "that it has") \
    F(F64,    rows_per_second, FIELD_ANY, "")

#define JOURNAL_EVENT_FIELDS(F) \
    F(F64,    at,     FIELD_ANY, "seconds since the job began") \
    F(STRING, role,   32, "master, worker, ...") \
    F(INDEX,  index,  UINT32_MAX, "of the worker; -1: of none") \
    F(STRING, event,  64, "") \
    F(STRING, detail, 256, "")

#define JOURNAL_METRIC_FIELDS(F) \
    F(U32,    epoch,  FIELD_ANY, "") \
    F(U64,    step,   FIELD_ANY, "") \
    F(STRING, metric, 64, "its name") \
    F(STRING, part,   32, "train or validation") \
    F(F64,    value,  FIELD_ANY, "")

#define JOURNAL_RESULT_FIELDS(F) \
    F(STRING, name,       64, "of the metric") \
    F(F64,    train,      FIELD_ANY, "") \
    F(F64,    validation, FIELD_ANY, "")

#define JOURNAL_MODEL_FIELDS(F) \
    F(TEXT, part,      FIELD_ANY, "") \
    F(TEXT, name,      FIELD_ANY, "") \
    F(I64,  position,  FIELD_ANY, "") \
    F(FLAG, has_value, FIELD_ANY, "") \
    F(F64,  value,     FIELD_ANY, "where it has one") \
    F(FLAG, is_text,   FIELD_ANY, "its data are a text")

/* The columns of the store's checkpoints (checkpoint.c), in their order. Their 64 bits are a signed
 * number. */
#define JOURNAL_CHECKPOINT_FIELDS(F) \
    F(I64, id,          FIELD_ANY, "") \
    F(I64, version,     FIELD_ANY, "of the form of states") \
    F(I64, job,         FIELD_ANY, "") \
    F(I64, identity,    FIELD_ANY, "of job spec and rows") \
    F(I64, phase,       FIELD_ANY, "that the state begins") \
    F(I64, step,        FIELD_ANY, "") \
    F(I64, rows_done,   FIELD_ANY, "") \
    F(I64, bytes,       FIELD_ANY, "of the state") \
    F(I64, piece_bytes, FIELD_ANY, "of each piece but the last") \
    F(I64, hash,        FIELD_ANY, "of the head and of its pieces")

/* The fields of a shard (runtime/data/store/shardstore.h). */
#define JOURNAL_SHARD_FIELDS(F) \
    F(U64,    lease,  FIELD_ANY, "") \
    F(U64,    first,  FIELD_ANY, "of its rows") \
    F(U32,    count,  FIELD_ANY, "of rows") \
    F(U32,    worker, FIELD_ANY, "") \
    F(STRING, state,  16, "leased, done, bad, returned, crashed or late")

/* clang-format on */

enum journal_kind {
#define X(name, text, is_urgent, meaning) JOURNAL_##name,
    JOURNAL_KIND_MAP(X)
#undef X
        JOURNAL_KINDS
};

const char *journal_kind_name(enum journal_kind kind);
/* CORRUPT for what is none. */
enum status journal_kind_of(struct slice name, enum journal_kind *kind, struct error *err);

/* Strings are borrowed: of the caller when written, of the JSON when read. */
struct journal_worker {
    JOURNAL_WORKER_FIELDS(FIELD_MEMBER)
};
struct journal_event {
    JOURNAL_EVENT_FIELDS(FIELD_MEMBER)
};
struct journal_metric {
    JOURNAL_METRIC_FIELDS(FIELD_MEMBER)
};
struct journal_result {
    JOURNAL_RESULT_FIELDS(FIELD_MEMBER)
};
struct journal_model {
    JOURNAL_MODEL_FIELDS(FIELD_MEMBER)
};
struct journal_checkpoint {
    JOURNAL_CHECKPOINT_FIELDS(FIELD_MEMBER)
};
struct journal_shard {
    JOURNAL_SHARD_FIELDS(FIELD_MEMBER)
};

/* The fields of struct job_row for JOB, and of the structs above for the other kinds; none for a
 * kind whose body is empty. */
struct field_table journal_fields(enum journal_kind kind);
/* Not only how the job goes, which may be put later and in one piece. */
bool journal_kind_is_urgent(enum journal_kind kind);

/* The members of a body, one for each field. */
void journal_add_fields(struct cJSON *body, enum journal_kind kind, const void *record);
/* CORRUPT for what is missing, of another type or beyond its limit. A real that is no number is
 * NaN, as it is written as null. */
enum status journal_get_fields(const struct cJSON *body, enum journal_kind kind, void *record,
                               struct error *err);

/* The whole of docs/journal.md. */
void journal_print_document(struct text *out);

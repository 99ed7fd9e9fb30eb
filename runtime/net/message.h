/*
 * message.h - the messages between the roles of a job.
 *
 *     worker --HELLO--> master --GROUP--> workers --PEER_HELLO--> workers
 *     rank 0 --PEER_PHASES--> workers
 *     each phase, among workers:   PARTIAL to the owner of each segment,
 *                                  SUM from the owner to everyone
 *     rank 0 --PROGRESS, PUBLISHING--> master --MODEL_NEXT--> rank 0 --MODEL_ROWS--> master ...
 *     rank 0 --RESULT, FINISHED--> master --END--> workers
 *
 * Where a table is scored (PREDICT, EVALUATE) there are no groups:
 *     scorer --HELLO--> dispatcher --LEASE--> scorer --SCORED--> dispatcher --END--> scorers
 * Where the workers stage the rows that they train with, they are scorers first, and STAGED comes
 * in the place of END.
 *
 * Where parameter servers have the weights (runtime/ps/) shards of the rows are leased, too:
 *     server --SERVER--> master --SERVERS, LEASE--> worker --RESUME--> each server --RESUMED-->
 * worker each batch:   worker --PULL--> servers --PULLED--> worker --PUSH--> servers --PUSHED-->
 * worker worker --SHARD_DONE--> master when all batches of the shard are counted
 *     now and then:        server --LOAD--> master
 *     another number of servers, or rows leave one that is hot:
 *     master --COPY--> servers --ROWS_WANTED, ROWS--> servers --FETCHED--> master
 *     master --SERVERS, which pauses--> workers --SHARD_DONE, even--> master --HOLD--> servers
 *     --HELD--> master --FETCH--> servers --ROWS_WANTED, ROWS--> servers --FETCHED--> master
 *     --LAYOUT--> servers, SERVERS--> workers
 *
 * A change without a death loses no work: the master sends GROUP to the future
 * members and SWITCH to the old group's rank 0, which names the new group in the
 * SUM of a phase as that of the next phase. Every member needs that SUM, so all
 * change between the same two phases. A worker that is no member of the new group
 * then sends DRAINED, and the new rank 0 GROUP_READY when all have met. (SWITCH goes
 * to workers that will be no members, too: after the last phase there is no SUM.)
 *
 * The epoch in every frame is the group epoch: (master incarnation << 32) plus
 * a counter, so that a newer master's groups are always newer. A message of an
 * older group is refused. message_fields.h lists what each message carries, docs/messages.md is
 * printed from it, and docs/runtime.md says what each role does on each.
 */
#pragma once

#include "runtime/net/message_fields.h"

/* Longer vectors and states go in pieces of this size: about what a Unix socket
 * holds, so that the receiver adds one piece up while the next is being sent. */
#define MESSAGE_PIECE_BYTES ((size_t)128 << 10)

enum message_type {
#define X(name, body, direction, meaning) MESSAGE_##name,
    MESSAGE_MAP(X)
#undef X
        MESSAGE_TYPES
};

/* struct message_hello, struct message_group, ...: their fields as message_fields.h lists them. */
#define X(name, FIELDS)                                                                            \
    struct message_##name {                                                                        \
        FIELDS(FIELD_MEMBER)                                                                       \
    };
MESSAGE_BODY_MAP(X)
#undef X

struct message {
    enum message_type type;
    uint64_t job, epoch;
    union {
#define X(name, FIELDS) struct message_##name name;
        MESSAGE_BODY_MAP(X)
#undef X
    };
};

/* In the lists that GROUP, SERVERS, FETCH and MODEL_ROWS carry. */
struct message_member {
    MESSAGE_MEMBER_FIELDS(FIELD_MEMBER)
};
struct message_server_place {
    MESSAGE_SERVER_PLACE_FIELDS(FIELD_MEMBER)
};
struct message_model_row {
    MESSAGE_MODEL_ROW_FIELDS(FIELD_MEMBER)
};

const char *message_name(uint32_t type); /* "HELLO"; "unknown" */

/* Append the message as one frame. */
enum status message_write(const struct message *message, struct text *out, struct error *err);

/* Read one whole frame. Slices borrow from it. PROTOCOL for anything that
 * message_write does not produce: reading and writing again gives the same bytes. The error names
 * the field that is wrong. */
enum status message_read(struct slice frame, struct message *message, struct error *err);

/* FAILED for this error, from which it borrows. */
struct message_failure message_failure_of(const struct error *error);
/* The same of UNABLE, by a process of this worker. */
struct message_unable message_unable_of(uint32_t index, uint32_t incarnation,
                                        const struct error *error);

/* Also part of a worker's state. */
void message_put_progress(struct text *out, const struct message_progress *progress);
void message_read_progress(struct byte_reader *reader, struct message_progress *progress);

void message_put_member(struct text *members, const struct message_member *member);
bool message_next_member(struct byte_reader *members, struct message_member *member);

void message_put_server_place(struct text *servers, const struct message_server_place *place);
bool message_next_server_place(struct byte_reader *servers, struct message_server_place *place);

/* Value and data only where the row has them. */
void message_put_model_row(struct text *rows, const struct message_model_row *row);
bool message_next_model_row(struct byte_reader *rows, struct message_model_row *row);

/* The fields of a message of this type; none for MESSAGE_TYPES. */
struct field_table message_fields(enum message_type type);
/* The whole of docs/messages.md. */
void messages_print_document(struct text *out);

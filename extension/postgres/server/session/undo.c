#include "extension/postgres/server/session/undo.h"

#include <stdio.h>
#include <stdlib.h>

#include <access/transam.h>
#include <access/xact.h>
#include <access/xlog.h>
#include <storage/procarray.h>
#include <utils/memutils.h>

#include "extension/engine/jobs/unpublished.h"
#include "runtime/launch/job_folder.h"

struct note {
    struct note *next;
    SubTransactionId level;
    bool stays; /* the result can be written again */
    bool is_table;
    struct job_folder folder;
};

static struct note *notes;

static void add(const struct job_folder *folder, bool stays, bool is_table)
{
    struct note *note = MemoryContextAlloc(TopMemoryContext, sizeof *note);

    *note = (struct note){notes, GetCurrentSubTransactionId(), stays, is_table, *folder};
    note->folder.lock = 0;
    notes = note;
}

void undo_note(const struct job_folder *folder)
{
    add(folder, false, false);
}

/* A transaction id whose first record is on disk belongs to no other transaction, also after a
 * crash. What is published must survive a crash, whatever synchronous_commit is. */
void undo_note_written(const struct job_folder *folder)
{
    const FullTransactionId transaction = GetTopFullTransactionId();
    struct unpublished unpublished;
    struct error err;

    XLogFlush(XactLastRecEnd);
    ForceSyncCommit();
    error_clear(&err);
    if (unpublished_read(folder, &unpublished, &err) != STATUS_OK)
        ereport(ERROR, (errcode(ERRCODE_IO_ERROR), errmsg_internal("%s", err.message)));
    snprintf(unpublished.transaction, sizeof unpublished.transaction, UINT64_FORMAT,
             U64FromFullTransactionId(transaction));
    unpublished.error[0] = '\0';
    if (unpublished_write(folder, &unpublished, &err) != STATUS_OK)
        ereport(ERROR, (errcode(ERRCODE_IO_ERROR), errmsg_internal("%s", err.message)));
    add(folder, !unpublished.is_lost, unpublished.is_table);
}

static void take_back(const struct note *note)
{
    if (note->stays)
        unpublished_note(&note->folder,
                         note->is_table ? "the transaction that wrote the table was rolled back"
                                        : "the transaction that wrote the model was rolled back");
    else
        job_folder_remove(&note->folder);
}

/* Nothing is written again from what the folder has. */
static void keep_for_good(const struct note *note)
{
    unpublished_remove(&note->folder);
    if (note->is_table)
        job_folder_drop_rows(&note->folder);
}

enum ending { COMMITTED, PREPARED, ROLLED_BACK };

/* Those of a level, or with InvalidSubTransactionId all. */
static void end(SubTransactionId level, enum ending ending)
{
    struct note **at = &notes;

    while (*at) {
        struct note *note = *at;
        if (level != InvalidSubTransactionId && note->level != level) {
            at = &note->next;
            continue;
        }
        *at = note->next;
        if (ending == ROLLED_BACK)
            take_back(note);
        else if (ending == COMMITTED)
            keep_for_good(note);
        pfree(note);
    }
}

static void at_end(XactEvent event, void *argument)
{
    if (event == XACT_EVENT_COMMIT)
        end(InvalidSubTransactionId, COMMITTED);
    else if (event == XACT_EVENT_PREPARE)
        end(InvalidSubTransactionId, PREPARED);
    else if (event == XACT_EVENT_ABORT)
        end(InvalidSubTransactionId, ROLLED_BACK);
}

static void at_inner_end(SubXactEvent event, SubTransactionId level, SubTransactionId outer,
                         void *argument)
{
    if (event == SUBXACT_EVENT_ABORT_SUB)
        end(level, ROLLED_BACK);
    else if (event == SUBXACT_EVENT_COMMIT_SUB)
        for (struct note *note = notes; note; note = note->next)
            if (note->level == level)
                note->level = outer;
}

void undo_install(void)
{
    RegisterXactCallback(at_end, NULL);
    RegisterSubXactCallback(at_inner_end, NULL);
}

/* ----- what became of a transaction ----- */

/* Its commit status may be asked for: it has begun, and is not so old that its entry is gone. */
static bool is_known(FullTransactionId id)
{
    const FullTransactionId next = ReadNextFullTransactionId();
    const TransactionId oldest = COMPAT_OLDEST_TRANSACTION;
    uint64 oldest_in_full;

    if (!FullTransactionIdIsNormal(id) || !FullTransactionIdPrecedes(id, next))
        return false;
    oldest_in_full =
        U64FromFullTransactionId(next) - (uint64)(uint32)(XidFromFullTransactionId(next) - oldest);
    return U64FromFullTransactionId(id) >= oldest_in_full;
}

enum transaction_state undo_transaction_state(void *self, const char *transaction, char *who,
                                              size_t size)
{
    const FullTransactionId full = FullTransactionIdFromU64(strtoull(transaction, NULL, 10));
    const TransactionId id = XidFromFullTransactionId(full);
    int process;

    if (!is_known(full))
        return TRANSACTION_ABORTED;
    if (TransactionIdIsInProgress(id)) {
        process = BackendXidGetPid(id);
        snprintf(who, size, "a transaction of process %d that is still open", process);
        if (process > 0)
            return TRANSACTION_OPEN;
        if (TransactionIdIsInProgress(id)) {
            snprintf(who, size,
                     "a prepared transaction: pg_prepared_xacts has its name, and COMMIT "
                     "PREPARED ends it");
            return TRANSACTION_PREPARED;
        }
    }
    return TransactionIdDidCommit(id) ? TRANSACTION_COMMITTED : TRANSACTION_ABORTED;
}

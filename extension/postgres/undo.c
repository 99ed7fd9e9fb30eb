#include "postgres_host/undo.h"

#include "access/xact.h"
#include "utils/memutils.h"

struct note {
    struct note *next;
    SubTransactionId level;
    struct job_folder folder;
};

static struct note *notes;

void undo_note(const struct job_folder *folder)
{
    struct note *note = MemoryContextAlloc(TopMemoryContext, sizeof *note);

    *note = (struct note){notes, GetCurrentSubTransactionId(), *folder};
    note->folder.lock = 0;
    notes = note;
}

/* Those of a level, or with InvalidSubTransactionId all. */
static void forget(SubTransactionId level, bool removes)
{
    struct note **at = &notes;

    while (*at) {
        struct note *note = *at;
        if (level != InvalidSubTransactionId && note->level != level) {
            at = &note->next;
            continue;
        }
        *at = note->next;
        if (removes)
            job_folder_remove(&note->folder);
        pfree(note);
    }
}

static void at_end(XactEvent event, void *argument)
{
    if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE)
        forget(InvalidSubTransactionId, false);
    else if (event == XACT_EVENT_ABORT)
        forget(InvalidSubTransactionId, true);
}

static void at_inner_end(SubXactEvent event, SubTransactionId level, SubTransactionId outer,
                         void *argument)
{
    if (event == SUBXACT_EVENT_ABORT_SUB)
        forget(level, true);
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

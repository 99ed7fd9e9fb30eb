#include "runtime/leader.h"

#include <string.h>
#include <time.h>

#define CLAIM_CHECK_MS 1000

static enum status read_books(struct leader *leader, struct error *err)
{
    struct error why;

    error_clear(&why);
    if (jobstore_get_job(leader->recorder.store, &leader->books, &why) == STATUS_OK) {
        leader->has_books = true;
        memcpy(leader->started_at, leader->books.started_at, sizeof leader->started_at);
    } else if (why.status != STATUS_NOT_FOUND) {
        if (err)
            *err = why;
        return why.status;
    }
    return STATUS_OK;
}

enum status leader_open(struct leader *leader, struct loop *loop, const struct job *job,
                        const struct recorder *recorder, uint32_t incarnation, struct error *err)
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(leader->started_at, sizeof leader->started_at, "%Y-%m-%dT%H:%M:%SZ", &utc);
    leader->loop = loop;
    leader->recorder = *recorder;
    leader->recorder.journal = job->journal;
    TRY(recorder_open(&leader->recorder, job->folder, incarnation, err));
    TRY(read_books(leader, err));
    return job_pages_serve(&leader->pages, loop, job, !leader->has_books, err);
}

void leader_close(struct leader *leader)
{
    recorder_close(&leader->recorder);
}

bool leader_still_leads(struct leader *leader, int64_t now_ms)
{
    struct error err;

    if (now_ms - leader->claim_checked_at < CLAIM_CHECK_MS)
        return true;
    leader->claim_checked_at = now_ms;
    error_clear(&err);
    if (recorder_check_claim(&leader->recorder, &err) != STATUS_STALE)
        return true;
    loop_stop(leader->loop, STATUS_STALE, &err);
    return false;
}

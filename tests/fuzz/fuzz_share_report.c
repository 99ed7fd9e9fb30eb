/* Whatever the annotations of a Job and of the Lease hold, what was read from them is written and
 * read again as the same, and can be shared by. */
#include <stdlib.h>

#include "runtime/share/share_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct text *first, struct text *second)
{
    if (!slice_equal(text_slice(first), text_slice(second)))
        abort();
    text_deinit(first);
    text_deinit(second);
}

static void check_report(const struct share_job *job)
{
    const struct share_size node = {.millis = 64000, .bytes = (int64_t)1 << 38};
    const struct share_cluster cluster = {.nodes = &node, .node_count = 1};
    struct share_job again;
    struct share_part part;
    struct text first, second;
    struct error err;

    text_init(&first, SHARE_REPORT_BYTES_MAX);
    text_init(&second, SHARE_REPORT_BYTES_MAX);
    if (share_report_write(job, &first, &err) != STATUS_OK ||
        share_report_read(text_slice(&first), &again, &err) != STATUS_OK ||
        share_report_write(&again, &second, &err) != STATUS_OK ||
        share_jobs(&cluster, &again, 1, &part, &err) != STATUS_OK || part.workers > again.most)
        abort();
    check_same(&first, &second);
}

static void check_decision(const struct share_decision *decision)
{
    struct share_decision again;
    struct text first, second;
    struct error err;

    text_init(&first, 4 * SHARE_DECISION_BYTES_MAX);
    text_init(&second, 4 * SHARE_DECISION_BYTES_MAX);
    if (share_decision_write(decision, &first, &err) != STATUS_OK)
        abort();
    if (first.size <= SHARE_DECISION_BYTES_MAX) {
        if (share_decision_read(text_slice(&first), &again, &err) != STATUS_OK ||
            share_decision_write(&again, &second, &err) != STATUS_OK)
            abort();
        share_decision_free(&again);
        check_same(&first, &second);
        return;
    }
    text_deinit(&first);
    text_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice bytes = {(const char *)data, size};
    struct share_decision decision;
    struct share_job job;
    struct error err;

    if (share_report_read(bytes, &job, &err) == STATUS_OK)
        check_report(&job);
    if (share_decision_read(bytes, &decision, &err) == STATUS_OK)
        check_decision(&decision);
    share_decision_free(&decision);
    return 0;
}

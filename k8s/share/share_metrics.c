#include "k8s/share/share_metrics.h"

#include "k8s/share/share_board_parts.h"

enum state { STATE_RUNNING, STATE_WAITING, STATE_RESTING, STATE_COUNT };

static const char *const states[STATE_COUNT] = {"running", "waiting", "resting"};

/* Fewer workers than the least: the others could not begin. */
static enum state state_of(const struct board_job *job)
{
    if (job->is_suspended || job->must_rest)
        return STATE_RESTING;
    return job->workers >= job->report.least ? STATE_RUNNING : STATE_WAITING;
}

static double decided_of(const struct board_job *job)
{
    return job->is_decided ? (double)job->decided : -1;
}

static double workers_of(const struct board_job *job)
{
    return job->workers;
}

static double least_of(const struct board_job *job)
{
    return job->report.least;
}

static double most_of(const struct board_job *job)
{
    return job->report.most;
}

static double seconds_of(const struct board_job *job)
{
    return job->report.seconds_left;
}

/* Below 0: not known, and not written. */
static const struct family {
    const char *name, *help;
    double (*value)(const struct board_job *job);
} families[] = {
    {"totrain_job_workers", "Workers of the job that have a place.", workers_of},
    {"totrain_job_workers_decided", "Workers that are its part of the cluster.", decided_of},
    {"totrain_job_workers_least", "Workers without which it does not begin.", least_of},
    {"totrain_job_workers_most", "Workers that it could use.", most_of},
    {"totrain_job_left_seconds", "Time until its end, as its master estimates.", seconds_of},
};

static bool is_counted(const struct board_job *job, size_t count)
{
    return !job->has_ended && job->space < count;
}

static void write_family(const struct share_board *board, const struct slice *namespaces,
                         size_t count, const struct family *family, struct text *out)
{
    const struct board_job *jobs = BOARD_JOBS(board);

    text_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", family->name, family->help, family->name);
    for (uint32_t j = 0; j < board->jobs.count; j++)
        if (is_counted(&jobs[j], count) && family->value(&jobs[j]) >= 0)
            text_printf(out, "%s{namespace=\"%.*s\",job=\"%s\"} %g\n", family->name,
                        SLICE_FORMAT(namespaces[jobs[j].space]), jobs[j].name,
                        family->value(&jobs[j]));
}

static uint32_t count_jobs(const struct share_board *board, size_t space, enum state state)
{
    const struct board_job *jobs = BOARD_JOBS(board);
    uint32_t found = 0;

    for (uint32_t j = 0; j < board->jobs.count; j++)
        found += !jobs[j].has_ended && jobs[j].space == space && state_of(&jobs[j]) == state;
    return found;
}

void share_metrics_write(const struct share_board *board, const struct slice *namespaces,
                         size_t count, struct text *out)
{
    text_append_string(out, "# HELP totrain_jobs Jobs that have not ended, by state.\n"
                            "# TYPE totrain_jobs gauge\n");
    for (size_t space = 0; space < count; space++)
        for (int state = 0; state < STATE_COUNT; state++)
            text_printf(out, "totrain_jobs{namespace=\"%.*s\",state=\"%s\"} %u\n",
                        SLICE_FORMAT(namespaces[space]), states[state],
                        count_jobs(board, space, (enum state)state));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(board, namespaces, count, &families[i], out);
}

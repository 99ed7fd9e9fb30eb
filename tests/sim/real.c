#include "tests/sim/real.h"
#include "kinds/kinds.h"
#include "runtime/data/dataset_open.h"
#include "runtime/learners/learners.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cluster/csv_job.h"

struct real {
    struct real_job borrowed; /* owns the members below; comes first */
    struct csv_job job;
    struct dataset dataset;
    char folder[32];
};

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "sim: %s\n", err->message);
    exit(1);
}

static struct learner *open_learner(void *context)
{
    const struct real_job *job = context;
    struct learner *learning;
    struct error err;

    error_clear(&err);
    check(learning_open(job->spec, job->dataset, NULL, &learning, &err), &err);
    return learning;
}

struct subject real_subject_of(struct real_job *job)
{
    const struct jobspec *spec = job->spec;

    return (struct subject){
        .context = job,
        .open = open_learner,
        .shares_rows = true,
        .metrics = spec->metrics,
        .metric_count = kind_find(spec->family)->measures_rounds ? spec->metric_count : 0,
    };
}

void real_files_remove(const char *folder)
{
    DIR *files = opendir(folder);
    char path[512];

    for (const struct dirent *entry; files && (entry = readdir(files));)
        if (entry->d_type == DT_REG) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
        }
    if (files)
        closedir(files);
}

typedef void make_job(struct csv_job *job, const char *csv, const char *folder);

static struct subject open_subject(const char *csv, make_job *make)
{
    struct real *real = calloc(1, sizeof *real);
    struct error err;

    if (!real)
        abort();
    error_clear(&err);
    snprintf(real->folder, sizeof real->folder, "/tmp/totrain-sim.XXXXXX");
    if (!mkdtemp(real->folder)) {
        perror("sim: mkdtemp");
        exit(1);
    }
    make(&real->job, csv, real->folder);
    check(dataset_open(real->folder, NULL, &real->job.spec, NULL, &real->dataset, &err), &err);
    real_files_remove(real->folder);
    rmdir(real->folder);
    real->borrowed = (struct real_job){&real->job.spec, &real->dataset};
    return real_subject_of(&real->borrowed);
}

struct subject real_subject_open(const char *csv)
{
    return open_subject(csv, csv_job_make);
}

struct subject real_subject_open_trees(const char *csv)
{
    return open_subject(csv, csv_job_make_trees);
}

struct subject real_subject_open_dart(const char *csv)
{
    return open_subject(csv, csv_job_make_dart);
}

struct subject real_subject_open_medians(const char *csv)
{
    return open_subject(csv, csv_job_make_medians);
}

struct subject real_subject_open_quantiles(const char *csv)
{
    return open_subject(csv, csv_job_make_quantiles);
}

struct subject real_subject_open_percentages(const char *csv)
{
    return open_subject(csv, csv_job_make_percentages);
}

struct subject real_subject_open_hazards(const char *csv)
{
    return open_subject(csv, csv_job_make_hazards);
}

struct subject real_subject_open_rankings(const char *csv)
{
    return open_subject(csv, csv_job_make_rankings);
}

struct subject real_subject_open_clicks(const char *csv)
{
    return open_subject(csv, csv_job_make_clicks);
}

struct subject real_subject_open_normalized_clicks(const char *csv)
{
    return open_subject(csv, csv_job_make_normalized_clicks);
}

struct subject real_subject_open_machine(const char *csv)
{
    return open_subject(csv, csv_job_make_machine);
}

struct subject real_subject_open_clusters(const char *csv)
{
    return open_subject(csv, csv_job_make_clusters);
}

static void make_series(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make_series(job, csv, folder, 9);
}

struct subject real_subject_open_series(const char *csv)
{
    return open_subject(csv, make_series);
}

static void make_series_trees(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make_series_trees(job, csv, folder, 40);
}

struct subject real_subject_open_series_trees(const char *csv)
{
    return open_subject(csv, make_series_trees);
}

struct subject real_subject_open_totals(const char *csv)
{
    return open_subject(csv, csv_job_make_totals);
}

struct subject real_subject_open_norms(const char *csv)
{
    return open_subject(csv, csv_job_make_norms);
}

struct subject real_subject_open_best(const char *csv)
{
    return open_subject(csv, csv_job_make_best);
}

struct subject real_subject_open_timed(const char *csv)
{
    struct subject subject = open_subject(csv, csv_job_make_timed);

    subject.ends_by_time = true;
    return subject;
}

struct subject real_subject_open_card(const char *csv)
{
    return open_subject(csv, csv_job_make_card);
}

void real_subject_close(struct subject *subject)
{
    struct real *real = subject->context;

    dataset_close(&real->dataset);
    free(real);
}

#include "runtime/process/supervise/core_share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/core_reports.h"
#include "runtime/launch/job_lock.h"
#include "runtime/process/supervise/worker_pool.h"
#include "runtime/share/share_report.h"

#define LOOK_MS    500 /* all reports are read so often: a process that was killed changes nothing */
#define CORE       1000
#define ATTEMPTS   8
#define NAME_BYTES 32

struct neighbours {
    uint64_t ids[CORE_SHARE_JOBS_MAX + 1]; /* ascending: the oldest first */
    struct share_job jobs[CORE_SHARE_JOBS_MAX + 1];
    size_t count;
};

/* ----- the own report ----- */

static uint32_t at_most(uint32_t number, uint32_t most)
{
    return number < most ? number : most;
}

static struct share_job report_of(const struct job *job, uint32_t cores)
{
    const uint32_t threads = job->spec.threads > 0 ? job->spec.threads : 1;
    const uint32_t least = at_most(job->spec.min_workers, SHARE_WORKERS_MAX);
    const uint32_t most = job->spec.threads > 0 ? job->spec.max_workers : cores;

    return (struct share_job){.least = least,
                              .most = at_most(most > least ? most : least, SHARE_WORKERS_MAX),
                              .worker = {.millis = CORE * (int64_t)threads},
                              .is_running = true,
                              .seconds_left = -1};
}

/* Written whole and renamed, which changes the time of the folder: others look at that. */
static void report(struct core_share *share)
{
    char name[NAME_BYTES], part[NAME_BYTES + 8];
    struct text text;
    struct error err;
    int file = -1;

    snprintf(name, sizeof name, "%" PRIu64, share->id);
    snprintf(part, sizeof part, ".%s.new", name);
    text_init(&text, SHARE_REPORT_BYTES_MAX);
    if (share_report_write(&share->own, &text, &err) == STATUS_OK)
        file = openat(share->folder, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, text.data, text.size) != (ssize_t)text.size ||
        renameat(share->folder, part, share->folder, name) != 0)
        log_warning("other jobs do not hear what this one needs: %s", strerror(errno));
    if (file >= 0)
        close(file);
    text_deinit(&text);
}

/* ----- the others' ----- */

static bool is_dead(const struct core_share *share, const char *name)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/%s", share->jobs, name) < (int)sizeof path &&
           !job_is_running(path);
}

static void insert(struct neighbours *all, uint64_t id, const struct share_job *job)
{
    size_t at = all->count;

    for (; at > 0 && all->ids[at - 1] > id; at--) {
        all->ids[at] = all->ids[at - 1];
        all->jobs[at] = all->jobs[at - 1];
    }
    all->ids[at] = id;
    all->jobs[at] = *job;
    all->count++;
}

static void note_neighbour(const struct core_share *share, struct neighbours *all, const char *name)
{
    struct share_job job;
    int64_t id;

    if (!slice_to_integer(slice_of(name), &id) || id < 0 || (uint64_t)id == share->id)
        return;
    if (is_dead(share, name)) {
        (void)unlinkat(share->folder, name, 0);
        return;
    }
    if (all->count > CORE_SHARE_JOBS_MAX || !core_report_read(share->folder, name, &job))
        return;
    job.is_running = true;
    insert(all, (uint64_t)id, &job);
}

static void read_all(const struct core_share *share, struct neighbours *all)
{
    const int copy = openat(share->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;

    all->count = 0;
    insert(all, share->id, &share->own);
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            note_neighbour(share, all, entry->d_name);
    if (folder)
        closedir(folder);
    else if (copy >= 0)
        close(copy);
}

/* ----- the part ----- */

static size_t place_of(const struct neighbours *all, uint64_t id)
{
    size_t at = 0;

    while (all->ids[at] != id)
        at++;
    return at;
}

/* Processors. Minimums run also where they do not all fit: nobody waits on one machine. */
static uint32_t part_of(const struct core_share *share, const struct neighbours *all)
{
    const struct share_size machine = {.millis = CORE * (int64_t)share->cores};
    const struct share_cluster cluster = {
        .nodes = &machine, .node_count = 1, .rule = SHARE_EVEN, .has_changed = true};
    const uint32_t threads = (uint32_t)(share->own.worker.millis / CORE);
    struct share_part parts[CORE_SHARE_JOBS_MAX + 1];
    struct error err;
    uint32_t workers;

    if (all->count < 2)
        return share->cores;
    error_clear(&err);
    if (share_jobs(&cluster, all->jobs, all->count, parts, &err) != STATUS_OK) {
        log_warning("the processors are not shared: %s", err.message);
        return share->cores;
    }
    workers = parts[place_of(all, share->id)].workers;
    return (workers > share->own.least ? workers : share->own.least) * threads;
}

static void look(struct core_share *share, int64_t now_ms)
{
    struct neighbours all;
    struct stat status;
    uint32_t has;

    share->looked_ms = now_ms;
    if (fstat(share->folder, &status) == 0)
        share->changed = status.st_mtim;
    read_all(share, &all);
    share->others = (uint32_t)all.count - 1;
    share->processors = part_of(share, &all);
    has =
        at_most(share->processors / (uint32_t)(share->own.worker.millis / CORE), SHARE_WORKERS_MAX);
    if (has == share->own.has)
        return;
    share->own.has = has;
    report(share);
}

bool core_share_look(struct core_share *share, int64_t now_ms)
{
    const uint32_t processors = share->processors;
    const bool was_alone = share->others == 0;
    struct stat status;

    if (share->folder < 0 ||
        (now_ms - share->looked_ms < LOOK_MS && fstat(share->folder, &status) == 0 &&
         status.st_mtim.tv_sec == share->changed.tv_sec &&
         status.st_mtim.tv_nsec == share->changed.tv_nsec))
        return false;
    look(share, now_ms);
    if (share->processors == processors && (share->others == 0) == was_alone)
        return false;
    log_info("%" PRIu32 " of %" PRIu32 " processors, beside %" PRIu32 " other jobs",
             share->processors, share->cores, share->others);
    return true;
}

/* ----- life ----- */

static int open_folder(struct core_share *share, const struct job *job)
{
    if (!core_reports_folder(job->folder, share->reports) ||
        (mkdir(share->reports, 0700) != 0 && errno != EEXIST))
        return -1;
    slice_copy((struct slice){job->folder, (size_t)(strrchr(job->folder, '/') - job->folder)},
               share->jobs, sizeof share->jobs);
    return open(share->reports, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Another job that ended may have removed it before this one's report was in it. */
static bool was_removed(const struct core_share *share)
{
    struct stat status;

    return fstat(share->folder, &status) == 0 && status.st_nlink == 0;
}

static void open_reports(struct core_share *share, const struct job *job, int64_t now_ms)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        share->folder = open_folder(share, job);
        if (share->folder < 0)
            continue;
        share->own.has = 0;
        look(share, now_ms);
        if (!was_removed(share))
            return;
        close(share->folder);
        share->folder = -1;
    }
}

void core_share_open(struct core_share *share, const struct job *job, uint32_t cores,
                     int64_t now_ms)
{
    *share = (struct core_share){
        .id = job->id, .cores = cores, .own = report_of(job, cores), .processors = cores};
    open_reports(share, job, now_ms);
    if (share->folder < 0)
        log_warning("the processors are not shared with other jobs: %s", strerror(errno));
}

void core_share_pin(struct core_share *share, uint32_t workers, int64_t now_ms)
{
    share->own.pinned = at_most(workers, SHARE_WORKERS_MAX);
    if (share->own.most < share->own.pinned)
        share->own.most = share->own.pinned;
    if (share->folder < 0)
        return;
    report(share);
    look(share, now_ms);
}

uint32_t core_share_workers(const struct core_share *share)
{
    const uint32_t threads = (uint32_t)(share->own.worker.millis / CORE);

    if (share->others == 0 || share->own.pinned > 0)
        return WORKER_POOL_UNLIMITED;
    return share->processors / threads > 0 ? share->processors / threads : 1;
}

void core_share_close(struct core_share *share)
{
    char name[NAME_BYTES];

    if (share->folder < 0)
        return;
    snprintf(name, sizeof name, "%" PRIu64, share->id);
    (void)unlinkat(share->folder, name, 0);
    (void)rmdir(share->reports);
    close(share->folder);
    share->folder = -1;
}

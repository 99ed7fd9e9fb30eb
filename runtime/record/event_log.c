#include "runtime/record/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PENDING_BYTES_MAX ((size_t)64 << 20)
#define HOST_BYTES_MAX    64
#define NAMES_MAX         1000 /* tried, when others have the same second, host and process id */

static const char *const part_names[EVENT_PARTS] = {"train", "validation"};

static double wall_time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ----- which events there are ----- */

/* Steps come in order; those of a step come together, or again. */
static bool is_new(const struct event_run *run, uint64_t step, const char *tag)
{
    if (run->tag_count == 0 || step != run->step)
        return run->tag_count == 0 || step > run->step;
    for (uint32_t i = 0; i < run->tag_count; i++)
        if (strcmp(run->tags[i], tag) == 0)
            return false;
    return true;
}

static void note_last(struct event_run *run, uint64_t step, const char *tag)
{
    if (step != run->step)
        run->tag_count = 0;
    run->step = step;
    if (run->tag_count < EVENT_TAGS_MAX)
        snprintf(run->tags[run->tag_count++], sizeof run->tags[0], "%s", tag);
}

static void add_event(struct event_run *run, uint64_t step, const char *tag, double value)
{
    if (!is_new(run, step, tag))
        return;
    event_append_scalar(&run->pending, wall_time_now(), step, slice_of(tag), value);
    note_last(run, step, tag);
}

static struct event_run *run_of(struct event_log *log, const char *part)
{
    for (int i = 0; i < EVENT_PARTS; i++)
        if (strcmp(part, part_names[i]) == 0)
            return &log->runs[i];
    return NULL;
}

/* ----- files ----- */

static enum status write_all(int file, struct slice bytes, const char *path, struct error *err)
{
    while (bytes.size > 0) {
        const ssize_t size = write(file, bytes.data, bytes.size);

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return fail_errno(err, STATUS_IO, "cannot write %s", path);
        bytes.data += size;
        bytes.size -= (size_t)size;
    }
    return STATUS_OK;
}

/* Before the file is made: a list that names a file too many does no harm. */
static enum status list_file(const struct event_log *log, const char *path, struct error *err)
{
    const int file = open(log->list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char line[PATH_MAX + 1];
    enum status status;

    if (file < 0)
        return fail_errno(err, STATUS_IO, "cannot write %s", log->list);
    snprintf(line, sizeof line, "%s\n", path);
    status = write_all(file, slice_of(line), log->list, err);
    if (close(file) != 0 && status == STATUS_OK)
        return fail_errno(err, STATUS_IO, "cannot write %s", log->list);
    return status;
}

static enum status try_create(const struct event_log *log, const char *part, int n,
                              struct event_run *run, struct error *err)
{
    char host[HOST_BYTES_MAX + 1] = "";

    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    if (snprintf(run->path, sizeof run->path, "%s/%s/events.out.tfevents.%010lld.%s.%d.%d",
                 log->folder, part, (long long)time(NULL), host, (int)getpid(),
                 n) >= (int)sizeof run->path)
        return fail(err, STATUS_LIMIT, "the path of %.400s is too long", log->folder);
    if (access(run->path, F_OK) == 0)
        return STATUS_OK;
    TRY(list_file(log, run->path, err));
    run->file = open(run->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (run->file < 0 && errno != EEXIST)
        return fail_errno(err, STATUS_IO, "cannot write %s", run->path);
    return STATUS_OK;
}

static enum status create_file(const struct event_log *log, const char *part, struct event_run *run,
                               struct error *err)
{
    char folder[PATH_MAX];
    struct text version;
    enum status status;

    if (snprintf(folder, sizeof folder, "%s/%s", log->folder, part) >= (int)sizeof folder)
        return fail(err, STATUS_LIMIT, "the path of %.400s is too long", log->folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, STATUS_IO, "cannot make the folder %s", folder);
    for (int n = 0; run->file < 0 && n < NAMES_MAX; n++)
        TRY(try_create(log, part, n, run, err));
    if (run->file < 0)
        return fail(err, STATUS_LIMIT, "%s has too many event files", folder);
    text_init(&version, EVENT_RECORD_BYTES_MAX);
    event_append_version(&version, wall_time_now());
    status = version.failed ? fail_no_memory(err)
                            : write_all(run->file, text_slice(&version), run->path, err);
    text_deinit(&version);
    return status;
}

/* A run has no file before it has an event. */
static enum status flush_run(const struct event_log *log, const char *part, struct event_run *run,
                             struct error *err)
{
    enum status status;

    if (run->pending.failed)
        return fail_no_memory(err);
    if (run->pending.size == 0)
        return STATUS_OK;
    if (run->file < 0)
        TRY(create_file(log, part, run, err));
    status = write_all(run->file, text_slice(&run->pending), run->path, err);
    text_clear(&run->pending);
    return status;
}

static enum status flush_runs(struct event_log *log, struct error *err)
{
    for (int i = 0; i < EVENT_PARTS; i++)
        TRY(flush_run(log, part_names[i], &log->runs[i], err));
    return STATUS_OK;
}

/* ----- what the masters before have written ----- */

static void read_events(const char *path, struct event_run *run)
{
    FILE *file = fopen(path, "re");
    struct event event;

    if (!file)
        return; /* the file was removed */
    while (event_read(file, &event))
        if (event.tag[0] != '\0' && is_new(run, event.step, event.tag))
            note_last(run, event.step, event.tag);
    fclose(file);
}

/* FOLDER/PART/NAME: the run is the folder that the file lies in. */
static struct event_run *run_of_file(struct event_log *log, const char *path)
{
    const char *name = strrchr(path, '/'), *folder = name;
    char part[16];

    while (folder > path && folder[-1] != '/')
        folder--;
    if (!name || (size_t)(name - folder) >= sizeof part)
        return NULL;
    snprintf(part, sizeof part, "%.*s", (int)(name - folder), folder);
    return run_of(log, part);
}

static void read_earlier_files(struct event_log *log)
{
    FILE *list = fopen(log->list, "re");
    char line[PATH_MAX + 1];

    if (!list)
        return;
    while (fgets(line, sizeof line, list)) {
        struct event_run *run;

        line[strcspn(line, "\n")] = '\0';
        run = run_of_file(log, line);
        if (run)
            read_events(line, run);
    }
    fclose(list);
}

static enum status add_stored(void *context, uint32_t epoch, uint64_t step, const char *metric,
                              const char *part, double value, struct error *err)
{
    struct event_run *run = run_of(context, part);

    (void)epoch;
    (void)err;
    if (run)
        add_event(run, step, metric, value);
    return STATUS_OK;
}

/* ----- the log ----- */

static enum status open_log(struct event_log *log, struct jobstore *store, struct error *err)
{
    read_earlier_files(log);
    TRY(jobstore_each_metric(store, add_stored, log, err));
    return flush_runs(log, err);
}

enum status event_log_open(struct event_log *log, const char *folder, struct slice directory,
                           struct jobstore *store, struct error *err)
{
    enum status status;

    if (snprintf(log->list, sizeof log->list, "%s/event_files", folder) >= (int)sizeof log->list ||
        directory.size >= sizeof log->folder)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    snprintf(log->folder, sizeof log->folder, "%.*s", SLICE_FORMAT(directory));
    for (int i = 0; i < EVENT_PARTS; i++) {
        log->runs[i] = (struct event_run){.file = -1};
        text_init(&log->runs[i].pending, PENDING_BYTES_MAX);
    }
    log->is_open = true;
    status = open_log(log, store, err);
    if (status != STATUS_OK)
        event_log_close(log);
    return status;
}

/* Adds the final metrics of the model that was learned, at its last step. */
static void add_result(struct event_log *log, uint64_t step, const struct result_row *row)
{
    const double values[EVENT_PARTS] = {row->train, row->validation};

    for (int i = 0; i < EVENT_PARTS; i++)
        if (!isnan(values[i]))
            add_event(&log->runs[i], step, row->name, values[i]);
}

static uint64_t step_of_job(const struct outbox *outbox)
{
    struct job_row row = {.step = 0};

    for (size_t i = 0; i < outbox->count; i++)
        if (outbox->entries[i].kind == OUTBOX_JOB)
            memcpy(&row, outbox_bytes(outbox, &outbox->entries[i]).data, sizeof row);
    return row.step;
}

static void add_entry(struct event_log *log, const struct outbox *outbox,
                      const struct outbox_entry *entry)
{
    struct metric_row metric;
    struct result_row result;
    struct event_run *run;

    if (entry->kind == OUTBOX_METRIC) {
        memcpy(&metric, outbox_bytes(outbox, entry).data, sizeof metric);
        run = run_of(log, metric.part);
        if (run)
            add_event(run, metric.step, metric.metric, metric.value);
    } else if (entry->kind == OUTBOX_RESULT) {
        memcpy(&result, outbox_bytes(outbox, entry).data, sizeof result);
        add_result(log, step_of_job(outbox), &result);
    }
}

enum status event_log_put(struct event_log *log, const struct outbox *outbox, struct error *err)
{
    if (!log->is_open)
        return STATUS_OK;
    for (size_t i = 0; i < outbox->count; i++)
        add_entry(log, outbox, &outbox->entries[i]);
    return flush_runs(log, err);
}

void event_log_close(struct event_log *log)
{
    if (!log->is_open)
        return;
    for (int i = 0; i < EVENT_PARTS; i++) {
        if (log->runs[i].file >= 0)
            close(log->runs[i].file);
        text_deinit(&log->runs[i].pending);
    }
    log->is_open = false;
}

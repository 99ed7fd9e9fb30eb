#include "cli/journal_command.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/process/log.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq_host.h"
#include "extension/postgres/sql/postgres_cluster.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/data/store/destination.h"
#include "runtime/launch/job_lock.h"

#define LOOK_MS  1000  /* between two looks */
#define AGAIN_MS 10000 /* after one that failed */

struct reading {
    char address[sizeof((struct destination *)NULL)->database];
    char schema[64];
    int64_t number, after;
    bool is_open;
    struct libpq libpq;
    struct sql_host host;
    struct postgres_cluster cluster;
};

/* ----- the folder ----- */

static enum status read_tables(const char *folder, struct reading *reading, struct error *err)
{
    struct cluster_access access;
    struct kube_job job;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = cluster_folder_read(folder, &arena, &job, &access, err);
    if (status == STATUS_OK) {
        slice_copy(job.schema, reading->schema, sizeof reading->schema);
        reading->number = job.job;
    }
    arena_deinit(&arena);
    return status;
}

static enum status read_address(const char *folder, struct reading *reading, struct error *err)
{
    struct destination destination;
    struct jobstore *store;
    char path[PATH_MAX + 8];
    enum status status;

    snprintf(path, sizeof path, "%s/job.db", folder);
    TRY(jobstore_open(path, true, &store, err));
    status = destination_get(store, &destination, err);
    jobstore_close(store);
    TRY(status);
    snprintf(reading->address, sizeof reading->address, "%s", destination.database);
    return STATUS_OK;
}

/* ----- looking ----- */

static bool print_report(void *context, struct slice line)
{
    (void)context;
    return printf("report %.*s\n", SLICE_FORMAT(line)) > 0;
}

static void close_database(struct reading *reading)
{
    if (reading->is_open)
        libpq_close(&reading->libpq);
    reading->is_open = false;
}

static enum status look(struct reading *reading, struct error *err)
{
    const struct report_reader reader = {NULL, print_report};

    if (!reading->is_open) {
        reading->is_open = true;
        TRY(libpq_open(&reading->libpq, reading->address, NULL, err));
        libpq_host_init(&reading->host, &reading->libpq, "/proc/self/exe");
        postgres_cluster_init(&reading->cluster, &reading->host, reading->schema, "");
    }
    return postgres_cluster_read_reports(&reading->cluster, reading->number, &reading->after,
                                         &reader, err);
}

/* Until the supervisor closes its end. */
static void read_on(struct reading *reading)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    bool is_told = false;

    do {
        struct error err;
        enum status status;

        error_clear(&err);
        status = look(reading, &err);
        if (status != STATUS_OK) {
            close_database(reading);
            if (!is_told)
                log_warning("the job's journal is not readable, it is tried again: %s",
                            err.message);
        }
        is_told = status != STATUS_OK;
        puts("looked");
        if (fflush(stdout) != 0)
            return;
        (void)poll(&out, 1, status == STATUS_OK ? LOOK_MS : AGAIN_MS);
    } while (!(out.revents & POLLERR));
}

int command_journal(int argc, char **argv)
{
    struct reading reading = {.number = 0};
    struct error err;
    enum status status;

    error_clear(&err);
    log_open("journal", LOG_INFO);
    if (argc != 2 || argv[1][0] != '/' || !job_is_running(argv[1])) {
        fputs("totrain: journal is started by the supervisor of a job\n", stderr);
        return status_exit_code(STATUS_INVALID);
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    status = read_tables(argv[1], &reading, &err);
    if (status == STATUS_OK)
        status = read_address(argv[1], &reading, &err);
    if (status == STATUS_OK)
        read_on(&reading);
    else
        log_error("%s", err.message);
    close_database(&reading);
    return status_exit_code(status);
}

#include "cli/submit_command.h"

#include <locale.h>
#include <stdlib.h>

#include "cli/cluster/dry_run.h"
#include "cli/session/options.h"
#include "cli/session/runs.h"
#include "cli/session/schedule.h"
#include "cli/shell/script.h"
#include "extension/postgres/libpq/database_libpq.h"

#define SHOWN                                                                                      \
    (OPTION_SQL | OPTION_FILE | OPTION_FORMAT | OPTION_PROGRESS | OPTIONS_CLUSTER |                \
     OPTIONS_KUBE_JOB | OPTION_SCHEDULE | OPTION_SERVICE_SECRET | OPTION_DRY_RUN | OPTION_COLOUR | \
     OPTION_HELP)
#define TAKES (SHOWN | OPTION_RUN_OF | OPTION_OWNER) /* the last two: in the pod of a schedule */

static const char usage[] =
    "usage: totrain submit DB STATEMENT --image=NAME --database-secret=NAME [OPTION]...\n"
    "       totrain submit DB [-c SQL]... [-f FILE]... --image=NAME ...\n"
    "       totrain submit service=NAME STATEMENT --schedule=CRON --image=NAME ...\n"
    "       totrain submit FILE --image=NAME --dry-run [OPTION]...\n"
    "\n"
    "Runs statements as totrain DB does, and runs TRAIN on a Kubernetes cluster, unless the\n"
    "statement sets job.where = 'local'. The rows are copied into tables of the database,\n"
    "the job's Pods read them with the login of the Secret, and this program writes the\n"
    "model when they are done. PREDICT and EVALUATE run on the cluster if they set\n"
    "job.where = 'kubernetes'. DB is a PostgreSQL database (postgres://host/name).\n"
    "\n"
    "    totrain submit postgres://db.example/shop --image=registry.example/totrain:1\n"
    "        --database-secret=totrain-login \"SELECT * FROM customers TO TRAIN\n"
    "        DNNClassifier WITH model.hidden_units = [32, 16], job.max_workers = 4\n"
    "        LABEL churned INTO churn_model\"\n"
    "\n"
    "With job.wait = false the command ends when the job is created. A supervisor on this\n"
    "machine then writes the model; see totrain jobs, logs, wait and cancel.\n"
    "\n"
    "--dry-run prints the objects instead and creates nothing: a Job that runs the\n"
    "master and owns all else, Secrets, a Service, and the Pod of worker 0 as the master\n"
    "would make it. Credentials are left empty, and the number of the job's tables is 0:\n"
    "no row is read. In place of DB it accepts a job spec, such as job.json of a job's folder.\n"
    "\n"
    "    totrain submit postgres://db.example/shop --image=registry.example/totrain:1\n"
    "        --database-secret=totrain-login --dry-run \"SELECT ... TO TRAIN ...\" |\n"
    "        kubectl create --dry-run=server -f -\n"
    "\n"
    "--schedule creates a CronJob. Its Pod submits the statements at the given times, with\n"
    "rights of its own (totrain k8s rbac). It finds the database by libpq's service file:\n"
    "the key pg_service.conf of the Secret that --service-secret names.\n"
    "\n"
    "options:\n";

/* ----- for real ----- */

static enum status run_inputs(struct session *session, const struct options *options)
{
    enum status status = STATUS_OK;

    if (options->word_count == 2)
        return script_run(session, NULL, slice_of(options->words[1]));
    if (options->input_count == 0)
        return script_run_file(session, "-");
    for (size_t i = 0; i < options->input_count && status == STATUS_OK && !session->is_ended; i++) {
        const struct input *input = &options->inputs[i];

        status = input->is_file ? script_run_file(session, input->value)
                                : script_run(session, NULL, slice_of(input->value));
    }
    return status;
}

/* Another pod would fail in the same way. */
static bool is_final(enum status status)
{
    return status != STATUS_OK && status != STATUS_CONNECTION && status != STATUS_BUSY &&
           status != STATUS_INTERRUPTED;
}

/* In the pod of a schedule, where no terminal forwards the signal. */
static enum status begin_run(struct session *session, const struct options *options,
                             struct error *err)
{
    struct run_owner owner;

    TRY(run_owner_read(&options->cluster, &owner, err));
    session_catch_termination();
    return runs_clean(session, &options->cluster, err);
}

/* The exit code. */
static int run_on_cluster(const struct options *options)
{
    struct session session;
    struct error err;
    enum status status;

    setlocale(LC_CTYPE, "C.UTF-8");
    status = session_open(&session, options->words[0], options, &err);
    session.postgres.host.catalog.limits.wants_cluster = true;
    if (status == STATUS_OK && options->cluster.run_of)
        status = begin_run(&session, options, &err);
    if (status == STATUS_OK)
        status = run_inputs(&session, options);
    else
        report(&err, options->colour);
    session_close(&session);
    if (options->cluster.run_of && is_final(status))
        runs_give_up(&options->cluster);
    return status_exit_code(status);
}

static enum status check(const struct options *options, struct error *err)
{
    const bool is_database = options->word_count > 0 && libpq_is_address(options->words[0]);

    if (options->word_count == 0 || (options->word_count == 2 && !is_database))
        return fail(err, STATUS_INVALID,
                    "submit takes a database and a statement, or one file, a job spec"),
               error_hint(err, "totrain submit --help shows how it is called.");
    if (options->word_count == 2 && options->input_count > 0)
        return fail(err, STATUS_INVALID, "a statement, or -c and -f, not both");
    if (is_database)
        return STATUS_OK;
    if (options->cluster.schedule)
        return fail(err, STATUS_UNSUPPORTED, "a job spec has no rows that a schedule could read"),
               error_hint(err, "Name the database and the statement: totrain submit service=NAME "
                               "'SELECT ... TO TRAIN ...' --schedule='0 3 * * *'.");
    if (!options->cluster.is_dry_run)
        return fail(err, STATUS_UNSUPPORTED, "a job spec has no rows that a cluster could read"),
               error_hint(err, "Name the database and the statement: totrain submit postgres://... "
                               "'SELECT ... TO TRAIN ...'. --dry-run prints a spec's objects.");
    return STATUS_OK;
}

static enum status print(const struct options *options, struct error *err)
{
    if (options->cluster.schedule)
        return schedule_submit(options, err);
    if (libpq_is_address(options->words[0]))
        return dry_run_statements(options, err);
    return dry_run_spec(options, err);
}

int command_submit(int argc, char **argv)
{
    struct options options;
    struct error err;

    error_clear(&err);
    if (options_read(argc, argv, TAKES, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        options_print(SHOWN, stdout);
        return 0;
    }
    if (check(&options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (!options.cluster.is_dry_run && !options.cluster.schedule)
        return run_on_cluster(&options);
    return print(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}

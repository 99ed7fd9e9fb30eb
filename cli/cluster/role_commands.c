#include "cli/cluster/role_commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "cli/cluster/cluster_master.h"
#include "cli/cluster/table_reading.h"
#include "k8s/job/cluster_folder.h"
#include "k8s/submit/cluster_supervise.h"
#include "runtime/net/address.h"
#include "runtime/process/leading/master_process.h"
#include "runtime/process/role/roles.h"
#include "runtime/process/working/server_process.h"
#include "runtime/process/working/worker_process.h"
#include "runtime/role/search.h"

static const char usage_text[] =
    "totrain supervise FOLDER [--listen ADDRESS] [--detached]\n"
    "totrain master FOLDER --listen ADDRESS [--tls FOLDER] [--incarnation N]\n"
    "        [--database FILE [--schema NAME]] [--kubernetes FILE [--kubeconfig FILE]\n"
    "        [--health ADDRESS]]\n"
    "totrain worker FOLDER --index N --master ADDRESS --listen ADDRESS [--tls FOLDER]\n"
    "        [--incarnation N] [--patience SECONDS] [--database FILE [--schema NAME]]\n"
    "        [--snapshot NAME] [--cpus N]\n"
    "totrain ps FOLDER --index N --master ADDRESS --listen ADDRESS [--tls FOLDER]\n"
    "        [--incarnation N] [--patience SECONDS] [--database FILE [--schema NAME]]\n"
    "        [--memory BYTES] [--memory-moving BYTES] [--cpus N]\n"
    "\n"
    "The processes of a job, whose folder holds job.json and the rows. Standard input\n"
    "is the lifeline: the role ends when it closes, and `cancel` on it cancels the\n"
    "job; where it is /dev/null, as in a container, there is none. The supervisor writes events to "
    "standard output, one JSON object a line.\n"
    "\n"
    "ADDRESS is unix:PATH or tcp:HOST:PORT; an IPv6 address stands in brackets, port\n"
    "0 is any free one, and only --master may be a name. TCP needs --tls: a folder\n"
    "with ca.crt (the job's certificate authority), tls.crt and tls.key (this role's\n"
    "certificate and key), all PEM, the key not readable by all users. Peers without\n"
    "a certificate of the same job and a fitting role are refused.\n"
    "\n"
    "With --database the roles share no folder. FILE holds one connection string of\n"
    "PostgreSQL and is not readable by all users; the tables of the job whose number\n"
    "the folder is named by are in the schema (totrain_jobs). FOLDER may be empty.\n"
    "\n"
    "A worker of a job with job.read = 'direct' reads the table under the snapshot that\n"
    "--snapshot names, as pg_export_snapshot() has done; the session that did holds it until\n"
    "the workers have staged all rows.\n"
    "\n"
    "A worker computes with --cpus threads; without it the members of its group share this\n"
    "machine's cores, be they few or many. job.threads is said for all of them.\n"
    "\n"
    "A parameter server (ps) of a job with job.ps keeps its snapshots in server-N of the folder.\n"
    "Its rows take --memory at most; without it what job.ps_memory says. While rows\n"
    "move to more servers they may take --memory-moving.\n"
    "\n"
    "A worker or parameter server that has found no master for --patience seconds (900; 0: it\n"
    "never gives up) ends with code 3.\n"
    "\n"
    "With --kubernetes the master has no supervisor and no lifeline: it makes its workers\n"
    "as Pods of the job that FILE describes (cluster.json of its Secret), owned by the Job\n"
    "whose uid is in JOB_UID, writes events to standard output, and ends with 0 when the job\n"
    "is done, with 1 when it has failed, and otherwise when it is to be started again. It\n"
    "asks the API server as the pod that it runs in, or as --kubeconfig says. At --health it\n"
    "answers whether it is alive, by HTTP and without TLS.\n"
    "\n"
    "A supervisor is its job's authority. With --listen tcp:127.0.0.1:0 its roles\n"
    "talk over TCP as they do between machines; without it, over Unix sockets.\n"
    "With --detached it has no lifeline: it leaves its caller's session, outlives it,\n"
    "and after SIGTERM the job can be continued.\n";

struct role_arguments {
    struct role_options options;
    const char *kubernetes, *kubeconfig; /* the master's options */
    bool has_index;
};

static int usage(const char *problem, const char *word)
{
    fprintf(stderr, "totrain: %s%s\n\n%s", problem, word, usage_text);
    return status_exit_code(STATUS_INVALID);
}

static bool read_number(const char *text, uint32_t *number)
{
    int64_t value;

    if (!slice_to_integer(slice_of(text), &value) || value < 0 || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    int64_t value;

    if (!slice_to_integer(slice_of(text), &value) || value < 1)
        return false;
    *bytes = (uint64_t)value;
    return true;
}

static bool read_option(struct role_arguments *arguments, const char *name, const char *value)
{
    struct role_options *options = &arguments->options;

    if (strcmp(name, "--listen") == 0)
        options->listen = value;
    else if (strcmp(name, "--master") == 0)
        options->master = value;
    else if (strcmp(name, "--tls") == 0)
        options->tls = value;
    else if (strcmp(name, "--database") == 0)
        options->database = value;
    else if (strcmp(name, "--schema") == 0)
        options->schema = value;
    else if (strcmp(name, "--snapshot") == 0)
        options->snapshot = value;
    else if (strcmp(name, "--kubernetes") == 0)
        arguments->kubernetes = value;
    else if (strcmp(name, "--kubeconfig") == 0)
        arguments->kubeconfig = value;
    else if (strcmp(name, "--health") == 0)
        options->health = value;
    else if (strcmp(name, "--incarnation") == 0)
        return read_number(value, &options->incarnation);
    else if (strcmp(name, "--index") == 0)
        return arguments->has_index = read_number(value, &options->index);
    else if (strcmp(name, "--cpus") == 0)
        return read_number(value, &options->cpus);
    else if (strcmp(name, "--memory") == 0)
        return read_bytes(value, &options->row_memory);
    else if (strcmp(name, "--memory-moving") == 0)
        return read_bytes(value, &options->row_memory_moving);
    else if (strcmp(name, "--patience") == 0)
        return read_number(value, &options->patience_seconds);
    else
        return false;
    return true;
}

/* -1: go on; otherwise the exit code. */
static int read_arguments(int argc, char **argv, struct role_arguments *arguments)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage_text, stdout);
            return 0;
        }
        if (argv[i][0] != '-' && !arguments->options.folder) {
            arguments->options.folder = argv[i];
        } else if (strcmp(argv[i], "--detached") == 0) {
            arguments->options.is_detached = true;
        } else if (i + 1 >= argc || !read_option(arguments, argv[i], argv[i + 1])) {
            return usage("cannot understand ", argv[i]);
        } else {
            i++;
        }
    }
    if (arguments->options.schema && !arguments->options.database)
        return usage("--schema needs ", "--database");
    if (arguments->options.snapshot && !arguments->options.database)
        return usage("--snapshot needs ", "--database");
    if (arguments->kubeconfig && !arguments->kubernetes)
        return usage("--kubeconfig needs ", "--kubernetes");
    if (arguments->options.health &&
        (!arguments->kubernetes || !address_is_tcp(arguments->options.health)))
        return usage("--health is a TCP address, and of ", "--kubernetes");
    return arguments->options.folder ? -1 : usage("the job's folder is missing", "");
}

/* -1: fine. Any process that reaches a TCP port without TLS could join the job. */
static int check_network(const struct role_options *options)
{
    const char *addresses[] = {options->listen, options->master};
    struct address address;
    struct error err;

    for (int i = 0; i < 2; i++) {
        if (!addresses[i])
            continue;
        if (address_read(addresses[i], &address, &err) != STATUS_OK)
            return usage("", err.message);
        if (address_is_tcp(addresses[i]) && !options->tls)
            return usage("TCP needs --tls FOLDER, not only ", addresses[i]);
    }
    return -1;
}

/* For ps and top, which would show the file that was run, /proc/self/exe. The kernel keeps 15
 * bytes: which worker it is the arguments say. */
static void name_process(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}

int command_supervise(int argc, char **argv)
{
    struct role_arguments arguments = {.has_index = false};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    name_process("totrain job");
    if (arguments.options.master || arguments.options.tls || arguments.has_index ||
        arguments.options.database || arguments.options.schema || arguments.kubernetes)
        return usage("supervise takes a folder, --listen and --detached only", "");
    if (cluster_folder_is(arguments.options.folder))
        arguments.options.run_elsewhere = cluster_supervise;
    return run_supervise(&arguments.options);
}

int command_master(int argc, char **argv)
{
    struct role_arguments arguments = {.has_index = false};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    name_process("totrain master");
    if (arguments.options.is_detached)
        return usage("only supervise takes ", "--detached");
    if (!arguments.options.listen)
        return usage("--listen is missing", "");
    code = check_network(&arguments.options);
    if (code >= 0)
        return code;
    if (arguments.kubernetes && (!arguments.options.database || !arguments.options.tls))
        return usage("--kubernetes needs --database and --tls", "");
    return arguments.kubernetes
               ? cluster_master(&arguments.options, arguments.kubernetes, arguments.kubeconfig)
               : run_master(&arguments.options);
}

/* Checks the arguments of a worker or a parameter server. */
static int check_worker(const struct role_arguments *arguments)
{
    const struct role_options *options = &arguments->options;

    if (options->is_detached)
        return usage("only supervise takes ", "--detached");
    if (arguments->kubernetes)
        return usage("only master takes ", "--kubernetes");
    if (!options->listen || !options->master || !arguments->has_index)
        return usage("--index, --master and --listen are needed", "");
    if (address_is_wildcard(options->listen))
        return usage("it listens where its peers reach it, not at ", options->listen);
    return check_network(options);
}

int command_worker(int argc, char **argv)
{
    struct role_arguments arguments = {
        .options = {.patience_seconds = SEARCH_SECONDS, .table_reader = &table_reading}};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    name_process("totrain worker");
    code = check_worker(&arguments);
    return code >= 0 ? code : run_worker(&arguments.options);
}

int command_ps(int argc, char **argv)
{
    struct role_arguments arguments = {.options = {.patience_seconds = SEARCH_SECONDS}};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    name_process("totrain server");
    code = check_worker(&arguments);
    if (code < 0 && arguments.options.snapshot)
        code = usage("only worker takes ", "--snapshot");
    return code >= 0 ? code : run_server(&arguments.options);
}

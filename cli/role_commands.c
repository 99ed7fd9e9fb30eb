#include "role_commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/roles.h"

static const char usage_text[] =
    "totrain supervise FOLDER\n"
    "totrain master FOLDER --listen ADDRESS [--incarnation N]\n"
    "totrain worker FOLDER --index N --master ADDRESS --listen ADDRESS [--incarnation N]\n"
    "\n"
    "The processes of a job, whose folder holds job.json and the rows. Standard input\n"
    "is the lifeline: the role ends when it closes, and `cancel` on it cancels the\n"
    "job. The supervisor writes events to standard output, one JSON object a line.\n"
    "ADDRESS is unix:PATH or tcp:HOST:PORT.\n";

struct role_arguments {
    const char *folder, *listen, *master;
    uint32_t index, incarnation;
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

static bool read_option(struct role_arguments *arguments, const char *name, const char *value)
{
    if (strcmp(name, "--listen") == 0)
        arguments->listen = value;
    else if (strcmp(name, "--master") == 0)
        arguments->master = value;
    else if (strcmp(name, "--incarnation") == 0)
        return read_number(value, &arguments->incarnation);
    else if (strcmp(name, "--index") == 0)
        return arguments->has_index = read_number(value, &arguments->index);
    else
        return false;
    return true;
}

/* TCP works, but without TLS whoever reaches the port could join the job. */
static bool is_local(const char *address)
{
    return !address || strncmp(address, "unix:", 5) == 0;
}

/* -1: go on; otherwise the exit code. */
static int read_arguments(int argc, char **argv, struct role_arguments *arguments)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage_text, stdout);
            return 0;
        }
        if (argv[i][0] != '-' && !arguments->folder) {
            arguments->folder = argv[i];
        } else if (i + 1 >= argc || !read_option(arguments, argv[i], argv[i + 1])) {
            return usage("cannot understand ", argv[i]);
        } else {
            i++;
        }
    }
    if (!is_local(arguments->listen) || !is_local(arguments->master))
        return usage("an address is unix:PATH; TCP is not supported before it has TLS", "");
    return arguments->folder ? -1 : usage("the job's folder is missing", "");
}

int command_supervise(int argc, char **argv)
{
    struct role_arguments arguments = {.folder = NULL};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    if (arguments.listen || arguments.master || arguments.has_index)
        return usage("supervise takes a folder only", "");
    return run_supervise(arguments.folder);
}

int command_master(int argc, char **argv)
{
    struct role_arguments arguments = {.folder = NULL};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    if (!arguments.listen)
        return usage("--listen is missing", "");
    return run_master(arguments.folder, arguments.listen, arguments.incarnation);
}

int command_worker(int argc, char **argv)
{
    struct role_arguments arguments = {.folder = NULL};
    int code = read_arguments(argc, argv, &arguments);

    if (code >= 0)
        return code;
    if (!arguments.listen || !arguments.master || !arguments.has_index)
        return usage("--index, --master and --listen are needed", "");
    return run_worker(arguments.folder, arguments.index, arguments.incarnation, arguments.master,
                      arguments.listen);
}

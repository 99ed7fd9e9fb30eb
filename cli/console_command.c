#include "cli/console_command.h"

#include <stdio.h>
#include <string.h>

#include "cli/model_command.h"
#include "console/server.h"
#include "extension/postgres/libpq/database_libpq.h"

#define PORT_MAX 65535

static const char usage[] =
    "usage: totrain console DB [PORT]\n"
    "\n"
    "Shows jobs and models in a browser. The address contains a random token and is reached\n"
    "from this machine only. The page shows current and earlier jobs with statement,\n"
    "progress, live curves, the timeline of workers and the log, and models with versions,\n"
    "metrics and pictures. Jobs can be cancelled, and their number of workers changed.\n"
    "Ctrl-C ends the console; it writes nothing.\n"
    "\n"
    "DB is an SQLite file, with all jobs of this user, or a PostgreSQL database, with the\n"
    "rights of the login. Without PORT, or with PORT 0, the console uses any free port.\n"
    "\n"
    "    totrain console shop.db\n"
    "    totrain console postgres://db.example/shop 8080\n"
    "\n"
    "options:\n";

static void print_address(const char *address)
{
    printf("%s\n", address);
    fflush(stdout);
    fputs("Open it in a browser of this machine; Ctrl-C ends the console.\n", stderr);
}

/* A password may be in an address. */
static const char *shown_name(const char *database)
{
    return libpq_is_address(database) ? "PostgreSQL" : database;
}

static enum status check(const struct options *options, struct console *console, struct error *err)
{
    int64_t port = 0;

    if (options->word_count < 1 || options->word_count > 2) {
        fail(err, STATUS_INVALID, "console takes a database, and perhaps a port");
        return error_hint(err, "totrain console --help shows how it is called.");
    }
    if (options->word_count == 2 &&
        (!slice_to_integer(slice_of(options->words[1]), &port) || port < 0 || port > PORT_MAX))
        return fail(err, STATUS_INVALID, "a port is a number from 0 to %d, not %s", PORT_MAX,
                    options->words[1]);
    console->port = (uint16_t)port;
    console->database = shown_name(options->words[0]);
    return STATUS_OK;
}

static enum status serve(const struct options *options, struct error *err)
{
    struct console console = {.interrupt = session_interrupt, .ready = print_address};
    struct session jobs = {0}, models = {0};
    enum status status;

    TRY(check(options, &console, err));
    status = model_command_open(&jobs, options, err);
    if (status == STATUS_OK)
        status = model_command_open(&models, options, err);
    if (status == STATUS_OK) {
        console.jobs = jobs.host;
        console.models = models.host;
        status = console_serve(&console, err);
    }
    session_close(&models);
    session_close(&jobs);
    return status;
}

int command_console(int argc, char **argv)
{
    return model_command(argc, argv, usage, OPTION_COLOUR | OPTION_HELP, serve);
}

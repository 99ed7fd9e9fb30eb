#include "cli/model_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "extension/postgres/libpq/database_libpq.h"

int model_command(int argc, char **argv, const char *usage, unsigned takes,
                  enum status (*run)(const struct options *options, struct error *err))
{
    struct options options;
    struct error err;

    error_clear(&err);
    if (options_read(argc, argv, takes, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        options_print(takes, stdout);
        return 0;
    }
    options.progress = PROGRESS_QUIET;
    return run(&options, &err) == STATUS_OK ? 0 : report(&err, options.colour);
}

enum status model_command_open(struct session *session, const struct options *options,
                               struct error *err)
{
    memset(session, 0, sizeof *session);
    if (!libpq_is_address(options->words[0]) && access(options->words[0], F_OK) != 0)
        return fail_errno(err, STATUS_CONNECTION, "%s", options->words[0]);
    return session_open(session, options->words[0], options, err);
}

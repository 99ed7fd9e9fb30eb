#include "cli/scale_command.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/options.h"
#include "runtime/launch/job_process.h"

static enum status read_numbers(const struct options *options, int64_t *id, int64_t *workers,
                                struct error *err)
{
    if (options->word_count != 2)
        return fail(err, STATUS_INVALID, "usage: totrain scale ID N");
    if (!slice_to_integer(slice_of(options->words[0]), id) || *id < 1)
        return fail(err, STATUS_INVALID, "an id is a number from 1 on, not %s", options->words[0]),
               error_hint(err, "`totrain jobs` lists the ids.");
    if (!slice_to_integer(slice_of(options->words[1]), workers) || *workers < 1)
        return fail(err, STATUS_INVALID, "a job has a number of workers from 1 on, not %s",
                    options->words[1]);
    return STATUS_OK;
}

int command_scale(int argc, char **argv)
{
    const unsigned takes = OPTION_COLOUR | OPTION_HELP;
    struct options options;
    struct error err;
    int64_t id, workers;

    if (options_read(argc, argv, takes, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        printf("usage: totrain scale ID N [OPTION]...\n");
        options_print(takes, stdout);
        return 0;
    }
    if (read_numbers(&options, &id, &workers, &err) != STATUS_OK ||
        job_scale_by_id(NULL, id, workers, &err) != STATUS_OK)
        return report(&err, options.colour);
    printf("job %lld is to have %lld worker%s\n", (long long)id, (long long)workers,
           workers == 1 ? "" : "s");
    return 0;
}

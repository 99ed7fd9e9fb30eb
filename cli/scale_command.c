#include "cli/scale_command.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/session/options.h"
#include "runtime/launch/job_process.h"

#define USAGE "usage: totrain scale ID [N] [--ps N]"

struct numbers {
    int64_t id, workers, servers; /* 0: not given */
};

static enum status read_number(const char *word, const char *what, int64_t *number,
                               struct error *err)
{
    if (!slice_to_integer(slice_of(word), number) || *number < 1)
        return fail(err, STATUS_INVALID, "a job has a number of %s from 1 on, not %s", what, word);
    return STATUS_OK;
}

static enum status read_numbers(const struct options *options, struct numbers *numbers,
                                struct error *err)
{
    *numbers = (struct numbers){.id = 0};
    if (options->word_count < 1 || options->word_count > 2 ||
        (options->word_count == 1 && !options->servers))
        return fail(err, STATUS_INVALID, USAGE);
    if (!slice_to_integer(slice_of(options->words[0]), &numbers->id) || numbers->id < 1)
        return fail(err, STATUS_INVALID, "an id is a number from 1 on, not %s", options->words[0]),
               error_hint(err, "`totrain jobs` lists the ids.");
    if (options->word_count == 2)
        TRY(read_number(options->words[1], "workers", &numbers->workers, err));
    if (options->servers)
        TRY(read_number(options->servers, "parameter servers", &numbers->servers, err));
    return STATUS_OK;
}

static void say(int64_t id, int64_t number, const char *what)
{
    printf("job %lld is to have %lld %s%s\n", (long long)id, (long long)number, what,
           number == 1 ? "" : "s");
}

static enum status scale(const struct numbers *numbers, struct error *err)
{
    if (numbers->workers > 0) {
        TRY(job_scale_by_id(NULL, numbers->id, numbers->workers, err));
        say(numbers->id, numbers->workers, "worker");
    }
    if (numbers->servers > 0) {
        TRY(job_scale_servers_by_id(NULL, numbers->id, numbers->servers, err));
        say(numbers->id, numbers->servers, "parameter server");
    }
    return STATUS_OK;
}

int command_scale(int argc, char **argv)
{
    const unsigned takes = OPTION_PS | OPTION_COLOUR | OPTION_HELP;
    struct options options;
    struct numbers numbers;
    struct error err;

    if (options_read(argc, argv, takes, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        printf(USAGE " [OPTION]...\n");
        options_print(takes, stdout);
        return 0;
    }
    if (read_numbers(&options, &numbers, &err) != STATUS_OK || scale(&numbers, &err) != STATUS_OK)
        return report(&err, options.colour);
    return 0;
}

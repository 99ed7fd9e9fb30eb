#include "cli/printing/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct error_style plain = {"", "", "", "", ""};
static const struct error_style coloured = {
    .label = "\033[1;31m",
    .message = "\033[1m",
    .caret = "\033[1;32m",
    .hint = "\033[1;36m",
    .end = "\033[0m",
};

bool colour_find(struct slice name, enum colour *colour)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_is(name, names[i])) {
            *colour = (enum colour)i;
            return true;
        }
    }
    return false;
}

bool report_is_to_terminal(void)
{
    const char *terminal = getenv("TERM");

    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

bool colour_applies(enum colour colour)
{
    const char *refused = getenv("NO_COLOR");

    if (colour == COLOUR_AUTO)
        return report_is_to_terminal() && !(refused && *refused);
    return colour == COLOUR_ALWAYS;
}

enum status report_error(const struct error *err, const char *place, struct slice sql,
                         enum colour colour)
{
    const struct error_style *style = colour_applies(colour) ? &coloured : &plain;
    struct text rendered;

    text_init(&rendered, 16384);
    if (*place)
        text_printf(&rendered, "%s%s%s ", style->message, place, style->end);
    error_render_styled(err, sql, style, &rendered);
    fflush(stdout);
    if (rendered.failed) /* there is no memory to place it under the statement */
        fprintf(stderr, "%s%sERROR:  %s\n", place, *place ? " " : "", err->message);
    else
        fputs(text_string(&rendered), stderr);
    text_deinit(&rendered);
    return err->status;
}

int report(const struct error *err, enum colour colour)
{
    return status_exit_code(report_error(err, "", SLICE(""), colour));
}

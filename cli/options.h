/*
 * options.h - the words after `totrain` and after its commands.
 *
 * There is one table of all options. Each caller says which of them it takes;
 * what it does not take is refused with the nearest one that it does. Help is
 * printed from the table.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "format.h"
#include "progress.h"
#include "report.h"

#define INPUTS_MAX 1000 /* -c and -f together */
#define WORDS_MAX  2    /* what is no option: the database, the id */

enum {
    OPTION_SQL = 1,      /* -c */
    OPTION_FILE = 2,     /* -f */
    OPTION_FORMAT = 4,   /* --format */
    OPTION_PROGRESS = 8, /* --progress */
    OPTION_COLOUR = 16,  /* --color */
    OPTION_HELP = 32,    /* --help, -h */
    OPTION_VERSION = 64, /* --version */
    OPTION_FOLLOW = 128  /* -f without a value, where OPTION_FILE is not taken */
};

struct input {
    bool is_file;
    const char *value;
};

/* Points into argv. */
struct options {
    struct input inputs[INPUTS_MAX]; /* in the order given */
    size_t input_count;
    const char *words[WORDS_MAX];
    size_t word_count;
    enum format format;
    enum progress_mode progress;
    enum colour colour;
    bool wants_help, wants_version, follows;
};

/* argv[0] is the caller's own name. Options may stand anywhere, as in
 * getopt_long: -c SQL, --format json, --format=json; -- ends them. On an error
 * `options` holds what was read before it, so that --color counts for it. */
enum status options_read(int argc, char **argv, unsigned takes, struct options *options,
                         struct error *err);

/* One line an option, for --help. */
void options_print(unsigned takes, FILE *out);

#endif

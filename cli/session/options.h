/*
 * options.h - the words after `totrain` and after its commands.
 *
 * There is one table of all options. Each caller names those that it takes;
 * another one is refused with the nearest one that it takes. Help is printed
 * from the table.
 */
#pragma once

#include <stdio.h>

#include "cli/printing/format.h"
#include "cli/printing/progress.h"
#include "cli/printing/report.h"
#include "report/svg.h"

#define INPUTS_MAX 1000 /* -c and -f together */
#define WORDS_MAX  3    /* words that are no options: the database, the model, the picture */

enum {
    OPTION_SQL = 1,      /* -c */
    OPTION_FILE = 2,     /* -f */
    OPTION_FORMAT = 4,   /* --format */
    OPTION_PROGRESS = 8, /* --progress */
    OPTION_COLOUR = 16,  /* --color */
    OPTION_HELP = 32,    /* --help, -h */
    OPTION_VERSION = 64, /* --version */
    OPTION_FOLLOW = 128, /* -f without a value, where OPTION_FILE is not taken */
    OPTION_KUBECONFIG = 1 << 8,
    OPTION_CONTEXT = 1 << 9,
    OPTION_NAMESPACE = 1 << 10,
    OPTION_INSECURE = 1 << 11,
    OPTION_IMAGE = 1 << 12,
    OPTION_PULL = 1 << 13,
    OPTION_NAME = 1 << 14,
    OPTION_CPU = 1 << 15,
    OPTION_MEMORY = 1 << 16,
    OPTION_RESOURCE = 1 << 17,
    OPTION_PRIORITY = 1 << 18, /* --priority-class, --profile */
    OPTION_ACCOUNT = 1 << 19,
    OPTION_DATABASE_SECRET = 1 << 20,
    OPTION_KEEP = 1 << 21,
    OPTION_SCHEDULE = 1 << 22,
    OPTION_DRY_RUN = 1 << 23,
    OPTION_PODS = 1 << 24, /* --pods, --database, --metrics */
    OPTION_SERVICE_SECRET = 1 << 25,
    OPTION_RUN_OF = 1 << 26,
    OPTION_OWNER = 1 << 27,
    OPTION_OUTPUT = 1 << 28, /* -o */
    OPTION_THEME = 1 << 29,
    OPTION_PS = 1 << 30
};

/* Options that describe a job on a cluster. */
#define OPTIONS_KUBE_JOB                                                                           \
    (OPTION_IMAGE | OPTION_PULL | OPTION_NAME | OPTION_CPU | OPTION_MEMORY | OPTION_RESOURCE |     \
     OPTION_PRIORITY | OPTION_ACCOUNT | OPTION_DATABASE_SECRET | OPTION_KEEP)

/* The cluster, and our credentials for it. */
#define OPTIONS_CLUSTER (OPTION_KUBECONFIG | OPTION_CONTEXT | OPTION_NAMESPACE | OPTION_INSECURE)

struct input {
    bool is_file;
    const char *value;
};

/* Options of jobs on a cluster; NULL where not given. */
struct cluster_options {
    const char *kubeconfig, *context, *kube_namespace, *image, *pull_policy, *name, *cpu, *memory;
    const char *resource, *priority_class, *service_account, *database_secret, *keep, *schedule;
    const char *pods, *service_secret, *profile, *database, *metrics;
    const char *run_of, *owner; /* in the pod of a schedule: its name, and POD/UID/JOB */
    bool allows_insecure, is_dry_run;
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
    const char *output;  /* NULL: standard output */
    const char *servers; /* NULL: not given */
    enum theme theme;
    bool wants_help, wants_version, follows;
    struct cluster_options cluster;
};

/* argv[0] is the caller's own name. Options may stand anywhere, as in
 * getopt_long: -c SQL, --format json, --format=json; -- ends them. On an error
 * `options` holds what was read before it, so that --color counts for it. */
enum status options_read(int argc, char **argv, unsigned takes, struct options *options,
                         struct error *err);

/* One line an option, for --help. */
void options_print(unsigned takes, FILE *out);

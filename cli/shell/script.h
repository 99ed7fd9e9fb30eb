/*
 * script.h - a program of statements and dot commands, run one by one.
 *
 *     SELECT 1;
 *     .read model.sql      a line that begins with a dot, where a statement
 *     SELECT 2;            could begin, is a command (dot_command.h)
 *
 * -c, -f, standard input, .read and what is typed are all scripts. A script
 * stops at its first error, which is shown where it happens; a script that
 * read the failing one stops too, and names the line that read it.
 */
#pragma once

#include "cli/session/session.h"

#define SCRIPT_DEPTH_MAX 16 /* files that read files */

/* One that is running; lives on the stack of script_run(). */
struct script {
    const char *name; /* the file's name; NULL: it has none */
    struct slice text;
    int position; /* position of the statement or command that runs */
    int depth;
    const struct script *reader; /* the script that reads this one, or NULL */
};

/* Run up to the end, the first error, Ctrl-C or .quit. An error has been
 * shown when this returns. `name` is what errors call the file, or NULL. */
enum status script_run(struct session *session, const char *name, struct slice text);

/* script_run of a file; "-" is standard input. */
enum status script_run_file(struct session *session, const char *path);

/* Shows an error of the script that runs, with its file, its line and the files that read it. A
 * position of -1 stands for the statement's. Returns err->status. */
enum status script_fail(const struct session *session, const struct error *err);

/*
 * history_file.h - what was typed, kept over sessions (libedit's format).
 *
 * Sessions may run side by side: each keeps its own list in memory, and adds
 * to the file what it runs, under a lock on the file's folder, so that none
 * loses what another one wrote. The file is replaced whole: a full disk or a
 * kill leaves the old one. Where it cannot be written there is history for the
 * session alone, and a file that libedit cannot read is left as it is.
 */
#pragma once

#include <histedit.h>
#include <limits.h>

#define HISTORY_MAX             1000        /* entries, each text once */
#define HISTORY_ENTRY_BYTES_MAX (64 * 1024) /* a longer statement is not kept in the file */

/* $XDG_STATE_HOME/totrain/history, else ~/.local/state/totrain/history, with
 * links resolved; makes the folders above it (0700). Empty: there is none. */
void history_file_find(char path[PATH_MAX]);

void history_file_load(const char *path, History *list);

/* The entry becomes the newest of the list; an older same one is dropped. */
void history_enter(History *list, const char *entry);

/* The same, in the file (0600). */
void history_file_enter(const char *path, const char *entry);

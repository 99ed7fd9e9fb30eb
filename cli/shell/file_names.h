/*
 * file_names.h - the files that a name typed so far may become.
 */
#pragma once

#include "cli/shell/completion.h"

/* Fills a completion whose is_file is set. Folders end with a slash; names that
 * begin with a dot are offered once their dot is typed; ~/ is the user's home.
 * A folder that cannot be read has no candidates. Sorted by bytes. */
enum status file_names_find(struct slice typed, struct arena *arena, struct completion *completion,
                            struct error *err);

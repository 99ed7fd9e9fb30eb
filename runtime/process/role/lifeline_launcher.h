/*
 * lifeline_launcher.h - the supervisor as the launcher (launcher.h) of a master that it started.
 *
 *     master --> lifeline --> supervise_children.c     event lines, replace INDEX, lanes N, alive,
 *                                                      servers LEAST MOST,
 *                                                      worker INDEX here|gone,
 *                                                      killed_by_rows INDEX, leaving
 *            <--                                       cancel, wanted VERSION N,
 *                                                      servers VERSION N, fail TEXT
 *
 * Once a second, also while a call of the store is in flight, the master says `alive`: a master
 * that is stopped cannot say so, and the supervisor counts on it. The end of the lifeline ends the
 * loop.
 */
#pragma once

#include "runtime/process/role/launcher.h"

struct lifeline_launcher {
    struct launcher launcher;
    struct launcher_owner owner;
    struct store_voucher *voucher; /* says `alive` while a call of the store is in flight */
    int64_t alive_at;
};

/* *lifeline must stay where it is. */
void lifeline_launcher_init(struct lifeline_launcher *lifeline);

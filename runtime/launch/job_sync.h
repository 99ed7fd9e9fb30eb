/*
 * job_sync.h - writes a job's folder to the disk, before the submission of a detached job returns.
 */
#pragma once

#include "base/error.h"

/* Makes the folder and its files survive a power cut: fsync of its files, of itself and of the
 * folders above that may be as new. Called before a detached job is acknowledged. IO with the
 * path. */
enum status job_sync(const char *folder, struct error *err);

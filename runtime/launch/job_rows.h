/*
 * job_rows.h - two jobs with the same rows, which are on the disk once.
 */
#pragma once

#include "runtime/launch/job_folder.h"

/* The files of the rows of one job (*.spool), and the file `also`, where it has one, become files
 * of the other, too, as hard links: nobody writes into rows that are settled, and whoever removes
 * them removes a name. IO with the path. */
enum status job_rows_link(const struct job_folder *from, const struct job_folder *to,
                          const char *also, struct error *err);

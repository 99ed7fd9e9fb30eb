/*
 * journal_reader.h - the process that reads the journal of a job whose supervisor was detached.
 *
 *     totrain journal FOLDER --report, looked: a pipe--> supervisor
 *
 * There is no session that would read it. The process logs in as the publisher does, into the
 * database that the folder names, and tries again for as long as it runs; should it end, another
 * one is started. It reads from the beginning: a report that came before is told again, which only
 * the job's record hears.
 */
#pragma once

#include "runtime/loop/loop.h"

struct journal_reader;

/* Lines as those of a lifeline (supervise.h): `report JSON`, `looked`. The folder is borrowed. */
enum status journal_reader_open(struct loop *loop, const char *folder, void *context,
                                void (*take)(void *context, struct slice line),
                                struct journal_reader **reader, struct error *err);
void journal_reader_close(struct journal_reader *reader); /* NULL: nothing */

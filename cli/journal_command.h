/*
 * journal_command.h - `totrain journal FOLDER`: what the journal of a job on a cluster reports, for
 * a supervisor that no session reads it for (k8s/submit/journal_reader.h).
 */
#pragma once

int command_journal(int argc, char **argv);

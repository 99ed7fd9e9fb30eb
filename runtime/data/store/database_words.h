/*
 * database_words.h - a log line that says that a process does not reach the job's database.
 *
 *     role's log: "... the job's database: WHY; trying again" --follower--> a notice for the user
 */
#pragma once

#define DATABASE_OF_JOB       "the job's database: "
#define DATABASE_TRYING_AGAIN "; trying again"

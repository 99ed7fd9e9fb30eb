/*
 * database_words.h - a log line that says that a process does not reach the job's database.
 *
 *     role's log: "... the job's database: WHY; trying again" --follower--> a notice for the user
 */
#ifndef RUNTIME_DATA_STORE_DATABASE_WORDS_H
#define RUNTIME_DATA_STORE_DATABASE_WORDS_H

#define DATABASE_OF_JOB       "the job's database: "
#define DATABASE_TRYING_AGAIN "; trying again"

#endif

/*
 * golden_topic.h - the statements of a topic, a file of tests/golden.
 *
 *     === tables                    golden_topic_next gives:
 *     query: a REAL 150 reals
 *
 *     === error_bucket_empty        name   error_bucket_empty
 *     SELECT ...;                   text   -- query: a REAL 150 reals
 *     --- error                            SELECT ...;
 *     ERROR:  ...
 *
 * tests/golden/topics.py writes topics, and says what else there is in them. The text begins with
 * the lines that described_catalog_read reads.
 */
#pragma once

#include "base/text.h"

struct golden_topic {
    struct slice rest, tables;
};

struct golden_case {
    struct slice name, text;
};

/* The topic in a file; ends the program where it cannot be read. The bytes are kept until the next
 * one is read. */
struct golden_topic golden_topic_read(const char *path);

/* False at the end. The bytes of the text are kept until the next call. */
bool golden_topic_next(struct golden_topic *topic, struct golden_case *next);

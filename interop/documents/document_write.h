/*
 * document_write.h - a tree of values, written as JSON or UBJSON as it is walked.
 *
 *     write_begin(&writer, NULL, WRITE_OBJECT, 0)
 *         write_text(&writer, "name", SLICE("gbtree"))
 *         write_begin(&writer, "trees", WRITE_LIST, 2) ... write_end(&writer, WRITE_LIST)
 *     write_end(&writer, WRITE_OBJECT)
 *
 * A name is that of a member, and NULL in a list and at the top. What does not fit is remembered by
 * `out`, whose `failed` is the one check at the end. Lists of numbers say their type in UBJSON, by
 * a letter of its (U, l, L), as XGBoost's reader wants it; it takes a float with fewer than nine
 * digits where they read back as the same float. A long list ends early where `watch` has seen a
 * stop: what is written is no document then.
 */
#pragma once

#include "base/stop.h"
#include "base/text.h"

struct document_writer {
    struct text *out;
    bool is_ubj;
    bool has_before;          /* JSON: an item stands before the next one */
    struct stop_watch *watch; /* borrowed; NULL: nobody is asked */
};

enum write_nested { WRITE_OBJECT, WRITE_LIST };

/* `count` items follow in a list; of an object it means nothing. */
void write_begin(struct document_writer *writer, const char *name, enum write_nested nested,
                 size_t count);
void write_end(struct document_writer *writer, enum write_nested nested);
void write_text(struct document_writer *writer, const char *name, struct slice text);
void write_integer(struct document_writer *writer, const char *name, int32_t value);
void write_integers(struct document_writer *writer, const char *name, char letter,
                    const int32_t *values, size_t count);
void write_floats(struct document_writer *writer, const char *name, const float *values,
                  size_t count);

/* The shortest decimal that reads back as the same float, with a point or an exponent. */
void write_float_digits(struct text *out, float value);

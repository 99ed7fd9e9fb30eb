/*
 * document.h - a file of another program as a tree of values, whether it was JSON or UBJSON.
 *
 * XGBoost writes its models in both, with the same members. A tree takes little more memory than
 * its file: a list of numbers is an array of doubles, and texts without escapes are borrowed from
 * the bytes. The tree lives in the arena, whose maximum bounds it, and is valid as long as the
 * bytes are.
 *
 * The bytes are foreign: whatever they claim to hold is compared with what is left of them before
 * memory is taken for it, and they are nested no deeper than DOCUMENT_DEPTH_MAX.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define DOCUMENT_DEPTH_MAX 32
#define DOCUMENT_BYTES_MAX ((size_t)256 << 20)
/* The most that the tree of such a file takes. */
#define DOCUMENT_ARENA_MAX (16 * DOCUMENT_BYTES_MAX)

enum value_type {
    VALUE_NULL,
    VALUE_NUMBER,  /* true is 1, false 0 */
    VALUE_TEXT,    /* any bytes */
    VALUE_NUMBERS, /* a list of numbers, or an empty one */
    VALUE_LIST,    /* a list of anything else */
    VALUE_OBJECT
};

struct member;

struct value {
    enum value_type type;
    size_t count; /* count of numbers, items or members; bytes of a text */
    union {
        double number;
        const char *text;
        const double *numbers;
        const struct value *items;
        const struct member *members;
    } of;
};

struct member {
    struct slice name;
    struct value value;
};

/* NULL: there is none, or `object` is no object. */
const struct value *value_member(const struct value *object, const char *name);

/* Members of an object. CORRUPT naming what is missing or of another type. */
enum status value_get_object(const struct value *object, const char *name,
                             const struct value **value, struct error *err);
enum status value_get_text(const struct value *object, const char *name, struct slice *value,
                           struct error *err);
/* A number, or a text that is one: XGBoost writes its parameters as texts. */
enum status value_get_integer(const struct value *object, const char *name, int64_t least,
                              int64_t most, int64_t *value, struct error *err);
/* Numbers, or a list of anything else, of `count` of them; SIZE_MAX: of any count. */
enum status value_get_numbers(const struct value *object, const char *name, size_t count,
                              const struct value **value, struct error *err);
enum status value_get_list(const struct value *object, const char *name, const struct value **value,
                           struct error *err);

/*
 * json.h - cJSON with limits, exact 64-bit integers and errors that name a path.
 *
 * Size and nesting are checked before cJSON sees a byte. Integers outside
 * +-2^53 travel as decimal strings, since cJSON holds numbers as doubles.
 * Getters name what they looked for: `job.json: train.epochs: expected an
 * integer from 1 to 10000, found "ten"`.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/error.h"

#define JSON_BYTES_MAX ((size_t)64 << 20)
#define JSON_DEPTH_MAX 64

/* CORRUPT when the bytes are no JSON, too many or too deep, or a string has a zero
 * byte, which no string of C could hold. The caller frees
 * the tree with cJSON_Delete; it is NULL after an error. */
enum status json_parse(struct slice bytes, size_t bytes_max, cJSON **json, struct error *err);

/* Append the printed value, without white space, or indented. NO_MEMORY for a
 * tree that lacks anything that was to be added to it. */
enum status json_print(const cJSON *json, bool indented, struct text *out, struct error *err);

/* Members of an object. A missing member, a wrong type and a value out of
 * range are CORRUPT. Strings are borrowed from the JSON tree. */
enum status json_get_string(const cJSON *object, const char *name, struct slice *value,
                            struct error *err);
enum status json_get_integer(const cJSON *object, const char *name, int64_t least, int64_t most,
                             int64_t *value, struct error *err);
enum status json_get_real(const cJSON *object, const char *name, double *value, struct error *err);
enum status json_get_boolean(const cJSON *object, const char *name, bool *value, struct error *err);
enum status json_get_array(const cJSON *object, const char *name, size_t count_max,
                           const cJSON **value, struct error *err);
/* An array of just so many finite numbers. */
enum status json_get_reals(const cJSON *object, const char *name, size_t count, double *reals,
                           struct error *err);
bool json_has(const cJSON *object, const char *name);
enum status json_get_object(const cJSON *object, const char *name, const cJSON **value,
                            struct error *err);

/*
 * Build a tree, from cJSON_CreateObject or cJSON_CreateArray, with these alone.
 * What does not fit into memory is left out and remembered where it is
 * missing, so that the one check is json_print's; NULL containers and items
 * are taken everywhere. An item belongs to its container once it was added, and
 * is gone where that failed: fill it first.
 *
 * Integers beyond +-2^53 are written as strings, reals so that they read back
 * the same. Non-finite reals are not JSON: they are written as null.
 */
cJSON *json_string(struct slice value);
cJSON *json_integer(int64_t value);
cJSON *json_real(double value);
void json_add(cJSON *object, const char *name, cJSON *item);
void json_append(cJSON *array, cJSON *item);
cJSON *json_add_object(cJSON *object, const char *name);
cJSON *json_add_array(cJSON *object, const char *name);
void json_add_boolean(cJSON *object, const char *name, bool value);
void json_add_string(cJSON *object, const char *name, struct slice value);
void json_add_integer(cJSON *object, const char *name, int64_t value);
void json_add_real(cJSON *object, const char *name, double value);
void json_add_reals(cJSON *object, const char *name, const double *values, size_t count);

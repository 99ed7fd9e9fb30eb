/*
 * kinds.h - types of PostgreSQL's columns, and the status of its errors.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * Kinds of columns by their types, and the cell that a value becomes (FORM_DATA). A domain
 * counts as its base type.
 *
 *     kind        types                         cell
 *     INTEGER     int2 int4 int8                CELL_INTEGER
 *     OID         oid                           CELL_INTEGER, never negative
 *     REAL        float4 float8                 CELL_REAL; NaN and infinities too
 *     NUMERIC     numeric                       CELL_REAL: the nearest double of its text
 *     BOOLEAN     bool                          CELL_INTEGER 0, 1
 *     TEXT        text varchar bpchar name char CELL_TEXT; bpchar keeps its blanks
 *     ENUM        any enum                      CELL_TEXT: its label
 *     UUID        uuid                          CELL_TEXT: 8-4-4-4-12 small hex digits
 *     DATE        date                          CELL_INTEGER: days since 1970-01-01 (CELL_DAYS)
 *     TIMESTAMP   timestamp timestamptz         CELL_REAL: seconds since 1970-01-01 (UTC),
 *                                               microseconds / 1e6; infinities as infinities
 *                                               (CELL_SECONDS)
 *     VECTOR      int2[] int4[] int8[] float4[] CELL_VECTOR; numbers become doubles as
 *                 float8[] numeric[]            above
 *     BYTES       bytea                         CELL_BLOB
 *     OTHER       everything else               CELL_BLOB, whose bytes mean nothing
 */
enum pg_kind {
    PG_INTEGER,
    PG_OID,
    PG_REAL,
    PG_NUMERIC,
    PG_BOOLEAN,
    PG_TEXT,
    PG_ENUM,
    PG_UUID,
    PG_DATE,
    PG_TIMESTAMP,
    PG_VECTOR,
    PG_BYTES,
    PG_OTHER
};

/* The kind of a type that every server has (pg_type's fixed OIDs). OTHER for all others, where the
 * caller looks whether typtype is 'e' (ENUM). */
enum pg_kind pg_kind_of(uint32_t type);

/* The status of an SQLSTATE ("42501": PERMISSION). */
enum status pg_status_of(const char sqlstate[5]);

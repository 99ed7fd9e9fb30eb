/*
 * values.h - values of the server's types as cells (the table in database.h).
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include "extension/postgres/server/session/session.h"
#include "extension/postgres/sql/kinds.h"

struct value_reader {
    enum database_form form;
    enum pg_kind kind;
    Oid type; /* a domain's is its base type */
    bool is_varlena;
    FmgrInfo output;
};

enum pg_kind value_kind(Oid type);

/* Makes a reader whose memory is of CurrentMemoryContext. */
void value_reader_init(struct value_reader *reader, Oid type, enum database_form form);
/* Not NULL. Texts are the value's own bytes, or in CurrentMemoryContext. */
struct cell value_read(struct value_reader *reader, Datum value);

/* Turn the number that value_read made of a date, or of a timestamp, back into one: days and
 * seconds since 1970. False for a number that the server has no value of. */
bool value_write_date(int64_t days, Datum *value);
bool value_write_timestamp(double seconds, Datum *value);

#include "postgres_host/values.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#define DAYS_1970_TO_2000    (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define MICROSECONDS_OF_DAYS ((int64_t)DAYS_1970_TO_2000 * USECS_PER_DAY)

enum pg_kind value_kind(Oid type)
{
    const enum pg_kind kind = pg_kind_of(type);

    if (type == UNKNOWNOID) /* 'a literal' in a ROW() */
        return PG_TEXT;
    return kind == PG_OTHER && get_typtype(type) == TYPTYPE_ENUM ? PG_ENUM : kind;
}

void value_reader_init(struct value_reader *reader, Oid type, enum pg_form form)
{
    Oid output;

    reader->form = form;
    reader->type = getBaseType(type);
    reader->kind = value_kind(reader->type);
    if (form == PG_SHOWN && reader->kind != PG_INTEGER && reader->kind != PG_REAL)
        reader->kind = PG_OTHER;
    getTypeOutputInfo(reader->type, &output, &reader->is_varlena);
    fmgr_info(output, &reader->output);
}

static struct cell text_cell(const char *text, size_t size)
{
    return (struct cell){.type = CELL_TEXT, .text = session_to_utf8(text, size)};
}

static struct cell output_cell(struct value_reader *reader, Datum value)
{
    const char *text = OutputFunctionCall(&reader->output, value);

    return text_cell(text, strlen(text));
}

static struct cell real_cell(double value)
{
    return (struct cell){.type = CELL_REAL, .real = value};
}

static struct cell integer_cell(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

static struct cell read_integer(Oid type, Datum value)
{
    switch (type) {
    case INT2OID:
        return integer_cell(DatumGetInt16(value));
    case INT4OID:
        return integer_cell(DatumGetInt32(value));
    case OIDOID:
        return integer_cell(DatumGetObjectId(value));
    default:
        return integer_cell(DatumGetInt64(value));
    }
}

static struct cell read_numeric(struct value_reader *reader, Datum value)
{
    const char *text = OutputFunctionCall(&reader->output, value);
    double real;

    if (!slice_to_real(slice_of(text), &real))
        real = strtod(text, NULL); /* NaN, Infinity, and what is beyond a double */
    return real_cell(real);
}

static struct cell read_text(struct value_reader *reader, Datum value)
{
    if (reader->is_varlena) {
        const text *bytes = DatumGetTextPP(value);
        return text_cell(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
    }
    return output_cell(reader, value);
}

static struct cell read_date(DateADT date)
{
    if (DATE_NOT_FINITE(date))
        return real_cell(DATE_IS_NOBEGIN(date) ? -INFINITY : INFINITY);
    return integer_cell((int64_t)date + DAYS_1970_TO_2000);
}

static struct cell read_timestamp(Timestamp timestamp)
{
    if (TIMESTAMP_NOT_FINITE(timestamp))
        return real_cell(TIMESTAMP_IS_NOBEGIN(timestamp) ? -INFINITY : INFINITY);
    return real_cell((double)(timestamp + MICROSECONDS_OF_DAYS) / USECS_PER_SEC);
}

static struct cell read_bytes(Datum value)
{
    const bytea *bytes = DatumGetByteaPP(value);

    return (struct cell){.type = CELL_BLOB, .text = {VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)}};
}

static struct cell read_real(Oid type, Datum value)
{
    return real_cell(type == FLOAT4OID ? (double)DatumGetFloat4(value) : DatumGetFloat8(value));
}

static struct cell read_data(struct value_reader *reader, Datum value)
{
    switch (reader->kind) {
    case PG_INTEGER:
        return read_integer(reader->type, value);
    case PG_REAL:
        return read_real(reader->type, value);
    case PG_NUMERIC:
        return read_numeric(reader, value);
    case PG_BOOLEAN:
        return integer_cell(DatumGetBool(value));
    case PG_TEXT:
        return read_text(reader, value);
    case PG_ENUM:
    case PG_UUID:
        return output_cell(reader, value);
    case PG_DATE:
        return read_date(DatumGetDateADT(value));
    case PG_TIMESTAMP:
        return read_timestamp(DatumGetTimestamp(value));
    case PG_BYTES:
        return read_bytes(value);
    default:
        return (struct cell){.type = CELL_BLOB, .text = SLICE("")};
    }
}

static struct cell read_shown(struct value_reader *reader, Datum value)
{
    if (reader->kind == PG_INTEGER)
        return read_integer(reader->type, value);
    if (reader->kind == PG_REAL) {
        struct cell cell = read_real(reader->type, value);
        if (isfinite(cell.real))
            return cell;
    }
    return output_cell(reader, value);
}

struct cell value_read(struct value_reader *reader, Datum value)
{
    return reader->form == PG_SHOWN ? read_shown(reader, value) : read_data(reader, value);
}

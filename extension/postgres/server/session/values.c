#include "extension/postgres/server/session/values.h"
#include "extension/postgres/sql/kinds.h"

#include <math.h>

#include <access/detoast.h>
#include <catalog/pg_type.h>
#include <utils/array.h>
#include <utils/date.h>
#include <utils/fmgrprotos.h>
#include <utils/lsyscache.h>
#include <utils/timestamp.h>

#define DAYS_1970_TO_2000    (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define MICROSECONDS_OF_DAYS ((int64_t)DAYS_1970_TO_2000 * USECS_PER_DAY)

enum pg_kind value_kind(Oid type)
{
    const enum pg_kind kind = pg_kind_of(type);

    if (type == UNKNOWNOID) /* 'a literal' in a ROW() */
        return PG_TEXT;
    return kind == PG_OTHER && get_typtype(type) == TYPTYPE_ENUM ? PG_ENUM : kind;
}

void value_reader_init(struct value_reader *reader, Oid type, enum database_form form)
{
    Oid output;

    reader->form = form;
    reader->type = getBaseType(type);
    reader->kind = value_kind(reader->type);
    if (reader->kind == PG_OID)
        reader->kind = PG_INTEGER; /* read_integer looks at the type */
    if (form == FORM_SHOWN && reader->kind != PG_INTEGER && reader->kind != PG_REAL)
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

static double numeric_real(const char *text)
{
    double real;

    /* NaN, Infinity, and what is beyond a double */
    return slice_to_real(slice_of(text), &real) ? real : strtod(text, NULL);
}

static struct cell read_numeric(struct value_reader *reader, Datum value)
{
    return real_cell(numeric_real(OutputFunctionCall(&reader->output, value)));
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
    struct cell cell = DATE_NOT_FINITE(date)
                           ? real_cell(DATE_IS_NOBEGIN(date) ? -INFINITY : INFINITY)
                           : integer_cell((int64_t)date + DAYS_1970_TO_2000);

    cell.time = CELL_DAYS;
    return cell;
}

/* The last years, up to 294276, are beyond 64 bits when they are counted from 1970. */
static struct cell read_timestamp(Timestamp timestamp)
{
    struct cell cell =
        TIMESTAMP_NOT_FINITE(timestamp)
            ? real_cell(TIMESTAMP_IS_NOBEGIN(timestamp) ? -INFINITY : INFINITY)
            : real_cell((double)((__int128)timestamp + MICROSECONDS_OF_DAYS) / USECS_PER_SEC);

    cell.time = CELL_SECONDS;
    return cell;
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

static double element_real(Oid type, Datum value)
{
    switch (type) {
    case NUMERICOID:
        return numeric_real(DatumGetCString(DirectFunctionCall1(numeric_out, value)));
    case FLOAT4OID:
        return (double)DatumGetFloat4(value);
    case FLOAT8OID:
        return DatumGetFloat8(value);
    default:
        return (double)read_integer(type, value).integer;
    }
}

static double *read_elements(ArrayType *array, int count)
{
    const Oid type = ARR_ELEMTYPE(array);
    double *reals = palloc(sizeof *reals * (size_t)count);
    char align;
    int16 size;
    bool is_by_value;
    Datum *values;

    if (type == FLOAT8OID) { /* its elements are doubles, one behind another */
        memcpy(reals, ARR_DATA_PTR(array), sizeof *reals * (size_t)count);
        return reals;
    }
    get_typlenbyvalalign(type, &size, &is_by_value, &align);
    deconstruct_array(array, type, size, is_by_value, align, &values, NULL, &count);
    for (int i = 0; i < count; i++)
        reals[i] = element_real(type, values[i]);
    pfree(values);
    return reals;
}

/* The lower bound does not matter: elements are counted from 1. */
static struct cell read_vector(Datum value)
{
    ArrayType *array = DatumGetArrayTypeP(value);
    const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    struct cell cell = {.type = CELL_VECTOR, .text = SLICE("")};

    if (ARR_NDIM(array) > 1)
        cell.integer = VECTOR_HAS_DIMENSIONS;
    else if (array_contains_nulls(array))
        cell.integer = VECTOR_HAS_NULLS;
    else if (count > 0)
        cell.text = (struct slice){(const char *)read_elements(array, count),
                                   sizeof(double) * (size_t)count};
    return cell;
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
    case PG_VECTOR:
        return read_vector(value);
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
    return reader->form == FORM_SHOWN ? read_shown(reader, value) : read_data(reader, value);
}

bool value_write_date(int64_t days, Datum *value)
{
    const int64_t date = days - DAYS_1970_TO_2000;

    *value = DateADTGetDatum((DateADT)date);
    return days > -INT64_C(1000000000) && days < INT64_C(1000000000) &&
           IS_VALID_DATE((DateADT)date);
}

bool value_write_timestamp(double seconds, Datum *value)
{
    Timestamp timestamp;

    if (!(fabs(seconds) < 1e13))
        return false;
    timestamp = (Timestamp)llround(seconds * USECS_PER_SEC) - MICROSECONDS_OF_DAYS;
    *value = TimestampGetDatum(timestamp);
    return IS_VALID_TIMESTAMP(timestamp);
}

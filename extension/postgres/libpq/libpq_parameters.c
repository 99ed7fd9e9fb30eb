#include "extension/postgres/libpq/libpq_parameters.h"

#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/binary_cells.h"

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_FLOAT8 = 701 };

Oid parameters_type(enum cell_type type)
{
    switch (type) {
    case CELL_INTEGER:
        return OID_INT8;
    case CELL_REAL:
        return OID_FLOAT8;
    case CELL_BLOB:
        return OID_BYTEA;
    default:
        return OID_TEXT;
    }
}

enum status parameters_init(struct parameters *parameters, size_t count, struct error *err)
{
    *parameters = (struct parameters){
        .types = calloc(count + 1, sizeof *parameters->types),
        .values = calloc(count + 1, sizeof *parameters->values),
        .sizes = calloc(count + 1, sizeof *parameters->sizes),
        .formats = calloc(count + 1, sizeof *parameters->formats),
        .numbers = calloc(count + 1, sizeof *parameters->numbers),
    };
    return parameters->types && parameters->values && parameters->sizes && parameters->formats &&
                   parameters->numbers
               ? STATUS_OK
               : fail_no_memory(err);
}

void parameters_deinit(struct parameters *parameters)
{
    free(parameters->types);
    free(parameters->values);
    free(parameters->sizes);
    free(parameters->formats);
    free(parameters->numbers);
}

static void put_number(struct parameters *parameters, size_t i, uint64_t bits)
{
    binary_put_u64(bits, parameters->numbers[i]);
    parameters->values[i] = parameters->numbers[i];
    parameters->sizes[i] = 8;
}

enum status parameters_put(struct parameters *parameters, size_t i, const struct cell *cell,
                           struct error *err)
{
    uint64_t bits;

    parameters->formats[i] = 1;
    switch (cell->type) {
    case CELL_NULL:
        parameters->values[i] = NULL;
        break;
    case CELL_INTEGER:
        put_number(parameters, i, (uint64_t)cell->integer);
        break;
    case CELL_REAL:
        memcpy(&bits, &cell->real, sizeof bits);
        put_number(parameters, i, bits);
        break;
    case CELL_VECTOR: /* read, and never written as such */
        return fail(err, STATUS_UNSUPPORTED, "an array is no parameter");
    case CELL_TEXT:
    case CELL_BLOB:
        if (cell->text.size > INT_MAX)
            return fail(err, STATUS_LIMIT, "a value of %zu bytes", cell->text.size);
        parameters->values[i] = cell->text.data ? cell->text.data : "";
        parameters->sizes[i] = (int)cell->text.size;
        break;
    }
    return STATUS_OK;
}

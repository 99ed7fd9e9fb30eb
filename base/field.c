#include "base/field.h"

#include <assert.h>

#include "base/bytes.h"

static const char *const type_names[] = {
#define X(name, text) text,
    FIELD_TYPE_MAP(X)
#undef X
};

static void put_reals(struct text *out, const struct field_reals *reals)
{
    put_u32(out, reals->count);
    for (uint32_t i = 0; i < reals->count; i++)
        put_f64(out, reals->values[i]);
}

void fields_put(struct text *out, struct field_table table, const void *record)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct field *field = &table.fields[i];
        const void *member = (const char *)record + field->offset;

        switch (field->type) {
        case FIELD_FLAG:
            put_u8(out, *(const bool *)member);
            break;
        case FIELD_U32:
            put_u32(out, *(const uint32_t *)member);
            break;
        case FIELD_U64:
            put_u64(out, *(const uint64_t *)member);
            break;
        case FIELD_I64:
        case FIELD_INDEX:
            put_i64(out, *(const int64_t *)member);
            break;
        case FIELD_F64:
            put_f64(out, *(const double *)member);
            break;
        case FIELD_TEXT:
        case FIELD_BYTES:
        case FIELD_INT64S:
        case FIELD_U32S:
        case FIELD_FLOATS:
            put_sized(out, *(const struct slice *)member);
            break;
        case FIELD_REALS:
            put_reals(out, member);
            break;
        case FIELD_STRING:
        case FIELD_CHARS:
            assert(!"a string of C has no form in bytes");
        }
    }
}

static bool is_within(uint64_t value, const struct field *field)
{
    return field->limit == FIELD_ANY || value <= field->limit;
}

/* Reads a field that consists of whole elements of `width` bytes. */
static bool read_elements(struct byte_reader *reader, const struct field *field, size_t width,
                          struct slice *elements)
{
    *elements = read_sized(reader, field->limit == FIELD_ANY ? SIZE_MAX : field->limit);
    return elements->size % width == 0;
}

static bool read_reals(struct byte_reader *reader, const struct field *field,
                       struct field_reals *reals)
{
    reals->count = read_u32(reader);
    if (reals->count > field->limit || reals->count > FIELD_REALS_MAX) {
        reals->count = 0;
        return false;
    }
    for (uint32_t i = 0; i < reals->count; i++)
        reals->values[i] = read_f64(reader);
    return true;
}

/* False for what is beyond the limit; what is cut marks the reader. */
static bool read_field(struct byte_reader *reader, const struct field *field, void *member)
{
    switch (field->type) {
    case FIELD_FLAG: {
        const uint8_t flag = read_u8(reader);

        *(bool *)member = flag == 1;
        return flag <= 1;
    }
    case FIELD_U32:
        *(uint32_t *)member = read_u32(reader);
        return is_within(*(uint32_t *)member, field);
    case FIELD_U64:
        *(uint64_t *)member = read_u64(reader);
        return is_within(*(uint64_t *)member, field);
    case FIELD_I64:
        *(int64_t *)member = read_i64(reader);
        return true;
    case FIELD_INDEX:
        *(int64_t *)member = read_i64(reader);
        return *(int64_t *)member == -1 || is_within((uint64_t)(*(int64_t *)member), field);
    case FIELD_F64:
        *(double *)member = read_f64(reader);
        return true;
    case FIELD_TEXT:
    case FIELD_BYTES:
        return read_elements(reader, field, 1, member);
    case FIELD_INT64S:
        return read_elements(reader, field, sizeof(int64_t), member);
    case FIELD_U32S:
        return read_elements(reader, field, sizeof(uint32_t), member);
    case FIELD_FLOATS:
        return read_elements(reader, field, sizeof(float), member);
    case FIELD_REALS:
        return read_reals(reader, field, member);
    case FIELD_STRING:
    case FIELD_CHARS:
        break;
    }
    assert(!"a string of C has no form in bytes");
    return false;
}

const struct field *fields_read(struct byte_reader *reader, struct field_table table, void *record)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct field *field = &table.fields[i];

        if (!read_field(reader, field, (char *)record + field->offset))
            reader->failed = true;
        if (reader->failed)
            return field;
    }
    return NULL;
}

static void print_limit(struct text *out, const struct field *field)
{
    const bool is_number = field->type <= FIELD_F64 || field->type == FIELD_INDEX;
    const bool has_end = field->type == FIELD_STRING || field->type == FIELD_CHARS;

    if (field->limit == FIELD_ANY)
        return;
    text_printf(out,
                is_number                    ? " to %llu"
                : field->type == FIELD_REALS ? ", %llu at most"
                                             : ", %llu bytes at most",
                (unsigned long long)(field->limit - has_end));
}

void fields_print_document(struct text *out, struct field_table table)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct field *field = &table.fields[i];

        text_printf(out, "- `%s`, %s", field->name, type_names[field->type]);
        print_limit(out, field);
        if (*field->meaning)
            text_printf(out, ": %s", field->meaning);
        text_append_char(out, '\n');
    }
}

#include "base/bytes.h"

#include <endian.h>
#include <string.h>

struct byte_reader byte_reader_over(struct slice bytes)
{
    const uint8_t *at = (const uint8_t *)bytes.data;
    return (struct byte_reader){at, at ? at + bytes.size : at, false};
}

static bool take_bytes(struct byte_reader *reader, void *value, size_t size)
{
    if (reader->failed || (size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        return false;
    }
    memcpy(value, reader->at, size);
    reader->at += size;
    return true;
}

uint8_t read_u8(struct byte_reader *reader)
{
    uint8_t value = 0;
    take_bytes(reader, &value, sizeof value);
    return value;
}

uint32_t read_u32(struct byte_reader *reader)
{
    uint32_t value = 0;
    take_bytes(reader, &value, sizeof value);
    return le32toh(value);
}

uint64_t read_u64(struct byte_reader *reader)
{
    uint64_t value = 0;
    take_bytes(reader, &value, sizeof value);
    return le64toh(value);
}

int64_t read_i64(struct byte_reader *reader)
{
    return (int64_t)read_u64(reader);
}

double read_f64(struct byte_reader *reader)
{
    uint64_t bits = read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct slice read_bytes(struct byte_reader *reader, size_t size)
{
    struct slice bytes = {(const char *)reader->at, size};

    if (reader->failed || (size_t)(reader->end - reader->at) < size) {
        reader->failed = true;
        return (struct slice){NULL, 0};
    }
    reader->at += size;
    return bytes;
}

struct slice read_sized(struct byte_reader *reader, size_t size_max)
{
    uint32_t size = read_u32(reader);

    if (size > size_max)
        reader->failed = true;
    return read_bytes(reader, reader->failed ? 0 : size);
}

bool reader_is_done(const struct byte_reader *reader)
{
    return !reader->failed && reader->at == reader->end;
}

static void put(struct text *out, const void *value, size_t size)
{
    text_append(out, (struct slice){value, size});
}

void put_u8(struct text *out, uint8_t value)
{
    put(out, &value, sizeof value);
}

void put_u32(struct text *out, uint32_t value)
{
    value = htole32(value);
    put(out, &value, sizeof value);
}

void put_u64(struct text *out, uint64_t value)
{
    value = htole64(value);
    put(out, &value, sizeof value);
}

void put_i64(struct text *out, int64_t value)
{
    put_u64(out, (uint64_t)value);
}

void put_f64(struct text *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(out, bits);
}

void put_sized(struct text *out, struct slice bytes)
{
    put_u32(out, (uint32_t)bytes.size);
    text_append(out, bytes);
}

size_t put_sized_begin(struct text *out)
{
    const size_t start = out->size;

    put_u32(out, 0);
    return start;
}

/* Little-endian, as put_u32. */
void put_sized_end(struct text *out, size_t start)
{
    const uint32_t size = (uint32_t)(out->size - start - sizeof size);

    for (size_t i = 0; i < sizeof size && !out->failed; i++)
        out->data[start + i] = (char)(size >> 8 * i);
}

#include "runtime/record/event_file.h"

#include <string.h>

#include "base/bytes.h"

#define POLYNOMIAL   0x82f63b78u /* CRC32C's, bits reversed */
#define MASK_DELTA   0xa282ead8u
#define FILE_VERSION "brain.Event:2"

/* Wire types of protobuf. */
enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_SIZED, WIRE_FIXED32 = 5 };

/* Bit by bit: there are some records of 50 bytes a second. */
static uint32_t masked_crc(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t crc = ~0u;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + MASK_DELTA;
}

/* ----- writing ----- */

static void put_varint(struct text *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        put_u8(out, (uint8_t)(value | 0x80));
    put_u8(out, (uint8_t)value);
}

static void put_key(struct text *out, unsigned field, enum wire wire)
{
    put_varint(out, field << 3 | wire);
}

static void put_string(struct text *out, unsigned field, struct slice bytes)
{
    put_key(out, field, WIRE_SIZED);
    put_varint(out, bytes.size);
    text_append(out, bytes);
}

static void put_float(struct text *out, unsigned field, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_key(out, field, WIRE_FIXED32);
    put_u32(out, bits);
}

static void put_wall_time(struct text *out, double wall_time)
{
    put_key(out, 1, WIRE_FIXED64);
    put_f64(out, wall_time);
}

static void append_record(struct text *out, const struct text *event)
{
    const uint64_t size = event->size;

    if (event->failed)
        out->failed = true;
    put_u64(out, size);
    put_u32(out, masked_crc(&size, sizeof size));
    text_append(out, text_slice(event));
    put_u32(out, masked_crc(text_string(event), event->size));
}

void event_append_version(struct text *out, double wall_time)
{
    struct text event;

    text_init(&event, EVENT_RECORD_BYTES_MAX);
    put_wall_time(&event, wall_time);
    put_string(&event, 3, SLICE(FILE_VERSION));
    append_record(out, &event);
    text_deinit(&event);
}

void event_append_scalar(struct text *out, double wall_time, uint64_t step, struct slice tag,
                         double value)
{
    struct text event, summary, scalar;

    text_init(&event, EVENT_RECORD_BYTES_MAX);
    text_init(&summary, EVENT_RECORD_BYTES_MAX);
    text_init(&scalar, EVENT_RECORD_BYTES_MAX);
    put_string(&scalar, 1, tag);
    put_float(&scalar, 2, (float)value);
    put_string(&summary, 1, text_slice(&scalar));
    put_wall_time(&event, wall_time);
    put_key(&event, 2, WIRE_VARINT);
    put_varint(&event, step);
    put_string(&event, 5, text_slice(&summary));
    event.failed |= scalar.failed || summary.failed;
    append_record(out, &event);
    text_deinit(&scalar);
    text_deinit(&summary);
    text_deinit(&event);
}

/* ----- reading ----- */

/* One field of a message. */
struct field {
    uint64_t number;
    enum wire wire;
    uint64_t bits;      /* a number's bits */
    struct slice bytes; /* the content of a sized field */
};

static uint64_t read_varint(struct byte_reader *reader)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_u8(reader);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->failed = true;
    return 0;
}

static bool next_field(struct byte_reader *reader, struct field *field)
{
    uint64_t key;

    if (reader->failed || reader_is_done(reader))
        return false;
    key = read_varint(reader);
    *field = (struct field){.number = key >> 3, .wire = (enum wire)(key & 7)};
    if (field->wire == WIRE_VARINT)
        field->bits = read_varint(reader);
    else if (field->wire == WIRE_FIXED64)
        field->bits = read_u64(reader);
    else if (field->wire == WIRE_FIXED32)
        field->bits = read_u32(reader);
    else if (field->wire == WIRE_SIZED)
        field->bytes = read_bytes(reader, read_varint(reader));
    else
        reader->failed = true;
    return !reader->failed;
}

static void read_value(struct slice bytes, struct event *event)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct field field;
    uint32_t bits;

    while (next_field(&reader, &field)) {
        if (field.number == 1 && field.wire == WIRE_SIZED && field.bytes.size <= EVENT_TAG_MAX)
            snprintf(event->tag, sizeof event->tag, "%.*s", SLICE_FORMAT(field.bytes));
        if (field.number != 2 || field.wire != WIRE_FIXED32)
            continue;
        bits = (uint32_t)field.bits;
        memcpy(&event->value, &bits, sizeof event->value);
    }
}

static void read_summary(struct slice bytes, struct event *event)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct field field;

    while (next_field(&reader, &field))
        if (field.number == 1 && field.wire == WIRE_SIZED)
            read_value(field.bytes, event);
}

static void read_event(struct slice bytes, struct event *event)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct field field;

    *event = (struct event){0};
    while (next_field(&reader, &field)) {
        if (field.number == 1 && field.wire == WIRE_FIXED64)
            memcpy(&event->wall_time, &field.bits, sizeof event->wall_time);
        else if (field.number == 2 && field.wire == WIRE_VARINT)
            event->step = field.bits;
        else if (field.number == 5 && field.wire == WIRE_SIZED)
            read_summary(field.bytes, event);
    }
}

bool event_read(FILE *file, struct event *event)
{
    char head[sizeof(uint64_t) + sizeof(uint32_t)],
        bytes[EVENT_RECORD_BYTES_MAX + sizeof(uint32_t)];
    struct byte_reader reader = byte_reader_over((struct slice){head, sizeof head});
    uint64_t size;

    if (fread(head, sizeof head, 1, file) != 1)
        return false;
    size = read_u64(&reader);
    if (read_u32(&reader) != masked_crc(head, sizeof size) || size > EVENT_RECORD_BYTES_MAX ||
        fread(bytes, (size_t)size + sizeof(uint32_t), 1, file) != 1)
        return false;
    reader = byte_reader_over((struct slice){bytes + size, sizeof(uint32_t)});
    if (read_u32(&reader) != masked_crc(bytes, (size_t)size))
        return false;
    read_event((struct slice){bytes, (size_t)size}, event);
    return true;
}

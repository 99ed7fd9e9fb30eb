#include "runtime/net/frame.h"

#include <endian.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sums/hash.h"

#define CHECKED_BYTES 24 /* bytes of the header before the checksums */

struct checksums {
    uint64_t header, payload;
};

static struct checksums checksums_of(const char *frame, size_t payload_bytes)
{
    struct checksums sums = {.header = bytes_hash(frame, CHECKED_BYTES, 0)};

    sums.payload = bytes_hash(frame + FRAME_HEADER_BYTES, payload_bytes, sums.header);
    return sums;
}

size_t frame_begin(struct text *out, uint32_t type, uint64_t job, uint64_t epoch)
{
    size_t start = out->size;

    put_u32(out, 0);
    put_u32(out, type);
    put_u64(out, job);
    put_u64(out, epoch);
    put_u64(out, 0);
    put_u64(out, 0);
    return start;
}

static void patch(struct text *out, size_t at, const void *value, size_t size)
{
    memcpy(out->data + at, value, size);
}

enum status frame_end(struct text *out, size_t start, struct error *err)
{
    size_t payload;
    struct checksums sums;
    uint32_t size;

    if (out->failed)
        return fail_no_memory(err);
    payload = out->size - start - FRAME_HEADER_BYTES;
    if (payload > FRAME_PAYLOAD_MAX) {
        out->size = start;
        return fail(err, STATUS_LIMIT, "a frame carries at most %zu bytes, not %zu",
                    FRAME_PAYLOAD_MAX, payload);
    }
    size = htole32((uint32_t)payload);
    patch(out, start, &size, sizeof size);
    sums = checksums_of(out->data + start, payload);
    sums = (struct checksums){htole64(sums.header), htole64(sums.payload)};
    patch(out, start + CHECKED_BYTES, &sums, sizeof sums);
    return STATUS_OK;
}

enum status frame_size(struct slice bytes, size_t *size, struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);
    uint32_t payload;
    uint64_t sum;

    *size = 0;
    if (bytes.size < FRAME_HEADER_BYTES)
        return STATUS_OK;
    payload = read_u32(&reader);
    if (payload > FRAME_PAYLOAD_MAX)
        return fail(err, STATUS_PROTOCOL, "a frame of %u bytes, expected at most %zu", payload,
                    FRAME_PAYLOAD_MAX);
    memcpy(&sum, bytes.data + CHECKED_BYTES, sizeof sum);
    if (le64toh(sum) != bytes_hash(bytes.data, CHECKED_BYTES, 0))
        return fail(err, STATUS_PROTOCOL, "the header of a frame with a wrong checksum");
    *size = FRAME_HEADER_BYTES + (size_t)payload;
    return STATUS_OK;
}

enum status frame_read(struct slice bytes, struct frame *frame, struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);
    uint64_t expected;
    size_t size;

    TRY(frame_size(bytes, &size, err));
    if (size == 0 || size != bytes.size)
        return fail(err, STATUS_PROTOCOL, "a frame of %zu bytes, expected %zu", bytes.size,
                    size ? size : FRAME_HEADER_BYTES);
    read_u32(&reader);
    frame->type = read_u32(&reader);
    frame->job = read_u64(&reader);
    frame->epoch = read_u64(&reader);
    read_u64(&reader); /* frame_size has looked at it */
    expected = read_u64(&reader);
    frame->payload = read_bytes(&reader, size - FRAME_HEADER_BYTES);
    if (checksums_of(bytes.data, frame->payload.size).payload != expected)
        return fail(err, STATUS_PROTOCOL, "a frame of type %u with a wrong checksum", frame->type);
    return STATUS_OK;
}

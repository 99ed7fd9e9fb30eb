/*
 * Whatever is read as a message, written again, is the same bytes. The
 * checksum is put right first: no fuzzer finds one by chance.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "runtime/net/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_right(char *frame, size_t size)
{
    uint32_t payload = htole32((uint32_t)(size - FRAME_HEADER_BYTES));
    uint64_t header, sum;

    memcpy(frame, &payload, sizeof payload);
    header = XXH3_64bits(frame, 24);
    sum = htole64(
        XXH3_64bits_withSeed(frame + FRAME_HEADER_BYTES, size - FRAME_HEADER_BYTES, header));
    header = htole64(header);
    memcpy(frame + 24, &header, sizeof header);
    memcpy(frame + 32, &sum, sizeof sum);
}

static void read_and_write(struct slice bytes)
{
    struct message message;
    struct text again;
    struct error err;

    if (message_read(bytes, &message, &err) != STATUS_OK)
        return;
    text_init(&again, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
    if (message_write(&message, &again, &err) != STATUS_OK ||
        !slice_equal(text_slice(&again), bytes))
        abort();
    text_deinit(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *frame = malloc(size + 1);

    if (!frame)
        return 0;
    memcpy(frame, data, size);
    read_and_write((struct slice){frame, size});
    if (size >= FRAME_HEADER_BYTES) {
        frame[4] %= MESSAGE_TYPES;
        memset(frame + 5, 0, 3);
        put_right(frame, size);
        read_and_write((struct slice){frame, size});
    }
    free(frame);
    return 0;
}

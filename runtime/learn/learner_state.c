#include "runtime/learn/learner_state.h"

#include <string.h>

#include "base/sums/hash.h"

#define STATE_MAGIC   0x4e524c5454u /* "TTLRN" */
#define STATE_VERSION 12

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are saved as they stand");

/* ---- the body ---- */

uint64_t state_arrays_bytes(const struct state_array *arrays, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += arrays[i].bytes;
    return bytes;
}

uint64_t state_arrays_hash(const struct state_array *arrays, size_t count)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++)
        if (arrays[i].bytes > 0)
            hash = bytes_hash(arrays[i].start, arrays[i].bytes, hash);
    return hash;
}

/* The part of [offset, offset + size) that lies in an array that begins there. */
struct overlap {
    uint64_t in_array, in_run;
    size_t size;
};

static struct overlap overlap_of(uint64_t begin, uint64_t bytes, uint64_t offset, size_t size)
{
    const uint64_t from = offset > begin ? offset : begin;
    const uint64_t to = offset + size < begin + bytes ? offset + size : begin + bytes;

    if (from >= to)
        return (struct overlap){0, 0, 0};
    return (struct overlap){from - begin, from - offset, (size_t)(to - from)};
}

void state_arrays_read(const struct state_array *arrays, size_t count, uint64_t offset, size_t size,
                       char *bytes)
{
    uint64_t begin = 0;

    for (size_t i = 0; i < count; begin += arrays[i++].bytes) {
        const struct overlap part = overlap_of(begin, arrays[i].bytes, offset, size);

        if (part.size > 0)
            memcpy(bytes + part.in_run, (const char *)arrays[i].start + part.in_array, part.size);
    }
}

void state_arrays_write(const struct state_array *arrays, size_t count, uint64_t offset,
                        struct slice bytes)
{
    uint64_t begin = 0;

    for (size_t i = 0; i < count; begin += arrays[i++].bytes) {
        const struct overlap part = overlap_of(begin, arrays[i].bytes, offset, bytes.size);

        if (part.size > 0)
            memcpy((char *)arrays[i].start + part.in_array, bytes.data + part.in_run, part.size);
    }
}

/* ---- the head ---- */

size_t state_head_begin(uint64_t fingerprint, struct text *head)
{
    const size_t start = head->size;

    put_u64(head, STATE_MAGIC);
    put_u32(head, STATE_VERSION);
    put_u64(head, fingerprint);
    return start;
}

enum status state_head_end(struct text *head, size_t start, struct error *err)
{
    if (!head->failed)
        put_u64(head, bytes_hash(head->data + start, head->size - start, 0));
    return head->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status state_corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "the learner's state is not usable: %s", what);
}

enum status state_head_open(struct slice head, uint64_t fingerprint, struct byte_reader *inside,
                            struct error *err)
{
    struct byte_reader end;
    struct slice hashed;
    uint64_t magic, owner;
    uint32_t version;

    if (head.size < sizeof(uint64_t))
        return state_corrupt(err, "it is cut short");
    hashed = (struct slice){head.data, head.size - sizeof(uint64_t)};
    end = byte_reader_over((struct slice){head.data + hashed.size, sizeof(uint64_t)});
    if (read_u64(&end) != bytes_hash(hashed.data, hashed.size, 0))
        return state_corrupt(err, "its checksum does not match its bytes");
    *inside = byte_reader_over(hashed);
    magic = read_u64(inside);
    version = read_u32(inside);
    owner = read_u64(inside);
    if (inside->failed || magic != STATE_MAGIC)
        return state_corrupt(err, "it is no learner's state");
    if (version != STATE_VERSION)
        return state_corrupt(err, "another version of totrain wrote it");
    if (owner != fingerprint)
        return state_corrupt(err, "it belongs to another job");
    return STATUS_OK;
}

/* ---- the fingerprint ---- */

static void put_part(const struct dataset_part *part, struct text *out)
{
    put_u64(out, part->rows);
    put_u64(out, part->sum.low);
    put_u64(out, part->sum.high);
}

void state_put_data(const struct dataset *dataset, struct text *out)
{
    put_part(&dataset->train, out);
    put_part(&dataset->validation, out);
    put_f64(out, dataset->label_mean);
    put_f64(out, dataset->label_scale);
    put_u32(out, dataset->labels.count);
    for (uint32_t i = 0; dataset->class_weights && i < dataset->labels.count; i++)
        put_f64(out, (double)dataset->class_weights[i]);
}

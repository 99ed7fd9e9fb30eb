/*
 * event_file.h - TensorBoard's event files: scalars by step.
 *
 *     file = record ...       record = length u64, crc of it u32, event, crc of it u32
 *
 * Everything little-endian. The crc is CRC32C (Castagnoli), rotated and added to a
 * constant, since a crc of bytes that hold a crc is weak. An event is one of two
 * protobuf messages: the first of a file has the version of the format, all
 * others one scalar:
 *
 *     Event   { 1: double wall_time; 2: int64 step; 3: string file_version; 5: Summary }
 *     Summary { 1: Value { 1: string tag; 2: float simple_value } }
 *
 * Sources: the TensorFlow guide "TFRecord and tf.train.Example", section TFRecords
 * format details; tensorboard/compat/proto/event.proto and summary.proto; the
 * encoding guide of Protocol Buffers. docs/decisions/0024-event-files.md.
 */
#pragma once

#include <stdio.h>

#include "base/text.h"

#define EVENT_TAG_MAX          63   /* bytes */
#define EVENT_RECORD_BYTES_MAX 1024 /* bytes of our own records; longer ones are not read */

/* Seconds since 1970. */
void event_append_version(struct text *out, double wall_time);
void event_append_scalar(struct text *out, double wall_time, uint64_t step, struct slice tag,
                         double value);

struct event {
    uint64_t step;
    char tag[EVENT_TAG_MAX + 1]; /* empty: it is no scalar */
    double wall_time;
    float value;
};

/* The next event of the file; false at its end, and at a record that is not
 * whole, behind which nothing can be found. */
bool event_read(FILE *file, struct event *event);

#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/net/message.h"

static const int64_t integers[] = {1, -2, INT64_MAX};
static const float reals[] = {0.5f, -1e30f};

static struct message base(enum message_type type)
{
    return (struct message){.type = type, .job = 7, .epoch = ((uint64_t)2 << 32) | 5};
}

/* One message of each type, with every field set. */
static struct message sample(enum message_type type, struct text *members)
{
    struct message message = base(type);
    struct message_member member = {3, 0, 4, SLICE("unix:/tmp/a")};

    switch (type) {
    case MESSAGE_HELLO:
        message.hello = (struct message_hello){
            3, 1, 8, 99, true, SLICE("tcp:127.0.0.1:80"), 2, 0x1234567890abcdef, 77};
        break;
    case MESSAGE_GROUP:
        text_clear(members);
        message_put_member(members, &member);
        member.index = 4;
        member.first_lane = 4;
        message_put_member(members, &member);
        message.group = (struct message_group){2, 55, 77, 88, 99, text_slice(members), 3, 44};
        break;
    case MESSAGE_PHASE_ALIVE:
        message.heartbeat.phase = 12;
        message.heartbeat.rows_good = 7;
        break;
    case MESSAGE_DRAINED:
    case MESSAGE_LEAVING:
        message.phase = 12;
        break;
    case MESSAGE_STATE_REQUEST:
        message.state_request.phase = 12;
        message.state_request.offset = 34;
        break;
    case MESSAGE_STATE_REFUSED:
        message.refusal = (struct message_refusal){12, SLICE("another job")};
        break;
    case MESSAGE_CHECKPOINT:
        message.checkpoint.id = 7;
        message.checkpoint.offset = 1 << 20;
        break;
    case MESSAGE_SNAPSHOT:
        message.snapshot = (struct message_snapshot){1, 2, 3, 4, 20, 10, SLICE("1234567890")};
        break;
    case MESSAGE_SWITCH:
        message.next_epoch = ((uint64_t)2 << 32) | 6;
        break;
    case MESSAGE_SPEED:
        message.speed = (struct message_speed){640, 980};
        break;
    case MESSAGE_CHECK:
        message.check.phase = 41;
        message.check.value = 0xfedcba0987654321;
        break;
    case MESSAGE_DAMAGED:
        message.damage =
            (struct message_damage){5, 2, UINT32_MAX, true, 40, SLICE("a bit was inverted")};
        break;
    case MESSAGE_PROCESS_ALIVE:
        message.pulse = (struct message_pulse){5, 2, 30000, 700, true};
        break;
    case MESSAGE_LEASE:
        message.lease = (struct message_lease){(uint64_t)3 << 32, 16384, 1, 777};
        break;
    case MESSAGE_SCORED:
        message.scored = (struct message_scored){(uint64_t)3 << 32, 1, SLICE("results")};
        break;
    case MESSAGE_PEER_LOST:
        message.lost_rank = 2;
        break;
    case MESSAGE_PROGRESS:
        message.progress =
            (struct message_progress){1, 2, 3, 4, 5, 6, true, true, 0.25, 0.5, (double)NAN};
        break;
    case MESSAGE_MODEL_NEXT:
        message.model_next = 3;
        break;
    case MESSAGE_MODEL_ROWS:
        text_clear(members);
        message_put_model_row(members,
                              &(struct message_model_row){SLICE("weight"), SLICE("age"), -1, true,
                                                          false, false, 2.5, SLICE("")});
        message_put_model_row(
            members, &(struct message_model_row){SLICE("tensor"), SLICE("layer0/weights"), 7, false,
                                                 true, false, 0, SLICE("bytes")});
        message.model_rows = (struct message_model_rows){3, text_slice(members)};
        break;
    case MESSAGE_RESULT:
        message.result = (struct message_result){SLICE("Accuracy"), 0.9, (double)NAN};
        break;
    case MESSAGE_FINISHED:
        message.finished = (struct message_finished){SLICE("00ff"), 10, 20, 5};
        break;
    case MESSAGE_FAILED:
        message.failure = (struct message_failure){2, SLICE("no rows"), SLICE("Add some.")};
        break;
    case MESSAGE_UNABLE:
        message.unable = (struct message_unable){3, 1, {2, SLICE("no rows"), SLICE("Add some.")}};
        break;
    case MESSAGE_PEER_HELLO:
        message.peer_hello.rank = 1;
        message.peer_hello.phase = 9;
        break;
    case MESSAGE_STATE:
        message.state = (struct message_state){4, 10, 5, SLICE("12345")};
        break;
    case MESSAGE_PARTIAL:
        message.sums.phase = 6;
        message.sums.first = 2;
        message.sums.integers = (struct slice){(const char *)integers, sizeof integers};
        message.sums.elements = message.sums.integers;
        break;
    case MESSAGE_SUM:
        message.sums.phase = 6;
        message.sums.next_epoch = 44;
        message.sums.elements = (struct slice){(const char *)reals, sizeof reals};
        break;
    default:
        break;
    }
    return message;
}

static void every_message_reads_back_as_it_was_written(void **state)
{
    struct text members, first, second;
    struct error err;
    (void)state;

    text_init(&members, 1 << 16);
    text_init(&first, 1 << 16);
    text_init(&second, 1 << 16);
    for (int type = 0; type < MESSAGE_TYPES; type++) {
        struct message message = sample((enum message_type)type, &members), read;

        text_clear(&first);
        text_clear(&second);
        CHECK_OK(message_write(&message, &first, &err));
        CHECK_OK(message_read(text_slice(&first), &read, &err));
        CHECK(read.type == message.type && read.job == 7 && read.epoch == message.epoch);
        CHECK_OK(message_write(&read, &second, &err));
        CHECK(slice_equal(text_slice(&first), text_slice(&second)));
    }
    text_deinit(&members);
    text_deinit(&first);
    text_deinit(&second);
}

static void a_frame_with_any_byte_changed_is_refused(void **state)
{
    struct text members, frame;
    struct message read;
    struct error err;
    (void)state;

    text_init(&members, 1 << 16);
    text_init(&frame, 1 << 16);
    for (int type = 0; type < MESSAGE_TYPES; type++) {
        struct message message = sample((enum message_type)type, &members);

        text_clear(&frame);
        CHECK_OK(message_write(&message, &frame, &err));
        for (size_t at = 0; at < frame.size; at++) {
            frame.data[at] ^= 0x41;
            CHECK(message_read(text_slice(&frame), &read, &err) == STATUS_PROTOCOL);
            frame.data[at] ^= 0x41;
        }
    }
    text_deinit(&members);
    text_deinit(&frame);
}

static void a_frame_that_is_cut_or_too_long_is_refused(void **state)
{
    struct message message = base(MESSAGE_DRAINED), read;
    struct text frame;
    struct error err;
    size_t size;
    (void)state;

    text_init(&frame, 1 << 16);
    CHECK_OK(message_write(&message, &frame, &err));
    for (size_t cut = 0; cut < frame.size; cut++)
        CHECK(message_read((struct slice){frame.data, cut}, &read, &err) == STATUS_PROTOCOL);
    text_append_char(&frame, 'x');
    CHECK_FAILS(message_read(text_slice(&frame), &read, &err), STATUS_PROTOCOL, "a frame of 49");
    text_deinit(&frame);
    CHECK_OK(frame_size((struct slice){"\0", 1}, &size, &err));
    CHECK_INT(size, 0);
}

/* A size that is not the one that was sent would be waited for. */
static void every_flipped_bit_of_a_header_is_seen_before_the_payload_is_there(void **state)
{
    struct message message = base(MESSAGE_PHASE_ALIVE);
    struct text frame;
    struct error err;
    size_t size;
    (void)state;

    text_init(&frame, 1 << 16);
    CHECK_OK(message_write(&message, &frame, &err));
    for (size_t bit = 0; bit < 8 * (size_t)FRAME_HEADER_BYTES; bit++) {
        struct message read;

        frame.data[bit / 8] ^= (char)(1 << bit % 8);
        if (bit < 8 * 32) /* behind it is the payload's */
            CHECK(frame_size((struct slice){frame.data, FRAME_HEADER_BYTES}, &size, &err) ==
                  STATUS_PROTOCOL);
        CHECK(message_read(text_slice(&frame), &read, &err) == STATUS_PROTOCOL);
        frame.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_OK(frame_size((struct slice){frame.data, FRAME_HEADER_BYTES}, &size, &err));
    CHECK_INT(size, frame.size);
    text_deinit(&frame);
}

static void an_oversized_frame_is_refused_before_it_is_read(void **state)
{
    const char header[FRAME_HEADER_BYTES] = {1, 0, 0, 4}; /* 64 MiB and one byte */
    struct error err;
    size_t size;
    (void)state;

    CHECK_FAILS(frame_size((struct slice){header, sizeof header}, &size, &err), STATUS_PROTOCOL,
                "expected at most 67108864");
}

static void a_well_formed_frame_with_nonsense_inside_is_refused(void **state)
{
    struct text members, frame;
    struct message message, read;
    struct message_member member = {0, 1, 4, SLICE("unix:/a")};
    struct error err;
    (void)state;

    text_init(&members, 1 << 16);
    text_init(&frame, 1 << 16);
    message = base(MESSAGE_GROUP); /* lanes begin at 1 */
    message_put_member(&members, &member);
    message.group = (struct message_group){.member_count = 1, .members = text_slice(&members)};
    CHECK_OK(message_write(&message, &frame, &err));
    CHECK_FAILS(message_read(text_slice(&frame), &read, &err), STATUS_PROTOCOL, "malformed GROUP");

    text_clear(&frame);
    message = base(MESSAGE_STATE); /* beyond its own total */
    message.state = (struct message_state){4, 10, 6, SLICE("12345")};
    CHECK_OK(message_write(&message, &frame, &err));
    CHECK(message_read(text_slice(&frame), &read, &err) == STATUS_PROTOCOL);

    text_clear(&frame);
    message = base(MESSAGE_PARTIAL); /* not whole integers */
    message.sums.elements = SLICE("12345");
    CHECK_OK(message_write(&message, &frame, &err));
    CHECK(message_read(text_slice(&frame), &read, &err) == STATUS_PROTOCOL);

    text_clear(&frame);
    message = base((enum message_type)MESSAGE_TYPES);
    CHECK_OK(message_write(&message, &frame, &err));
    CHECK_FAILS(message_read(text_slice(&frame), &read, &err), STATUS_PROTOCOL,
                "a message of type");
    text_deinit(&members);
    text_deinit(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_reads_back_as_it_was_written),
        cmocka_unit_test(a_frame_with_any_byte_changed_is_refused),
        cmocka_unit_test(a_frame_that_is_cut_or_too_long_is_refused),
        cmocka_unit_test(every_flipped_bit_of_a_header_is_seen_before_the_payload_is_there),
        cmocka_unit_test(an_oversized_frame_is_refused_before_it_is_read),
        cmocka_unit_test(a_well_formed_frame_with_nonsense_inside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

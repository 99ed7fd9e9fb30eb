#include "tests/check.h"

#include <stdlib.h>

#include "runtime/net/message.h"

#define FRAME_BYTES_MAX ((size_t)1 << 16)

static const char letters[] =
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"; /* also whole integers and floats */

/* A value of each field that no other field of the record has. */
static void fill(struct field_table table, void *record)
{
    for (size_t i = 0; i < table.count; i++) {
        const struct field *field = &table.fields[i];
        void *member = (char *)record + field->offset;
        const uint64_t number = 0x0807060504030200 + i;

        switch (field->type) {
        case FIELD_FLAG:
            *(bool *)member = true;
            break;
        case FIELD_U32:
            *(uint32_t *)member = (uint32_t)number;
            break;
        case FIELD_U64:
            *(uint64_t *)member = number;
            break;
        case FIELD_I64:
        case FIELD_INDEX:
            *(int64_t *)member = -(int64_t)number;
            break;
        case FIELD_F64:
            *(double *)member = 0.25 + (double)i;
            break;
        case FIELD_TEXT:
        case FIELD_BYTES:
            *(struct slice *)member = (struct slice){letters + i, 5 + i};
            break;
        case FIELD_INT64S:
        case FIELD_U32S:
        case FIELD_FLOATS:
            *(struct slice *)member = (struct slice){letters + i, 8};
            break;
        case FIELD_REALS:
            *(struct field_reals *)member = (struct field_reals){2, {0.5, (double)number}};
            break;
        case FIELD_STRING:
        case FIELD_CHARS:
            check_failed("%s has no form in bytes", field->name);
        }
    }
}

static bool is_same_member(const struct field *field, const void *one, const void *other)
{
    const void *a = (const char *)one + field->offset, *b = (const char *)other + field->offset;

    switch (field->type) {
    case FIELD_FLAG:
        return *(const bool *)a == *(const bool *)b;
    case FIELD_U32:
        return *(const uint32_t *)a == *(const uint32_t *)b;
    case FIELD_TEXT:
    case FIELD_BYTES:
    case FIELD_INT64S:
    case FIELD_U32S:
    case FIELD_FLOATS:
        return slice_equal(*(const struct slice *)a, *(const struct slice *)b);
    case FIELD_REALS: {
        const struct field_reals *x = a, *y = b;

        return x->count == y->count && memcmp(x->values, y->values, x->count * 8) == 0;
    }
    default:
        return memcmp(a, b, 8) == 0;
    }
}

static struct message base(enum message_type type)
{
    return (struct message){.type = type, .job = 7, .epoch = ((uint64_t)2 << 32) | 5};
}

/* One message of each type with every field set; what several fields say together is true. */
static struct message sample(enum message_type type, struct text *list)
{
    struct message message = base(type);
    struct message_member member = {3, 0, 4, SLICE("unix:/tmp/a")};
    struct message_server_place place = {3, SLICE("unix:/tmp/b")};
    struct message_model_row row = {SLICE("weight"), SLICE("age"), -1, true, 2.5, true, true,
                                    SLICE("bytes")};

    text_clear(list);
    fill(message_fields(type), &message.hello);
    switch (type) {
    case MESSAGE_GROUP:
        message_put_member(list, &member);
        member.first_lane = 4;
        message_put_member(list, &member);
        message.group.member_count = 2;
        message.group.members = text_slice(list);
        break;
    case MESSAGE_SERVERS:
        message_put_server_place(list, &place);
        message_put_server_place(list, &place);
        message.servers.server_count = 2;
        message.servers.servers = text_slice(list);
        break;
    case MESSAGE_COPY:
    case MESSAGE_FETCH:
        message_put_server_place(list, &place);
        message.fetch.server_count = 1;
        message.fetch.servers = text_slice(list);
        break;
    case MESSAGE_MODEL_ROWS:
        message_put_model_row(list, &row);
        row.has_value = row.has_data = false;
        message_put_model_row(list, &row);
        message.model_rows.rows = text_slice(list);
        break;
    case MESSAGE_STATE:
        message.state.total = message.state.offset + message.state.bytes.size;
        break;
    case MESSAGE_SNAPSHOT:
        message.snapshot.total = message.snapshot.offset + message.snapshot.bytes.size;
        break;
    default:
        break;
    }
    return message;
}

struct room {
    struct text list, first, second;
};

static int open_room(void **state)
{
    static struct room room;

    text_init(&room.list, FRAME_BYTES_MAX);
    text_init(&room.first, FRAME_BYTES_MAX);
    text_init(&room.second, FRAME_BYTES_MAX);
    *state = &room;
    return 0;
}

static int close_room(void **state)
{
    struct room *room = *state;

    text_deinit(&room->list);
    text_deinit(&room->first);
    text_deinit(&room->second);
    return 0;
}

/* Reads the message back from its frame. */
static enum status sent(struct room *room, const struct message *message, struct message *read,
                        struct error *err)
{
    text_clear(&room->first);
    if (message_write(message, &room->first, err) != STATUS_OK)
        check_failed("it is not written: %s", err->message);
    return message_read(text_slice(&room->first), read, err);
}

static void check_written_again(struct room *room, const struct message *read, struct slice frame)
{
    struct error err;

    text_clear(&room->second);
    CHECK_OK(message_write(read, &room->second, &err));
    CHECK(slice_equal(frame, text_slice(&room->second)));
}

static void every_message_reads_back_as_it_was_written(void **state)
{
    struct room *room = *state;
    struct error err;

    for (int type = 0; type < MESSAGE_TYPES; type++) {
        const struct field_table table = message_fields((enum message_type)type);
        const struct message message = sample((enum message_type)type, &room->list);
        struct message read;

        CHECK_OK(sent(room, &message, &read, &err));
        CHECK(read.type == message.type && read.job == 7 && read.epoch == message.epoch);
        for (size_t i = 0; i < table.count; i++)
            if (!is_same_member(&table.fields[i], &message.hello, &read.hello))
                check_failed("%s: %s is another one", message_name((uint32_t)type),
                             table.fields[i].name);
        check_written_again(room, &read, text_slice(&room->first));
    }
}

/* A frame of each message as the program wrote it before there was a list of fields. */
static struct slice recorded(enum message_type type, char *bytes, size_t capacity)
{
    char path[512];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", RECORDED_FRAMES, message_name((uint32_t)type));
    file = fopen(path, "rb");
    if (!file)
        check_failed("%s is not there: record a frame of the new message", path);
    size = fread(bytes, 1, capacity, file);
    CHECK_INT(fclose(file), 0);
    return (struct slice){bytes, size};
}

static void recorded_frames_are_read_and_written_as_they_were(void **state)
{
    struct room *room = *state;
    char bytes[8192];
    struct error err;

    for (int type = 0; type < MESSAGE_TYPES; type++) {
        const struct slice frame = recorded((enum message_type)type, bytes, sizeof bytes);
        struct message read;

        CHECK_OK(message_read(frame, &read, &err));
        CHECK_INT(read.type, type);
        check_written_again(room, &read, frame);
    }
}

static void what_recorded_frames_carry_is_found_in_their_fields(void **state)
{
    const int64_t integers[] = {1, -2, INT64_MAX};
    const int64_t phases[] = {99, 0, 98};
    const float reals[] = {0.5f, -1e30f};
    const uint32_t rows[] = {3, 70000};
    const int64_t row_sums[] = {7, -8, 9, INT64_MIN};
    const float row_totals[] = {1.5f, -2, 0, 3e30f};
    char bytes[8192];
    struct message read;
    struct error err;
    (void)state;

    CHECK_OK(message_read(recorded(MESSAGE_HELLO, bytes, sizeof bytes), &read, &err));
    CHECK(read.hello.index == 3 && read.hello.incarnation == 1 && read.hello.lanes == 8 &&
          read.hello.phase == 99 && read.hello.generation == 2 && read.hello.build == 77 &&
          read.hello.round == 1000 && read.hello.buckets == 4 && read.hello.first_lane == 6 &&
          read.hello.lane_count == 2 && read.hello.fingerprint == 0x1234567890abcdef &&
          read.hello.is_leaving && read.hello.is_staging);
    CHECK_SLICE(read.hello.address, "tcp:127.0.0.1:80");
    CHECK_OK(message_read(recorded(MESSAGE_PARTIAL, bytes, sizeof bytes), &read, &err));
    CHECK(read.partial.phase == 6 && read.partial.first == 2 && read.partial.check == 0);
    CHECK(slice_equal(read.partial.integers,
                      (struct slice){(const char *)integers, sizeof integers}));
    CHECK(slice_equal(read.partial.fixed, read.partial.integers));
    CHECK_INT(read.partial.rows_left, 1);
    CHECK(slice_equal(read.partial.rows, (struct slice){(const char *)rows, sizeof rows}));
    CHECK(slice_equal(read.partial.row_sums,
                      (struct slice){(const char *)row_sums, sizeof row_sums}));
    CHECK_OK(message_read(recorded(MESSAGE_SUM, bytes, sizeof bytes), &read, &err));
    CHECK(read.sum.phase == 6 && read.sum.next_epoch == 44 && read.sum.integers.size == 0);
    CHECK(slice_equal(read.sum.reals, (struct slice){(const char *)reals, sizeof reals}));
    CHECK_INT(read.sum.rows_left, 1);
    CHECK(slice_equal(read.sum.rows, (struct slice){(const char *)rows, sizeof rows}));
    CHECK(slice_equal(read.sum.row_totals,
                      (struct slice){(const char *)row_totals, sizeof row_totals}));
    CHECK_OK(message_read(recorded(MESSAGE_PROGRESS, bytes, sizeof bytes), &read, &err));
    CHECK(read.progress.phase == 1 && read.progress.step == 2 && read.progress.steps == 3 &&
          read.progress.rows_done == 4 && read.progress.rows_redone == 5 &&
          read.progress.epoch == 6 && read.progress.epochs == 7 && read.progress.is_record &&
          read.progress.evaluated && read.progress.loss == 0.25 &&
          read.progress.validation_loss == 0.5);
    CHECK_OK(message_read(recorded(MESSAGE_PEER_PHASES, bytes, sizeof bytes), &read, &err));
    CHECK(
        slice_equal(read.peer_phases.phases, (struct slice){(const char *)phases, sizeof phases}));
    CHECK_OK(message_read(recorded(MESSAGE_UNABLE, bytes, sizeof bytes), &read, &err));
    CHECK(read.unable.index == 3 && read.unable.incarnation == 1 && read.unable.status == 2);
    CHECK_SLICE(read.unable.message, "no rows");
    CHECK_SLICE(read.unable.hint, "Add some.");
}

/* A record has no room for more of them, so their bytes are written here. */
static void more_reals_than_there_is_room_for_are_refused(void **state)
{
    const struct field field = {"reals", "", FIELD_REALS, FIELD_REALS_MAX, 0};
    const struct field_table table = {&field, 1};
    (void)state;

    for (uint32_t count = FIELD_REALS_MAX; count <= FIELD_REALS_MAX + 1; count++) {
        struct field_reals reals;
        struct byte_reader reader;
        struct text bytes;

        text_init(&bytes, 1024);
        put_u32(&bytes, count);
        for (uint32_t i = 0; i < count; i++)
            put_f64(&bytes, i);
        reader = byte_reader_over(text_slice(&bytes));
        if (count > FIELD_REALS_MAX)
            CHECK(fields_read(&reader, table, &reals) == &field);
        else
            CHECK(!fields_read(&reader, table, &reals) && reals.count == count &&
                  reals.values[count - 1] == count - 1);
        text_deinit(&bytes);
    }
}

static void a_field_beyond_its_limit_is_refused_by_its_name(void **state)
{
    static char many[MESSAGE_NAME_MAX + sizeof(int64_t)];
    struct room *room = *state;
    struct error err;

    for (int type = 0; type < MESSAGE_TYPES; type++) {
        const struct field_table table = message_fields((enum message_type)type);

        for (size_t i = 0; i < table.count; i++) {
            const struct field *field = &table.fields[i];
            struct message message = sample((enum message_type)type, &room->list), read;
            void *member = (char *)&message.hello + field->offset;
            const bool is_array = field->type == FIELD_U32S || field->type == FIELD_INT64S;
            char name[128];

            if (field->limit == FIELD_ANY || field->limit >= sizeof many ||
                field->type == FIELD_REALS)
                continue;
            if (field->type == FIELD_TEXT)
                *(struct slice *)member = (struct slice){many, field->limit + 1};
            else if (is_array)
                *(struct slice *)member = (struct slice){many, field->limit + sizeof(int64_t)};
            else
                *(uint32_t *)member = (uint32_t)field->limit + 1;
            snprintf(name, sizeof name, "a malformed %s of", message_name((uint32_t)type));
            CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, name);
            snprintf(name, sizeof name, "bytes: %s is not", field->name);
            CHECK(strstr(err.message, name) != NULL);
            if (field->type != FIELD_TEXT && !is_array)
                continue; /* or its list would not fit */
            ((struct slice *)member)->size = field->limit;
            CHECK_OK(sent(room, &message, &read, &err));
        }
    }
}

static void a_frame_with_any_byte_changed_is_refused(void **state)
{
    struct room *room = *state;
    struct message read;
    struct error err;

    for (int type = 0; type < MESSAGE_TYPES; type++) {
        const struct message message = sample((enum message_type)type, &room->list);
        struct text *frame = &room->first;

        text_clear(frame);
        CHECK_OK(message_write(&message, frame, &err));
        for (size_t at = 0; at < frame->size; at++) {
            frame->data[at] ^= 0x41;
            CHECK(message_read(text_slice(frame), &read, &err) == STATUS_PROTOCOL);
            frame->data[at] ^= 0x41;
        }
    }
}

static void a_frame_that_is_cut_or_too_long_is_refused(void **state)
{
    struct message message = base(MESSAGE_DRAINED), read;
    struct text *frame = &((struct room *)*state)->first;
    struct error err;
    size_t size;

    text_clear(frame);
    CHECK_OK(message_write(&message, frame, &err));
    for (size_t cut = 0; cut < frame->size; cut++)
        CHECK(message_read((struct slice){frame->data, cut}, &read, &err) == STATUS_PROTOCOL);
    text_append_char(frame, 'x');
    CHECK_FAILS(message_read(text_slice(frame), &read, &err), STATUS_PROTOCOL, "a frame of 49");
    CHECK_OK(frame_size((struct slice){"\0", 1}, &size, &err));
    CHECK_INT(size, 0);
}

/* A payload that its sum vouches for, and that is no such message. */
static void a_payload_that_is_cut_or_too_long_is_refused(void **state)
{
    struct room *room = *state;
    struct error err;

    for (int type = 0; type < MESSAGE_TYPES; type++) {
        const struct message message = sample((enum message_type)type, &room->list);
        size_t payload;

        text_clear(&room->first);
        CHECK_OK(message_write(&message, &room->first, &err));
        payload = room->first.size - FRAME_HEADER_BYTES;
        for (size_t bytes = 0; bytes <= payload + 1; bytes++) {
            const size_t start =
                (text_clear(&room->second), frame_begin(&room->second, (uint32_t)type, 7, 1));
            struct message read;

            text_append(&room->second, (struct slice){room->first.data + FRAME_HEADER_BYTES,
                                                      bytes < payload ? bytes : payload});
            if (bytes > payload)
                text_append_char(&room->second, 'x');
            CHECK_OK(frame_end(&room->second, start, &err));
            CHECK_INT(message_read(text_slice(&room->second), &read, &err),
                      bytes == payload ? STATUS_OK : STATUS_PROTOCOL);
        }
        CHECK(strstr(err.message, "there is more behind it") != NULL);
    }
}

/* A size that is not the one that was sent would be waited for. */
static void every_flipped_bit_of_a_header_is_seen_before_the_payload_is_there(void **state)
{
    struct message message = base(MESSAGE_PHASE_ALIVE);
    struct text *frame = &((struct room *)*state)->first;
    struct error err;
    size_t size;

    text_clear(frame);
    CHECK_OK(message_write(&message, frame, &err));
    for (size_t bit = 0; bit < 8 * (size_t)FRAME_HEADER_BYTES; bit++) {
        struct message read;

        frame->data[bit / 8] ^= (char)(1 << bit % 8);
        if (bit < 8 * 32) /* behind it is the payload's */
            CHECK(frame_size((struct slice){frame->data, FRAME_HEADER_BYTES}, &size, &err) ==
                  STATUS_PROTOCOL);
        CHECK(message_read(text_slice(frame), &read, &err) == STATUS_PROTOCOL);
        frame->data[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_OK(frame_size((struct slice){frame->data, FRAME_HEADER_BYTES}, &size, &err));
    CHECK_INT(size, frame->size);
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
    struct room *room = *state;
    struct message message, read;
    struct message_member member = {0, 1, 4, SLICE("unix:/a")};
    struct error err;

    text_clear(&room->list);
    message = base(MESSAGE_GROUP); /* lanes begin at 1 */
    message_put_member(&room->list, &member);
    message.group = (struct message_group){.member_count = 1, .members = text_slice(&room->list)};
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed GROUP");

    message = base(MESSAGE_STATE); /* beyond its own total */
    message.state = (struct message_state){4, 10, 6, SLICE("12345")};
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed STATE");
    message.state.offset = 11;
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed STATE");

    message = base(MESSAGE_SNAPSHOT);
    message.snapshot = (struct message_snapshot){.total = 10, .offset = 6, .bytes = SLICE("12345")};
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed SNAPSHOT");
    message.snapshot.total = 0; /* there is none, and so nothing of it */
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed SNAPSHOT");

    message = base(MESSAGE_MODEL_ROWS); /* no rows */
    message.model_rows.rows = SLICE("12345");
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "malformed MODEL_ROWS");

    message = base(MESSAGE_PARTIAL); /* not whole integers */
    message.partial.fixed = SLICE("12345");
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "fixed is not");
    message = base(MESSAGE_SUM); /* whole floats, and not whole integers */
    message.sum.reals = SLICE("1234");
    CHECK_OK(sent(room, &message, &read, &err));
    message.sum.integers = SLICE("1234");
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "integers is not");

    message = base(MESSAGE_LEAVING);
    text_clear(&room->first);
    message.type = (enum message_type)MESSAGE_TYPES;
    CHECK_FAILS(sent(room, &message, &read, &err), STATUS_PROTOCOL, "a message of type");
}

static void a_flag_is_0_or_1(void **state)
{
    struct room *room = *state;
    const struct message message = sample(MESSAGE_PROCESS_ALIVE, &room->list);
    size_t start;
    struct message read;
    struct error err;

    text_clear(&room->first);
    CHECK_OK(message_write(&message, &room->first, &err));
    room->first.data[room->first.size - 1] = 2; /* is_computing, the last byte */
    text_clear(&room->second);
    start = frame_begin(&room->second, MESSAGE_PROCESS_ALIVE, 7, 1);
    text_append(&room->second, (struct slice){room->first.data + FRAME_HEADER_BYTES,
                                              room->first.size - FRAME_HEADER_BYTES});
    CHECK_OK(frame_end(&room->second, start, &err));
    CHECK_FAILS(message_read(text_slice(&room->second), &read, &err), STATUS_PROTOCOL,
                "is_computing is not");
}

static void the_document_is_printed_from_the_lists(void **state)
{
    static char stored[FRAME_BYTES_MAX];
    struct text *printed = &((struct room *)*state)->first;
    const bool writes = getenv("TOTRAIN_WRITE") != NULL;
    FILE *file = fopen(MESSAGES_DOCUMENT, writes ? "wb" : "rb");
    size_t size;

    CHECK(file != NULL);
    text_clear(printed);
    messages_print_document(printed);
    if (writes) {
        CHECK_INT(fwrite(printed->data, 1, printed->size, file), printed->size);
    } else {
        size = fread(stored, 1, sizeof stored, file);
        if (!slice_equal(text_slice(printed), (struct slice){stored, size}))
            check_failed("docs/messages.md is not what the lists say: "
                         "run this test with TOTRAIN_WRITE=1");
    }
    CHECK_INT(fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_reads_back_as_it_was_written),
        cmocka_unit_test(recorded_frames_are_read_and_written_as_they_were),
        cmocka_unit_test(what_recorded_frames_carry_is_found_in_their_fields),
        cmocka_unit_test(more_reals_than_there_is_room_for_are_refused),
        cmocka_unit_test(a_field_beyond_its_limit_is_refused_by_its_name),
        cmocka_unit_test(a_frame_with_any_byte_changed_is_refused),
        cmocka_unit_test(a_frame_that_is_cut_or_too_long_is_refused),
        cmocka_unit_test(a_payload_that_is_cut_or_too_long_is_refused),
        cmocka_unit_test(every_flipped_bit_of_a_header_is_seen_before_the_payload_is_there),
        cmocka_unit_test(an_oversized_frame_is_refused_before_it_is_read),
        cmocka_unit_test(a_well_formed_frame_with_nonsense_inside_is_refused),
        cmocka_unit_test(a_flag_is_0_or_1),
        cmocka_unit_test(the_document_is_printed_from_the_lists),
    };
    return cmocka_run_group_tests(tests, open_room, close_room);
}

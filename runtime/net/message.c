#include "runtime/net/message.h"

#include <endian.h>

/* Vectors travel as they lie in memory. */
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "frames are little-endian");

/* hello_table(), group_table(), ... */
#define X(name, FIELDS) FIELD_TABLE(name##_table, struct message_##name, FIELDS)
MESSAGE_BODY_MAP(X)
#undef X
FIELD_TABLE(member_table, struct message_member, MESSAGE_MEMBER_FIELDS)
FIELD_TABLE(server_place_table, struct message_server_place, MESSAGE_SERVER_PLACE_FIELDS)
FIELD_TABLE(model_row_table, struct message_model_row, MESSAGE_MODEL_ROW_FIELDS)

static struct field_table none_table(void)
{
    return (struct field_table){.count = 0};
}

struct field_table message_fields(enum message_type type)
{
    switch (type) {
#define X(name, body, direction, meaning)                                                          \
    case MESSAGE_##name:                                                                           \
        return body##_table();
        MESSAGE_MAP(X)
#undef X
    case MESSAGE_TYPES:
        break;
    }
    return none_table();
}

static const struct {
    const char *name, *direction, *meaning;
} messages[] = {
#define X(name, body, direction, meaning) {#name, direction, meaning},
    MESSAGE_MAP(X)
#undef X
};

const char *message_name(uint32_t type)
{
    return type < MESSAGE_TYPES ? messages[type].name : "unknown";
}

/* ----- writing ----- */

void message_put_member(struct text *members, const struct message_member *member)
{
    fields_put(members, member_table(), member);
}

struct message_failure message_failure_of(const struct error *error)
{
    return (struct message_failure){.status = (uint32_t)error->status,
                                    .message = slice_of(error->message),
                                    .hint = slice_of(error->hint)};
}

struct message_unable message_unable_of(uint32_t index, uint32_t incarnation,
                                        const struct error *error)
{
    return (struct message_unable){.index = index,
                                   .incarnation = incarnation,
                                   .status = (uint32_t)error->status,
                                   .message = slice_of(error->message),
                                   .hint = slice_of(error->hint)};
}

void message_put_server_place(struct text *servers, const struct message_server_place *place)
{
    fields_put(servers, server_place_table(), place);
}

void message_put_model_row(struct text *rows, const struct message_model_row *row)
{
    struct message_model_row put = *row;

    if (!put.has_value)
        put.value = 0;
    if (!put.has_data) {
        put.data_is_text = false;
        put.data = (struct slice){"", 0};
    }
    fields_put(rows, model_row_table(), &put);
}

void message_put_progress(struct text *out, const struct message_progress *progress)
{
    fields_put(out, progress_table(), progress);
}

enum status message_write(const struct message *message, struct text *out, struct error *err)
{
    size_t start = frame_begin(out, (uint32_t)message->type, message->job, message->epoch);

    fields_put(out, message_fields(message->type), &message->hello);
    return frame_end(out, start, err);
}

/* ----- reading ----- */

bool message_next_member(struct byte_reader *members, struct message_member *member)
{
    return !fields_read(members, member_table(), member);
}

bool message_next_server_place(struct byte_reader *servers, struct message_server_place *place)
{
    return !fields_read(servers, server_place_table(), place);
}

bool message_next_model_row(struct byte_reader *rows, struct message_model_row *row)
{
    return !fields_read(rows, model_row_table(), row);
}

void message_read_progress(struct byte_reader *reader, struct message_progress *progress)
{
    (void)fields_read(reader, progress_table(), progress);
}

/* Lanes are distributed in rank order without a gap; addresses are complete. */
static bool members_are_whole(const struct message_group *group)
{
    struct byte_reader reader = byte_reader_over(group->members);
    struct message_member member;
    uint32_t next_lane = 0;

    for (uint32_t rank = 0; rank < group->member_count; rank++) {
        if (!message_next_member(&reader, &member) || member.first_lane != next_lane ||
            member.lane_count > UINT32_MAX - next_lane)
            return false;
        next_lane += member.lane_count;
    }
    return reader_is_done(&reader);
}

static bool servers_are_whole(struct slice servers, uint32_t count)
{
    struct byte_reader reader = byte_reader_over(servers);
    struct message_server_place place;

    for (uint32_t i = 0; i < count; i++)
        if (!message_next_server_place(&reader, &place))
            return false;
    return reader_is_done(&reader);
}

static bool model_rows_are_whole(const struct message_model_rows *rows)
{
    struct byte_reader reader = byte_reader_over(rows->rows);
    struct message_model_row row;

    while (!reader.failed && !reader_is_done(&reader))
        (void)message_next_model_row(&reader, &row);
    return !reader.failed;
}

static bool is_within(size_t size, uint64_t offset, uint64_t total)
{
    return offset <= total && size <= total - offset;
}

/* NULL, or what no limit of a single field can say. */
static const char *wrong_together(const struct message *message)
{
    switch (message->type) {
    case MESSAGE_GROUP:
        return members_are_whole(&message->group) ? NULL : "members";
    case MESSAGE_SERVERS:
        return servers_are_whole(message->servers.servers, message->servers.server_count)
                   ? NULL
                   : "servers";
    case MESSAGE_COPY:
    case MESSAGE_FETCH:
        return servers_are_whole(message->fetch.servers, message->fetch.server_count) ? NULL
                                                                                      : "servers";
    case MESSAGE_MODEL_ROWS:
        return model_rows_are_whole(&message->model_rows) ? NULL : "rows";
    case MESSAGE_STATE:
        return is_within(message->state.bytes.size, message->state.offset, message->state.total)
                   ? NULL
                   : "bytes";
    case MESSAGE_SNAPSHOT: {
        const struct message_snapshot *snapshot = &message->snapshot;
        const bool is_good = snapshot->total == 0 ? snapshot->bytes.size == 0
                                                  : is_within(snapshot->bytes.size,
                                                              snapshot->offset, snapshot->total);

        return is_good ? NULL : "bytes";
    }
    default:
        return NULL;
    }
}

enum status message_read(struct slice bytes, struct message *message, struct error *err)
{
    const struct field *field;
    const char *wrong;
    struct frame frame;
    struct byte_reader reader;

    TRY(frame_read(bytes, &frame, err));
    if (frame.type >= MESSAGE_TYPES)
        return fail(err, STATUS_PROTOCOL, "a message of type %u, expected 0 to %u", frame.type,
                    MESSAGE_TYPES - 1);
    *message = (struct message){
        .type = (enum message_type)frame.type, .job = frame.job, .epoch = frame.epoch};
    reader = byte_reader_over(frame.payload);
    field = fields_read(&reader, message_fields(message->type), &message->hello);
    wrong = field ? field->name : wrong_together(message);
    if (wrong)
        return fail(err, STATUS_PROTOCOL, "a malformed %s of %zu bytes: %s is not as it should be",
                    message_name(frame.type), frame.payload.size, wrong);
    if (!reader_is_done(&reader))
        return fail(err, STATUS_PROTOCOL, "a malformed %s of %zu bytes: there is more behind it",
                    message_name(frame.type), frame.payload.size);
    return STATUS_OK;
}

/* ----- the document ----- */

void messages_print_document(struct text *out)
{
    text_append_string(
        out,
        "# Messages\n\n"
        "What the roles of a job send each other: printed from `runtime/net/message_fields.h`.\n"
        "Each is one frame (`runtime/net/frame.h`), which also has the job and the epoch of the\n"
        "group; its fields follow one another in this order, little-endian. Texts and bytes have\n"
        "their size before them, in 4 bytes. A frame that does not fit closes its connection.\n"
        "[runtime.md](runtime.md) says what each role does on each.\n");
    for (int type = 0; type < MESSAGE_TYPES; type++) {
        text_printf(out, "\n## %s\n\n%s: %s.\n", messages[type].name, messages[type].direction,
                    messages[type].meaning);
        if (message_fields((enum message_type)type).count > 0)
            text_append_char(out, '\n');
        fields_print_document(out, message_fields((enum message_type)type));
    }
    text_append_string(out, "\n## A member of GROUP\n\n");
    fields_print_document(out, member_table());
    text_append_string(out, "\n## A row of MODEL_ROWS\n\n");
    fields_print_document(out, model_row_table());
}

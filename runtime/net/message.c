#include "runtime/net/message.h"

#include <endian.h>

/* Vectors travel as they lie in memory. */
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "frames are little-endian");

#define FAILURE_TEXT_MAX 511

const char *message_name(uint32_t type)
{
    static const char *const names[] = {
#define X(name, direction, carries) #name,
        MESSAGE_MAP(X)
#undef X
    };
    return type < MESSAGE_TYPES ? names[type] : "unknown";
}

void message_put_member(struct text *members, const struct message_member *member)
{
    put_u32(members, member->index);
    put_u32(members, member->first_lane);
    put_u32(members, member->lane_count);
    put_sized(members, member->address);
}

bool message_next_member(struct byte_reader *members, struct message_member *member)
{
    member->index = read_u32(members);
    member->first_lane = read_u32(members);
    member->lane_count = read_u32(members);
    member->address = read_sized(members, MESSAGE_ADDRESS_MAX);
    return !members->failed;
}

void message_put_model_row(struct text *rows, const struct message_model_row *row)
{
    put_sized(rows, row->part);
    put_sized(rows, row->name);
    put_i64(rows, row->position);
    put_u8(rows, row->has_value);
    put_f64(rows, row->has_value ? row->value : 0);
    put_u8(rows, row->has_data);
    put_u8(rows, row->has_data && row->data_is_text);
    put_sized(rows, row->has_data ? row->data : (struct slice){"", 0});
}

void message_put_progress(struct text *out, const struct message_progress *progress)
{
    put_u64(out, progress->phase);
    put_u64(out, progress->step);
    put_u64(out, progress->steps);
    put_u64(out, progress->rows_done);
    put_u64(out, progress->rows_redone);
    put_u32(out, progress->epoch);
    put_u8(out, progress->is_record);
    put_u8(out, progress->evaluated);
    put_f64(out, progress->loss);
    put_f64(out, progress->validation_loss);
    put_f64(out, progress->validation_score);
}

static void put_snapshot(struct text *out, const struct message_snapshot *snapshot)
{
    put_u64(out, snapshot->id);
    put_u64(out, snapshot->phase);
    put_u64(out, snapshot->step);
    put_u64(out, snapshot->rows_done);
    put_u64(out, snapshot->total);
    put_u64(out, snapshot->offset);
    put_sized(out, snapshot->bytes);
}

static void put_body(struct text *out, const struct message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO:
        put_u32(out, message->hello.index);
        put_u32(out, message->hello.incarnation);
        put_u32(out, message->hello.lanes);
        put_u64(out, message->hello.phase);
        put_u64(out, message->hello.generation);
        put_u64(out, message->hello.fingerprint);
        put_u64(out, message->hello.build);
        put_u8(out, message->hello.is_leaving);
        put_sized(out, message->hello.address);
        break;
    case MESSAGE_GROUP:
        put_u32(out, message->group.member_count);
        put_u64(out, message->group.recorded);
        put_u64(out, message->group.after);
        put_u64(out, message->group.checkpoint);
        put_u64(out, message->group.rows_redone);
        put_u64(out, message->group.generation);
        put_u64(out, message->group.good);
        put_sized(out, message->group.members);
        break;
    case MESSAGE_PHASE_ALIVE:
        put_u64(out, message->heartbeat.phase);
        put_u64(out, message->heartbeat.rows_good);
        break;
    case MESSAGE_DRAINED:
    case MESSAGE_LEAVING:
        put_u64(out, message->phase);
        break;
    case MESSAGE_STATE_REQUEST:
        put_u64(out, message->state_request.phase);
        put_u64(out, message->state_request.offset);
        break;
    case MESSAGE_STATE_REFUSED:
        put_u64(out, message->refusal.phase);
        put_sized(out, message->refusal.reason);
        break;
    case MESSAGE_CHECKPOINT:
        put_u64(out, message->checkpoint.id);
        put_u64(out, message->checkpoint.offset);
        break;
    case MESSAGE_SNAPSHOT:
        put_snapshot(out, &message->snapshot);
        break;
    case MESSAGE_SWITCH:
        put_u64(out, message->next_epoch);
        break;
    case MESSAGE_CHECK:
        put_u64(out, message->check.phase);
        put_u64(out, message->check.value);
        break;
    case MESSAGE_DAMAGED:
        put_u32(out, message->damage.index);
        put_u32(out, message->damage.incarnation);
        put_u32(out, message->damage.rank);
        put_u8(out, message->damage.is_own);
        put_u64(out, message->damage.good);
        put_sized(out, message->damage.reason);
        break;
    case MESSAGE_PROCESS_ALIVE:
        put_u32(out, message->pulse.index);
        put_u32(out, message->pulse.incarnation);
        put_u32(out, message->pulse.still_ms);
        put_u32(out, message->pulse.usual_ms);
        put_u8(out, message->pulse.is_computing);
        break;
    case MESSAGE_SPEED:
        put_u32(out, message->speed.lanes);
        put_u32(out, message->speed.busy_ms);
        break;
    case MESSAGE_LEASE:
        put_u64(out, message->lease.id);
        put_u64(out, message->lease.first);
        put_u32(out, message->lease.slot);
        put_u32(out, message->lease.count);
        break;
    case MESSAGE_SCORED:
        put_u64(out, message->scored.id);
        put_u32(out, message->scored.slot);
        put_sized(out, message->scored.results);
        break;
    case MESSAGE_PEER_LOST:
        put_u32(out, message->lost_rank);
        break;
    case MESSAGE_PROGRESS:
        message_put_progress(out, &message->progress);
        break;
    case MESSAGE_MODEL_NEXT:
        put_u64(out, message->model_next);
        break;
    case MESSAGE_MODEL_ROWS:
        put_u64(out, message->model_rows.first);
        put_sized(out, message->model_rows.rows);
        break;
    case MESSAGE_RESULT:
        put_sized(out, message->result.name);
        put_f64(out, message->result.train);
        put_f64(out, message->result.validation);
        break;
    case MESSAGE_FINISHED:
        put_sized(out, message->finished.digest);
        put_u64(out, message->finished.step);
        put_u64(out, message->finished.rows);
        put_u64(out, message->finished.model_rows);
        break;
    case MESSAGE_FAILED:
        put_u32(out, message->failure.status);
        put_sized(out, message->failure.message);
        put_sized(out, message->failure.hint);
        break;
    case MESSAGE_UNABLE:
        put_u32(out, message->unable.index);
        put_u32(out, message->unable.incarnation);
        put_u32(out, message->unable.failure.status);
        put_sized(out, message->unable.failure.message);
        put_sized(out, message->unable.failure.hint);
        break;
    case MESSAGE_PEER_HELLO:
        put_u32(out, message->peer_hello.rank);
        put_u64(out, message->peer_hello.phase);
        break;
    case MESSAGE_STATE:
        put_u64(out, message->state.phase);
        put_u64(out, message->state.total);
        put_u64(out, message->state.offset);
        put_sized(out, message->state.bytes);
        break;
    case MESSAGE_PARTIAL:
    case MESSAGE_SUM:
        put_u64(out, message->sums.phase);
        put_u32(out, message->sums.first);
        if (message->type == MESSAGE_SUM)
            put_u64(out, message->sums.next_epoch);
        else
            put_u64(out, message->sums.check);
        put_sized(out, message->sums.integers);
        put_sized(out, message->sums.elements);
        break;
    case MESSAGE_GROUP_READY:
    case MESSAGE_PUBLISHING:
    case MESSAGE_END:
    case MESSAGE_TYPES:
        break;
    }
}

enum status message_write(const struct message *message, struct text *out, struct error *err)
{
    size_t start = frame_begin(out, (uint32_t)message->type, message->job, message->epoch);

    put_body(out, message);
    return frame_end(out, start, err);
}

static bool read_flag(struct byte_reader *reader)
{
    uint8_t flag = read_u8(reader);

    if (flag > 1)
        reader->failed = true;
    return flag == 1;
}

/* Lanes are dealt in rank order without a gap; addresses are what they say. */
static bool members_are_whole(const struct message_group *group)
{
    struct byte_reader reader = byte_reader_over(group->members);
    struct message_member member;
    uint32_t next_lane = 0;

    if (group->member_count > MESSAGE_MEMBERS_MAX)
        return false;
    for (uint32_t rank = 0; rank < group->member_count; rank++) {
        if (!message_next_member(&reader, &member) || member.first_lane != next_lane ||
            member.lane_count > UINT32_MAX - next_lane)
            return false;
        next_lane += member.lane_count;
    }
    return reader_is_done(&reader);
}

bool message_next_model_row(struct byte_reader *rows, struct message_model_row *row)
{
    row->part = read_sized(rows, FRAME_PAYLOAD_MAX);
    row->name = read_sized(rows, FRAME_PAYLOAD_MAX);
    row->position = read_i64(rows);
    row->has_value = read_flag(rows);
    row->value = read_f64(rows);
    row->has_data = read_flag(rows);
    row->data_is_text = read_flag(rows);
    row->data = read_sized(rows, FRAME_PAYLOAD_MAX);
    return !rows->failed;
}

static bool model_rows_are_whole(const struct message_model_rows *rows)
{
    struct byte_reader reader = byte_reader_over(rows->rows);
    struct message_model_row row;

    while (!reader.failed && !reader_is_done(&reader))
        (void)message_next_model_row(&reader, &row);
    return !reader.failed;
}

void message_read_progress(struct byte_reader *reader, struct message_progress *progress)
{
    progress->phase = read_u64(reader);
    progress->step = read_u64(reader);
    progress->steps = read_u64(reader);
    progress->rows_done = read_u64(reader);
    progress->rows_redone = read_u64(reader);
    progress->epoch = read_u32(reader);
    progress->is_record = read_flag(reader);
    progress->evaluated = read_flag(reader);
    progress->loss = read_f64(reader);
    progress->validation_loss = read_f64(reader);
    progress->validation_score = read_f64(reader);
}

static void read_sums(struct byte_reader *reader, struct message_sums *sums, bool is_sum)
{
    const size_t element_bytes = is_sum ? sizeof(float) : sizeof(int64_t);

    sums->phase = read_u64(reader);
    sums->first = read_u32(reader);
    if (is_sum)
        sums->next_epoch = read_u64(reader);
    else
        sums->check = read_u64(reader);
    sums->integers = read_sized(reader, FRAME_PAYLOAD_MAX);
    sums->elements = read_sized(reader, FRAME_PAYLOAD_MAX);
    if (sums->integers.size % sizeof(int64_t) || sums->elements.size % element_bytes)
        reader->failed = true;
}

static void read_snapshot(struct byte_reader *reader, struct message_snapshot *snapshot)
{
    snapshot->id = read_u64(reader);
    snapshot->phase = read_u64(reader);
    snapshot->step = read_u64(reader);
    snapshot->rows_done = read_u64(reader);
    snapshot->total = read_u64(reader);
    snapshot->offset = read_u64(reader);
    snapshot->bytes = read_sized(reader, FRAME_PAYLOAD_MAX);
    if (snapshot->total == 0 ? snapshot->bytes.size > 0 /* there is none, or not any more */
                             : snapshot->offset > snapshot->total ||
                                   snapshot->bytes.size > snapshot->total - snapshot->offset)
        reader->failed = true;
}

static void read_body(struct byte_reader *reader, struct message *message)
{
    switch (message->type) {
    case MESSAGE_HELLO:
        message->hello.index = read_u32(reader);
        message->hello.incarnation = read_u32(reader);
        message->hello.lanes = read_u32(reader);
        message->hello.phase = read_u64(reader);
        message->hello.generation = read_u64(reader);
        message->hello.fingerprint = read_u64(reader);
        message->hello.build = read_u64(reader);
        message->hello.is_leaving = read_flag(reader);
        message->hello.address = read_sized(reader, MESSAGE_ADDRESS_MAX);
        break;
    case MESSAGE_GROUP:
        message->group.member_count = read_u32(reader);
        message->group.recorded = read_u64(reader);
        message->group.after = read_u64(reader);
        message->group.checkpoint = read_u64(reader);
        message->group.rows_redone = read_u64(reader);
        message->group.generation = read_u64(reader);
        message->group.good = read_u64(reader);
        message->group.members = read_sized(reader, FRAME_PAYLOAD_MAX);
        if (!reader->failed && !members_are_whole(&message->group))
            reader->failed = true;
        break;
    case MESSAGE_PHASE_ALIVE:
        message->heartbeat.phase = read_u64(reader);
        message->heartbeat.rows_good = read_u64(reader);
        break;
    case MESSAGE_DRAINED:
    case MESSAGE_LEAVING:
        message->phase = read_u64(reader);
        break;
    case MESSAGE_STATE_REQUEST:
        message->state_request.phase = read_u64(reader);
        message->state_request.offset = read_u64(reader);
        break;
    case MESSAGE_STATE_REFUSED:
        message->refusal.phase = read_u64(reader);
        message->refusal.reason = read_sized(reader, FAILURE_TEXT_MAX);
        break;
    case MESSAGE_CHECKPOINT:
        message->checkpoint.id = read_u64(reader);
        message->checkpoint.offset = read_u64(reader);
        break;
    case MESSAGE_SNAPSHOT:
        read_snapshot(reader, &message->snapshot);
        break;
    case MESSAGE_SWITCH:
        message->next_epoch = read_u64(reader);
        break;
    case MESSAGE_CHECK:
        message->check.phase = read_u64(reader);
        message->check.value = read_u64(reader);
        break;
    case MESSAGE_DAMAGED:
        message->damage.index = read_u32(reader);
        message->damage.incarnation = read_u32(reader);
        message->damage.rank = read_u32(reader);
        message->damage.is_own = read_flag(reader);
        message->damage.good = read_u64(reader);
        message->damage.reason = read_sized(reader, FAILURE_TEXT_MAX);
        break;
    case MESSAGE_PROCESS_ALIVE:
        message->pulse.index = read_u32(reader);
        message->pulse.incarnation = read_u32(reader);
        message->pulse.still_ms = read_u32(reader);
        message->pulse.usual_ms = read_u32(reader);
        message->pulse.is_computing = read_flag(reader);
        break;
    case MESSAGE_SPEED:
        message->speed.lanes = read_u32(reader);
        message->speed.busy_ms = read_u32(reader);
        break;
    case MESSAGE_LEASE:
        message->lease.id = read_u64(reader);
        message->lease.first = read_u64(reader);
        message->lease.slot = read_u32(reader);
        message->lease.count = read_u32(reader);
        break;
    case MESSAGE_SCORED:
        message->scored.id = read_u64(reader);
        message->scored.slot = read_u32(reader);
        message->scored.results = read_sized(reader, FRAME_PAYLOAD_MAX);
        break;
    case MESSAGE_PEER_LOST:
        message->lost_rank = read_u32(reader);
        break;
    case MESSAGE_PROGRESS:
        message_read_progress(reader, &message->progress);
        break;
    case MESSAGE_MODEL_NEXT:
        message->model_next = read_u64(reader);
        break;
    case MESSAGE_MODEL_ROWS:
        message->model_rows.first = read_u64(reader);
        message->model_rows.rows = read_sized(reader, FRAME_PAYLOAD_MAX);
        if (!reader->failed && !model_rows_are_whole(&message->model_rows))
            reader->failed = true;
        break;
    case MESSAGE_RESULT:
        message->result.name = read_sized(reader, MESSAGE_NAME_MAX);
        message->result.train = read_f64(reader);
        message->result.validation = read_f64(reader);
        break;
    case MESSAGE_FINISHED:
        message->finished.digest = read_sized(reader, MESSAGE_NAME_MAX);
        message->finished.step = read_u64(reader);
        message->finished.rows = read_u64(reader);
        message->finished.model_rows = read_u64(reader);
        break;
    case MESSAGE_FAILED:
        message->failure.status = read_u32(reader);
        message->failure.message = read_sized(reader, FAILURE_TEXT_MAX);
        message->failure.hint = read_sized(reader, FAILURE_TEXT_MAX);
        break;
    case MESSAGE_UNABLE:
        message->unable.index = read_u32(reader);
        message->unable.incarnation = read_u32(reader);
        message->unable.failure.status = read_u32(reader);
        message->unable.failure.message = read_sized(reader, FAILURE_TEXT_MAX);
        message->unable.failure.hint = read_sized(reader, FAILURE_TEXT_MAX);
        break;
    case MESSAGE_PEER_HELLO:
        message->peer_hello.rank = read_u32(reader);
        message->peer_hello.phase = read_u64(reader);
        break;
    case MESSAGE_STATE:
        message->state.phase = read_u64(reader);
        message->state.total = read_u64(reader);
        message->state.offset = read_u64(reader);
        message->state.bytes = read_sized(reader, FRAME_PAYLOAD_MAX);
        if (message->state.offset > message->state.total ||
            message->state.bytes.size > message->state.total - message->state.offset)
            reader->failed = true;
        break;
    case MESSAGE_PARTIAL:
        read_sums(reader, &message->sums, false);
        break;
    case MESSAGE_SUM:
        read_sums(reader, &message->sums, true);
        break;
    case MESSAGE_GROUP_READY:
    case MESSAGE_PUBLISHING:
    case MESSAGE_END:
    case MESSAGE_TYPES:
        break;
    }
}

enum status message_read(struct slice bytes, struct message *message, struct error *err)
{
    struct frame frame;
    struct byte_reader reader;

    TRY(frame_read(bytes, &frame, err));
    if (frame.type >= MESSAGE_TYPES)
        return fail(err, STATUS_PROTOCOL, "a message of type %u, expected 0 to %u", frame.type,
                    MESSAGE_TYPES - 1);
    *message = (struct message){
        .type = (enum message_type)frame.type, .job = frame.job, .epoch = frame.epoch};
    reader = byte_reader_over(frame.payload);
    read_body(&reader, message);
    if (!reader_is_done(&reader))
        return fail(err, STATUS_PROTOCOL, "a malformed %s of %zu bytes", message_name(frame.type),
                    frame.payload.size);
    return STATUS_OK;
}

#include "runtime/record/exposition.h"

#include <inttypes.h>
#include <math.h>

void exposition_append_label(struct text *out, struct slice value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '\n')
            text_append_string(out, "\\n");
        else if (value.data[i] == '\\' || value.data[i] == '"')
            text_printf(out, "\\%c", value.data[i]);
        else
            text_append_char(out, value.data[i]);
    }
}

static void head(struct text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# HELP totrain_%s %s\n# TYPE totrain_%s %s\n", name, help, name, type);
}

static void single(struct text *out, const char *name, const char *type, const char *help,
                   double value)
{
    if (!isfinite(value))
        return;
    head(out, name, type, help);
    text_printf(out, "totrain_%s %.17g\n", name, value);
}

static void gauge(struct text *out, const char *name, const char *help, double value)
{
    single(out, name, "gauge", help, value);
}

static void counter(struct text *out, const char *name, const char *help, double value)
{
    single(out, name, "counter", help, value);
}

static void write_identity(const struct job_row *row, struct text *out)
{
    head(out, "job_info", "gauge", "The job whose samples these are.");
    text_printf(out, "totrain_job_info{job=\"%" PRId64 "\",model=\"", row->id);
    exposition_append_label(out, slice_of(row->model));
    text_append_string(out, "\"} 1\n");
    head(out, "job_state", "gauge", "1 for the state that the job is in.");
    for (int state = 0; state < JOB_STATE_LOST; state++)
        text_printf(out, "totrain_job_state{state=\"%s\"} %d\n",
                    job_state_name((enum job_state)state), (int)row->state == state);
}

static void write_learning(const struct job_row *row, struct text *out)
{
    gauge(out, "step", "Steps applied to the model.", (double)row->step);
    gauge(out, "steps", "Steps in all.", row->steps > 0 ? (double)row->steps : (double)NAN);
    gauge(out, "epoch", "The epoch of the last step.", row->epoch);
    gauge(out, "rows_applied", "Rows applied to the model, of all epochs.", (double)row->rows_done);
    counter(out, "rows_redone_total", "Rows that were computed and did not count.",
            (double)row->rows_redone);
    gauge(out, "rows_per_second", "Rows applied a second, recently.", row->rows_per_second);
    gauge(out, "train_loss", "Mean loss of the training rows.", row->loss);
    gauge(out, "validation_loss", "Mean loss of the rows held out.", row->validation_loss);
}

static void write_slots(const struct job_row *row, uint32_t live, uint32_t wanted, struct text *out)
{
    gauge(out, "workers", "Workers that are here.", live);
    gauge(out, "workers_wanted", "Workers that the launcher tries to keep here.", wanted);
    counter(out, "slot_seconds_total", "Seconds that workers were here, summed over them.",
            row->slot_seconds);
    gauge(out, "goodput_ratio", "Share of the slot time that the rows that count needed.",
          row->goodput);
    counter(out, "waiting_seconds_total", "Seconds with fewer workers than job.min_workers.",
            row->seconds_waiting);
    gauge(out, "job_seconds", "Seconds since the job began.", row->seconds);
}

static void write_group(const struct master *master, const struct job_row *row, struct text *out)
{
    gauge(out, "workers_in_group", "Workers that compute the steps.", row->workers);
    gauge(out, "checkpoint_step", "The step of the last checkpoint.",
          master->stored.phase > 0 ? (double)master->stored.step : (double)NAN);
    if (master->group.count == 0)
        return;
    head(out, "worker_lanes", "gauge", "Lanes that a worker of the group computes.");
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        text_printf(out, "totrain_worker_lanes{worker=\"%" PRIu32 "\"} %" PRIu32 "\n",
                    master->group.members[rank].index, master->group.members[rank].lane_count);
}

void exposition_write(const struct master *master, const struct job_row *row, struct text *out)
{
    write_identity(row, out);
    write_learning(row, out);
    write_slots(row, master->crew.live, master->crew.wanted, out);
    write_group(master, row, out);
}

static uint32_t count_servers(const struct shard_master *master)
{
    uint32_t here = 0;

    for (uint32_t s = 0; s < master->crew.options->servers; s++) /* its number may have grown */
        here += master->servers[s].member.peer != PEER_NONE;
    return here;
}

void exposition_write_servers(const struct shard_master *master, const struct job_row *row,
                              struct text *out)
{
    write_identity(row, out);
    write_learning(row, out);
    write_slots(row, master->crew.live, master->crew.wanted, out);
    gauge(out, "servers", "Parameter servers that are here.", count_servers(master));
    gauge(out, "shards", "Shards of the rows, of all epochs.", master->board.shards);
    gauge(out, "shards_done", "Shards that all parameter servers have counted.",
          master->board.done);
    gauge(out, "shards_leased", "Shards that a worker has now.", master->board.lease_count);
    counter(out, "shards_reopened_total",
            "Shards that were done and that a new parameter server did not have.",
            (double)master->board.reopened);
}

static void write_rows(const struct dispatch *dispatch, const struct job_row *row,
                       uint64_t rows_bad, struct text *out)
{
    gauge(out, "rows", "Rows of the table that is scored.", (double)dispatch->options.rows);
    gauge(out, "rows_scored", "Rows that are settled.", (double)row->rows_done);
    gauge(out, "rows_bad", "Rows of these that their workers died over.", (double)rows_bad);
    counter(out, "rows_redone_total", "Rows that were scored and did not count.",
            (double)row->rows_redone);
    gauge(out, "rows_per_second", "Rows settled a second, recently.", row->rows_per_second);
}

static void write_shards(const struct dispatch *dispatch, const struct job_row *row,
                         struct text *out)
{
    const struct ledger_counts counts =
        dispatch->ledger ? ledger_counts(dispatch->ledger) : (struct ledger_counts){.leased = 0};

    if (dispatch->options.stages) {
        gauge(out, "shards", "Shards of the rows that the workers stage.",
              (double)dispatch->options.rows - 1);
        gauge(out, "shards_staged", "Shards that are stored.", (double)counts.rows_done);
    } else {
        write_rows(dispatch, row, counts.rows_bad, out);
    }
    gauge(out, "shards_leased", "Shards that a worker has now.", counts.leased);
    gauge(out, "shards_suspect", "Shards that a worker has died over and that are not settled.",
          counts.suspects);
}

void exposition_write_scoring(const struct dispatch *dispatch, const struct job_row *row,
                              struct text *out)
{
    write_identity(row, out);
    write_shards(dispatch, row, out);
    write_slots(row, dispatch->crew.live, dispatch->crew.wanted, out);
}

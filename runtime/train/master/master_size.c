#include "runtime/train/master/master_size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_record.h"

#define START_LEAST 1.0 /* seconds */
#define START_MOST  60.0

uint32_t master_size_most(const struct master *master)
{
    const uint32_t most = master->members_most;

    return most > 0 && most < master->lanes ? most : master->lanes;
}

/* Where an earlier master was the workers were there before this one, and the least is supposed. */
void master_size_open(struct master *master, int64_t now_ms)
{
    const double seconds = (double)(now_ms - master->woke_at) / 1000;
    const uint32_t workers = master->crew.workers;

    master->start_seconds = fmin(fmax(seconds, START_LEAST), START_MOST);
    share_measure_open(&master->measure, master->lanes, master->crew.options->min_workers,
                       workers < master->lanes ? workers : master->lanes, master->options.measure);
    share_measure_remember(&master->measure, &master->options.paces);
}

void master_size_on_change(struct master *master)
{
    share_measure_stop(&master->measure);
    master->must_widen = master->must_widen || master->members_most > 0;
    master->members_most = 0;
}

/* ----- is this a moment to measure? ----- */

/* Lanes follow speeds: of workers that are unequally fast the group is as fast as it can be. */
static bool all_have_lanes(const struct master *master)
{
    const struct group *group = &master->group;

    for (uint32_t rank = 0; rank < group->count; rank++)
        if (group->members[rank].lane_count == 0)
            return false;
    return true;
}

static bool is_settled(const struct master *master)
{
    return master->crew.state == JOB_STATE_RUNNING && master->has_met && master->old_epoch == 0 &&
           master->regroup_at == 0 && master->drain_at == 0 && !master->must_change &&
           master->time_over_epoch == 0;
}

static bool may_measure(const struct master *master)
{
    return master->options.measure.ms > 0 && is_settled(master) &&
           master->progress.step >= master->course.round && all_have_lanes(master);
}

/* With the present members. */
static double seconds_left(const struct master *master, int64_t now_ms)
{
    const struct message_progress *progress = &master->progress;
    const double learned = (double)(now_ms - master->crew.started_at - master->crew.ms_before);
    double left;

    if (progress->step == 0 || progress->steps < progress->step ||
        !(master->crew.rows_per_second > 0))
        return -1;
    left = (double)(progress->steps - progress->step) * (double)progress->rows_done /
           (double)progress->step / master->crew.rows_per_second;
    return master->options.learn_ms > 0
               ? fmin(left, fmax((double)master->options.learn_ms - learned, 0) / 1000)
               : left;
}

/* Half of the lanes go to other members, and come back. */
static double seconds_to_move(const struct master *master)
{
    const struct message_progress *progress = &master->progress;

    return progress->step == 0 || !(master->crew.rows_per_second > 0)
               ? 0
               : (double)master->course.round * (double)progress->rows_done /
                     (double)progress->step / master->crew.rows_per_second;
}

/* ----- what was measured ----- */

static void print_seconds(double seconds, char text[16])
{
    if (seconds < 1e-3)
        snprintf(text, 16, "%.3g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, 16, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, 16, "%.3g s", seconds);
}

/* "with 4 workers a row takes 70.2 us, with 2 31.7 us": the newest first, as many as there is room
 * for; none is cut. */
static void print_points(const struct share_measure *measure, char *text, size_t bytes)
{
    size_t size = 0;

    text[0] = '\0';
    for (size_t i = 0; i < measure->paces.count; i++) {
        const struct share_point *point = &measure->paces.points[measure->paces.count - 1 - i];
        char pace[16], one[64];
        size_t more;

        print_seconds(point->seconds, pace);
        more = (size_t)snprintf(one, sizeof one, "%s %u%s %s", i == 0 ? "with" : ", with",
                                point->workers,
                                i > 0                 ? ""
                                : point->workers == 1 ? " worker a row takes"
                                                      : " workers a row takes",
                                pace);
        if (size + more >= bytes)
            return;
        memcpy(text + size, one, more + 1);
        size += more;
    }
}

static void tell_launcher(struct master *master, uint32_t useful, struct outbox *outbox)
{
    const struct useful_workers told = {useful, master->measure.curve};

    master->useful = useful;
    outbox_put(outbox, OUTBOX_USEFUL, &told, sizeof told);
}

/* Near the job's end no more workers than it has pay. */
static void look(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    const uint32_t useful = share_measure_wanted(
        &master->measure, master->group.count, seconds_left(master, now_ms), master->start_seconds);

    if (useful > 0 && (master->useful == 0 || useful < master->useful))
        tell_launcher(master, useful, outbox);
}

static void say(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    const struct share_measure *measure = &master->measure;
    const uint32_t count = master->group.count, useful = measure->useful;
    char points[CREW_STANDING_MAX - 48], line[CREW_STANDING_MAX] = ""; /* with its first words */
    char paces[SHARE_PACES_BYTES_MAX + 1];

    print_points(measure, points, sizeof points);
    crew_put_event(&master->crew, now_ms, -1, "measured", outbox, "%u of %u workers pay: %s",
                   useful, measure->most, points);
    share_paces_write(&measure->paces, paces);
    crew_put_event(&master->crew, now_ms, -1, "paces", outbox, "%s", paces);
    if (useful < count) {
        snprintf(line, sizeof line, "%u of its %u workers pay: %s", useful, count, points);
        master_notice(master, now_ms, outbox, "%u of %u workers pay, the others are given back: %s",
                      useful, count, points);
    }
    if (useful != count)
        crew_note_size(&master->crew, line);
}

static void on_decided(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    say(master, now_ms, outbox);
    master->useful = 0; /* the curve is new */
    look(master, now_ms, outbox);
    crew_put_job(&master->crew, now_ms, outbox);
}

static void go_to(struct master *master, int64_t now_ms, uint32_t members, struct outbox *outbox)
{
    master->members_most = members;
    master_change_group(master, now_ms, outbox);
}

void master_size_on_progress(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    struct share_measure *measure = &master->measure;
    const struct share_moment moment = {.now_ms = now_ms,
                                        .workers = master->group.count,
                                        .rows = master->progress.rows_done,
                                        .seconds_left = seconds_left(master, now_ms),
                                        .move_seconds = seconds_to_move(master)};

    /* One that stood by has gone: no group follows by itself. */
    if (master->must_widen && is_settled(master)) {
        master->must_widen = false;
        go_to(master, now_ms, 0, outbox);
    }
    if (master->members_most > 0 && is_settled(master) && !all_have_lanes(master)) {
        share_measure_give_up(measure, now_ms);
        go_to(master, now_ms, 0, outbox);
    }
    if (!may_measure(master))
        return;
    if (master->measured_epoch != master->group.epoch)
        share_measure_again(measure);
    master->measured_epoch = master->group.epoch;
    switch (share_measure_note(measure, &moment)) {
    case SHARE_HALVE:
        crew_put_event(&master->crew, now_ms, -1, "measures", outbox,
                       "%u of %u workers go on for a moment, the others stand by", measure->half,
                       measure->size);
        go_to(master, now_ms, measure->half, outbox);
        break;
    case SHARE_RESTORE:
        go_to(master, now_ms, 0, outbox);
        break;
    case SHARE_FITTED:
        on_decided(master, now_ms, outbox);
        break;
    default:
        if (measure->stage == SHARE_RESTS_NOW)
            look(master, now_ms, outbox);
        break;
    }
}

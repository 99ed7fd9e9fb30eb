#include "runtime/process/supervise/supervise_children.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/launch/exit_code.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/processor.h"
#include "runtime/launch/spawn.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/supervise/child_arguments.h"
#include "runtime/process/supervise/core_share.h"
#include "runtime/process/supervise/slots.h"
#include "runtime/process/supervise/supervise.h"
#include "runtime/process/supervise/supervise_network.h"
#include "runtime/process/supervise/wanted.h"
#include "runtime/process/supervise/worker_pool.h"
#include "runtime/record/outbox_executor.h"

#define TICK_MS      50
#define RESTARTS_MAX 3   /* restarts of one role without a step in between */
#define REST_MS      250 /* before a worker's second restart without a step; then twice as long */
#define REST_MS_MAX  30000
#define CANCEL_MS    500  /* for the master to store the end */
#define LEAVE_MS     1000 /* for roles to end after the final event */
#define SILENT_MS    5000 /* silence of a master, after which it is stopped and replaced */

struct supervisor;

struct child {
    struct supervisor *supervisor;
    enum identity_role role;
    bool is_leaving;                       /* SIGTERM asked it to go */
    bool is_here;                          /* the master has this worker */
    uint32_t index, incarnation, restarts; /* without a step that it was there for */
    uint32_t unable;                       /* ends in a row with which it told of its own trouble */
    uint32_t dismissed;                    /* a server's: ends in a row that the master asked for */
    int64_t rest_until;                    /* RESTING, or a master that could not be started */
    pid_t pid;                             /* 0: not running */
    struct loop_lines *lifeline;
};

struct supervisor {
    const struct job *job;
    const char *sockets;
    bool is_detached;
    struct supervise_network network;
    struct loop *loop;
    struct child *children; /* the master, then the workers, then the parameter servers */
    uint32_t count;
    struct worker_pool pool;
    enum place *places; /* places of the workers, by index, then of the servers */
    struct wanted_servers wanted_servers;
    uint32_t servers;        /* servers to run: at first the wanted number, then the master's */
    struct slots *slots;     /* NULL: no broker */
    struct core_share cores; /* without a broker: processors beside other jobs */
    uint64_t step;
    bool is_over;      /* the final event was sent; all roles end */
    bool is_giving_up; /* the master was asked to end the job with `failure` */
    struct error failure;
    struct supervise_watch watch;
    int64_t deadline;            /* 0: none */
    int64_t heard_at, ticked_at; /* the master last, the own clock */
    enum status how;
};

static bool is_master(const struct child *child)
{
    return child->role == IDENTITY_MASTER;
}

static void name_child(const struct child *child, char name[32])
{
    if (is_master(child))
        snprintf(name, 32, "the master");
    else
        snprintf(name, 32, "%s %" PRIu32, child->role == IDENTITY_SERVER ? "server" : "worker",
                 child->index);
}

static void tell(const struct child *child, const char *format, const char *detail)
{
    char line[600];
    int size = snprintf(line, sizeof line, format, detail);

    if (child->lifeline && size > 0)
        (void)send(loop_lines_fd(child->lifeline), line, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_event(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    supervise_say(event, line);
}

/* The final event was sent: roles end by themselves or are ended. */
static void be_over(struct supervisor *supervisor, enum status how)
{
    if (supervisor->is_over)
        return;
    supervisor->is_over = true;
    supervisor->how = how;
    supervisor->deadline = loop_now_ms() + LEAVE_MS;
}

/* The job ends; the master stores and reports it. Without a master the supervisor does, after the
 * deadline. */
static void give_up(struct supervisor *supervisor, const struct error *failure)
{
    if (supervisor->is_over || supervisor->is_giving_up)
        return;
    supervisor->is_giving_up = true;
    supervisor->failure = *failure;
    supervisor->deadline = loop_now_ms() + CANCEL_MS;
    if (failure->status == STATUS_INTERRUPTED)
        tell(&supervisor->children[0], "cancel\n%s", "");
    else
        tell(&supervisor->children[0], "fail %s\n", failure->message);
}

static void cancel(void *context)
{
    struct error err;

    error_clear(&err);
    fail(&err, STATUS_INTERRUPTED, "the job was cancelled");
    give_up(context, &err);
}

static void fail_with(void *context, const struct error *why)
{
    give_up(context, why);
}

/* The master has the servers behind the workers. NULL: there is no such child. */
static struct child *find_child(const struct supervisor *supervisor, struct slice number)
{
    int64_t index;

    if (!slice_to_integer(number, &index) || index < 0 || index + 1 >= supervisor->count)
        return NULL;
    return &supervisor->children[index + 1];
}

static void replace(struct supervisor *supervisor, struct slice number)
{
    const struct child *child = find_child(supervisor, number);

    if (child && child->pid > 0)
        kill(child->pid, SIGKILL);
}

/* The dispatcher knows which rows it died over, and sees to them: no number of such
 * deaths is a failure of the worker. */
static void killed_by_rows(struct supervisor *supervisor, struct slice number)
{
    struct child *child = find_child(supervisor, number);

    if (child)
        child->restarts = 0;
}

/* No step is done without all servers. */
static bool takes_part(const struct child *child)
{
    return is_master(child) || child->is_here || (child->role == IDENTITY_SERVER && child->pid > 0);
}

/* A role that took part in a step has not failed in a row. Another master may begin again from an
 * earlier step than the last one had reported. */
static void note_step(struct supervisor *supervisor, const struct job_event *event)
{
    if (event->kind != JOB_PROGRESS)
        return;
    if (event->step > supervisor->step)
        for (uint32_t i = 0; i < supervisor->count; i++)
            if (takes_part(&supervisor->children[i]))
                supervisor->children[i].restarts = 0;
    supervisor->step = event->step;
}

/* INDEX here, INDEX gone */
static void note_worker(struct supervisor *supervisor, struct slice words)
{
    const char *space = memchr(words.data, ' ', words.size);
    const size_t length = space ? (size_t)(space - words.data) : words.size;
    struct child *child = find_child(supervisor, (struct slice){words.data, length});

    if (space && child)
        child->is_here = slice_is((struct slice){space + 1, words.size - length - 1}, "here");
}

static void on_master_event(struct supervisor *supervisor, struct slice line)
{
    struct text whole;
    struct job_event event;
    struct error err;

    error_clear(&err);
    if (job_event_read(line, &event, &err) != STATUS_OK) {
        log_warning("the master says: %s", err.message);
        return;
    }
    note_step(supervisor, &event);
    text_init(&whole, LAUNCH_EVENT_BYTES_MAX);
    text_append(&whole, line);
    text_append_char(&whole, '\n');
    supervise_say(&event, text_slice(&whole));
    text_deinit(&whole);
    if (event.kind == JOB_DONE)
        be_over(supervisor, STATUS_OK);
    else if (event.kind == JOB_FAILED)
        be_over(supervisor, event.error.status);
}

static void fill_pool(struct supervisor *supervisor);
static void fill_places(struct supervisor *supervisor);

/* LEAST MOST: those beyond have no rows any more, or none is needed. */
static void run_servers(struct supervisor *supervisor, struct slice words)
{
    const char *space = memchr(words.data, ' ', words.size);
    const size_t length = space ? (size_t)(space - words.data) : 0;
    const uint32_t workers = supervisor->pool.most;
    int64_t least, most;

    if (!space || !slice_to_integer((struct slice){words.data, length}, &least) ||
        !slice_to_integer((struct slice){space + 1, words.size - length - 1}, &most) || least < 0 ||
        least > most || most > JOBSPEC_SERVERS_MAX || supervisor->is_giving_up)
        return;
    if (supervisor->servers < (uint32_t)least)
        supervisor->servers = (uint32_t)least;
    if (supervisor->servers > (uint32_t)most)
        supervisor->servers = (uint32_t)most;
    for (uint32_t i = workers + supervisor->servers; i + 1 < supervisor->count; i++) {
        struct child *child = &supervisor->children[i + 1];

        child->restarts = 0;
        if (supervisor->places[i] == PLACE_RESTING)
            supervisor->places[i] = PLACE_EMPTY;
        if (supervisor->places[i] != PLACE_RUNNING)
            continue;
        supervisor->places[i] = PLACE_LEAVING;
        if (most > 0) /* the master dismisses those that are not needed: they save nothing */
            kill(child->pid, SIGTERM);
    }
    fill_places(supervisor);
}

/* A worker without a lane has the whole table in memory, and a slot, for nothing. */
static void limit_workers(struct supervisor *supervisor, struct slice number, uint32_t *limit)
{
    int64_t workers;

    if (!slice_to_integer(number, &workers) || workers < 1 || workers > UINT32_MAX)
        return;
    *limit = (uint32_t)workers;
    if (!supervisor->is_giving_up)
        fill_pool(supervisor);
}

static void on_child_line(void *context, struct slice line)
{
    struct child *child = context;

    if (slice_is(line, "leaving")) {
        child->is_leaving = true;
        return;
    }
    if (!is_master(child) || child->supervisor->is_over)
        return;
    child->supervisor->heard_at = loop_now_ms();
    if (slice_is(line, "alive"))
        return;
    if (line.size > 8 && memcmp(line.data, "replace ", 8) == 0)
        replace(child->supervisor, (struct slice){line.data + 8, line.size - 8});
    else if (line.size > 7 && memcmp(line.data, "worker ", 7) == 0)
        note_worker(child->supervisor, (struct slice){line.data + 7, line.size - 7});
    else if (line.size > 15 && memcmp(line.data, "killed_by_rows ", 15) == 0)
        killed_by_rows(child->supervisor, (struct slice){line.data + 15, line.size - 15});
    else if (line.size > 8 && memcmp(line.data, "servers ", 8) == 0)
        run_servers(child->supervisor, (struct slice){line.data + 8, line.size - 8});
    else if (line.size > 6 && memcmp(line.data, "lanes ", 6) == 0)
        limit_workers(child->supervisor, (struct slice){line.data + 6, line.size - 6},
                      &child->supervisor->pool.lanes);
    else if (line.size > 7 && memcmp(line.data, "useful ", 7) == 0)
        limit_workers(child->supervisor, (struct slice){line.data + 7, line.size - 7},
                      &child->supervisor->pool.useful);
    else
        on_master_event(child->supervisor, line);
}

static void on_child_end(void *context)
{
    struct child *child = context;
    child->lifeline = NULL; /* SIGCHLD follows */
}

/* With a lifeline, and with credentials of its own where the job talks over TCP. */
static enum status start_child(struct child *child, struct error *err)
{
    const struct supervisor *supervisor = child->supervisor;
    const struct identity identity = {supervisor->job->id, child->role, child->index};
    const struct line_reader reader = {
        .context = child, .on_line = on_child_line, .on_end = on_child_end};
    struct child_arguments arguments = {.tls = ""};
    char log[PATH_MAX + 8];
    struct spawn spawn = {
        .program = "/proc/self/exe", .arguments = arguments.list, .out = -1, .log = log};
    enum status status;
    int ends[2];

    child->pid = 0;
    child->is_leaving = child->is_here = false;
    snprintf(log, sizeof log, "%s/log", supervisor->job->folder);
    if (supervisor->network.authority)
        TRY(supervise_network_issue(&supervisor->network, &identity, supervisor->sockets,
                                    arguments.tls, err));
    child_arguments_list(&arguments, &supervisor->network, supervisor->job->folder,
                         supervisor->sockets, &identity, child->incarnation);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a lifeline");
    spawn.in = ends[1];
    status = spawn_process(&spawn, &child->pid, err);
    close(ends[1]);
    if (status != STATUS_OK) {
        close(ends[0]);
        return status;
    }
    return loop_read_lines(supervisor->loop, ends[0], reader, &child->lifeline, err);
}

static void tell_cores(const struct child *child)
{
    char number[16];

    snprintf(number, sizeof number, "%" PRIu32, child->supervisor->cores.processors);
    if (child->role == IDENTITY_WORKER && child->supervisor->cores.folder >= 0)
        tell(child, "cores %s\n", number);
}

/* SIGTERM from outside: that is no failure of the role. */
static bool is_preempted(const struct child *child, int how)
{
    return child->is_leaving || (WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
}

/* Workers other than this one that do not fail in a row themselves. */
static uint32_t count_able(const struct supervisor *supervisor, const struct child *but)
{
    uint32_t able = 0;

    for (uint32_t i = 1; i <= supervisor->pool.most; i++) {
        const struct child *child = &supervisor->children[i];

        able += child != but && child->pid > 0 && child->restarts <= RESTARTS_MAX;
    }
    return able;
}

/* One more failure of this role. False when the job is given up: a master or a server that fails
 * again and again ends it, a worker only where the others are too few to go on without it. */
static bool may_start_again(struct child *child, const char *how)
{
    struct supervisor *supervisor = child->supervisor;
    char name[32];
    struct error err;

    if (++child->restarts <= RESTARTS_MAX ||
        (child->role == IDENTITY_WORKER &&
         count_able(supervisor, child) >= supervisor->job->spec.min_workers))
        return true;
    name_child(child, name);
    error_clear(&err);
    fail(&err, STATUS_FAILED, "%s ended %d times without a step in between (%s)", name,
         RESTARTS_MAX + 1, how);
    error_hint(&err, "The log is %s/log.", supervisor->job->folder);
    give_up(supervisor, &err);
    return false;
}

/* The same of a process that has ended; one that was asked to go has not failed. */
static bool may_follow(struct child *child, int how)
{
    const bool is_unsound = WIFEXITED(how) && WEXITSTATUS(how) == EXIT_UNSOUND;
    char name[32], words[64];

    name_child(child, name);
    snprintf(words, sizeof words, "%s %d%s", WIFSIGNALED(how) ? "signal" : "exit code",
             WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how),
             is_unsound ? ": this machine computes wrongly" : "");
    log_warning("%s ended (%s)", name, words);
    return is_preempted(child, how) || may_start_again(child, words);
}

/* The first time it is started again at once, then later and later: a worker that crashes faster
 * than a step takes would keep the others from it. One that finds no memory each time that it works
 * is there for steps of the others in between. */
static int64_t rest_ms(const struct child *child)
{
    uint32_t failures = child->restarts > child->unable ? child->restarts : child->unable;

    if (child->dismissed > 0 && failures < child->dismissed + 3)
        failures = child->dismissed + 3; /* LEAVE_MS or so at first */
    if (failures < 2)
        return 0;
    if (failures > 16)
        failures = 16;
    return REST_MS << (failures - 2) < REST_MS_MAX ? REST_MS << (failures - 2) : REST_MS_MAX;
}

/* There is no process, no memory, no descriptor for it now: as if it had ended. */
static bool note_no_start(struct child *child, const struct error *why)
{
    char name[32];

    name_child(child, name);
    log_warning("%s cannot be started: %s", name, why->message);
    if (!may_start_again(child, why->message))
        return false;
    child->rest_until = loop_now_ms() + (rest_ms(child) > 0 ? rest_ms(child) : REST_MS);
    return true;
}

static void tell_wanted(struct supervisor *supervisor)
{
    char numbers[48];

    snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu32, supervisor->pool.version,
             supervisor->pool.wanted);
    tell(&supervisor->children[0], "wanted %s\n", numbers);
}

static void tell_wanted_servers(struct supervisor *supervisor)
{
    char numbers[48];

    snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu32, supervisor->wanted_servers.version,
             supervisor->wanted_servers.servers);
    if (supervisor->job->spec.servers > 0)
        tell(&supervisor->children[0], "servers %s\n", numbers);
}

static void start_master_again(struct child *master)
{
    struct supervisor *supervisor = master->supervisor;
    struct error err;

    master->rest_until = 0;
    supervisor->heard_at = loop_now_ms();
    error_clear(&err);
    if (start_child(master, &err) != STATUS_OK) {
        (void)note_no_start(master, &err); /* the tick tries again */
        return;
    }
    tell_wanted(supervisor);
    tell_wanted_servers(supervisor);
}

static enum place *place_of(const struct child *child)
{
    const struct supervisor *supervisor = child->supervisor;

    return &supervisor->places[child - supervisor->children - 1];
}

/* False: the job is given up. */
static bool fill_place(struct child *child)
{
    struct error err;

    error_clear(&err);
    if (start_child(child, &err) == STATUS_OK) {
        *place_of(child) = PLACE_RUNNING;
        tell_cores(child);
    } else if (note_no_start(child, &err)) {
        *place_of(child) = PLACE_RESTING;
    } else {
        return false;
    }
    return true;
}

/* Starts and stops workers until there are as many as there should be. */
static void fill_pool(struct supervisor *supervisor)
{
    const struct worker_pool *pool = &supervisor->pool;
    struct worker_pool_step step;

    while ((step = worker_pool_next(pool, supervisor->places)).action != WORKER_POOL_NOTHING) {
        struct child *child = &supervisor->children[step.index + 1];

        if (step.action == WORKER_POOL_STOP) {
            supervisor->places[step.index] = PLACE_LEAVING;
            kill(child->pid, SIGTERM);
            continue;
        }
        if (!fill_place(child))
            return;
    }
    slots_say(supervisor->slots, worker_pool_useful(pool),
              worker_pool_slots_used(pool, supervisor->places));
}

/* Servers run whatever the number of workers, and as many workers as there should be. */
static void fill_places(struct supervisor *supervisor)
{
    for (uint32_t i = supervisor->pool.most; i < supervisor->pool.most + supervisor->servers; i++)
        if (supervisor->places[i] == PLACE_EMPTY && !fill_place(&supervisor->children[i + 1]))
            return;
    fill_pool(supervisor);
}

static void on_slots(void *context, uint32_t n)
{
    struct supervisor *supervisor = context;

    supervisor->pool.slots = n;
    if (!supervisor->is_over && !supervisor->is_giving_up)
        fill_pool(supervisor);
}

/* Other jobs came or went: workers go or come, and the threads of each change. */
static void share_cores(struct supervisor *supervisor)
{
    for (uint32_t i = 0; i < supervisor->count; i++)
        tell_cores(&supervisor->children[i]);
    on_slots(supervisor, core_share_workers(&supervisor->cores));
}

static enum status scale(void *context, int64_t workers, struct error *err)
{
    struct supervisor *supervisor = context;
    struct worker_pool wanted = supervisor->pool;

    if (supervisor->is_over || supervisor->is_giving_up)
        return fail(err, STATUS_INVALID, "the job has ended already");
    TRY(worker_pool_want(&wanted, workers, err));
    TRY(wanted_store(supervisor->job->folder, &wanted, err));
    supervisor->pool = wanted;
    tell_wanted(supervisor);
    if (supervisor->cores.folder >= 0) {
        core_share_pin(&supervisor->cores, wanted.wanted, loop_now_ms());
        share_cores(supervisor);
    }
    fill_pool(supervisor);
    return STATUS_OK;
}

/* The master has them started, and says when the rows have moved. */
static enum status scale_servers(void *context, int64_t servers, struct error *err)
{
    struct supervisor *supervisor = context;
    struct wanted_servers wanted = supervisor->wanted_servers;

    if (supervisor->is_over || supervisor->is_giving_up)
        return fail(err, STATUS_INVALID, "the job has ended already");
    TRY(wanted_servers_want(&wanted, servers, err));
    TRY(wanted_servers_store(supervisor->job->folder, &wanted, err));
    supervisor->wanted_servers = wanted;
    tell_wanted_servers(supervisor);
    return STATUS_OK;
}

/* Reads the rest of the child's output before its end is judged: a master that reported DONE is not
 * started again. */
static void hear_last_words(struct child *child)
{
    char bytes[4096];
    struct text words;
    ssize_t size;

    if (!child->lifeline)
        return;
    text_init(&words, LAUNCH_EVENT_BYTES_MAX);
    while ((size = recv(loop_lines_fd(child->lifeline), bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        text_append(&words, (struct slice){bytes, (size_t)size});
    loop_lines_close(child->lifeline);
    child->lifeline = NULL;
    for (size_t at = 0; at < words.size;) {
        char *newline = memchr(words.data + at, '\n', words.size - at);
        size_t length = newline ? (size_t)(newline - words.data) - at : words.size - at;

        if (newline)
            on_child_line(child, (struct slice){words.data + at, length});
        at += length + 1;
    }
    text_deinit(&words);
}

/* Judges the end of a worker or a server. One that received END ends with 0: the job is over, a
 * younger process has its index, or it is a server whose rows have moved. A server ends so, too,
 * when all is learned, and the model may be measured and published for long: that is no failure. It
 * is started again, later and later, as a master that finds the checkpoint damaged needs it. */
static void on_worker_exit(struct child *child, int how)
{
    enum place *place = place_of(child);
    bool was_asked = *place == PLACE_LEAVING;
    bool has_ended = !child->is_leaving && WIFEXITED(how) && WEXITSTATUS(how) == 0;
    bool is_dismissed = has_ended && child->role == IDENTITY_SERVER;
    int64_t rest;
    char name[32];

    child->unable = WIFEXITED(how) && WEXITSTATUS(how) == status_exit_code(STATUS_CONNECTION)
                        ? child->unable + 1
                        : 0;
    child->dismissed = is_dismissed ? child->dismissed + 1 : 0;
    *place = PLACE_EMPTY;
    if (!was_asked && has_ended && !is_dismissed)
        *place = PLACE_CLOSED;
    else if (!was_asked && !is_dismissed && !may_follow(child, how))
        return;
    rest = rest_ms(child);
    if (*place == PLACE_EMPTY && !was_asked && !is_preempted(child, how) && rest > 0) {
        *place = PLACE_RESTING;
        child->rest_until = loop_now_ms() + rest;
        name_child(child, name);
        if (!is_dismissed)
            log_info("%s is started again in %" PRId64 " ms", name, rest);
    }
    child->incarnation++;
    fill_places(child->supervisor);
}

static void on_child_exit(struct child *child, int how)
{
    struct supervisor *supervisor = child->supervisor;

    child->pid = 0;
    hear_last_words(child);
    /* A worker that has just started finds no master that sends END. */
    if (supervisor->is_over && is_master(child))
        for (uint32_t i = 1; i < supervisor->count; i++) {
            if (supervisor->children[i].lifeline)
                loop_lines_close(supervisor->children[i].lifeline);
            supervisor->children[i].lifeline = NULL;
        }
    if (supervisor->is_over || supervisor->is_giving_up)
        return;
    if (!is_master(child)) {
        on_worker_exit(child, how);
    } else if (may_follow(child, how)) {
        child->incarnation++;
        start_master_again(child);
    }
}

static void on_sigchld(void *context)
{
    struct supervisor *supervisor = context;

    for (uint32_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];
        int how;

        if (child->pid > 0 && waitpid(child->pid, &how, WNOHANG) == child->pid)
            on_child_exit(child, how);
    }
}

static void store_end(const struct supervisor *supervisor, struct jobstore *store)
{
    struct job_row row;
    struct error err;

    error_clear(&err);
    memset(&row, 0, sizeof row);
    if (jobstore_get_job(store, &row, &err) != STATUS_OK)
        row.id = (int64_t)supervisor->job->id;
    row.state =
        supervisor->failure.status == STATUS_INTERRUPTED ? JOB_STATE_CANCELLED : JOB_STATE_FAILED;
    snprintf(row.error, sizeof row.error, "%s", supervisor->failure.message);
    if (jobstore_put_job(store, &row, &err) != STATUS_OK)
        log_error("%s", err.message);
}

/* The master did not manage: the supervisor stores the end itself, now that no other process
 * writes. The last master may have stored the end of the job without reporting it: then that is its
 * end, whatever the supervisor was about to store. */
static void record_end(struct supervisor *supervisor)
{
    struct outbox_executor executor = {.say = say_event};
    struct job_row row;
    struct error err;

    error_clear(&err);
    if (outbox_executor_open(&executor, supervisor->job->folder, 0, &err) == STATUS_OK) {
        store_end(supervisor, executor.store);
        outbox_executor_say_failed(&executor, &supervisor->failure);
    } else if (outbox_executor_has_ended(&executor, &row)) {
        outbox_executor_say_ended(&executor, &row, &supervisor->failure);
    } else {
        log_error("%s", err.message);
        outbox_executor_say_failed(&executor, &supervisor->failure);
    }
    outbox_executor_close(&executor);
}

static void check_master(struct supervisor *supervisor, int64_t now_ms)
{
    const struct child *master = &supervisor->children[0];

    if (now_ms - supervisor->ticked_at > SILENT_MS / 2)
        supervisor->heard_at = now_ms; /* the supervisor itself was stopped */
    supervisor->ticked_at = now_ms;
    if (master->pid == 0 || supervisor->is_over || now_ms - supervisor->heard_at < SILENT_MS)
        return;
    log_warning("the master is silent");
    supervisor->heard_at = now_ms;
    kill(master->pid, SIGKILL);
}

static void check_resting(struct supervisor *supervisor, int64_t now_ms)
{
    struct child *master = &supervisor->children[0];
    bool has_come = false;

    if (supervisor->is_over || supervisor->is_giving_up)
        return;
    if (master->pid == 0 && master->rest_until != 0 && now_ms >= master->rest_until)
        start_master_again(master);
    for (uint32_t i = 0; i + 1 < supervisor->count; i++) {
        if (supervisor->places[i] != PLACE_RESTING ||
            now_ms < supervisor->children[i + 1].rest_until)
            continue;
        supervisor->places[i] = PLACE_EMPTY;
        has_come = true;
    }
    if (has_come)
        fill_places(supervisor);
}

static void on_tick(void *context, int64_t now_ms)
{
    struct supervisor *supervisor = context;
    bool is_due = false, has_children = false;

    check_master(supervisor, now_ms);
    check_resting(supervisor, now_ms);
    if (core_share_look(&supervisor->cores, now_ms))
        share_cores(supervisor);
    on_sigchld(supervisor); /* a signal may have been merged with another */
    if (supervisor->deadline != 0 && now_ms >= supervisor->deadline) {
        supervisor->deadline = now_ms + LEAVE_MS;
        is_due = true;
    }
    for (uint32_t i = 0; i < supervisor->count; i++) {
        const struct child *child = &supervisor->children[i];

        has_children = has_children || child->pid > 0;
        if (is_due && child->pid > 0)
            kill(child->pid, SIGKILL);
    }
    if (has_children || (!supervisor->is_over && !supervisor->is_giving_up))
        return;
    if (!supervisor->is_over) {
        record_end(supervisor);
        be_over(supervisor, supervisor->failure.status);
    }
    loop_stop(supervisor->loop, supervisor->how, &supervisor->failure);
}

static void on_sigchld_signal(void *context)
{
    on_tick(context, loop_now_ms());
}

static void list_children(struct supervisor *supervisor)
{
    const uint32_t workers = supervisor->pool.most;

    for (uint32_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];

        child->supervisor = supervisor;
        child->role = i == 0 ? IDENTITY_MASTER : i <= workers ? IDENTITY_WORKER : IDENTITY_SERVER;
        child->index = i == 0 ? 0 : i <= workers ? i - 1 : i - 1 - workers;
    }
}

/* A number that an earlier supervisor was told still counts. */
static void begin_share(struct supervisor *supervisor)
{
    struct core_share *cores = &supervisor->cores;

    core_share_open(cores, supervisor->job, launch_cores(), loop_now_ms());
    if (supervisor->pool.version > 0)
        core_share_pin(cores, supervisor->pool.wanted, loop_now_ms());
    supervisor->pool.slots = core_share_workers(cores);
}

static enum status start_supervisor(struct supervisor *supervisor, struct error *err)
{
    TRY(loop_new(TICK_MS, &supervisor->loop, err));
    TRY(loop_on_signal(supervisor->loop, SIGCHLD, on_sigchld_signal, supervisor, err));
    supervisor->watch = (struct supervise_watch){.cancel = cancel,
                                                 .fail = fail_with,
                                                 .scale = scale,
                                                 .scale_servers = scale_servers,
                                                 .context = supervisor,
                                                 .is_detached = supervisor->is_detached,
                                                 .is_kept = job_is_kept(supervisor->job->folder)};
    TRY(supervise_watch(supervisor->loop, supervisor->sockets, &supervisor->watch, err));
    loop_on_tick(supervisor->loop, on_tick, supervisor);
    supervisor->children = calloc(supervisor->count, sizeof *supervisor->children);
    supervisor->places = calloc(supervisor->count, sizeof *supervisor->places);
    if (!supervisor->children || !supervisor->places)
        return fail_no_memory(err);
    list_children(supervisor);
    TRY(slots_open(supervisor->loop, supervisor->job->id, on_slots, supervisor, &supervisor->slots,
                   err));
    if (supervisor->slots)
        supervisor->pool.slots = 0; /* until the broker has spoken */
    else
        begin_share(supervisor);
    TRY(start_child(&supervisor->children[0], err));
    tell_wanted(supervisor); /* passes on a number that an earlier supervisor was told */
    tell_wanted_servers(supervisor);
    fill_places(supervisor);
    return STATUS_OK;
}

int supervise_children(const struct job *job, const char *sockets, const char *listen,
                       bool is_detached)
{
    struct supervisor supervisor = {.job = job,
                                    .cores = {.folder = -1},
                                    .sockets = sockets,
                                    .is_detached = is_detached,
                                    .count = 1 + job->spec.max_workers,
                                    .wanted_servers = {.servers = job->spec.servers}};
    struct outbox_executor voice = {.say = say_event};
    enum status status;
    struct error err;

    error_clear(&err);
    error_clear(&supervisor.failure);
    worker_pool_init(&supervisor.pool, job->spec.min_workers, job->spec.max_workers,
                     WORKER_POOL_UNLIMITED);
    if (job->spec.history.first > 0)
        supervisor.pool.useful = job->spec.history.first;
    /* A number that cannot be read is no reason to end a job. */
    if (wanted_load(job->folder, &supervisor.pool, &err) != STATUS_OK)
        log_warning("as many workers as the job may have are wanted: %s", err.message);
    error_clear(&err);
    if (job->spec.servers > 0) {
        supervisor.count += JOBSPEC_SERVERS_MAX;
        if (wanted_servers_load(job->folder, &supervisor.wanted_servers, &err) != STATUS_OK)
            log_warning("as many servers as the job began with are wanted: %s", err.message);
        error_clear(&err);
    }
    supervisor.servers = supervisor.wanted_servers.servers;
    status = supervise_network_open(&supervisor.network, job, listen, &err);
    if (status == STATUS_OK)
        status = start_supervisor(&supervisor, &err);
    if (status == STATUS_OK) {
        status = loop_run(supervisor.loop, &err);
    } else {
        log_error("%s", err.message);
        outbox_executor_say_failed(&voice, &err);
    }
    core_share_close(&supervisor.cores);
    slots_close(supervisor.slots);
    loop_free(supervisor.loop); /* closes the lifelines */
    free(supervisor.places);
    free(supervisor.children);
    supervise_network_close(&supervisor.network);
    return status_exit_code(status);
}

/*
 * measured [--left=SECONDS] FILE COMMAND... - runs the command as if it were alone, and writes into
 * FILE what it took:
 *
 *     12.4 3.1        seconds by the clock, seconds of processors
 *
 * Processors are those of the command and of all processes that it started, also of those whose
 * parents ended before them (servers, jobs that nobody waits for): whoever loses its parent becomes
 * a child of this program. A test ends what it starts: what still runs SECONDS (60) after the
 * command has ended is named, killed and makes the exit code 1. Otherwise that is the command's. A
 * command dies with this program.
 */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEFT_S     60
#define CANNOT_RUN 127

static pid_t command; /* -1: it has ended */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void pass_on(int number)
{
    if (command > 0) /* kill(-1) is for all processes */
        kill(command, number);
}

/* By fork: posix_spawn cannot ask for the signal that comes when this program dies. */
static pid_t start(char *words[], const sigset_t *usual)
{
    const pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CANNOT_RUN);
    sigprocmask(SIG_SETMASK, usual, NULL);
    execvp(words[0], words);
    fprintf(stderr, "measured: %s: %s\n", words[0], strerror(errno));
    _exit(CANNOT_RUN);
}

/* Until none is left, or nothing has ended before `end`. True: none is left. */
static bool reap(const sigset_t *child_ends, double end, int *status)
{
    for (;;) {
        int ended;
        const pid_t pid = waitpid(-1, &ended, WNOHANG);
        if (pid < 0)
            return true;
        if (pid == command) {
            *status = ended;
            return false;
        }
        if (pid > 0)
            continue;
        const double left = end - seconds_now();
        if (left <= 0)
            return false;
        const struct timespec wait = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
        sigtimedwait(child_ends, NULL, &wait);
    }
}

static void name_process(long pid)
{
    char path[64], words[512];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(words, 1, sizeof words - 1, file) : 0;
    for (size_t i = 0; i < size; i++)
        if (words[i] == '\0')
            words[i] = ' ';
    words[size] = '\0';
    if (file)
        fclose(file);
    fprintf(stderr, "measured: still runs after its test: %ld %s\n", pid, words);
}

/* Those that are this program's children now; their own become so as they die. */
static void end_left(void)
{
    long pid;
    FILE *file = fopen("/proc/thread-self/children", "r");
    while (file && fscanf(file, "%ld", &pid) == 1) {
        name_process(pid);
        kill((pid_t)pid, SIGKILL);
    }
    if (file)
        fclose(file);
}

static void write_costs(const char *path, double seconds)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%.2f %.2f\n", seconds,
                         seconds_of(used.ru_utime) + seconds_of(used.ru_stime)) < 0)
        fprintf(stderr, "measured: %s: %s\n", path, strerror(errno));
    if (file)
        fclose(file);
}

int main(int count, char *words[])
{
    double left_s = LEFT_S;
    if (count > 1 && sscanf(words[1], "--left=%lf", &left_s) == 1) {
        count--;
        words++;
    }
    if (count < 3) {
        fprintf(stderr, "usage: measured [--left=SECONDS] FILE COMMAND...\n");
        return CANNOT_RUN;
    }
    sigset_t child_ends, usual;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, &usual);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const double began = seconds_now();
    command = start(words + 2, &usual);
    if (command < 0) {
        fprintf(stderr, "measured: %s\n", strerror(errno));
        return CANNOT_RUN;
    }
    /* Ctrl-C reaches the command by itself. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, pass_on);

    int status = 0, ignored;
    reap(&child_ends, 1e18, &status);
    const double ended = seconds_now();
    command = -1;
    const bool is_clean = reap(&child_ends, ended + left_s, &ignored);
    while (!is_clean && waitpid(-1, NULL, WNOHANG) >= 0)
        end_left();
    write_costs(words[1], ended - began);
    if (!is_clean)
        return EXIT_FAILURE;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

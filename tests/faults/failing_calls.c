/*
 * failing_calls.c - a library for LD_PRELOAD that counts what the processes of a job ask the
 * system for, and lets one call fail.
 *
 *     TOTRAIN_CALLS=FOLDER      FOLDER/ROLE.counts: one 64-bit number for each kind of call, of all
 *                               processes of that role. FOLDER/crash.PID: where a process died of
 *                               SIGSEGV, SIGBUS, SIGABRT, SIGFPE or SIGILL; failed.PID: where
 *                               the call was that failed.
 *     TOTRAIN_FAILURE=role=worker,call=write,at=17,errno=28,lasts=0
 *                               The role's 17th write fails with that error; with lasts=1 all
 *                               later ones do, too.
 *
 *     TOTRAIN_FLIP=role=worker,call=send,at=17,bit=123456
 *                               That bit (counted again from the start where there are fewer) of
 *                               what the role's 17th send sends is inverted, once; of write: of
 *                               what it stores in a file of a job, be it the 17th or the next.
 *
 * The role is the program's first argument; that of any other process is "session". Calls are
 * counted from the program's first instruction on. Memory is malloc, calloc and realloc together.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

#define CALL_MAP(X)                                                                                \
    X(MEMORY, "memory")                                                                            \
    X(MMAP, "mmap")                                                                                \
    X(READ, "read")                                                                                \
    X(WRITE, "write")                                                                              \
    X(SEND, "send")                                                                                \
    X(SYNC, "sync")                                                                                \
    X(CONNECT, "connect")                                                                          \
    X(OPEN, "open")                                                                                \
    X(SOCKET, "socket")                                                                            \
    X(THREAD, "thread")                                                                            \
    X(SPAWN, "spawn")                                                                              \
    X(TRUNCATE, "truncate")                                                                        \
    X(RENAME, "rename")                                                                            \
    X(UNLINK, "unlink")

enum call {
#define X(name, text) CALL_##name,
    CALL_MAP(X)
#undef X
        CALLS
};

static const char *const call_names[] = {
#define X(name, text) [CALL_##name] = text,
    CALL_MAP(X)
#undef X
};

static _Atomic uint64_t *counts; /* (CALLS), shared by the processes of the role; NULL: off */
static enum call failing = CALLS;
static uint64_t failing_at;
static int failing_errno;
static bool failing_lasts;
static enum call flipping = CALLS;
static uint64_t flipping_at, flipping_bit;
static char crash_path[4096], failed_path[4096];

static void write_stack(const char *path, const char *head)
{
    void *frames[64];
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

    if (file < 0)
        return;
    (void)syscall(SYS_write, file, head, strlen(head));
    backtrace_symbols_fd(frames, backtrace(frames, 64), file);
    close(file);
}

static _Thread_local uint64_t last_number; /* number of must_fail's call among those of the role */

/* This call is to fail; errno says how. */
static bool must_fail(enum call call)
{
    uint64_t number;

    if (!counts)
        return false;
    number = atomic_fetch_add(&counts[call], 1) + 1;
    last_number = number;
    if (call != failing || (failing_lasts ? number < failing_at : number != failing_at))
        return false;
    if (number == failing_at)
        write_stack(failed_path, "failed here:\n");
    errno = failing_errno;
    return true;
}

/* ----- starting ----- */

static void note_crash(int number)
{
    write_stack(crash_path, "killed by a signal:\n");
    raise(number); /* its handler has been reset */
}

static void catch_crashes(const char *folder)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const struct sigaction action = {.sa_handler = note_crash, .sa_flags = SA_RESETHAND};
    void *frame;

    snprintf(crash_path, sizeof crash_path, "%s/crash.%d", folder, (int)getpid());
    snprintf(failed_path, sizeof failed_path, "%s/failed.%d", folder, (int)getpid());
    (void)backtrace(&frame, 1); /* loads what it needs while there is memory */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static const char *role_of(int count, char **arguments)
{
    static const char *const roles[] = {"supervise", "master", "worker", "publish"};

    for (size_t i = 0; count > 1 && i < sizeof roles / sizeof *roles; i++)
        if (strcmp(arguments[1], roles[i]) == 0)
            return roles[i];
    return "session";
}

static void read_flip(const char *role)
{
    const char *text = getenv("TOTRAIN_FLIP");
    char of[32], call[32];
    unsigned long long at, bit;

    if (!text ||
        sscanf(text, "role=%31[a-z],call=%31[a-z],at=%llu,bit=%llu", of, call, &at, &bit) != 4 ||
        strcmp(of, role) != 0)
        return;
    flipping = strcmp(call, "send") == 0 ? CALL_SEND : CALL_WRITE;
    flipping_at = at;
    flipping_bit = bit;
}

static void read_failure(const char *role)
{
    const char *text = getenv("TOTRAIN_FAILURE");
    char of[32], call[32];
    unsigned long long at;
    int number, lasts;

    if (!text || sscanf(text, "role=%31[a-z],call=%31[a-z],at=%llu,errno=%d,lasts=%d", of, call,
                        &at, &number, &lasts) != 5)
        return;
    if (strcmp(of, role) != 0)
        return;
    failing_at = at;
    failing_errno = number;
    failing_lasts = lasts;
    for (int i = 0; i < CALLS; i++)
        if (strcmp(call, call_names[i]) == 0)
            failing = (enum call)i;
}

__attribute__((constructor)) static void begin(int count, char **arguments)
{
    const char *folder = getenv("TOTRAIN_CALLS"), *role = role_of(count, arguments);
    const size_t size = (CALLS + 1) * sizeof *counts; /* the last: bits that were inverted */
    char path[4096];
    void *shared;
    int file;

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.counts", folder, role);
    file = (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || syscall(SYS_ftruncate, file, size) != 0)
        abort();
    shared = (void *)syscall(SYS_mmap, (void *)0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                             (off_t)0);
    if (shared == MAP_FAILED)
        abort();
    close(file);
    catch_crashes(folder);
    read_failure(role);
    read_flip(role);
    counts = shared;
}

/* ----- memory ----- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    return must_fail(CALL_MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return must_fail(CALL_MEMORY) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return must_fail(CALL_MEMORY) ? NULL : __libc_realloc(memory, size);
}

/* ----- the others ----- */

static bool is_of_a_job(int file)
{
    char link[64], path[4096];
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    return strstr(path, "/jobs/") && !strstr(path, "/log");
}

/* The bytes, or a copy in which a bit is inverted, which is the caller's. */
static void *flipped(enum call call, int file, const void *bytes, size_t size)
{
    uint64_t none = 0, bit;
    unsigned char *copy;

    if (!counts || call != flipping || size == 0 || last_number < flipping_at ||
        (call == CALL_WRITE && !is_of_a_job(file)) ||
        !atomic_compare_exchange_strong(&counts[CALLS], &none, 1))
        return NULL;
    copy = __libc_malloc(size);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    bit = flipping_bit % (8 * size);
    copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
    write_stack(failed_path,
                call == CALL_SEND ? "inverted in a message:\n" : "inverted in a file:\n");
    return copy;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    REAL(mmap)
    return must_fail(CALL_MMAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
    return mmap(at, size, protection, flags, file, offset);
}

ssize_t read(int file, void *bytes, size_t size)
{
    REAL(read)
    return must_fail(CALL_READ) ? -1 : real(file, bytes, size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
    REAL(pread)
    return must_fail(CALL_READ) ? -1 : real(file, bytes, size, offset);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset)
{
    return pread(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(write)
    ssize_t written = -1;
    void *other;

    if (must_fail(CALL_WRITE))
        return -1;
    other = flipped(CALL_WRITE, file, bytes, size);
    written = real(file, other ? other : bytes, size);
    free(other);
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    REAL(pwrite)
    ssize_t written = -1;
    void *other;

    if (must_fail(CALL_WRITE))
        return -1;
    other = flipped(CALL_WRITE, file, bytes, size);
    written = real(file, other ? other : bytes, size, offset);
    free(other);
    return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset)
{
    return pwrite(file, bytes, size, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    REAL(writev)
    return must_fail(CALL_WRITE) ? -1 : real(file, parts, count);
}

ssize_t send(int file, const void *bytes, size_t size, int flags)
{
    REAL(send)
    ssize_t sent = -1;
    void *other;

    if (must_fail(CALL_SEND))
        return -1;
    other = flipped(CALL_SEND, file, bytes, size);
    sent = real(file, other ? other : bytes, size, flags);
    free(other);
    return sent;
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    REAL(sendmsg)
    return must_fail(CALL_SEND) ? -1 : real(file, message, flags);
}

int fsync(int file)
{
    REAL(fsync)
    return must_fail(CALL_SYNC) ? -1 : real(file);
}

int fdatasync(int file)
{
    REAL(fdatasync)
    return must_fail(CALL_SYNC) ? -1 : real(file);
}

int connect(int file, const struct sockaddr *address, socklen_t size)
{
    REAL(connect)
    return must_fail(CALL_CONNECT) ? -1 : real(file, address, size);
}

int socket(int domain, int type, int protocol)
{
    REAL(socket)
    return must_fail(CALL_SOCKET) ? -1 : real(domain, type, protocol);
}

int open(const char *path, int flags, ...)
{
    REAL(open)
    MODE_BEHIND(flags, mode)

    return must_fail(CALL_OPEN) ? -1 : real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat)
    MODE_BEHIND(flags, mode)

    return must_fail(CALL_OPEN) ? -1 : real(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen)
    return must_fail(CALL_OPEN) ? NULL : real(path, mode);
}

/* Those two return the error. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    REAL(pthread_create)
    return must_fail(CALL_THREAD) ? failing_errno : real(thread, attributes, run, argument);
}

int posix_spawnp(pid_t *process, const char *program, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
    REAL(posix_spawnp)
    return must_fail(CALL_SPAWN)
               ? failing_errno
               : real(process, program, actions, attributes, arguments, environment);
}

int posix_spawn(pid_t *process, const char *program, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[])
{
    REAL(posix_spawn)
    return must_fail(CALL_SPAWN)
               ? failing_errno
               : real(process, program, actions, attributes, arguments, environment);
}

int ftruncate(int file, off_t size)
{
    REAL(ftruncate)
    return must_fail(CALL_TRUNCATE) ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size)
{
    return ftruncate(file, size);
}

int rename(const char *from, const char *to)
{
    REAL(rename)
    return must_fail(CALL_RENAME) ? -1 : real(from, to);
}

int unlink(const char *path)
{
    REAL(unlink)
    return must_fail(CALL_UNLINK) ? -1 : real(path);
}

int unlinkat(int folder, const char *path, int flags)
{
    REAL(unlinkat)
    return must_fail(CALL_UNLINK) ? -1 : real(folder, path, flags);
}

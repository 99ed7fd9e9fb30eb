#include "extension/sqlite/api/python_signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions of CPython that we call, all of them in the stable ABI. */
struct python {
    int (*is_initialized)(void);
    void *(*this_thread_state)(void);
    int (*take_lock)(void);
    void (*release_lock)(int state);
    int (*check_signals)(void);
    void (*fetch)(void **type, void **value, void **traceback);
    void (*restore)(void *type, void *value, void *traceback);
    int (*add_pending_call)(int (*function)(void *), void *argument);
};

struct exception {
    void *type, *value, *traceback; /* owned references */
};

/* The main thread's state; other threads touch only members that the handler reads and writes. */
static struct {
    int depth;
    bool is_installed;
    struct sigaction before;
    sqlite3 *db;
    atomic_bool came; /* a signal that Python was not asked about yet; stays with `kept` */
    struct exception kept;
} watch;

static struct python python;
static bool is_python;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void find_python(void)
{
    is_python = find("Py_IsInitialized", &python.is_initialized) &&
                find("PyGILState_GetThisThreadState", &python.this_thread_state) &&
                find("PyGILState_Ensure", &python.take_lock) &&
                find("PyGILState_Release", &python.release_lock) &&
                find("PyErr_CheckSignals", &python.check_signals) &&
                find("PyErr_Fetch", &python.fetch) && find("PyErr_Restore", &python.restore) &&
                find("Py_AddPendingCall", &python.add_pending_call);
}

static bool is_main_thread(void)
{
    return gettid() == getpid();
}

/* In the file, a program or a library, that CPython itself is in? */
static bool is_of_python(const struct sigaction *action)
{
    Dl_info handler, interpreter;
    void *functions[2];

    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN ||
        (action->sa_flags & SA_RESETHAND))
        return false;
    memcpy(&functions[0], &action->sa_handler, sizeof functions[0]);
    memcpy(&functions[1], &python.check_signals, sizeof functions[1]);
    return dladdr(functions[0], &handler) != 0 && dladdr(functions[1], &interpreter) != 0 &&
           handler.dli_fbase == interpreter.dli_fbase;
}

static void note_signal(int number, siginfo_t *info, void *context)
{
    const int error = errno;

    if (atomic_exchange(&watch.came, true))
        sqlite3_interrupt(watch.db);
    if (watch.before.sa_flags & SA_SIGINFO)
        watch.before.sa_sigaction(number, info, context);
    else
        watch.before.sa_handler(number);
    errno = error;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == note_signal;
}

/* Before the handler that is there, where it is CPython's. */
static void install(void)
{
    struct sigaction now, ours;

    if (sigaction(SIGINT, NULL, &now) != 0 || is_ours(&now) || !is_of_python(&now))
        return;
    watch.before = ours = now;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = note_signal;
    if (sigaction(SIGINT, &ours, NULL) == 0)
        watch.is_installed = true;
}

void python_signals_begin(sqlite3 *db)
{
    pthread_once(&once, find_python);
    if (!is_main_thread() || watch.depth++ > 0)
        return;
    watch.db = db;
    atomic_store(&watch.came, false);
    if (is_python && python.is_initialized() && python.this_thread_state())
        install();
}

bool python_signals_stop(void)
{
    int state;

    if (!atomic_load_explicit(&watch.came, memory_order_relaxed) || !is_main_thread() ||
        !watch.is_installed)
        return false;
    if (watch.kept.type)
        return true;
    atomic_store(&watch.came, false);
    state = python.take_lock();
    if (python.check_signals() != 0)
        python.fetch(&watch.kept.type, &watch.kept.value, &watch.kept.traceback);
    python.release_lock(state);
    install(); /* the function may have called signal.signal(), which puts CPython's there */
    if (!watch.kept.type)
        return false;
    atomic_store(&watch.came, true);
    return true;
}

/* Called by the interpreter, in its main thread and under its lock. */
static int raise_exception(void *argument)
{
    struct exception exception = *(struct exception *)argument;

    free(argument);
    python.restore(exception.type, exception.value, exception.traceback);
    return -1;
}

/* Where there is no room for it the statement's own error, "interrupted", has to do. */
static void give_back(void)
{
    struct exception *exception = malloc(sizeof *exception);

    if (exception) {
        *exception = watch.kept;
        if (python.add_pending_call(raise_exception, exception) != 0)
            free(exception);
    }
    watch.kept = (struct exception){NULL, NULL, NULL};
}

void python_signals_end(void)
{
    struct sigaction now;

    if (!is_main_thread() || watch.depth == 0 || --watch.depth > 0 || !watch.is_installed)
        return;
    /* A function that the statement called may have set another handler: it stays. */
    if (sigaction(SIGINT, NULL, &now) == 0 && is_ours(&now))
        sigaction(SIGINT, &watch.before, NULL);
    watch.is_installed = false;
    atomic_store(&watch.came, false);
    if (watch.kept.type)
        give_back();
}

#include "cli/shell/history_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void history_file_find(char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *resolved;
    int size;

    if (state && *state == '/')
        size = snprintf(path, PATH_MAX, "%s/totrain/history", state);
    else
        size = snprintf(path, PATH_MAX, "%s/.local/state/totrain/history", home ? home : "");
    if (size >= PATH_MAX || path[0] != '/' || (!home && !state)) {
        path[0] = '\0';
        return;
    }
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    resolved = realpath(path, NULL); /* a link stays one when the file is replaced */
    if (resolved)
        memcpy(path, resolved, strlen(resolved) + 1);
    free(resolved);
}

void history_file_load(const char *path, History *list)
{
    HistEvent event;

    if (*path)
        (void)history(list, &event, H_LOAD, path);
}

static void forget_same(History *list, const char *entry)
{
    HistEvent event;

    for (int found = history(list, &event, H_FIRST); found >= 0;
         found = history(list, &event, H_NEXT)) {
        if (strcmp(event.str, entry) == 0) {
            if (history(list, &event, H_DEL, event.num) >= 0)
                free((char *)event.str); /* editline(3): the string is the caller's then */
            return;
        }
    }
}

void history_enter(History *list, const char *entry)
{
    HistEvent event;

    forget_same(list, entry);
    history(list, &event, H_ENTER, entry);
}

/* The folder, locked until it is closed; -1: it cannot be opened. Where a file
 * system has no locks we go without. */
static int lock_folder(const char *path)
{
    char folder[PATH_MAX];
    int handle;

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle >= 0)
        (void)flock(handle, LOCK_EX);
    return handle;
}

static bool is_readable(const char *path, History *list)
{
    HistEvent event;
    struct stat found;

    return stat(path, &found) != 0 || found.st_size == 0 ||
           history(list, &event, H_LOAD, path) >= 0;
}

/* Under the lock: read, add, write beside it, put it in its place. */
static void replace(const char *path, const char *entry, History *list)
{
    char beside[PATH_MAX + 8];
    HistEvent event;
    mode_t mask;

    if (!is_readable(path, list))
        return;
    history_enter(list, entry);
    snprintf(beside, sizeof beside, "%s.new", path);
    mask = umask(077);
    if (history(list, &event, H_SAVE, beside) < 0 || rename(beside, path) != 0)
        (void)unlink(beside);
    umask(mask);
}

void history_file_enter(const char *path, const char *entry)
{
    History *list;
    HistEvent event;
    int lock;

    if (!*path || strlen(entry) > HISTORY_ENTRY_BYTES_MAX)
        return;
    list = history_init();
    lock = lock_folder(path);
    if (list && lock >= 0) {
        history(list, &event, H_SETSIZE, HISTORY_MAX);
        replace(path, entry, list);
    }
    if (lock >= 0)
        close(lock);
    if (list)
        history_end(list);
}

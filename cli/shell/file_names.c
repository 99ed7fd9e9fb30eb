#include "cli/shell/file_names.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Opens the folder that was typed, up to its last slash. */
static bool open_folder(struct slice front, char path[PATH_MAX], DIR **folder)
{
    const char *home = getenv("HOME");
    int size;

    if (front.size == 0)
        size = snprintf(path, PATH_MAX, "./");
    else if (home && front.size >= 2 && memcmp(front.data, "~/", 2) == 0)
        size = snprintf(path, PATH_MAX, "%s%.*s", home, (int)front.size - 1, front.data + 1);
    else
        size = snprintf(path, PATH_MAX, "%.*s", SLICE_FORMAT(front));
    *folder = size < PATH_MAX ? opendir(path) : NULL;
    return *folder != NULL;
}

static bool is_folder(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat found;

    return snprintf(path, sizeof path, "%s%s", folder, name) < PATH_MAX &&
           stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool is_offered(const char *name, struct slice start)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (name[0] == '.' && start.size == 0))
        return false;
    return strncmp(name, start.data, start.size) == 0;
}

static int compare(const void *left, const void *right)
{
    const struct completion_candidate *a = left, *b = right;
    size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
    int order = memcmp(a->text.data, b->text.data, size);

    return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static enum status add_file_name(const char *folder, struct slice front, const char *name,
                                 struct arena *arena, struct completion *completion,
                                 struct error *err)
{
    struct slice text = arena_printf(arena, "%.*s%s%s", SLICE_FORMAT(front), name,
                                     is_folder(folder, name) ? "/" : "");

    if (!text.data)
        return fail_no_memory(err);
    completion->candidates[completion->count++] =
        (struct completion_candidate){.text = text, .after = ""};
    return STATUS_OK;
}

enum status file_names_find(struct slice typed, struct arena *arena, struct completion *completion,
                            struct error *err)
{
    const char *slash = memrchr(typed.data, '/', typed.size);
    struct slice front = {typed.data, slash ? (size_t)(slash + 1 - typed.data) : 0};
    struct slice start = {typed.data + front.size, typed.size - front.size};
    enum status status = STATUS_OK;
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *folder;

    if (!open_folder(front, path, &folder))
        return STATUS_OK;
    while (status == STATUS_OK && completion->count < COMPLETION_CANDIDATES_MAX &&
           (entry = readdir(folder)))
        if (is_offered(entry->d_name, start))
            status = add_file_name(path, front, entry->d_name, arena, completion, err);
    closedir(folder);
    qsort(completion->candidates, completion->count, sizeof *completion->candidates, compare);
    return status;
}

#include "base/process/memory_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t memory_of_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

/* The number in root/path/name; UINT64_MAX for no file, and for "max". */
static uint64_t read_limit(const char *root, const char *path, const char *name)
{
    char file_name[PATH_MAX];
    uint64_t limit = UINT64_MAX;
    FILE *file;

    if (snprintf(file_name, sizeof file_name, "%s%s/%s", root, path, name) >= (int)sizeof file_name)
        return UINT64_MAX;
    file = fopen(file_name, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    fclose(file);
    return limit;
}

/* The least limit of the group and of those that it is in. Inside of a container the upper folders
 * of the path may be missing, and the container's own files are those of the root. */
static uint64_t limit_of(const char *root, const char *path, const char *name)
{
    char group[PATH_MAX];
    uint64_t limit = UINT64_MAX;
    char *slash;

    if (snprintf(group, sizeof group, "%s", path) >= (int)sizeof group)
        return UINT64_MAX;
    while ((slash = strrchr(group, '/')) != NULL) {
        limit = least(limit, read_limit(root, group, name));
        *slash = '\0';
    }
    return least(limit, read_limit(root, "", name));
}

static bool has_memory(char *controllers)
{
    char *rest = NULL;

    for (char *name = strtok_r(controllers, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "memory") == 0)
            return true;
    return false;
}

/* "0::/user.slice" of version 2, "5:cpu,memory:/docker/abc" of version 1, whose folder of memory is
 * beside those of other controllers. */
static uint64_t limit_of_line(char *line, const char *root)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    char folder[PATH_MAX];

    if (!path)
        return UINT64_MAX;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (strstr(path, "/..")) /* a group outside of those that this process may see */
        path = "";
    if (controllers[1] == '\0') {
        if (snprintf(folder, sizeof folder, "%s/unified", root) >= (int)sizeof folder)
            return UINT64_MAX;
        return least(limit_of(root, path, "memory.max"), limit_of(folder, path, "memory.max"));
    }
    if (!has_memory(controllers + 1) ||
        snprintf(folder, sizeof folder, "%s/memory", root) >= (int)sizeof folder)
        return UINT64_MAX;
    return limit_of(folder, path, "memory.limit_in_bytes");
}

uint64_t memory_of_groups(const char *groups, const char *root)
{
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen(groups, "re");
    size_t capacity = 0;
    char *line = NULL;

    if (!file)
        return UINT64_MAX;
    while (getline(&line, &capacity, file) > 0)
        limit = least(limit, limit_of_line(line, root));
    free(line);
    fclose(file);
    return limit;
}

uint64_t memory_limit(void)
{
    return least(memory_of_machine(), memory_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

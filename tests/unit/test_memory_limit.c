#include "base/process/memory_limit.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"

#define MIB ((uint64_t)1 << 20)

struct groups {
    char folder[32], groups[PATH_MAX], root[PATH_MAX];
};

static struct groups make_groups(void)
{
    struct groups made = {.folder = "/tmp/totrain-test-XXXXXX"};

    CHECK(mkdtemp(made.folder) != NULL);
    snprintf(made.groups, sizeof made.groups, "%s/groups", made.folder);
    snprintf(made.root, sizeof made.root, "%s/root", made.folder);
    CHECK_INT(mkdir(made.root, 0700), 0);
    return made;
}

static void write_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "we");

    CHECK(file != NULL);
    CHECK(fputs(content, file) >= 0);
    CHECK_INT(fclose(file), 0);
}

/* A file below the root, and the folders that it is in. */
static void put(const struct groups *made, const char *name, const char *content)
{
    char path[2 * PATH_MAX];
    char *slash;

    snprintf(path, sizeof path, "%s/%s", made->root, name);
    slash = path + strlen(made->root) + 1;
    while ((slash = strchr(slash, '/')) != NULL) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash++ = '/';
    }
    write_file(path, content);
}

static void check_limit(const struct groups *made, const char *lines, uint64_t expected)
{
    uint64_t found;

    write_file(made->groups, lines);
    found = memory_of_groups(made->groups, made->root);
    if (found != expected)
        check_failed("%s: %llu, not %llu", lines, (unsigned long long)found,
                     (unsigned long long)expected);
}

static int remove_path(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_groups(const struct groups *made)
{
    CHECK_INT(nftw(made->folder, remove_path, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void the_lowest_limit_along_the_path_holds(void **state)
{
    const struct groups made = make_groups();
    (void)state;

    put(&made, "a/b/memory.max", "max\n");
    put(&made, "a/memory.max", "536870912\n");
    put(&made, "a/c/memory.max", "268435456\n");
    put(&made, "d/memory.max", "max\n");
    check_limit(&made, "0::/a/b\n", 512 * MIB);
    check_limit(&made, "0::/a/c\n", 256 * MIB);
    check_limit(&made, "0::/a/c/e\n", 256 * MIB);
    check_limit(&made, "0::/d\n", UINT64_MAX);
    check_limit(&made, "0::/\n", UINT64_MAX);
    remove_groups(&made);
}

/* Its own group is the root of what a container sees. */
static void a_container_has_the_limit_of_the_root(void **state)
{
    const struct groups made = make_groups();
    (void)state;

    put(&made, "memory.max", "1073741824\n");
    check_limit(&made, "0::/\n", 1024 * MIB);
    check_limit(&made, "0::/docker/abc\n", 1024 * MIB);
    check_limit(&made, "0::/../../other\n", 1024 * MIB);
    put(&made, "memory/memory.limit_in_bytes", "536870912\n");
    check_limit(&made, "5:memory:/docker/abc\n", 512 * MIB);
    remove_groups(&made);
}

static void version_1_has_memory_among_its_controllers(void **state)
{
    const struct groups made = make_groups();
    (void)state;

    put(&made, "memory/a/memory.limit_in_bytes", "67108864\n");
    put(&made, "memory/b/memory.limit_in_bytes", "9223372036854771712\n");
    put(&made, "unified/a/memory.max", "33554432\n");
    check_limit(&made, "4:cpu,memory:/a\n", 64 * MIB);
    check_limit(&made, "4:cpu,cpuset:/a\n", UINT64_MAX);
    check_limit(&made, "4:name=memory:/a\n", UINT64_MAX);
    check_limit(&made, "9:memory:/b\n", 9223372036854771712u);
    check_limit(&made, "9:memory:/b\n4:memory:/a\n", 64 * MIB);
    check_limit(&made, "9:memory:/a\n1:cpu:/\n0::/a\n", 32 * MIB);
    remove_groups(&made);
}

static void without_files_there_is_no_limit(void **state)
{
    const struct groups made = make_groups();
    (void)state;

    put(&made, "a/memory.max", "nonsense\n");
    check_limit(&made, "0::/a\n", UINT64_MAX);
    check_limit(&made, "", UINT64_MAX);
    check_limit(&made, "0\n1:memory\n::\n", UINT64_MAX);
    CHECK(memory_of_groups("/no/such/file", made.root) == UINT64_MAX);
    CHECK(memory_limit() > 0 && memory_limit() <= memory_of_machine());
    CHECK(memory_of_machine() < UINT64_MAX);
    remove_groups(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_limit_along_the_path_holds),
        cmocka_unit_test(a_container_has_the_limit_of_the_root),
        cmocka_unit_test(version_1_has_memory_among_its_controllers),
        cmocka_unit_test(without_files_there_is_no_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

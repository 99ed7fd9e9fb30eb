#include "k8s/client/access_find.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "k8s/client/kubeconfig.h"
#include "k8s/client/kubeconfig_choose.h"

/* Loads a list of files as kubectl does: among several, missing ones do not matter. */
static enum status load_list(const char *list, struct arena *arena, struct kubeconfig *config,
                             struct error *err)
{
    while (*list) {
        size_t size = strcspn(list, ":");
        struct slice path = arena_copy(arena, (struct slice){list, size});

        if (!path.data)
            return fail_no_memory(err);
        if (size > 0 && kubeconfig_load(path.data, arena, config, err) != STATUS_OK &&
            err->status != STATUS_NOT_FOUND)
            return err->status;
        list += size + (list[size] == ':');
    }
    return STATUS_OK;
}

static bool is_in_pod(void)
{
    return getenv("KUBERNETES_SERVICE_HOST") != NULL && access(ACCESS_POD_FOLDER, R_OK) == 0;
}

static enum status load(const struct access_choice *choice, struct arena *arena,
                        struct kubeconfig *config, bool *has_file, struct error *err)
{
    const char *list = getenv("KUBECONFIG"), *home = getenv("HOME");
    char path[PATH_MAX];

    *has_file = true;
    if (choice->kubeconfig)
        return kubeconfig_load(choice->kubeconfig, arena, config, err);
    if (list && *list)
        return load_list(list, arena, config, err);
    snprintf(path, sizeof path, "%s/.kube/config", home ? home : "");
    *has_file = access(path, F_OK) == 0;
    return *has_file ? kubeconfig_load(path, arena, config, err) : STATUS_OK;
}

static enum status copy_string(const char *from, struct arena *arena, const char **to,
                               struct error *err)
{
    *to = from ? arena_copy(arena, slice_of(from)).data : NULL;
    return from && !*to ? fail_no_memory(err) : STATUS_OK;
}

static enum status keep_choice(const struct access_choice *choice, struct arena *arena,
                               struct kube_access *found, struct error *err)
{
    struct access_choice *kept = ARENA_NEW(arena, struct access_choice, 1);

    if (!kept)
        return fail_no_memory(err);
    *kept = *choice;
    TRY(copy_string(choice->kubeconfig, arena, &kept->kubeconfig, err));
    TRY(copy_string(choice->context, arena, &kept->context, err));
    TRY(copy_string(choice->kube_namespace, arena, &kept->kube_namespace, err));
    found->choice = kept;
    return STATUS_OK;
}

enum status access_find(const struct access_choice *choice, struct arena *arena,
                        struct kube_access *found, struct error *err)
{
    struct kubeconfig_choice of_file = {.context = choice->context,
                                        .allows_exec = choice->allows_exec,
                                        .allows_insecure = choice->allows_insecure};
    struct kubeconfig config = {.clusters = NULL};
    bool has_file;

    TRY(load(choice, arena, &config, &has_file, err));
    if (has_file) {
        TRY(kubeconfig_choose(&config, &of_file, arena, found, err));
        if (!found->exec && found->token_file.size == 0)
            TRY(keep_choice(choice, arena, found, err));
    } else if (is_in_pod()) {
        TRY(access_in_cluster(ACCESS_POD_FOLDER, getenv("KUBERNETES_SERVICE_HOST"),
                              getenv("KUBERNETES_SERVICE_PORT"), arena, found, err));
    } else {
        return fail(err, STATUS_NOT_FOUND, "no kubeconfig names the cluster"),
               error_hint(err, "Say --kubeconfig FILE, or set KUBECONFIG.");
    }
    if (choice->kube_namespace)
        found->kube_namespace = slice_of(choice->kube_namespace);
    return access_check_namespace(found->kube_namespace, err);
}

/*
 * Whatever a kubeconfig holds, what is chosen from it is fit to be used: an
 * https server, a token that cannot end a line of an HTTP head, PEM. Files that
 * it names are not opened: such inputs are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "k8s/client/kubeconfig.h"
#include "k8s/client/kubeconfig_choose.h"

#define INPUT_BYTES_MAX 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool names_files(const struct kubeconfig *config)
{
    for (const struct kubeconfig_cluster *at = config->clusters; at; at = at->next)
        if (at->authority_file.value.data)
            return true;
    for (const struct kubeconfig_user *at = config->users; at; at = at->next)
        if (at->token_file.value.data || at->certificate_file.value.data || at->key_file.value.data)
            return true;
    return false;
}

static void check(const struct kube_access *access)
{
    struct error err;

    if (access_check_server(access->server, false, &err) != STATUS_OK || access->is_insecure ||
        access->exec || access_check_namespace(access->kube_namespace, &err) != STATUS_OK)
        abort();
    if (access->token.data && access_check_token(access->token, &err) != STATUS_OK)
        abort();
    if (!access->certificate.data != !access->key.data)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct kubeconfig config = {.clusters = NULL};
    struct kubeconfig_choice choice = {.context = NULL};
    struct kube_access access;
    struct error err;

    if (size > INPUT_BYTES_MAX)
        return 0;
    arena_init(&arena, ARENA_MAXIMUM);
    if (kubeconfig_read((struct slice){(const char *)data, size}, "folder/config", &arena, &config,
                        &err) == STATUS_OK &&
        !names_files(&config) &&
        kubeconfig_choose(&config, &choice, &arena, &access, &err) == STATUS_OK)
        check(&access);
    arena_deinit(&arena);
    return 0;
}

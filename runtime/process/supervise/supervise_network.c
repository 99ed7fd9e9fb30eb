#include "runtime/process/supervise/supervise_network.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum status supervise_network_open(struct supervise_network *network, const struct job *job,
                                   const char *listen, struct error *err)
{
    char *port;

    memset(network, 0, sizeof *network);
    network->reserved = -1;
    if (!listen)
        return STATUS_OK;
    if (!address_is_tcp(listen) || address_is_wildcard(listen)) {
        fail(err, STATUS_INVALID, "the job cannot use \"%s\"", listen);
        return error_hint(err, "Name an address of this machine, such as tcp:127.0.0.1:0.");
    }
    TRY(address_reserve(listen, &network->reserved, network->master, sizeof network->master, err));
    snprintf(network->workers, sizeof network->workers, "%s", network->master);
    port = strrchr(network->workers, ':');
    snprintf(port, sizeof network->workers - (size_t)(port - network->workers), ":0");
    return authority_new(job->id, time(NULL), &network->authority, err);
}

void supervise_network_close(struct supervise_network *network)
{
    authority_free(network->authority);
    if (network->reserved >= 0)
        close(network->reserved);
}

static enum status name_folder(const struct identity *who, const char *sockets,
                               char folder[PATH_MAX], struct error *err)
{
    const char *word = who->role == IDENTITY_WORKER ? "worker" : "server";
    int size = who->role == IDENTITY_MASTER
                   ? snprintf(folder, PATH_MAX, "%s/tls.master", sockets)
                   : snprintf(folder, PATH_MAX, "%s/tls.%s.%" PRIu32, sockets, word, who->index);

    return size < PATH_MAX ? STATUS_OK
                           : fail(err, STATUS_LIMIT, "the path of %s is too long", sockets);
}

enum status supervise_network_issue(const struct supervise_network *network,
                                    const struct identity *who, const char *sockets,
                                    char folder[PATH_MAX], struct error *err)
{
    struct credentials credentials;
    enum status status;

    TRY(name_folder(who, sockets, folder, err));
    credentials_init(&credentials);
    status = authority_issue(network->authority, who, time(NULL), &credentials, err);
    if (status == STATUS_OK)
        status = credentials_save(&credentials, folder, err);
    credentials_deinit(&credentials);
    return status;
}

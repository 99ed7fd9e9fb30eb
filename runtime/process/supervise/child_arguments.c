#include "runtime/process/supervise/child_arguments.h"

#include <inttypes.h>
#include <stdio.h>

static void add_argument(struct child_arguments *arguments, size_t *count, char *name, char *value)
{
    arguments->list[(*count)++] = name;
    arguments->list[(*count)++] = value;
}

/* Each process has a socket of its own: an earlier one of its index may still have its. */
static void name_addresses(struct child_arguments *arguments,
                           const struct supervise_network *network, const char *sockets,
                           const struct identity *who, uint32_t incarnation)
{
    if (network->authority) {
        snprintf(arguments->master, sizeof arguments->master, "%s", network->master);
        snprintf(arguments->listen, sizeof arguments->listen, "%s", network->workers);
    } else {
        snprintf(arguments->master, sizeof arguments->master, "unix:%s/master", sockets);
        snprintf(arguments->listen, sizeof arguments->listen, "unix:%s/%c%" PRIu32 ".%" PRIu32,
                 sockets, who->role == IDENTITY_SERVER ? 's' : 'w', who->index, incarnation);
    }
}

void child_arguments_list(struct child_arguments *arguments,
                          const struct supervise_network *network, const char *folder,
                          const char *sockets, const struct identity *who, uint32_t incarnation)
{
    static char *const commands[] = {
        [IDENTITY_MASTER] = "master", [IDENTITY_WORKER] = "worker", [IDENTITY_SERVER] = "ps"};
    const bool is_master = who->role == IDENTITY_MASTER;
    size_t count = 0;

    snprintf(arguments->folder, sizeof arguments->folder, "%s", folder);
    snprintf(arguments->index, sizeof arguments->index, "%" PRIu32, who->index);
    snprintf(arguments->incarnation, sizeof arguments->incarnation, "%" PRIu32, incarnation);
    name_addresses(arguments, network, sockets, who, incarnation);
    arguments->list[count++] = "totrain";
    add_argument(arguments, &count, commands[who->role], arguments->folder);
    add_argument(arguments, &count, "--listen", is_master ? arguments->master : arguments->listen);
    add_argument(arguments, &count, "--incarnation", arguments->incarnation);
    if (!is_master) {
        add_argument(arguments, &count, "--index", arguments->index);
        add_argument(arguments, &count, "--master", arguments->master);
    }
    if (arguments->tls[0])
        add_argument(arguments, &count, "--tls", arguments->tls);
    arguments->list[count] = NULL;
}

/*
 * job.metrics: 'PORT', 'IP:PORT' or '[IPv6]:PORT'. Names are not looked up: that
 * would make the address depend on the name server.
 */
#include "planner/training/metrics_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "params/terms.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static bool is_address(struct slice host)
{
    char text[IP_BYTES_MAX + 1];
    struct in6_addr parsed;

    if (host.size == 0 || host.size > IP_BYTES_MAX)
        return false;
    snprintf(text, sizeof text, "%.*s", SLICE_FORMAT(host));
    return strlen(text) == host.size &&
           (inet_pton(AF_INET, text, &parsed) == 1 || inet_pton(AF_INET6, text, &parsed) == 1);
}

/* Digits alone: no sign, no exponent. */
static bool read_port(struct slice text, uint32_t *port)
{
    int64_t value;

    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    if (!slice_to_integer(text, &value) || value > 65535)
        return false;
    *port = (uint32_t)value;
    return true;
}

bool metrics_address_read(struct slice text, struct slice *host, uint32_t *port)
{
    size_t colon = text.size;

    while (colon > 0 && text.data[colon - 1] != ':')
        colon--;
    *host = colon > 0 ? (struct slice){text.data, colon - 1} : SLICE("127.0.0.1");
    if (host->size > 1 && host->data[0] == '[' && host->data[host->size - 1] == ']')
        *host = (struct slice){host->data + 1, host->size - 2};
    return read_port((struct slice){text.data + colon, text.size - colon}, port) &&
           is_address(*host);
}

enum status metrics_address_plan(struct planning *planning, struct slice *served_host,
                                 uint32_t *port)
{
    const struct setting *setting = settings_find(planning, "job.metrics");
    struct slice host;

    if (!setting)
        return STATUS_OK;
    if (planning->catalog->limits.is_closed)
        return fail_at(planning->err, STATUS_PERMISSION, setting->name.position,
                       "job.metrics would open a port of the server's machine");
    if (!metrics_address_read(setting->value.text, &host, port)) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "job.metrics is 'PORT' or 'IP:PORT', not '%.*s'",
                SLICE_FORMAT(setting->value.text));
        return error_hint(
            planning->err,
            "Write, for example, '9090', '0.0.0.0:9090' or '[::1]:9090'; port 0 is any free one.");
    }
    return slice_keep(planning, host, served_host);
}

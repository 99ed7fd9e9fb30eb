#include "k8s/objects/policies.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "k8s/client/access.h"
#include "k8s/objects/manifest.h"

#define TEXT_MAX ((size_t)16 << 10)
#define PORT     "5432"
#define LABELS   "{\"app.kubernetes.io/name\":\"totrain\"}"

/* Reaches the API server, whose address a policy cannot name: the master, the submitter's pod of a
 * schedule, and the sharer. Prometheus may be in any namespace, under any label; it reads numbers
 * of jobs, at one port of one pod. */
static const char network[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"networking.k8s.io/v1\","
    "\"kind\":\"NetworkPolicy\",\"metadata\":{\"name\":\"totrain\",\"namespace\":\"%.*s\","
    "\"labels\":" LABELS "},\"spec\":{\"podSelector\":{\"matchLabels\":" LABELS
    "},\"policyTypes\":[\"Ingress\","
    "\"Egress\"],\"ingress\":[{\"from\":[{\"podSelector\":{\"matchLabels\":" LABELS
    "}}],\"ports\":["
    "{\"port\":%d},{\"port\":%d}]}],\"egress\":[{\"to\":[{\"podSelector\":{\"matchLabels\":" LABELS
    "}}],\"ports\":[{\"port\":%d},{\"port\":%d}]},{\"ports\":[{\"port\":53,\"protocol\":\"UDP\"},"
    "{\"port\":53,\"protocol\":\"TCP\"}]},{\"to\":[{\"ipBlock\":{\"cidr\":\"%.*s\"}}],\"ports\":["
    "{\"port\":%lld}]}]}},{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"NetworkPolicy\","
    "\"metadata\":{\"name\":\"totrain-api\",\"namespace\":\"%.*s\",\"labels\":" LABELS
    "},\"spec\":{"
    "\"podSelector\":{\"matchExpressions\":[{\"key\":\"totrain.dev/role\",\"operator\":"
    "\"In\",\"values\":[\"master\",\"submit\",\"share\"]}]},\"policyTypes\":[\"Egress\"],"
    "\"egress\":[{"
    "\"ports\":[{\"port\":443},{\"port\":6443}]}]}},{\"apiVersion\":\"networking.k8s.io/v1\","
    "\"kind\":\"NetworkPolicy\",\"metadata\":{\"name\":\"totrain-metrics\",\"namespace\":\"%.*s\","
    "\"labels\":" LABELS "},\"spec\":{\"podSelector\":{\"matchLabels\":{"
    "\"totrain.dev/role\":\"share\"}},\"policyTypes\":[\"Ingress\"],\"ingress\":[{\"from\":[{"
    "\"namespaceSelector\":{}}],\"ports\":[{\"port\":%d}]}]}}]}";

static const char disruption[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"policy/v1\",\"kind\":"
    "\"PodDisruptionBudget\",\"metadata\":{\"name\":\"totrain-workers\",\"namespace\":\"%.*s\","
    "\"labels\":" LABELS "},\"spec\":{\"minAvailable\":%lld,\"selector\":{\"matchLabels\":{"
    "\"app.kubernetes.io/name\":\"totrain\",\"totrain.dev/role\":\"worker\"}}}}]}";

/* "absent" also where Prometheus finds the pod and gets no answer from it. */
static const char monitor[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"monitoring.coreos.com/"
    "v1\","
    "\"kind\":\"PodMonitor\",\"metadata\":{\"name\":\"totrain-share\",\"namespace\":\"%.*s\","
    "\"labels\":" LABELS "},\"spec\":{\"selector\":{\"matchLabels\":{"
    "\"totrain.dev/role\":\"share\"}},\"podMetricsEndpoints\":[{\"port\":\"metrics\","
    "\"honorLabels\":true}]}},{\"apiVersion\":\"monitoring.coreos.com/v1\",\"kind\":"
    "\"PrometheusRule\",\"metadata\":{\"name\":\"totrain\",\"namespace\":\"%.*s\","
    "\"labels\":" LABELS "},\"spec\":{\"groups\":[{\"name\":\"totrain\",\"rules\":[{\"alert\":"
    "\"TotrainJobWaits\",\"expr\":"
    "\"totrain_job_workers < totrain_job_workers_least\",\"for\":\"30m\",\"labels\":{\"severity\":"
    "\"warning\"},\"annotations\":{\"summary\":\"{{ $labels.job }} in {{ $labels.namespace }} has "
    "had "
    "no room for its least workers for half an hour\"}},{\"alert\":\"TotrainJobsRest\",\"expr\":"
    "\"totrain_jobs{state=\\\"resting\\\"} > "
    "0\",\"for\":\"30m\",\"labels\":{\"severity\":\"warning\"},"
    "\"annotations\":{\"summary\":\"the quota of {{ $labels.namespace }} has had no room for {{ "
    "$value "
    "}} jobs for half an "
    "hour\"}},{\"alert\":\"TotrainShareIsGone\",\"expr\":\"absent(totrain_jobs)\","
    "\"for\":\"10m\",\"labels\":{\"severity\":\"warning\"},\"annotations\":{\"summary\":\"totrain "
    "k8s "
    "share has not reported for ten minutes; masters decide by themselves\"}}]}]}}]}";

static enum status print(const struct text *json, struct text *out, struct error *err)
{
    cJSON *list;
    enum status status;

    if (json->failed)
        return fail_no_memory(err);
    TRY(json_parse(text_slice(json), TEXT_MAX, &list, err));
    status = json_print(list, true, out, err);
    cJSON_Delete(list);
    return status;
}

/* "10.0.0.5/32:5432". The API server reads the address; here it must be able to stand in a text. */
static enum status split(struct slice database, struct slice *cidr, int64_t *port,
                         struct error *err)
{
    const struct slice text = database.size > 0 ? database : SLICE(POLICIES_ANYWHERE ":" PORT);
    size_t size = text.size;

    while (size > 0 && text.data[size - 1] != ':')
        size--;
    *cidr = (struct slice){text.data, size > 0 ? size - 1 : 0};
    if (size > 0 && size < 64 && memchr(text.data, '/', size) &&
        slice_to_integer((struct slice){text.data + size, text.size - size}, port) && *port > 0 &&
        *port < 65536 && strspn(text.data, "0123456789abcdefABCDEF.:/") >= text.size)
        return STATUS_OK;
    return fail(err, STATUS_INVALID,
                "a database is CIDR:PORT, such as 10.0.0.5/32:5432, not \"%.*s\"",
                SLICE_FORMAT(text));
}

static enum status check_name(struct slice kube_namespace, struct error *err)
{
    if (access_check_namespace(kube_namespace, err) == STATUS_OK)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "\"%.*s\" is not a valid name of a namespace",
                SLICE_FORMAT(kube_namespace));
}

enum status policies_print_network(struct slice kube_namespace, struct slice database,
                                   struct text *out, struct error *err)
{
    struct slice cidr;
    struct text json;
    enum status status;
    int64_t port;

    TRY(check_name(kube_namespace, err));
    TRY(split(database, &cidr, &port, err));
    text_init(&json, TEXT_MAX);
    text_printf(&json, network, SLICE_FORMAT(kube_namespace), MANIFEST_MASTER_PORT,
                MANIFEST_WORKER_PORT, MANIFEST_MASTER_PORT, MANIFEST_WORKER_PORT,
                SLICE_FORMAT(cidr), (long long)port, SLICE_FORMAT(kube_namespace),
                SLICE_FORMAT(kube_namespace), MANIFEST_METRICS_PORT);
    status = print(&json, out, err);
    text_deinit(&json);
    return status;
}

enum status policies_print_disruption(struct slice kube_namespace, int64_t workers,
                                      struct text *out, struct error *err)
{
    struct text json;
    enum status status;

    TRY(check_name(kube_namespace, err));
    text_init(&json, TEXT_MAX);
    text_printf(&json, disruption, SLICE_FORMAT(kube_namespace), (long long)workers);
    status = print(&json, out, err);
    text_deinit(&json);
    return status;
}

enum status policies_print_monitor(struct slice kube_namespace, struct text *out, struct error *err)
{
    struct text json;
    enum status status;

    TRY(check_name(kube_namespace, err));
    text_init(&json, TEXT_MAX);
    text_printf(&json, monitor, SLICE_FORMAT(kube_namespace), SLICE_FORMAT(kube_namespace));
    status = print(&json, out, err);
    text_deinit(&json);
    return status;
}

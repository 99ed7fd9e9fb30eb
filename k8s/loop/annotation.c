#include "k8s/loop/annotation.h"

#include <inttypes.h>
#include <stdio.h>

enum status annotation_start(struct loop *loop, struct client *client, const struct kube_job *job,
                             struct slice uid, const char *name, uint32_t number,
                             const struct exchange_reader *reader, struct exchange **exchange,
                             struct error *err)
{
    char text[16];

    snprintf(text, sizeof text, "%" PRIu32, number);
    return annotation_write(loop, client, job, uid, name, text, reader, exchange, err);
}

enum status annotation_write(struct loop *loop, struct client *client, const struct kube_job *job,
                             struct slice uid, const char *name, const char *text,
                             const struct exchange_reader *reader, struct exchange **exchange,
                             struct error *err)
{
    struct api_target target = {
        .kind = API_JOBS, .kube_namespace = job->kube_namespace, .name = job->name};
    cJSON *patch = cJSON_CreateObject(), *metadata = json_add_object(patch, "metadata");
    struct http_request request;
    enum status status;

    json_add_string(metadata, "uid", uid);
    json_add(json_add_object(metadata, "annotations"), name,
             text ? json_string(slice_of(text)) : cJSON_CreateNull());
    http_request_init(&request);
    status = api_patch(&request, &target, API_PATCH_MERGE, patch, err);
    cJSON_Delete(patch);
    if (status == STATUS_OK)
        return exchange_start(loop, client, &request, "annotate the Job", ANNOTATION_TRIES, reader,
                              exchange, err);
    http_request_deinit(&request);
    return status;
}

#include "runtime/record/job_pages.h"

#include <stdio.h>
#include <string.h>

#include "base/process/log.h"
#include "runtime/loop/loop_http.h"
#include "runtime/record/exposition.h"

static bool get_page(void *context, const char *path, struct text *page, const char **type)
{
    const struct job_pages *pages = context;

    if (strcmp(path, "/healthz") == 0) {
        text_append_string(page, "ok\n");
        *type = "text/plain; charset=utf-8";
        return true;
    }
    if (strcmp(path, "/metrics") != 0)
        return false;
    pages->write_metrics(pages->self, page);
    *type = EXPOSITION_TYPE;
    return true;
}

enum status job_pages_serve(struct job_pages *pages, struct loop *loop, const struct job *job,
                            bool is_first, struct error *err)
{
    const struct http_reader reader = {pages, get_page};
    char address[64];
    enum status status;

    pages->address[0] = '\0';
    if (job->spec.metrics_host.size == 0)
        return STATUS_OK;
    snprintf(address, sizeof address, "%.*s", SLICE_FORMAT(job->spec.metrics_host));
    status = loop_serve_http(loop, address, (uint16_t)job->spec.metrics_port, reader,
                             pages->address, sizeof pages->address, err);
    if (status == STATUS_OK) {
        log_info("serves http://%s/metrics", pages->address);
    } else if (!is_first) {
        pages->address[0] = '\0';
        log_warning("%s", err->message);
        error_clear(err);
        status = STATUS_OK;
    }
    return status;
}

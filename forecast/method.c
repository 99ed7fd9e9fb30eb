#include "forecast/method.h"

enum status fitting_check(const struct fitting *fitting, struct error *err)
{
    if (fitting->is_stopped && fitting->is_stopped(fitting->stop))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return STATUS_OK;
}

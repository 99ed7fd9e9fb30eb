#include "forecast/methods/method.h"

#include "base/stop.h"

enum status fitting_check(const struct fitting *fitting, uint64_t more, struct error *err)
{
    const struct stop stop = {fitting->is_stopped, fitting->stop};

    if (!fitting->is_stopped)
        return STATUS_OK;
    return fitting->steps ? stop_step(&stop, more, fitting->steps, err) : stop_ask(&stop, err);
}

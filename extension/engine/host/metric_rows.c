#include "extension/engine/host/metric_rows.h"

#include <math.h>

#include "extension/engine/host/sink.h"

struct cell metric_cell(double value)
{
    return isfinite(value) ? cell_real(value) : cell_null();
}

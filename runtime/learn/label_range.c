#include "runtime/learn/label_range.h"

#include <math.h>

struct label_range label_range_of(const struct jobspec *spec, const struct dataset *dataset)
{
    const size_t label = spec->input_count;
    const struct spool_column_summary *train = &dataset->spool.summaries[label];
    struct label_range range = {train->least, train->greatest};

    if (spec->has_validation) {
        const struct spool_column_summary *other = &dataset->validation_spool.summaries[label];

        range.least = fmin(range.least, other->least);
        range.greatest = fmax(range.greatest, other->greatest);
    }
    return range;
}

#include "jobspec/job_size.h"

#include "params/attribute.h"

#define JOB_EPOCHS_LEAST   10  /* least epochs of train.epoch = 'auto' */
#define JOB_HELD_OUT_SHARE .1  /* share of train.test_size = 'auto' */
#define JOB_HELD_OUT_LEAST 500 /* rows */

bool job_fits_final_step(const struct jobspec *spec)
{
    struct threshold_choice choice;

    if (spec->calibration != CALIBRATION_NONE)
        return true;
    return spec->threshold.size > 0 && threshold_choice_parse(spec->threshold, &choice) &&
           choice.rule != THRESHOLD_NUMBER;
}

bool job_needs_held_out(const struct jobspec *spec)
{
    return spec->early_stopping > 0 || job_fits_final_step(spec);
}

struct job_held_out job_held_out(double test_size, bool has_validation, bool are_needed,
                                 bool has_label)
{
    if (has_validation || (test_size == REAL_AUTOMATIC && !has_label))
        return (struct job_held_out){0};
    if (test_size != REAL_AUTOMATIC)
        return (struct job_held_out){test_size, 0};
    return (struct job_held_out){JOB_HELD_OUT_SHARE, are_needed ? 0 : JOB_HELD_OUT_LEAST};
}

uint32_t job_lane_rows(uint64_t parameters)
{
    return parameters < 32000 ? 16 : parameters < 1000000 ? 64 : 256;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t job_lanes(uint32_t asked, uint32_t most, uint32_t batch, uint64_t parameters)
{
    const uint32_t lanes = asked ? asked : least(batch / job_lane_rows(parameters), most);

    if (parameters > JOB_SHARED_PARAMETERS_MAX || lanes < 1)
        return 1;
    return least(lanes, batch);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t epochs_of_steps(uint32_t steps, uint32_t batch, uint64_t rows)
{
    const uint64_t steps_of_epoch = (rows - 1) / batch + 1;

    return (steps + steps_of_epoch - 1) / steps_of_epoch;
}

uint32_t job_epochs(uint32_t asked, struct kind_length length, uint32_t batch, uint64_t rows)
{
    uint64_t epochs = JOB_EPOCHS_LEAST, most;

    if (asked > 0 || rows == 0)
        return asked > 0 ? asked : JOB_EPOCHS_LEAST;
    most = epochs_of_steps(length.steps_most, batch, rows);
    epochs = greater(epochs, most < length.epochs ? most : length.epochs);
    return (uint32_t)greater(epochs, epochs_of_steps(length.steps_least, batch, rows));
}

double job_learner_bytes(const struct kind_cost *cost, bool keeps_best, double rows)
{
    return cost->bytes + (keeps_best ? cost->parameters * sizeof(float) : 0) +
           cost->row_bytes * rows;
}

uint64_t job_learner_bytes_max(uint64_t memory)
{
    return memory > 0 && memory < JOB_LEARNER_BYTES_MAX ? memory : JOB_LEARNER_BYTES_MAX;
}

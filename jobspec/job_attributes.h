/*
 * job_attributes.h - the attributes of WITH that no kind of model has to itself.
 *
 * Those with a place in memory have it in struct jobspec: of training (rows, epochs, batches) and
 * of the job (workers, checkpoints).
 */
#ifndef JOBSPEC_JOB_ATTRIBUTES_H
#define JOBSPEC_JOB_ATTRIBUTES_H

#include "params/attribute.h"

extern const struct attribute_table job_attributes;

#endif

#include "jobspec/job_attributes.h"

#include "jobspec/jobspec.h"
#include "params/attribute_rows.h"

ATTRIBUTE_TABLE(job_attributes, struct jobspec, JOB_ATTRIBUTES)

#include "jobspec/job_attributes.h"

#include "jobspec/jobspec.h"
#include "params/attribute_rows.h"

/* scikit-learn's names. */
const struct word_alias report_aliases[] = {{"confusion_matrix", "confusion"},
                                            {"classification_report", "classes"},
                                            {"roc_curve", "roc"},
                                            {"pr_curve", "pr"},
                                            {"precision_recall", "pr"},
                                            {"precision_recall_curve", "pr"},
                                            {"calibration_curve", "calibration"},
                                            {"lift", "gain"},
                                            {"cumulative_gain", "gain"},
                                            {NULL, NULL}};

ATTRIBUTE_TABLE(job_attributes, struct jobspec, JOB_ATTRIBUTES)

/*
 * rights.h - what each account may do in a namespace of ours: one table for the roles
 * that are printed and for the check whether they are in force.
 */
#pragma once

#include "k8s/client/api.h"

#define RIGHTS_MASTER    "totrain"
#define RIGHTS_SUBMITTER "totrain-submitter"
#define RIGHTS_SCHEDULE  "totrain-schedule"
#define RIGHTS_SHARE     "totrain-share"

struct right {
    enum api_kind kind;
    const char *subresource; /* NULL: the object itself */
    const char *verbs;       /* separated by blanks */
};

enum rights_role {
    RIGHTS_OF_MASTER,
    RIGHTS_OF_SUBMITTER,
    RIGHTS_OF_SCHEDULE,
    RIGHTS_OF_SHARE,
    RIGHTS_OF_NODES
};
const struct right *rights_of(enum rights_role role, size_t *count);

/*
 * A List to be applied once, by an administrator of the cluster: the namespace with Pod
 * Security "restricted", a quota, and an account with a role of least rights for
 * the master, one for the submitter, and one for the pods of schedules. INVALID for a name that is
 * no namespace.
 */
struct rights_limits {
    int64_t pods;
    struct slice cpu, memory; /* quantities */
};
enum status rights_print(struct slice kube_namespace, const struct rights_limits *limits,
                         struct text *out, struct error *err);

/* A List of the PriorityClasses of kube_job.h, in three bands: values below 0, so that services
 * come before all jobs. A cluster has them once. */
enum status rights_print_classes(struct text *out, struct error *err);
/* The needs of `totrain k8s share`: an account in the first of the namespaces, a ClusterRole by
 * which it sees nodes and pods, a Role in each namespace, and a Deployment of this image. INVALID,
 * LIMIT.
 */
enum status rights_print_share(struct slice namespaces, struct slice image, struct text *out,
                               struct error *err);

/* A warning for an administrator who grants these rights. */
extern const char rights_warning[];

/* SelfSubjectAccessReview: may I do this? */
cJSON *rights_review(struct slice kube_namespace, const struct right *right, struct slice verb);
/* Its answer; PROTOCOL where it is none. */
enum status rights_review_read(const cJSON *answer, bool *is_allowed, struct error *err);

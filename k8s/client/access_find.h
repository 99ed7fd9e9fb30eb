/*
 * access_find.h - finds the cluster that is meant, in one of several places.
 *
 * Credentials that stand in a kubeconfig are renewed by writing the file anew: what was found keeps
 * the choice, by which it is found again.
 */
#pragma once

#include "k8s/client/access.h"

struct access_choice {
    /* A file. NULL: as kubectl does, those that KUBECONFIG names, else ~/.kube/config; where there
     * is none, what a pod has. */
    const char *kubeconfig;
    const char *context;        /* NULL: the file's current one */
    const char *kube_namespace; /* NULL: the context's */
    bool allows_exec, allows_insecure;
};

/* NOT_FOUND with a hint where no place names one. */
enum status access_find(const struct access_choice *choice, struct arena *arena,
                        struct kube_access *access, struct error *err);

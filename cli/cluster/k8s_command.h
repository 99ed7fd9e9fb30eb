/*
 * k8s_command.h - `totrain k8s rbac` and `totrain k8s check`: the rights that
 * jobs need in a namespace, printed to be applied and asked for.
 */
#ifndef CLI_CLUSTER_K8S_COMMAND_H
#define CLI_CLUSTER_K8S_COMMAND_H

int command_k8s(int argc, char **argv);

#endif

/*
 * k8s_command.h - `totrain k8s rbac` and `totrain k8s check`: the rights that
 * jobs need in a namespace, printed to be applied and asked for.
 */
#pragma once

int command_k8s(int argc, char **argv);

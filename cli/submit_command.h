/*
 * submit_command.h - `totrain submit`: a job spec as objects of Kubernetes.
 */
#pragma once

int command_submit(int argc, char **argv);

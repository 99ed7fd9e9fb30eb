/*
 * submit_command.h - `totrain submit`: a job spec as objects of Kubernetes.
 */
#ifndef CLI_SUBMIT_COMMAND_H
#define CLI_SUBMIT_COMMAND_H

int command_submit(int argc, char **argv);

#endif

/*
 * role_commands.h - `totrain supervise`, `master`, `worker` and `ps`: the roles of a
 * job's processes. The doors start the supervisor, the supervisor the others;
 * people rarely do.
 */
#pragma once

/* argv[0] is the command's word. Each returns the exit code. */
int command_supervise(int argc, char **argv);
int command_master(int argc, char **argv);
int command_worker(int argc, char **argv);
int command_ps(int argc, char **argv);

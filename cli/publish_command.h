/*
 * publish_command.h - `totrain publish FOLDER`, a child of a detached job's
 * supervisor: the model that the job has learned goes into its database.
 */
#ifndef CLI_PUBLISH_COMMAND_H
#define CLI_PUBLISH_COMMAND_H

/* argv[0] is the command's own name. The exit code. */
int command_publish(int argc, char **argv);

#endif

/*
 * scale_command.h - another number of workers, or of parameter servers, for a running job.
 */
#ifndef CLI_SCALE_COMMAND_H
#define CLI_SCALE_COMMAND_H

/* totrain scale ID N, totrain scale ID --ps N, or both. Returns the program's exit code. */
int command_scale(int argc, char **argv);

#endif

/*
 * scale_command.h - another number of workers, or of parameter servers, for a running job.
 */
#pragma once

/* totrain scale ID N, totrain scale ID --ps N, or both. Returns the program's exit code. */
int command_scale(int argc, char **argv);

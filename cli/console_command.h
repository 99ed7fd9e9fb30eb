/*
 * console_command.h - totrain console DB [PORT].
 */
#ifndef CLI_CONSOLE_COMMAND_H
#define CLI_CONSOLE_COMMAND_H

/* Returns the program's exit code. */
int command_console(int argc, char **argv);

#endif

/*
 * console_command.h - totrain console DB [PORT].
 */
#pragma once

/* Returns the program's exit code. */
int command_console(int argc, char **argv);

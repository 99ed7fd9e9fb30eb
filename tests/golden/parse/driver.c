/*
 * driver.c - `totrain parse` alone, so that its golden files need no runtime.
 */
#include "cli/parse_command.h"

int main(int argc, char **argv)
{
    return command_parse(argc, argv);
}

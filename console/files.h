/*
 * files.h - the files of the page, which the build makes C of (console/CMakeLists.txt).
 */
#pragma once

#include <stddef.h>

extern const unsigned char console_page[], console_script[], console_sheet[], console_icon[];
extern const size_t console_page_size, console_script_size, console_sheet_size, console_icon_size;

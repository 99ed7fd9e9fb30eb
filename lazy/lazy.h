/*
 * lazy.h - libraries that are loaded when something needs them for the first time.
 *
 * libpq and libcurl bring thirty libraries with them (Kerberos, LDAP, GnuTLS), whose
 * loading takes two thirds of the start of a process: `totrain` starts three or four for
 * each job, and most jobs connect to nothing. So the program is linked without them. A
 * header here (pq.h, curl.h) has the library's own declarations and turns its
 * calls into calls through a table, which is filled once.
 */
#pragma once

#include "base/error.h"

struct lazy_symbol {
    const char *name;
    void **address; /* where it goes */
};

/* CONNECTION, naming the library, when it is not installed or lacks a symbol. Stays
 * loaded. Not for two threads at a time. */
enum status lazy_load(const char *library, const struct lazy_symbol *symbols, size_t count,
                      struct error *err);

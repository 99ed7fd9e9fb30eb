/*
 * compat.h - PostgreSQL's headers, and what differs between its versions 15 to 18.
 *
 * The first header of every file of the module. Only these files see the server;
 * what they share with the program goes through database.h.
 */
#pragma once

/* Our files are compiled with hidden symbols, as 16 compiles modules; 15 has no such macro. */
#define PGDLLEXPORT __attribute__((visibility("default")))
#include <postgres.h>

/* PostgreSQL has macros of these names; ours is an enum (base/error.h), in which
 * OK is 0 as well. */
#undef STATUS_OK
#undef STATUS_ERROR
#undef STATUS_EOF

#include <fmgr.h>
#include <miscadmin.h>
#include <utils/builtins.h>

/* 16 has what reads variable-length values in a header of its own. */
#if PG_VERSION_NUM >= 160000
#include <varatt.h>
#endif

/* 18 has the limit of backends there. */
#if PG_VERSION_NUM >= 180000
#include <storage/procnumber.h>
#endif

#if PG_VERSION_NUM < 150000
#error "totrain needs PostgreSQL 15 or later"
#endif

/* A function of SQL. 15 does not export it. */
#define SQL_FUNCTION(name)                                                                         \
    PGDLLEXPORT Datum name(PG_FUNCTION_ARGS);                                                      \
    PG_FUNCTION_INFO_V1(name)

/* 16 has the settings in a table of its own. */
#if PG_VERSION_NUM >= 160000
#define COMPAT_GUC_VARIABLES(count) get_guc_variables(count)
#else
#define COMPAT_GUC_VARIABLES(count) (*(count) = GetNumConfigOptions(), get_guc_variables())
#endif

/* 17 has another name for it. */
#if PG_VERSION_NUM >= 170000
#define COMPAT_OLDEST_TRANSACTION (TransamVariables->oldestXid)
#else
#define COMPAT_OLDEST_TRANSACTION (ShmemVariableCache->oldestXid)
#endif

/* 16 has another name for the status of one of the backends, which are counted from 1. */
#if PG_VERSION_NUM >= 160000
#define COMPAT_LOCAL_BACKEND(index) pgstat_get_local_beentry_by_index(index)
#else
#define COMPAT_LOCAL_BACKEND(index) pgstat_fetch_stat_local_beentry(index)
#endif

/* 18 no longer asks whether a portal is run only once. */
#if PG_VERSION_NUM >= 180000
#define COMPAT_PORTAL_RUN(portal, receiver, completion)                                            \
    PortalRun(portal, FETCH_ALL, true, receiver, receiver, completion)
#else
#define COMPAT_PORTAL_RUN(portal, receiver, completion)                                            \
    PortalRun(portal, FETCH_ALL, true, true, receiver, receiver, completion)
#endif

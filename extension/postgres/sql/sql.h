/*
 * sql.h - words of PostgreSQL's SQL that statements of ours are made of.
 */
#pragma once

/* Operators by their schema: a search_path may put others before pg_catalog's. */
#define EQ " OPERATOR(pg_catalog.=) "
#define NE " OPERATOR(pg_catalog.<>) "
#define LT " OPERATOR(pg_catalog.<) "

/* Any role may own a schema of its name; a superuser has made the extension. */
#define EXTENSION_IS_THERE                                                                         \
    "EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname" EQ "'totrain')"

/* The name by which any session finds pg_type t of pg_namespace n, and whether predictions can be
 * of this type. A domain cannot: its checks are functions of its owner. */
#define PG_TYPE_NAME "pg_catalog.format('%I.%I', n.nspname, t.typname)"
#define PG_LABEL_TYPE                                                                              \
    "(t.typtype" EQ "'e' OR n.nspname" EQ "'pg_catalog' AND t.typname OPERATOR(pg_catalog.=) ANY " \
    "('{bool,int2,int4,int8,float4,float8,numeric,text,varchar,bpchar,name,uuid,date,timestamp,"   \
    "timestamptz}'::pg_catalog.name[]))"

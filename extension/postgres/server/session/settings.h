/*
 * settings.h - what can be SET: totrain.*, with PostgreSQL's own contexts.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

struct settings {
    /* any user */
    bool bare_statements;
    int progress_interval; /* milliseconds between two NOTICEs; -1: none */
    int seed;              /* for a statement without train.seed */
    int kept_versions;     /* older versions that stay with a model */
    int model_memory; /* most of a model that a session loads, in kB; 0: by the memory there is */
    int model_cache;  /* most of the models that it keeps between statements, in kB */
    char *failure_command; /* one of failure_commands by its name; empty: none */
    /* set by superusers, and by roles that have been granted SET on them */
    int max_workers; /* per job */
    int max_memory;  /* per process of a job, in kB; 0: no limit */
    int max_jobs_per_role;
    int max_background_jobs; /* at a time; -1: no limit */
    /* postgresql.conf */
    char *program;          /* path of `totrain` */
    char *job_schema;       /* where jobs that others run have their tables */
    char *job_login;        /* the role as which their processes log in; empty: there are none */
    char *failure_commands; /* "name=program, ..." */
    /* jobs on Kubernetes */
    bool enable_kubernetes;
    char *kubeconfig; /* empty: what a pod has, where the server is one */
    char *kubernetes_namespace;
    char *kubernetes_resource; /* each worker asks for one of these; empty: none */
    char *images;              /* "name=image, ..." */
    char *priority_classes;    /* "name, ..." */
    int kubernetes_cpu_limit;  /* in hundredths of what a pod asks for; 0: none */
    char *default_priority;    /* one of them; empty: none */
    char *profiles;            /* "name, ..."; empty: none */
    char *profile_file;        /* with these profiles; empty: none */
    char *database_secret;     /* with the login of the jobs' processes */
    char *state_directory;     /* where jobs have their folders; empty: in the data directory */
};

extern struct settings settings;

void settings_define(void);

struct host; /* extension/engine/host/host.h */
/* Sets what the settings say of memory: session.memory_max, catalog.limits.model_memory. */
void settings_limit_memory(struct host *host);

/*
 * Where the jobs of a role in this database are, STATE/DATABASE/ROLE by their OIDs: an
 * absolute path, in the caller's memory context. As each role has its own folder, no other role
 * sees its jobs or ends them.
 */
char *settings_state(Oid role);
char *settings_state_of(Oid database, Oid role); /* where no database is connected yet, too */
char *settings_state_root(void);

/* For messages to others than a superuser: the path of that folder becomes the setting's name. */
const char *settings_hide_state(const char *text);

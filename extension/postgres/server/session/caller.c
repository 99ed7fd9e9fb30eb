#include "extension/postgres/server/session/caller.h"

#include <stdio.h>
#include <unistd.h>

#include <access/xact.h>
#include <utils/acl.h>
#include <utils/guc.h>
#include <utils/guc_tables.h>
#include <utils/syscache.h>

#include "base/json.h"
#include "extension/postgres/server/session/session.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_sync.h"

#define CALLER_FILE      "caller.json"
#define CALLER_BYTES_MAX ((size_t)1 << 20)
#define SETTINGS_MAX     1024

/* Both in the server's encoding. */
struct caller_setting {
    const char *name, *value;
};

/* ----- writing ----- */

/* Is it a setting that a session cannot set again, or a state rather than a setting? */
static bool is_left_out(const struct config_generic *setting)
{
    static const char *const names[] = {"client_encoding",
                                        "is_superuser",
                                        "role",
                                        "seed",
                                        "session_authorization",
                                        "transaction_deferrable",
                                        "transaction_isolation",
                                        "transaction_read_only"};

    if (setting->source < PGC_S_CLIENT || (setting->flags & GUC_SUPERUSER_ONLY) ||
        (setting->context != PGC_USERSET && setting->context != PGC_SUSET))
        return true;
    for (size_t i = 0; i < lengthof(names); i++)
        if (strcmp(setting->name, names[i]) == 0)
            return true;
    return false;
}

static void add_settings(cJSON *array)
{
    int count;
    struct config_generic **settings = COMPAT_GUC_VARIABLES(&count);

    for (int i = 0; i < count; i++) {
        const char *value;
        cJSON *entry;

        if (is_left_out(settings[i]))
            continue;
        value = GetConfigOptionByName(settings[i]->name, NULL, false);
        entry = cJSON_CreateObject();
        json_add_string(entry, "name", session_shown(settings[i]->name));
        json_add_string(entry, "value", session_shown(value));
        json_append(array, entry);
    }
}

static void fill(cJSON *object)
{
    Oid user;
    int security;

    GetUserIdAndSecContext(&user, &security);
    json_add_integer(object, "session_user", GetSessionUserId());
    json_add_integer(object, "role", GetCurrentRoleId());
    json_add_integer(object, "user", user);
    json_add_integer(object, "security", security);
    add_settings(json_add_array(object, "settings"));
}

static enum status write_file(const struct job_folder *folder, const cJSON *object,
                              struct error *err)
{
    enum status status;
    struct text text;

    text_init(&text, CALLER_BYTES_MAX);
    status = json_print(object, false, &text, err);
    if (status == STATUS_OK)
        status = job_folder_write(folder, CALLER_FILE, text_slice(&text), err);
    if (status == STATUS_OK) /* without it nobody follows the job after a power cut */
        status = job_sync(folder->path, err);
    text_deinit(&text);
    return status;
}

void caller_write(const struct job_folder *folder)
{
    cJSON *object = cJSON_CreateObject();
    volatile enum status status = STATUS_OK;
    struct error err;

    error_clear(&err);
    PG_TRY();
    {
        fill(object);
        status = write_file(folder, object, &err);
    }
    PG_FINALLY();
    {
        cJSON_Delete(object);
    }
    PG_END_TRY();
    if (status != STATUS_OK)
        ereport(ERROR, (errcode(ERRCODE_IO_ERROR), errmsg_internal("%s", err.message)));
}

bool caller_is_written(const char *folder)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/" CALLER_FILE, folder) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* ----- reading ----- */

static enum status read_oid(const cJSON *object, const char *name, Oid *oid, struct error *err)
{
    int64_t number;

    TRY(json_get_integer(object, name, 0, OID_MAX, &number, err));
    *oid = (Oid)number;
    return STATUS_OK;
}

static char *keep(struct slice text)
{
    return pnstrdup(text.data, text.size);
}

static enum status read_settings(const cJSON *array, struct caller *caller, struct error *err)
{
    const cJSON *entry;

    caller->settings = palloc0(sizeof *caller->settings * SETTINGS_MAX);
    cJSON_ArrayForEach(entry, array)
    {
        struct slice name, value;

        TRY(json_get_string(entry, "name", &name, err));
        TRY(json_get_string(entry, "value", &value, err));
        caller->settings[caller->count++] = (struct caller_setting){keep(name), keep(value)};
    }
    return STATUS_OK;
}

static enum status read_object(const cJSON *object, struct caller *caller, struct error *err)
{
    const cJSON *settings;
    int64_t security;

    TRY(read_oid(object, "session_user", &caller->session_user, err));
    TRY(read_oid(object, "role", &caller->role, err));
    TRY(read_oid(object, "user", &caller->user, err));
    TRY(json_get_integer(object, "security", 0, PG_INT32_MAX, &security, err));
    caller->security = (int)security;
    TRY(json_get_array(object, "settings", SETTINGS_MAX, &settings, err));
    return read_settings(settings, caller, err);
}

static enum status read_text(const char *path, struct text *text, struct error *err)
{
    FILE *file = fopen(path, "re");
    char bytes[4096];
    size_t size;
    bool failed;

    if (!file)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append(text, (struct slice){bytes, size});
    failed = ferror(file) || text->failed;
    fclose(file);
    return failed ? fail(err, STATUS_IO, "cannot read %s", path) : STATUS_OK;
}

enum status caller_read(const struct job_folder *folder, struct caller *caller, struct error *err)
{
    char path[PATH_MAX];
    struct text text;
    enum status status;
    cJSON *object = NULL;

    *caller = (struct caller){.settings = NULL};
    TRY(job_folder_file(folder, CALLER_FILE, path, err));
    text_init(&text, CALLER_BYTES_MAX);
    status = read_text(path, &text, err);
    if (status == STATUS_OK)
        status = json_parse(text_slice(&text), CALLER_BYTES_MAX, &object, err);
    text_deinit(&text);
    TRY(status);
    status = read_object(object, caller, err);
    cJSON_Delete(object);
    return status;
}

/* ----- becoming ----- */

static bool is_dropped(Oid role)
{
    return !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role));
}

char *caller_refusal(const struct caller *caller)
{
    if (is_dropped(caller->user) || (OidIsValid(caller->role) && is_dropped(caller->role)))
        return pstrdup("the role that submitted the job was dropped");
    if (OidIsValid(caller->role) && !is_member_of_role(caller->session_user, caller->role))
        return psprintf("role \"%s\" may not act as role \"%s\" any more",
                        GetUserNameFromId(caller->session_user, true),
                        GetUserNameFromId(caller->role, true));
    return NULL;
}

static void set(const struct caller *caller)
{
    const bool is_superuser = superuser_arg(caller->session_user);

    for (size_t i = 0; i < caller->count; i++) {
        const struct caller_setting *setting = &caller->settings[i];
        const char *value = session_from_utf8(slice_of(setting->value));

        (void)set_config_option(session_from_utf8(slice_of(setting->name)), value,
                                is_superuser ? PGC_SUSET : PGC_USERSET, PGC_S_SESSION,
                                GUC_ACTION_SET, true, WARNING, false);
    }
}

void caller_become(const struct caller *caller)
{
    const char *refusal;
    bool is_superuser;

    StartTransactionCommand();
    refusal = caller_refusal(caller);
    if (refusal)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg_internal("%s", refusal)));
    set(caller);
    is_superuser = superuser_arg(OidIsValid(caller->role) ? caller->role : caller->session_user);
    CommitTransactionCommand();
    SetCurrentRoleId(caller->role, is_superuser);
    SetUserIdAndSecContext(caller->user, caller->security);
}

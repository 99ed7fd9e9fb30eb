#include "k8s/job/profile.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/whole_file.h"

#define KEY_BYTES_MAX   317 /* a prefix of 253, a slash, a name of 63 */
#define ITEMS_MAX       64
#define CPU_LIMIT_LEAST 100

/* ----- the members ----- */

enum member_kind {
    MEMBER_TEXT,    /* a slice of the job */
    MEMBER_NUMBER,  /* an int64_t of the job */
    MEMBER_CPU,     /* the same, as a quantity */
    MEMBER_MEMORY,  /* the same */
    MEMBER_FLAG,    /* a bool of the job */
    MEMBER_TEXTS,   /* from here on: of its Pods. An object of texts */
    MEMBER_OBJECT,  /* an object of Kubernetes */
    MEMBER_OBJECTS, /* an array of them */
    MEMBER_NAME,    /* a name of an object */
    MEMBER_NAMES    /* an array of them */
};

static const char *const expected[] = {
    [MEMBER_TEXT] = "a text that is not empty",
    [MEMBER_NUMBER] = "a whole number",
    [MEMBER_CPU] = "processors as \"200m\" or \"2\"",
    [MEMBER_MEMORY] = "memory as \"512Mi\"",
    [MEMBER_FLAG] = "true or false",
    [MEMBER_TEXTS] = "an object of texts",
    [MEMBER_OBJECT] = "an object, as in a Pod",
    [MEMBER_OBJECTS] = "an array of objects, as in a Pod",
    [MEMBER_NAME] = "a name of a-z, 0-9, - and .",
    [MEMBER_NAMES] = "an array of names of a-z, 0-9, - and .",
};

#define PLACE(member) offsetof(struct kube_job, member)

static const struct member {
    const char *name;
    enum member_kind kind;
    size_t place; /* in struct kube_job */
    int64_t least, most;
} members[] = {
    {"namespace", MEMBER_TEXT, PLACE(kube_namespace), 0, 0},
    {"database_secret", MEMBER_TEXT, PLACE(database_secret), 0, 0},
    {"resource", MEMBER_TEXT, PLACE(slot_resource), 0, 0},
    {"priority", MEMBER_TEXT, PLACE(priority_class), 0, 0},
    {"keep_seconds", MEMBER_NUMBER, PLACE(keep_s), 0, KUBE_JOB_SECONDS_MAX},
    {"deadline_seconds", MEMBER_NUMBER, PLACE(deadline_s), 1, KUBE_JOB_SECONDS_MAX},
    {"cpu_limit", MEMBER_NUMBER, PLACE(cpu_limit_percent), CPU_LIMIT_LEAST,
     KUBE_JOB_CPU_LIMIT_PERCENT_MAX},
    {"master_cpu", MEMBER_CPU, PLACE(master_cpu_m), 0, 0},
    {"master_memory", MEMBER_MEMORY, PLACE(master_memory), 0, 0},
    {"read_only_root", MEMBER_FLAG, PLACE(has_read_only_root), 0, 0},
    {"node_selector", MEMBER_TEXTS, 0, 0, 0},
    {"labels", MEMBER_TEXTS, 0, 0, 0},
    {"annotations", MEMBER_TEXTS, 0, 0, 0},
    {"affinity", MEMBER_OBJECT, 0, 0, 0},
    {"tolerations", MEMBER_OBJECTS, 0, 0, 0},
    {"pull_secrets", MEMBER_NAMES, 0, 0, 0},
    {"runtime_class", MEMBER_NAME, 0, 0, 0},
    {"scheduler", MEMBER_NAME, 0, 0, 0},
    {"queue", MEMBER_NAME, 0, 0, 0},
};

#define MEMBER_COUNT (sizeof members / sizeof *members)

static const struct member *find_member(const char *name)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

static enum status refuse_unknown(const char *name, struct error *err)
{
    const char *candidates[MEMBER_COUNT];
    int nearest;

    for (size_t i = 0; i < MEMBER_COUNT; i++)
        candidates[i] = members[i].name;
    nearest = text_nearest(slice_of(name), candidates, MEMBER_COUNT);
    fail(err, STATUS_INVALID, "a profile has no member \"%.64s\"", name);
    return nearest < 0 ? error_hint(err, "docs/kubernetes.md lists the members.")
                       : error_hint(err, "Did you mean %s?", candidates[nearest]);
}

static enum status refuse_value(const struct member *member, struct error *err)
{
    return fail(err, STATUS_INVALID, "\"%s\" is %s", member->name, expected[member->kind]);
}

/* ----- what Pods have ----- */

/* Labels and annotations of ours decide what the program does. */
static enum status check_texts(const struct member *member, const cJSON *value, struct error *err)
{
    const cJSON *item;

    if (!cJSON_IsObject(value) || cJSON_GetArraySize(value) > ITEMS_MAX)
        return refuse_value(member, err);
    cJSON_ArrayForEach(item, value)
    {
        const struct slice key = slice_of(item->string);

        if (!cJSON_IsString(item) || key.size == 0 || key.size > KEY_BYTES_MAX)
            return refuse_value(member, err);
        if (key.size > 12 && memcmp(key.data, "totrain.dev/", 12) == 0)
            return fail(err, STATUS_INVALID, "\"%s\": the prefix totrain.dev/ is the program's own",
                        member->name);
    }
    return STATUS_OK;
}

static bool is_name(const cJSON *value)
{
    struct error ignored;

    error_clear(&ignored);
    return cJSON_IsString(value) &&
           kube_job_check_secret("a name", slice_of(value->valuestring), &ignored) == STATUS_OK;
}

static bool are_all(const cJSON *array, bool (*is_one)(const cJSON *))
{
    const cJSON *item;

    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > ITEMS_MAX)
        return false;
    cJSON_ArrayForEach(item, array) if (!is_one(item)) return false;
    return true;
}

static bool is_object(const cJSON *value)
{
    return cJSON_IsObject(value);
}

static enum status check_of_pods(const struct member *member, const cJSON *value, struct error *err)
{
    bool is_right;

    if (member->kind == MEMBER_TEXTS)
        return check_texts(member, value, err);
    if (member->kind == MEMBER_NAME)
        is_right = is_name(value);
    else if (member->kind == MEMBER_OBJECT)
        is_right = is_object(value);
    else
        is_right = are_all(value, member->kind == MEMBER_NAMES ? is_name : is_object);
    return is_right ? STATUS_OK : refuse_value(member, err);
}

/* ----- what the job has ----- */

static enum status take_text(const struct member *member, const cJSON *value, struct arena *arena,
                             void *place, struct error *err)
{
    struct slice *text = place;

    if (!cJSON_IsString(value) || !value->valuestring[0])
        return refuse_value(member, err);
    *text = arena_copy(arena, slice_of(value->valuestring));
    return text->data ? STATUS_OK : fail_no_memory(err);
}

static enum status take_number(const struct member *member, const cJSON *value, int64_t *place,
                               struct error *err)
{
    if (!cJSON_IsNumber(value) || value->valuedouble < (double)member->least ||
        value->valuedouble > (double)member->most ||
        value->valuedouble != (double)(int64_t)value->valuedouble)
        return fail(err, STATUS_INVALID, "\"%s\" is a whole number from %lld to %lld", member->name,
                    (long long)member->least, (long long)member->most);
    *place = (int64_t)value->valuedouble;
    return STATUS_OK;
}

static enum status take_quantity(const struct member *member, const cJSON *value, int64_t *place,
                                 struct error *err)
{
    if (!cJSON_IsString(value))
        return refuse_value(member, err);
    return member->kind == MEMBER_CPU
               ? quantity_read_cpu(slice_of(value->valuestring), place, err)
               : quantity_read_memory(slice_of(value->valuestring), place, err);
}

static enum status take_own(const struct member *member, const cJSON *value, struct arena *arena,
                            struct kube_job *job, struct error *err)
{
    void *place = (char *)job + member->place;

    switch (member->kind) {
    case MEMBER_TEXT:
        return take_text(member, value, arena, place, err);
    case MEMBER_NUMBER:
        return take_number(member, value, place, err);
    case MEMBER_FLAG:
        if (!cJSON_IsBool(value))
            return refuse_value(member, err);
        *(bool *)place = cJSON_IsTrue(value);
        return STATUS_OK;
    default:
        return take_quantity(member, value, place, err);
    }
}

/* ----- a profile ----- */

static enum status keep_pods(const cJSON *pods, struct arena *arena, struct kube_job *job,
                             struct error *err)
{
    struct text text;
    enum status status;

    if (!pods->child)
        return STATUS_OK;
    text_init(&text, KUBE_JOB_PODS_MAX);
    status = json_print(pods, false, &text, err);
    if (status == STATUS_OK) {
        job->pods = arena_copy(arena, text_slice(&text));
        if (!job->pods.data)
            status = fail_no_memory(err);
    }
    text_deinit(&text);
    return status;
}

static enum status take_member(const cJSON *value, struct arena *arena, struct kube_job *job,
                               cJSON *pods, struct error *err)
{
    const struct member *member = find_member(value->string);

    if (!member)
        return refuse_unknown(value->string, err);
    if (member->kind < MEMBER_TEXTS)
        return take_own(member, value, arena, job, err);
    TRY(check_of_pods(member, value, err));
    json_add(pods, member->name, cJSON_Duplicate(value, true));
    return STATUS_OK;
}

static enum status take_members(const cJSON *profile, struct arena *arena, struct kube_job *job,
                                struct error *err)
{
    cJSON *pods = cJSON_CreateObject();
    const cJSON *value;
    enum status status = STATUS_OK;

    if (!cJSON_IsObject(profile))
        status = fail(err, STATUS_INVALID, "a profile is an object");
    cJSON_ArrayForEach(value, profile)
    {
        if (status == STATUS_OK)
            status = take_member(value, arena, job, pods, err);
    }
    if (status == STATUS_OK)
        status = keep_pods(pods, arena, job, err);
    cJSON_Delete(pods);
    return status;
}

static enum status refuse_name(const cJSON *file, struct slice name, struct error *err)
{
    struct text names;
    const cJSON *profile;

    text_init(&names, 512);
    cJSON_ArrayForEach(profile, file)
        text_printf(&names, "%s%s", names.size > 0 ? ", " : "", profile->string);
    fail(err, STATUS_INVALID, "the file of profiles has no profile named \"%.*s\"",
         SLICE_FORMAT(name));
    error_hint(err, "It has: %s.", names.size > 0 ? text_string(&names) : "none");
    text_deinit(&names);
    return err->status;
}

static const cJSON *find_profile(const cJSON *file, struct slice name)
{
    const cJSON *profile;

    cJSON_ArrayForEach(profile, file) if (slice_is(name, profile->string)) return profile;
    return NULL;
}

/* Names the profile before the reason. */
static enum status name_profile(struct slice name, struct error *err)
{
    char reason[sizeof err->message];

    memcpy(reason, err->message, sizeof reason);
    snprintf(err->message, sizeof err->message, "profile %.*s: %.*s", SLICE_FORMAT(name),
             (int)sizeof err->message - 80, reason);
    return err->status;
}

enum status profile_read(struct slice file, struct slice name, struct arena *arena,
                         struct kube_job *job, struct error *err)
{
    const cJSON *profile;
    enum status status;
    cJSON *json;

    if (json_parse(file, PROFILE_FILE_BYTES_MAX, &json, err) != STATUS_OK)
        return err->status;
    profile = cJSON_IsObject(json) ? find_profile(json, name) : NULL;
    if (!profile)
        status = refuse_name(json, name, err);
    else if ((status = take_members(profile, arena, job, err)) != STATUS_OK)
        status = name_profile(name, err);
    cJSON_Delete(json);
    return status;
}

enum status profile_load(struct slice name_and_file, struct arena *arena, struct kube_job *job,
                         struct error *err)
{
    const char *at = memchr(name_and_file.data, '@', name_and_file.size);
    const size_t size = at ? (size_t)(at - name_and_file.data) : 0;
    struct slice path;
    struct text file;
    enum status status;

    if (!at)
        return fail(err, STATUS_INVALID, "a profile is named as NAME@FILE, not \"%.*s\"",
                    SLICE_FORMAT(name_and_file));
    path = arena_copy(arena, (struct slice){at + 1, name_and_file.size - size - 1});
    if (!path.data)
        return fail_no_memory(err);
    text_init(&file, PROFILE_FILE_BYTES_MAX);
    status = whole_file_read(path.data, &file, err);
    if (status == STATUS_OK)
        status = profile_read(text_slice(&file), (struct slice){name_and_file.data, size}, arena,
                              job, err);
    text_deinit(&file);
    return status;
}

bool profile_is_there(const struct kube_job *job)
{
    return job->pods.size > 0 || job->has_read_only_root || job->deadline_s > 0 ||
           job->master_cpu_m > 0 || job->master_memory > 0;
}

/* The others are arguments of the run. */
static void add_own(cJSON *profile, const struct kube_job *job)
{
    char text[32];

    if (job->has_read_only_root)
        json_add_boolean(profile, "read_only_root", true);
    if (job->deadline_s > 0)
        json_add_integer(profile, "deadline_seconds", job->deadline_s);
    if (job->master_cpu_m > 0) {
        snprintf(text, sizeof text, "%lldm", (long long)job->master_cpu_m);
        json_add_string(profile, "master_cpu", slice_of(text));
    }
    if (job->master_memory > 0) {
        snprintf(text, sizeof text, "%lld", (long long)job->master_memory);
        json_add_string(profile, "master_memory", slice_of(text));
    }
}

enum status profile_write(const struct kube_job *job, struct text *out, struct error *err)
{
    cJSON *file = cJSON_CreateObject(), *profile = NULL;
    enum status status = STATUS_OK;

    if (job->pods.size > 0)
        status = json_parse(job->pods, KUBE_JOB_PODS_MAX, &profile, err);
    else
        profile = cJSON_CreateObject();
    if (status == STATUS_OK) {
        add_own(profile, job);
        json_add(file, PROFILE_OF_RUN, profile);
        status = json_print(file, true, out, err);
    }
    cJSON_Delete(file);
    return status;
}

static enum status check_each(const cJSON *object, struct error *err)
{
    const cJSON *value;

    if (!cJSON_IsObject(object))
        return fail(err, STATUS_INVALID, "what Pods have is an object");
    cJSON_ArrayForEach(value, object)
    {
        const struct member *member = find_member(value->string);

        if (!member || member->kind < MEMBER_TEXTS)
            return refuse_unknown(value->string, err);
        TRY(check_of_pods(member, value, err));
    }
    return STATUS_OK;
}

enum status profile_check_pods(struct slice pods, struct error *err)
{
    enum status status;
    cJSON *json;

    if (pods.size == 0)
        return STATUS_OK;
    TRY(json_parse(pods, KUBE_JOB_PODS_MAX, &json, err));
    status = check_each(json, err);
    cJSON_Delete(json);
    return status;
}

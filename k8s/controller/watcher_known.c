#include "k8s/controller/watcher_known.h"

#include <stdlib.h>
#include <string.h>

#include "k8s/client/api_answer.h"

struct watcher_entry {
    struct text name, uid;
    uint64_t version;
    uint32_t list; /* the last list that it was in */
};

uint64_t known_version(struct slice text)
{
    int64_t version;

    return slice_to_integer(text, &version) && version > 0 ? (uint64_t)version : 0;
}

bool known_read(const cJSON *json, struct known_object *object)
{
    *object = (struct known_object){
        .name = API_TEXT(json, "metadata", "name"),
        .uid = API_TEXT(json, "metadata", "uid"),
        .version = known_version(API_TEXT(json, "metadata", "resourceVersion")),
        .json = json,
    };
    return object->name.size > 0 && object->uid.size > 0;
}

/* Where the name is, or would be. */
static size_t place_of(const struct watcher *watcher, struct slice name, bool *is_there)
{
    size_t low = 0, high = watcher->count;

    *is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = slice_compare(text_slice(&watcher->entries[middle].name), name);

        if (order == 0) {
            *is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void tell(const struct watcher *watcher, enum watcher_change change,
                 const struct known_object *object)
{
    watcher->reader.on_change(watcher->reader.context, change, object->name, object->uid,
                              object->json);
}

static enum status copy(struct text *text, struct slice bytes, struct error *err)
{
    text_init(text, 1024);
    text_append(text, bytes);
    return text->failed ? fail(err, STATUS_LIMIT, "a name of more than 1024 bytes") : STATUS_OK;
}

static void free_entry(struct watcher_entry *entry)
{
    text_deinit(&entry->name);
    text_deinit(&entry->uid);
}

static enum status grow(void **items, size_t *capacity, size_t size, struct error *err)
{
    size_t more = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(*items, more * size);

    if (!grown)
        return fail_no_memory(err);
    *items = grown;
    *capacity = more;
    return STATUS_OK;
}

static enum status insert(struct watcher *watcher, size_t place, const struct known_object *object,
                          struct error *err)
{
    struct watcher_entry entry = {.version = object->version, .list = watcher->list};

    if (watcher->count == WATCHER_OBJECTS_MAX)
        return fail(err, STATUS_LIMIT, "more than %d objects", WATCHER_OBJECTS_MAX);
    if (watcher->count == watcher->capacity)
        TRY(grow((void **)&watcher->entries, &watcher->capacity, sizeof entry, err));
    if (copy(&entry.name, object->name, err) != STATUS_OK ||
        copy(&entry.uid, object->uid, err) != STATUS_OK) {
        free_entry(&entry);
        return err->status;
    }
    memmove(watcher->entries + place + 1, watcher->entries + place,
            (watcher->count - place) * sizeof entry);
    watcher->entries[place] = entry;
    watcher->count++;
    return STATUS_OK;
}

/* Uids are never used again: what was deleted does not come back. */
static bool is_gone(const struct watcher *watcher, struct slice uid)
{
    for (size_t i = watcher->gone_count; i-- > 0;)
        if (slice_equal(text_slice(&watcher->gone[i]), uid))
            return true;
    return false;
}

static enum status bury(struct watcher *watcher, size_t place, const cJSON *json, struct error *err)
{
    struct watcher_entry entry = watcher->entries[place];
    struct known_object object = {
        .name = text_slice(&entry.name), .uid = text_slice(&entry.uid), .json = json};

    if (watcher->gone_count == WATCHER_OBJECTS_MAX) /* a list lets go of them */
        return fail(err, STATUS_LIMIT, "more than %d deletions since the last list",
                    WATCHER_OBJECTS_MAX);
    if (watcher->gone_count == watcher->gone_capacity)
        TRY(grow((void **)&watcher->gone, &watcher->gone_capacity, sizeof *watcher->gone, err));
    watcher->count--;
    memmove(watcher->entries + place, watcher->entries + place + 1,
            (watcher->count - place) * sizeof entry);
    tell(watcher, WATCHER_DELETED, &object);
    watcher->gone[watcher->gone_count++] = entry.uid;
    text_deinit(&entry.name);
    return STATUS_OK;
}

static bool is_older(const struct watcher_entry *entry, const struct known_object *object)
{
    return object->version != 0 && object->version <= entry->version;
}

enum status known_take(struct watcher *watcher, const struct known_object *object,
                       struct error *err)
{
    bool is_there;
    size_t place = place_of(watcher, object->name, &is_there);
    struct watcher_entry *entry = is_there ? &watcher->entries[place] : NULL;

    if (entry && slice_equal(text_slice(&entry->uid), object->uid)) {
        entry->list = watcher->list;
        if (is_older(entry, object))
            return STATUS_OK;
        entry->version = object->version;
        tell(watcher, WATCHER_CHANGED, object);
        return STATUS_OK;
    }
    if (is_gone(watcher, object->uid) || (entry && is_older(entry, object)))
        return STATUS_OK; /* an event of an object that had this name before */
    if (entry)
        TRY(bury(watcher, place, NULL, err));
    TRY(insert(watcher, place, object, err));
    tell(watcher, WATCHER_ADDED, object);
    return STATUS_OK;
}

/* The deletion of an unknown object may come before its late addition. */
static enum status remember_gone(struct watcher *watcher, struct slice uid, struct error *err)
{
    struct text text;

    if (is_gone(watcher, uid))
        return STATUS_OK;
    if (watcher->gone_count == WATCHER_OBJECTS_MAX)
        return fail(err, STATUS_LIMIT, "more than %d deletions since the last list",
                    WATCHER_OBJECTS_MAX);
    if (watcher->gone_count == watcher->gone_capacity)
        TRY(grow((void **)&watcher->gone, &watcher->gone_capacity, sizeof *watcher->gone, err));
    if (copy(&text, uid, err) != STATUS_OK) {
        text_deinit(&text);
        return err->status;
    }
    watcher->gone[watcher->gone_count++] = text;
    return STATUS_OK;
}

enum status known_drop(struct watcher *watcher, const struct known_object *object,
                       struct error *err)
{
    bool is_there;
    size_t place = place_of(watcher, object->name, &is_there);

    if (is_there && slice_equal(text_slice(&watcher->entries[place].uid), object->uid))
        return bury(watcher, place, object->json, err);
    return remember_gone(watcher, object->uid, err);
}

static void forget_gone(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->gone_count; i++)
        text_deinit(&watcher->gone[i]);
    watcher->gone_count = 0;
}

void known_forget_versions(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        watcher->entries[i].version = 0;
}

void known_end_list(struct watcher *watcher)
{
    size_t kept = 0;

    for (size_t i = 0; i < watcher->count; i++) {
        struct watcher_entry entry = watcher->entries[i];
        struct known_object object = {.name = text_slice(&entry.name),
                                      .uid = text_slice(&entry.uid)};

        if (entry.list == watcher->list) {
            watcher->entries[kept++] = entry;
            continue;
        }
        tell(watcher, WATCHER_DELETED, &object);
        free_entry(&entry);
    }
    watcher->count = kept;
    /* Events up to the list's version are ignored from here on, so nothing of
     * those that are gone can come. */
    if (watcher->floor > 0)
        forget_gone(watcher);
}

void known_deinit(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        free_entry(&watcher->entries[i]);
    forget_gone(watcher);
    free(watcher->entries);
    free(watcher->gone);
    watcher->entries = NULL;
    watcher->gone = NULL;
    watcher->count = watcher->capacity = watcher->gone_capacity = 0;
}

#include "extension/sqlite/intercept.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "extension/sqlite/bare.h"
#include "extension/sqlite/functions/sqlite_connection.h"

#if defined(__x86_64__)
#define SLOT_JUMP R_X86_64_JUMP_SLOT
#define SLOT_DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define SLOT_JUMP R_AARCH64_JUMP_SLOT
#define SLOT_DATA R_AARCH64_GLOB_DAT
#endif

static int answer(sqlite3 *db, const char *sql, int bytes, unsigned flags, sqlite3_stmt **statement,
                  const char **tail, int real_code)
{
    struct sqlite_connection *connection;
    int code;

    /* SCHEMA: a syntax error on a connection that has not read its schema yet. */
    if (((real_code & 0xff) != SQLITE_ERROR && (real_code & 0xff) != SQLITE_SCHEMA) || !sql ||
        !statement)
        return real_code;
    connection = sqlite_connection_find(db);
    if (!connection || !connection->bare_statements)
        return real_code;
    if (bare_prepare(connection, sql, bytes, flags, statement, tail, &code))
        return code;
    return bare_refused(connection, sql, bytes, real_code);
}

static int prepare(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
                   const char **tail)
{
    return answer(db, sql, bytes, 0, statement, tail,
                  sqlite3_api->prepare(db, sql, bytes, statement, tail));
}

static int prepare_v2(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
                      const char **tail)
{
    return answer(db, sql, bytes, 0, statement, tail,
                  sqlite3_api->prepare_v2(db, sql, bytes, statement, tail));
}

static int prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                      sqlite3_stmt **statement, const char **tail)
{
    return answer(db, sql, bytes, flags, statement, tail,
                  sqlite3_api->prepare_v3(db, sql, bytes, flags, statement, tail));
}

/*
 * Python's module keeps statements by their text, and prepares a text again where the kept one is
 * in use: from 3.12 on it asks sqlite3_stmt_busy, before that it takes one for used that could not
 * be reset. A statement of ours has the columns that it had when it was prepared, which another
 * model under the same name may have changed: it is never used again.
 */
static int stmt_busy(sqlite3_stmt *statement)
{
    return sqlite3_api->stmt_busy(statement) || bare_is_prepared(statement);
}

static int reset(sqlite3_stmt *statement)
{
    const int code = sqlite3_api->reset(statement);

    return code == SQLITE_OK && bare_is_prepared(statement) ? SQLITE_SCHEMA : code;
}

#ifdef SLOT_JUMP

typedef void function(void);

struct redirection {
    const char *name;
    function *real, *ours;
    const char *object; /* its calls alone: a part of its file's name; NULL: those of all objects */
};

/* The entries of one object's dynamic section that matter here. */
struct object {
    const char *name; /* name of its file */
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2];
    size_t counts[2];
    uintptr_t relro_start, relro_end; /* read-only since it was loaded */
    uintptr_t start, end;             /* all of it */
};

struct search {
    const struct redirection *redirections;
    size_t count;
    unsigned objects;
};

static uintptr_t page_floor(uintptr_t address)
{
    return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* The loader has made some of these absolute already. */
static uintptr_t absolute(const struct object *object, uintptr_t address)
{
    return address < object->base ? object->base + address : address;
}

static void read_dynamic(struct object *object, const ElfW(Dyn) * entry)
{
    size_t sizes[2] = {0, 0};

    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t address = absolute(object, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_STRTAB:
            object->strings = (const char *)address;
            break;
        case DT_JMPREL:
            object->tables[0] = (const ElfW(Rela) *)address;
            break;
        case DT_PLTRELSZ:
            sizes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            object->tables[1] = (const ElfW(Rela) *)address;
            break;
        case DT_RELASZ:
            sizes[1] = entry->d_un.d_val;
            break;
        }
    }
    for (int i = 0; i < 2; i++)
        object->counts[i] = object->tables[i] ? sizes[i] / sizeof(ElfW(Rela)) : 0;
}

static bool read_object(const struct dl_phdr_info *info, struct object *object)
{
    const ElfW(Dyn) *dynamic = NULL;

    *object = (struct object){.name = info->dlpi_name ? info->dlpi_name : "",
                              .base = info->dlpi_addr,
                              .start = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
        if (header->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)start;
        } else if (header->p_type == PT_GNU_RELRO) {
            object->relro_start = page_floor(start);
            object->relro_end = page_floor(end);
        } else if (header->p_type == PT_LOAD) {
            object->start = start < object->start ? start : object->start;
            object->end = end > object->end ? end : object->end;
        }
    }
    if (!dynamic)
        return false;
    read_dynamic(object, dynamic);
    return object->symbols && object->strings;
}

/* Is this where we are ourselves? Our own calls are meant as they are. */
static bool is_this_object(const struct object *object)
{
    uintptr_t here = (uintptr_t)&intercept_install;

    return here >= object->start && here < object->end;
}

/* A slot that was not used yet leads into its own object, which will look the
 * function up. It is left alone where that would find another SQLite. */
static bool leads_to(const struct object *object, uintptr_t target,
                     const struct redirection *redirection)
{
    void *found;

    if (target == (uintptr_t)redirection->real)
        return true;
    if (target < object->start || target >= object->end)
        return false;
    found = dlsym(RTLD_DEFAULT, redirection->name);
    return !found || found == (void *)redirection->real;
}

static bool write_slot(const struct object *object, uintptr_t *slot, uintptr_t value)
{
    uintptr_t page = page_floor((uintptr_t)slot);
    bool is_protected =
        (uintptr_t)slot >= object->relro_start && (uintptr_t)slot < object->relro_end;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);

    if (is_protected && mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (is_protected)
        mprotect((void *)page, size, PROT_READ);
    return true;
}

/* True when the slot leads to us afterwards. */
static bool redirect(const struct object *object, const ElfW(Rela) * relocation,
                     const struct search *search)
{
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = object->strings + symbol->st_name;
    unsigned type = ELF64_R_TYPE(relocation->r_info);
    uintptr_t *slot = (uintptr_t *)(object->base + relocation->r_offset);

    if ((type != SLOT_JUMP && type != SLOT_DATA) || symbol->st_shndx != SHN_UNDEF)
        return false;
    for (size_t i = 0; i < search->count; i++) {
        const struct redirection *redirection = &search->redirections[i];
        if (strcmp(name, redirection->name) != 0 ||
            (redirection->object && !strstr(object->name, redirection->object)))
            continue;
        if (*slot == (uintptr_t)redirection->ours)
            return true;
        return leads_to(object, *slot, redirection) &&
               write_slot(object, slot, (uintptr_t)redirection->ours);
    }
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    struct object object;
    bool is_redirected = false;

    (void)size;
    if (!read_object(info, &object) || is_this_object(&object))
        return 0;
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < object.counts[t]; i++)
            is_redirected |= redirect(&object, &object.tables[t][i], search);
    search->objects += is_redirected;
    return 0;
}

void intercept_install(unsigned *objects)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct redirection redirections[] = {
        {"sqlite3_prepare", (function *)sqlite3_api->prepare, (function *)prepare, NULL},
        {"sqlite3_prepare_v2", (function *)sqlite3_api->prepare_v2, (function *)prepare_v2, NULL},
        {"sqlite3_prepare_v3", (function *)sqlite3_api->prepare_v3, (function *)prepare_v3, NULL},
        {"sqlite3_stmt_busy", (function *)sqlite3_api->stmt_busy, (function *)stmt_busy,
         "_sqlite3"},
        {"sqlite3_reset", (function *)sqlite3_api->reset, (function *)reset, "_sqlite3"},
    };
    struct search search = {redirections, sizeof redirections / sizeof *redirections, 0};

    pthread_mutex_lock(&lock);
    dl_iterate_phdr(visit, &search);
    pthread_mutex_unlock(&lock);
    *objects = search.objects;
}

#else

void intercept_install(unsigned *objects)
{
    *objects = 0; /* no slots known on this processor: the function form serves */
}

#endif

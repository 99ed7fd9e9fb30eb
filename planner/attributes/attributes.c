#include "planner/attributes/attributes.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "jobspec/job_attributes.h"
#include "kinds/kinds.h"
#include "params/attribute.h"
#include "parser/statement.h"
#include "planner/attributes/later.h"

#define GROUPS             4   /* groups of names, see group_of */
#define LISTED_MAX         256 /* attributes of all tables */
#define LISTED_ALIASES_MAX 512

/* The order in which people see them: model.*, train.*, optimizer.*, and then the others. */
static unsigned group_of(const struct attribute *attribute)
{
    static const char *const groups[] = {"model.", "train.", "optimizer."};
    unsigned group = 0;

    while (group < GROUPS - 1 &&
           strncmp(attribute->name, groups[group], strlen(groups[group])) != 0)
        group++;
    return group;
}

/* Table 0 is that of all kinds, then one a kind. NULL: there are no more. */
static const struct attribute_table *table_at(size_t i)
{
    if (i == 0)
        return &job_attributes;
    return kinds[i - 1] ? kinds[i - 1]->attributes : NULL;
}

static const struct attribute *find_in(const struct attribute_table *table, struct slice name)
{
    for (size_t i = 0; i < table->count; i++)
        if (slice_is_fold(name, table->rows[i].name))
            return &table->rows[i];
    return NULL;
}

/* A name that two kinds have is listed once, as the first of them has it. */
static bool is_repeated(const struct attribute *attribute, size_t table)
{
    for (size_t i = 0; i < table; i++)
        if (find_in(table_at(i), slice_of(attribute->name)))
            return true;
    return false;
}

/* Made once: a plan asks for each of them. */
static struct {
    pthread_once_t once;
    const struct attribute *rows[LISTED_MAX];
    size_t count;
} listed = {.once = PTHREAD_ONCE_INIT};
static struct {
    pthread_once_t once;
    struct attribute_alias rows[LISTED_ALIASES_MAX];
    size_t count;
} listed_aliases = {.once = PTHREAD_ONCE_INIT};

static void list_group(unsigned group)
{
    for (size_t t = 0; table_at(t); t++) {
        const struct attribute_table *table = table_at(t);

        for (size_t i = 0; i < table->count; i++) {
            if (group_of(&table->rows[i]) != group || is_repeated(&table->rows[i], t))
                continue;
            assert(listed.count < LISTED_MAX);
            listed.rows[listed.count++] = &table->rows[i];
        }
    }
}

static void list_all(void)
{
    for (unsigned group = 0; group < GROUPS; group++)
        list_group(group);
}

const struct attribute *attribute_number(size_t number)
{
    pthread_once(&listed.once, list_all);
    return number < listed.count ? listed.rows[number] : NULL;
}

/* Has a kind before it the same table? */
static bool is_of_kind_before(size_t table)
{
    for (size_t i = 0; i < table; i++)
        if (table_at(i) == table_at(table))
            return true;
    return false;
}

static void list_alias(struct attribute_alias alias)
{
    assert(listed_aliases.count < LISTED_ALIASES_MAX);
    listed_aliases.rows[listed_aliases.count++] = alias;
}

static void list_aliases(void)
{
    for (size_t t = 0; table_at(t); t++)
        for (size_t i = 0; !is_of_kind_before(t) && i < table_at(t)->count; i++) {
            const struct attribute *row = &table_at(t)->rows[i];

            for (size_t a = 0; row->aliases && row->aliases[a]; a++)
                list_alias((struct attribute_alias){row->aliases[a], row->name});
        }
    for (size_t i = 0; i < later_alias_count; i++)
        list_alias(later_aliases[i]);
}

bool attribute_alias_number(size_t number, struct attribute_alias *alias)
{
    pthread_once(&listed_aliases.once, list_aliases);
    if (number >= listed_aliases.count)
        return false;
    *alias = listed_aliases.rows[number];
    return true;
}

const char *attribute_canonical(struct slice name)
{
    struct attribute_alias alias;

    for (size_t i = 0; attribute_alias_number(i, &alias); i++)
        if (slice_is_fold(name, alias.name))
            return alias.attribute;
    return NULL;
}

const struct attribute *attribute_find(struct slice name)
{
    const char *canonical = attribute_canonical(name);
    const struct attribute *found = NULL;

    for (size_t t = 0; table_at(t) && !found; t++)
        found = find_in(table_at(t), name);
    for (size_t t = 0; table_at(t) && !found && canonical; t++)
        found = find_in(table_at(t), slice_of(canonical));
    return found;
}

bool attribute_is_of_kind(const struct attribute *attribute, const struct kind *kind)
{
    return find_in(kind->attributes, slice_of(attribute->name)) != NULL;
}

const struct attribute *attribute_of_kind(const struct attribute *attribute,
                                          const struct kind *kind)
{
    const struct attribute *own = find_in(kind->attributes, slice_of(attribute->name));

    return own ? own : attribute;
}

bool attribute_is_of_all_kinds(const struct attribute *attribute)
{
    return find_in(&job_attributes, slice_of(attribute->name)) != NULL;
}

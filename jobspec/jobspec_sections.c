#include "jobspec/jobspec_sections.h"

#include <assert.h>
#include <string.h>

const struct kind *kind_of(const struct jobspec *spec)
{
    const struct kind *kind = kind_find(spec->family);

    assert(kind);
    return kind;
}

bool attribute_is_in(const struct attribute *attribute, const char *section)
{
    if (!attribute->member)
        return false;
    if (!attribute->section || !section)
        return attribute->section == section;
    return strcmp(attribute->section, section) == 0;
}

size_t section_members(const struct attribute_table *table, const char *section,
                       const char *names[SECTION_MEMBERS_MAX], size_t count)
{
    for (size_t i = 0; i < table->count && count < SECTION_MEMBERS_MAX; i++)
        if (attribute_is_in(&table->rows[i], section))
            names[count++] = table->rows[i].member;
    return count;
}

const char *const *kind_sections(const struct jobspec *spec)
{
    return kind_of(spec)->sections;
}

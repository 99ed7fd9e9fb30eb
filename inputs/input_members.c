#include "inputs/input_members.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "inputs/cell_list_json.h"

/* ---- the members ---- */

static const char *const direction_words[] = {"falling", "rising", NULL};

/* Named in a job as in a model, in a job alone, or by two names. */
#define SAME(name)                                                                                 \
    {                                                                                              \
        name, name                                                                                 \
    }
#define IN_JOB(name)                                                                               \
    {                                                                                              \
        name, NULL                                                                                 \
    }
#define NAMED(job, ...)                                                                            \
    {                                                                                              \
        job, __VA_ARGS__                                                                           \
    }
#define AT(member) .offset = offsetof(struct input_spec, member)

const struct input_member input_members[INPUT_MEMBERS] = {
    [MEMBER_NAME] = {.names = SAME("name"),
                     .store = MEMBER_IS_TEXT,
                     AT(name),
                     .least = 0,
                     .most = INPUT_NAME_BYTES_MAX},
    [MEMBER_TYPE] = {.names = NAMED("kind", "type"),
                     .store = MEMBER_IS_WORD,
                     AT(type),
                     .words = input_type_words},
    [MEMBER_VOCABULARY_MAX] =
        {.names = IN_JOB("vocabulary_max"),
         .store = MEMBER_IS_U32,
         AT(vocabulary_max),
         .least = 0,
         .most = CATEGORY_WORDS_MAX,
         .help = "words that are kept; hash buckets, ids or buckets of what has no vocabulary; 0 "
                 "for numeric"},
    [MEMBER_WORDS_MAX] = {.names = SAME("words_max"),
                          .store = MEMBER_IS_U32,
                          AT(words_max),
                          .least = 1,
                          .most = TEXT_WORDS_MAX,
                          .help = "words of one text that count"},
    [MEMBER_MODEL_PART] = {.names = SAME("model_part"),
                           .store = MEMBER_IS_WORD,
                           AT(model_part),
                           .least = 1,
                           .words = model_part_words,
                           .help = "that alone takes it"},
    [MEMBER_DIMENSION] = {.names = SAME("dimension"),
                          .store = MEMBER_IS_U32,
                          AT(dimension),
                          .least = 1,
                          .most = EMBEDDING_DIMENSION_MAX,
                          .help = "of its embedding, where it is not the model's"},
    [MEMBER_CONCAT] = {.names = SAME("concat"), .store = MEMBER_IS_CONCAT, AT(concat)},
    [MEMBER_RULE] = {.names = SAME("rule"),
                     .store = MEMBER_IS_WORD,
                     AT(rule),
                     .least = 1,
                     .words = category_rule_words,
                     .help = "how a category that has no vocabulary takes its cells"},
    [MEMBER_CROSS] = {.names = SAME("cross"), .store = MEMBER_IS_CROSS, AT(cross)},
    [MEMBER_BOUNDS] = {.names = SAME("bounds"),
                       .store = MEMBER_IS_BOUNDS,
                       AT(bounds),
                       .least = 1,
                       .most = BUCKETS_MAX - 1,
                       .help = "of its buckets, ascending; without them they are quantiles"},
    [MEMBER_COMBINER] = {.names = SAME("combiner"),
                         .store = MEMBER_IS_WORD,
                         AT(combiner),
                         .least = 1,
                         .words = combiner_words,
                         .help = "of the words or items of one text"},
    [MEMBER_WEIGHTED] = {.names = SAME("weighted"),
                         .store = MEMBER_IS_TRUE,
                         AT(is_weighted),
                         .help = "its items have weights"},
    [MEMBER_COLUMN] = {.names = SAME("column"),
                       .is_of_source = true,
                       .store = MEMBER_IS_TEXT,
                       AT(source),
                       .least = 1,
                       .most = INPUT_NAME_BYTES_MAX,
                       .help = "that the input is made of"},
    [MEMBER_PART] = {.names = SAME("part"),
                     .is_of_source = true,
                     .store = MEMBER_IS_WORD,
                     AT(part),
                     .least = 1,
                     .words = date_part_words,
                     .help = "what the input takes of its dates"},
    [MEMBER_LIST] = {.names = SAME("list"),
                     .is_of_source = true,
                     .store = MEMBER_IS_LIST,
                     AT(list)},
    [MEMBER_ELEMENT] = {.names = SAME("element"),
                        .is_of_source = true,
                        .store = MEMBER_IS_U32,
                        AT(element),
                        .least = 0,
                        .most = LIST_NUMBERS_MAX - 1,
                        .help = "of the list"},
    [MEMBER_READING] = {.names = SAME("reading"),
                        .store = MEMBER_IS_WORD,
                        AT(reading),
                        .words = input_reading_words,
                        .help = "how its text is read; the last three: as dates"},
    [MEMBER_KEEPS_CODES] = {.names = IN_JOB("keeps_codes"),
                            .store = MEMBER_IS_TRUE,
                            AT(keeps_codes),
                            .help = "-999 is a number, whatever the others are"},
    [MEMBER_OFFSET] = {.names = SAME("offset"),
                       .store = MEMBER_IS_WORD,
                       AT(offset),
                       .least = 1,
                       .words = offset_words,
                       .help = "what each row's outputs begin with: it is no feature"},
    [MEMBER_LABEL] = {.names = SAME("label"),
                      .store = MEMBER_IS_WORD,
                      AT(label),
                      .least = 1,
                      .words = input_label_words,
                      .help = "type of a label of several, which is no feature"},
    [MEMBER_DIRECTION] = {.names = IN_JOB("direction"),
                          .store = MEMBER_IS_DIRECTION,
                          AT(direction),
                          .words = direction_words,
                          .help = "of predictions where the input rises"},
    [MEMBER_GROUPS] = {.names = IN_JOB("groups"),
                       .store = MEMBER_IS_GROUPS,
                       AT(groups),
                       .least = 1,
                       .most = INTERACTION_GROUPS_MAX,
                       .help = "of inputs that may be on one way to a leaf"},
    [MEMBER_PAIRS] = {.names = SAME("pairs"),
                      .store = MEMBER_IS_TRUE,
                      AT(has_pairs),
                      .help = "pairs of words of the text count, too"},
    [MEMBER_WEIGHT] = {.names = SAME("weight"),
                       .store = MEMBER_IS_WORD,
                       AT(weight),
                       .least = 1,
                       .words = text_weight_words,
                       .help = "of the words of the text, which have a vocabulary"},
};

/* ---- the records ---- */

/* A member's place in a record. */
struct place {
    enum input_member_name member;
    bool (*is_there)(const struct input_spec *spec); /* NULL: each input may have it */
    bool is_always_said;                             /* by inputs that may have it */
    unsigned unsaid;                                 /* the value that goes without saying */
};

static bool has_element(const struct input_spec *spec)
{
    return cell_list_has_numbers(&spec->list);
}

static bool is_number(const struct input_spec *spec)
{
    return spec->type == INPUT_NUMERIC;
}

static bool is_word_of_date(const struct input_spec *spec)
{
    return spec->part && spec->type != INPUT_NUMERIC;
}

static bool is_number_of_rule(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && (spec->rule == RULE_ID || spec->rule == RULE_BUCKET);
}

static bool is_bucket(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_BUCKET;
}

static bool is_cross(const struct input_spec *spec)
{
    return spec->type == INPUT_CATEGORY && spec->rule == RULE_CROSS;
}

static bool is_text(const struct input_spec *spec)
{
    return spec->type == INPUT_TEXT;
}

static const struct place job_places[] = {
    {.member = MEMBER_NAME, .is_always_said = true},
    {.member = MEMBER_TYPE, .is_always_said = true},
    {.member = MEMBER_VOCABULARY_MAX, .is_always_said = true},
    {.member = MEMBER_WORDS_MAX, .is_there = is_text, .is_always_said = true},
    {.member = MEMBER_MODEL_PART},
    {.member = MEMBER_DIMENSION},
    {.member = MEMBER_CONCAT},
    {.member = MEMBER_RULE},
    {.member = MEMBER_CROSS},
    {.member = MEMBER_BOUNDS},
    {.member = MEMBER_COMBINER},
    {.member = MEMBER_WEIGHTED},
    {.member = MEMBER_COLUMN},
    {.member = MEMBER_PART},
    {.member = MEMBER_LIST},
    {.member = MEMBER_ELEMENT, .is_there = has_element, .is_always_said = true},
    {.member = MEMBER_READING},
    {.member = MEMBER_KEEPS_CODES},
    {.member = MEMBER_OFFSET},
    {.member = MEMBER_LABEL},
    {.member = MEMBER_DIRECTION},
    {.member = MEMBER_GROUPS},
    {.member = MEMBER_PAIRS},
    {.member = MEMBER_WEIGHT},
};

/* A number without a reading is of a model that was stored before there were readings; the words of
 * dates, and categories that are words, never had one. */
static const struct place model_head[] = {
    {.member = MEMBER_NAME, .is_always_said = true},
    {.member = MEMBER_TYPE, .is_always_said = true},
    {.member = MEMBER_COLUMN},
    {.member = MEMBER_PART},
    {.member = MEMBER_READING, .is_there = is_word_of_date},
    {.member = MEMBER_MODEL_PART},
    {.member = MEMBER_DIMENSION},
    {.member = MEMBER_CONCAT},
    {.member = MEMBER_LIST},
    {.member = MEMBER_ELEMENT, .is_there = has_element, .is_always_said = true},
};
static const struct place model_middle[] = {
    {.member = MEMBER_OFFSET},
    {.member = MEMBER_LABEL},
    {.member = MEMBER_READING, .is_there = is_number, .unsaid = READING_STRICT},
    {.member = MEMBER_WORDS_MAX, .is_there = is_text, .is_always_said = true},
};
static const struct place model_end[] = {
    {.member = MEMBER_RULE},
    {.member = MEMBER_CROSS, .is_there = is_cross, .is_always_said = true},
    {.member = MEMBER_READING, .is_there = is_number_of_rule, .unsaid = READING_STRICT},
    {.member = MEMBER_BOUNDS, .is_there = is_bucket, .is_always_said = true},
    {.member = MEMBER_COMBINER},
    {.member = MEMBER_WEIGHTED},
    {.member = MEMBER_PAIRS},
    {.member = MEMBER_WEIGHT},
};

#define PLACES(list)                                                                               \
    {                                                                                              \
        list, sizeof(list) / sizeof *(list)                                                        \
    }
static const struct {
    const struct place *places;
    size_t count;
} records[INPUT_RECORDS][INPUT_STEPS] = {
    [RECORD_JOB] = {PLACES(job_places)},
    [RECORD_MODEL] = {PLACES(model_head), PLACES(model_middle), PLACES(model_end)},
};

/* ---- writing ---- */

static const void *at(const struct input_spec *spec, const struct input_member *member)
{
    return (const char *)spec + member->offset;
}

static unsigned word_at(const struct input_spec *spec, const struct input_member *member)
{
    unsigned word;

    memcpy(&word, at(spec, member), sizeof word);
    return word;
}

/* Is the value another than the one that goes without saying? */
static bool says_something(const struct input_spec *spec, const struct place *place)
{
    const struct input_member *member = &input_members[place->member];
    const void *value = at(spec, member);

    switch (member->store) {
    case MEMBER_IS_TEXT:
        return ((const struct slice *)value)->size > 0;
    case MEMBER_IS_U32:
    case MEMBER_IS_WORD:
        return word_at(spec, member) != place->unsaid;
    case MEMBER_IS_TRUE:
        return *(const bool *)value;
    case MEMBER_IS_DIRECTION:
        return *(const int8_t *)value != 0;
    case MEMBER_IS_GROUPS:
        return *(const uint64_t *)value != 0;
    case MEMBER_IS_LIST:
        return ((const struct cell_list *)value)->form != LIST_NONE;
    case MEMBER_IS_CONCAT:
        return ((const struct concat *)value)->number != 0;
    case MEMBER_IS_CROSS:
        return spec->cross != NULL;
    case MEMBER_IS_BOUNDS:
        return spec->bound_count > 0;
    }
    return false;
}

static void add_groups(cJSON *object, const char *name, uint64_t bits)
{
    cJSON *groups = json_add_array(object, name);

    for (uint32_t g = 0; g < INTERACTION_GROUPS_MAX; g++)
        if (bits >> g & 1)
            json_append(groups, json_integer(g));
}

static void write_member(const struct input_spec *spec, const struct input_member *member,
                         const char *name, cJSON *object)
{
    const void *value = at(spec, member);

    switch (member->store) {
    case MEMBER_IS_TEXT:
        json_add_string(object, name, *(const struct slice *)value);
        break;
    case MEMBER_IS_U32:
        json_add_integer(object, name, *(const uint32_t *)value);
        break;
    case MEMBER_IS_WORD:
        json_add_string(object, name, slice_of(member->words[word_at(spec, member)]));
        break;
    case MEMBER_IS_TRUE:
        json_add_boolean(object, name, *(const bool *)value);
        break;
    case MEMBER_IS_DIRECTION:
        json_add_string(object, name, slice_of(member->words[*(const int8_t *)value > 0]));
        break;
    case MEMBER_IS_GROUPS:
        add_groups(object, name, *(const uint64_t *)value);
        break;
    case MEMBER_IS_LIST:
        cell_list_write(value, object);
        break;
    case MEMBER_IS_CONCAT:
        json_add(object, name, concat_to_json(*(const struct concat *)value));
        break;
    case MEMBER_IS_CROSS:
        if (spec->cross)
            json_add(object, name, cross_to_json(spec->cross));
        break;
    case MEMBER_IS_BOUNDS:
        json_add_reals(object, name, spec->bounds, spec->bound_count);
        break;
    }
}

void input_members_write(const struct input_spec *spec, enum input_record record, unsigned step,
                         cJSON *object)
{
    cJSON *source = NULL;

    for (size_t i = 0; i < records[record][step].count; i++) {
        const struct place *place = &records[record][step].places[i];
        const struct input_member *member = &input_members[place->member];
        const bool is_nested = member->is_of_source && record == RECORD_JOB;

        if ((place->is_there && !place->is_there(spec)) ||
            (!place->is_always_said && !says_something(spec, place)))
            continue;
        if (is_nested && !source)
            source = json_add_object(object, "source");
        write_member(spec, member, member->names[record], is_nested ? source : object);
    }
}

/* ---- memory ---- */

static bool same_bounds(const struct input_spec *a, const struct input_spec *b)
{
    if (a->bound_count != b->bound_count)
        return false;
    for (uint32_t i = 0; i < a->bound_count; i++)
        if (a->bounds[i] < b->bounds[i] || a->bounds[i] > b->bounds[i])
            return false;
    return true;
}

bool input_member_equal(const struct input_member *member, const struct input_spec *a,
                        const struct input_spec *b)
{
    const void *x = at(a, member), *y = at(b, member);

    switch (member->store) {
    case MEMBER_IS_TEXT:
        return slice_equal(*(const struct slice *)x, *(const struct slice *)y);
    case MEMBER_IS_U32:
    case MEMBER_IS_WORD:
        return word_at(a, member) == word_at(b, member);
    case MEMBER_IS_TRUE:
        return *(const bool *)x == *(const bool *)y;
    case MEMBER_IS_DIRECTION:
        return *(const int8_t *)x == *(const int8_t *)y;
    case MEMBER_IS_GROUPS:
        return *(const uint64_t *)x == *(const uint64_t *)y;
    case MEMBER_IS_LIST:
        return cell_list_equal(x, y);
    case MEMBER_IS_CONCAT:
        return concat_equal(*(const struct concat *)x, *(const struct concat *)y);
    case MEMBER_IS_CROSS:
        return cross_equal(a->cross, b->cross);
    case MEMBER_IS_BOUNDS:
        break;
    }
    return same_bounds(a, b);
}

static enum status copy_bounds(const struct input_spec *spec, struct arena *arena,
                               struct input_spec *copy, struct error *err)
{
    double *bounds = ARENA_NEW(arena, double, spec->bound_count + (size_t)1);

    copy->bounds = bounds;
    if (!bounds)
        return fail_no_memory(err);
    if (spec->bound_count > 0)
        memcpy(bounds, spec->bounds, spec->bound_count * sizeof *bounds);
    return STATUS_OK;
}

enum status input_member_copy(const struct input_member *member, const struct input_spec *spec,
                              struct arena *arena, struct input_spec *copy, struct error *err)
{
    struct slice *text = (struct slice *)((char *)copy + member->offset);

    if (member->store == MEMBER_IS_BOUNDS)
        return copy_bounds(spec, arena, copy, err);
    if (member->store == MEMBER_IS_CROSS && spec->cross) {
        copy->cross = cross_copy(spec->cross, arena);
        return copy->cross ? STATUS_OK : fail_no_memory(err);
    }
    if (member->store != MEMBER_IS_TEXT)
        return STATUS_OK;
    *text = arena_copy(arena, *(const struct slice *)at(spec, member));
    return text->data ? STATUS_OK : fail_no_memory(err);
}

const char *input_member_with_zero(const struct input_spec *spec)
{
    for (size_t i = 0; i < INPUT_MEMBERS; i++) {
        const struct slice *text = at(spec, &input_members[i]);

        if (input_members[i].store == MEMBER_IS_TEXT && text->size > 0 &&
            memchr(text->data, '\0', text->size))
            return input_members[i].names[RECORD_MODEL];
    }
    return NULL;
}

/* ---- reading ---- */

struct reading {
    const cJSON *object, *source;
    enum input_record record;
    struct arena *arena;
    struct input_spec *spec;
};

static enum status read_text(const struct reading *reading, const struct input_member *member,
                             const cJSON *object, const char *name, struct slice *value,
                             struct error *err)
{
    const size_t most = reading->record == RECORD_JOB ? member->most : JSON_BYTES_MAX;
    struct slice text;

    TRY(json_get_string(object, name, &text, err));
    if (text.size < member->least || text.size > most)
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected %u to %zu bytes", name,
                    member->least, most);
    *value = arena_copy(reading->arena, text);
    return value->data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_word(const struct input_member *member, const cJSON *object,
                             const char *name, unsigned *word, struct error *err)
{
    struct slice text;

    TRY(json_get_string(object, name, &text, err));
    if (term_find(member->words, text, word) && *word >= member->least)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"%s\": \"%.*s\" is not one of its words", name,
                text.size > 40 ? 40 : (int)text.size, text.data);
}

static enum status read_true(const cJSON *object, const char *name, bool *value, struct error *err)
{
    TRY(json_get_boolean(object, name, value, err));
    return *value ? STATUS_OK : fail(err, STATUS_CORRUPT, "member \"%s\": true, or left out", name);
}

static enum status read_groups(const struct input_member *member, const cJSON *object,
                               const char *name, uint64_t *bits, struct error *err)
{
    const cJSON *groups, *group;
    double before = -1;

    TRY(json_get_array(object, name, member->most, &groups, err));
    *bits = 0;
    cJSON_ArrayForEach(group, groups)
    {
        if (!cJSON_IsNumber(group) || !(group->valuedouble > before) ||
            group->valuedouble >= member->most || group->valuedouble != floor(group->valuedouble))
            return fail(err, STATUS_CORRUPT, "member \"%s\": numbers below %u that ascend", name,
                        member->most);
        before = group->valuedouble;
        *bits |= (uint64_t)1 << (uint32_t)before;
    }
    return *bits != 0 ? STATUS_OK : fail(err, STATUS_CORRUPT, "member \"%s\": there is none", name);
}

static enum status read_bounds(const struct reading *reading, const struct input_member *member,
                               const cJSON *object, const char *name, struct error *err)
{
    const cJSON *list, *item;
    double *bounds;

    TRY(json_get_array(object, name, member->most, &list, err));
    bounds = ARENA_NEW(reading->arena, double, (size_t)cJSON_GetArraySize(list) + 1);
    if (!bounds)
        return fail_no_memory(err);
    reading->spec->bounds = bounds;
    cJSON_ArrayForEach(item, list)
    {
        const uint32_t i = reading->spec->bound_count++;

        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) ||
            (i > 0 && !(item->valuedouble > bounds[i - 1])))
            return fail(err, STATUS_CORRUPT, "member \"%s\": numbers that ascend", name);
        bounds[i] = item->valuedouble;
    }
    return STATUS_OK;
}

/* A model has the cross's buckets among what it learned. */
static enum status read_cross(const struct reading *reading, const char *name, struct error *err)
{
    const char *buckets_name = reading->record == RECORD_JOB ? "vocabulary_max" : "hash_buckets";
    struct cross *cross = NULL;
    int64_t buckets;

    TRY(json_get_integer(reading->object, buckets_name, 1, CATEGORY_WORDS_MAX, &buckets, err));
    TRY(cross_from_json(reading->object, name, (uint32_t)buckets, reading->arena, &cross, err));
    reading->spec->cross = cross;
    return STATUS_OK;
}

static enum status read_member(const struct reading *reading, const struct input_member *member,
                               const cJSON *object, struct error *err)
{
    const char *name = member->names[reading->record];
    void *value = (char *)reading->spec + member->offset;
    unsigned word = 0;
    int64_t number;

    switch (member->store) {
    case MEMBER_IS_TEXT:
        return read_text(reading, member, object, name, value, err);
    case MEMBER_IS_U32:
        TRY(json_get_integer(object, name, member->least, member->most, &number, err));
        *(uint32_t *)value = (uint32_t)number;
        return STATUS_OK;
    case MEMBER_IS_WORD:
        TRY(read_word(member, object, name, &word, err));
        memcpy(value, &word, sizeof word);
        return STATUS_OK;
    case MEMBER_IS_TRUE:
        return read_true(object, name, value, err);
    case MEMBER_IS_DIRECTION:
        TRY(read_word(member, object, name, &word, err));
        *(int8_t *)value = word > 0 ? 1 : -1;
        return STATUS_OK;
    case MEMBER_IS_GROUPS:
        return read_groups(member, object, name, value, err);
    case MEMBER_IS_LIST:
        return cell_list_get(object, value, err);
    case MEMBER_IS_CONCAT:
        return concat_from_json(object, value, err);
    case MEMBER_IS_CROSS:
        return read_cross(reading, name, err);
    case MEMBER_IS_BOUNDS:
        break;
    }
    return read_bounds(reading, member, object, name, err);
}

/* The object that has such members, or would have them. */
static const cJSON *object_of(const struct reading *reading, const struct input_member *member)
{
    return member->is_of_source && reading->record == RECORD_JOB ? reading->source
                                                                 : reading->object;
}

static enum status read_place(const struct reading *reading, const struct place *place,
                              unsigned *taken, struct error *err)
{
    const struct input_member *member = &input_members[place->member];
    const cJSON *object = object_of(reading, member);

    if (place->is_there && !place->is_there(reading->spec))
        return STATUS_OK;
    *taken |= 1u << place->member;
    if (place->is_always_said)
        return read_member(reading, member, object, err);
    if (!json_has(object, member->names[reading->record])) {
        if (place->unsaid)
            memcpy((char *)reading->spec + member->offset, &place->unsaid, sizeof place->unsaid);
        return STATUS_OK;
    }
    TRY(read_member(reading, member, object, err));
    return says_something(reading->spec, place)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"%s\": it says what goes without saying",
                      member->names[reading->record]);
}

/* Has the object of a job a member that such an input has not? Models may have others, as they
 * always might. */
static enum status check_taken(const struct reading *reading, unsigned members, unsigned taken,
                               struct error *err)
{
    for (size_t i = 0; i < INPUT_MEMBERS && reading->record == RECORD_JOB; i++) {
        const struct input_member *member = &input_members[i];
        const char *name = member->names[RECORD_JOB];

        if (name && (members >> i & 1) && !(taken >> i & 1) &&
            json_has(object_of(reading, member), name))
            return fail(err, STATUS_CORRUPT, "member \"%s\": a %s has none", name,
                        input_type_words[reading->spec->type]);
    }
    return STATUS_OK;
}

enum status input_members_read(const cJSON *object, enum input_record record, unsigned members,
                               struct arena *arena, struct input_spec *spec, struct error *err)
{
    struct reading reading = {object, NULL, record, arena, spec};
    unsigned taken = 0;

    if (record == RECORD_JOB && json_has(object, "source"))
        TRY(json_get_object(object, "source", &reading.source, err));
    for (unsigned step = 0; step < INPUT_STEPS; step++)
        for (size_t i = 0; i < records[record][step].count; i++) {
            const struct place *place = &records[record][step].places[i];

            if (members >> place->member & 1)
                TRY(read_place(&reading, place, &taken, err));
        }
    TRY(check_taken(&reading, members, taken, err));
    return input_spec_check(spec, err);
}

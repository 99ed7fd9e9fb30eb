#include "inputs/word_table.h"

#include "inputs/cells/cells.h"

static bool is_short(struct slice word)
{
    return word.size <= sizeof(uint64_t);
}

static uint64_t mark_of(struct slice word, uint64_t hash)
{
    return is_short(word) ? slice_start(word) : hash;
}

/* Most likely, or for sure if it is short. */
static bool is_likely(const struct transform_place *place, struct slice word, uint64_t mark)
{
    return place->mark == mark && place->size == word.size;
}

/* The place of a word with that hash in a table of `size` places, or the empty place where it
 * belongs. */
static struct transform_place *lookup_place(struct transform_place *lookup, uint32_t size,
                                            const struct slice *words, struct slice word,
                                            uint64_t hash)
{
    const uint64_t mark = mark_of(word, hash);
    uint32_t place = (uint32_t)hash & (size - 1);

    while (lookup[place].number &&
           !(is_likely(&lookup[place], word, mark) &&
             (is_short(word) || slice_equal(words[lookup[place].number - 1], word))))
        place = (place + 1) & (size - 1);
    return &lookup[place];
}

/* False: word i of `words` is there already. */
static bool lookup_add(struct transform_place *lookup, uint32_t size, const struct slice *words,
                       uint32_t i)
{
    const uint64_t hash = transform_word_hash(words[i]);
    struct transform_place *place = lookup_place(lookup, size, words, words[i], hash);

    if (place->number)
        return false;
    *place = (struct transform_place){i + 1, (uint32_t)words[i].size, mark_of(words[i], hash)};
    return true;
}

static uint32_t lookup_size_for(uint32_t count)
{
    uint32_t size = 4;

    while (size < 2 * count)
        size *= 2;
    return size;
}

enum status word_table_make(struct transform_input *input, struct arena *arena, struct error *err)
{
    input->lookup_size = lookup_size_for(input->word_count);
    input->lookup = ARENA_NEW(arena, struct transform_place, input->lookup_size);
    if (!input->lookup)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        if (!lookup_add(input->lookup, input->lookup_size, input->words, i))
            return fail(err, STATUS_CORRUPT, "column \"%.*s\": vocabulary repeats \"%.*s\"",
                        SLICE_FORMAT(input->spec.name), SLICE_FORMAT(input->words[i]));
    return STATUS_OK;
}

enum status words_check(const struct slice *given, uint32_t count, const char *what,
                        struct arena *arena, struct error *err)
{
    uint32_t size = lookup_size_for(count);
    struct transform_place *lookup = ARENA_NEW(arena, struct transform_place, size);
    struct slice *names = ARENA_NEW(arena, struct slice, count);

    if (!lookup || !names)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = given[i];
        if (!lookup_add(lookup, size, names, i))
            return fail(err, STATUS_CORRUPT, "two %s have the name \"%.*s\"", what,
                        SLICE_FORMAT(names[i]));
    }
    return STATUS_OK;
}

bool word_table_has(const struct transform_input *input, struct slice word)
{
    return lookup_place(input->lookup, input->lookup_size, input->words, word,
                        transform_word_hash(word))
               ->number != 0;
}

static int32_t hashed_word_id(const struct transform_input *input, struct slice word, uint64_t hash)
{
    const struct transform_place *place =
        lookup_place(input->lookup, input->lookup_size, input->words, word, hash);
    uint32_t index;

    if (place->number)
        index = place->number - 1;
    else if (input->hash_buckets)
        index = input->word_count + (uint32_t)(hash % input->hash_buckets);
    else
        return -1;
    return (int32_t)(input->first_id + index);
}

int32_t word_id(const struct transform_input *input, struct slice word)
{
    return hashed_word_id(input, word, transform_word_hash(word));
}

/* The word as the table has it, where it most often is; NULL for one that is not looked at. */
static const struct slice *likely_word(const struct transform_input *input, struct slice word,
                                       uint64_t hash)
{
    const struct transform_place *place = &input->lookup[(uint32_t)hash & (input->lookup_size - 1)];

    return !is_short(word) && place->number && is_likely(place, word, hash)
               ? &input->words[place->number - 1]
               : NULL;
}

void word_ids(const struct transform_input *input, const struct slice *words, uint32_t count,
              int32_t *ids)
{
    uint64_t hashes[WORD_TABLE_MANY];
    const struct slice *likely;

    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = transform_word_hash(words[i]);
        __builtin_prefetch(&input->lookup[(uint32_t)hashes[i] & (input->lookup_size - 1)]);
    }
    for (uint32_t i = 0; i < count; i++)
        if ((likely = likely_word(input, words[i], hashes[i])))
            __builtin_prefetch(likely);
    for (uint32_t i = 0; i < count; i++)
        if ((likely = likely_word(input, words[i], hashes[i])))
            __builtin_prefetch(likely->data);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = hashed_word_id(input, words[i], hashes[i]);
}

#include "runtime/data/columns/look_alikes.h"

#include "inputs/cells/alike.h"
#include "inputs/cells/characters.h"
#include "params/notice_list.h"

#define WORD_BYTES     40 /* bytes of a word in a notice */
#define REPLACINGS_MAX 3  /* pieces of a word that SQL replaces */

static void append_points(struct text *out, struct slice piece)
{
    for (size_t at = 0; at < piece.size;) {
        const struct character character =
            character_read((struct slice){piece.data + at, piece.size - at});

        text_printf(out, "%sU+%04X", at > 0 ? " " : "", character.point);
        at += character.size;
    }
}

/* "'Café' with U+00E9 in 3 rows" */
static void append_look(struct text *out, const struct looking *looking, struct slice piece)
{
    text_printf(out, "'%.*s' ", SLICE_FORMAT(slice_prefix(looking->word, WORD_BYTES)));
    text_append_string(out, piece.size > 0 ? "with " : "without it");
    append_points(out, piece);
    text_printf(out, " in %llu row%s", (unsigned long long)looking->rows,
                looking->rows == 1 ? "" : "s");
}

static size_t characters_of(struct slice piece)
{
    size_t count = 0;

    for (size_t i = 0; i < piece.size; i++)
        count += (piece.data[i] & 0xC0) != 0x80;
    return count;
}

/* "char(101, 769)", or in PostgreSQL "chr(101) || chr(769)"; what is ASCII is a text. */
static void append_characters(struct text *out, struct slice piece, bool is_postgres)
{
    bool is_ascii = true;

    for (size_t i = 0; i < piece.size; i++)
        is_ascii &= piece.data[i] >= ' ' && piece.data[i] < 0x7f;
    if (is_ascii) {
        text_append_string(out, SQL_TEXT(piece));
        return;
    }
    for (size_t at = 0; at < piece.size;) {
        const struct character character =
            character_read((struct slice){piece.data + at, piece.size - at});

        text_append_string(out, at == 0       ? is_postgres ? "chr(" : "char("
                                : is_postgres ? ") || chr("
                                              : ", ");
        text_printf(out, "%u", character.point);
        at += character.size;
    }
    text_append_char(out, ')');
}

/* A piece of a word, and the one that takes its place. */
struct replacing {
    struct slice from, to;
};

/* The simpler one of two pieces takes the other's place: that of fewer characters, of fewer bytes,
 * or the small letter, which comes behind the capital. */
static struct replacing replacing_of(struct slice a, struct slice b)
{
    const size_t of_a = characters_of(a), of_b = characters_of(b);
    const bool takes_a = of_a != of_b       ? of_a < of_b
                         : a.size != b.size ? a.size < b.size
                                            : slice_compare(a, b) > 0;

    return takes_a ? (struct replacing){b, a} : (struct replacing){a, b};
}

/* The pieces that two words differ by, each once. */
static size_t replacings_of(struct alike_pair pair, struct replacing *found)
{
    struct slice x, y;
    size_t count = 0;

    while (alike_difference(&pair, &x, &y)) {
        const struct replacing next = replacing_of(x, y);
        size_t i = 0;

        while (i < count && !slice_equal(found[i].from, next.from))
            i++;
        if (i == REPLACINGS_MAX)
            break;
        if (i == count)
            found[count++] = next;
    }
    return count;
}

static void append_replace(struct text *out, struct slice name, const struct replacing *replacings,
                           size_t count, bool is_postgres)
{
    bool is_space = false;

    for (size_t i = 0; i < count; i++)
        is_space |= slice_is(replacings[i].to, " ");
    text_append_string(out, is_space ? "trim(" : "");
    for (size_t i = 0; i < count; i++)
        text_append_string(out, "replace(");
    text_append_string(out, SQL_NAME(name));
    for (size_t i = 0; i < count; i++) {
        text_append_string(out, ", ");
        append_characters(out, replacings[i].from, is_postgres);
        text_append_string(out, ", ");
        append_characters(out, replacings[i].to, is_postgres);
        text_append_char(out, ')');
    }
    text_printf(out, "%s AS %s", is_space ? ")" : "", SQL_NAME(name));
}

/* SQL that would be cut off is none: fewer pieces are replaced then. */
static void hint_look(struct slice name, const struct replacing *replacings, size_t count,
                      struct notice_list *notices)
{
    bool fits = false;

    for (; !fits && count > 0; count--) {
        struct text hint;

        text_init(&hint, NOTICE_BYTES_MAX);
        append_replace(&hint, name, replacings, count, false);
        text_append_string(&hint, " in SQLite, ");
        append_replace(&hint, name, replacings, count, true);
        text_append_string(&hint, " in PostgreSQL, makes these characters one.");
        fits = !hint.failed;
        if (fits)
            notice_hint(notices, "%s", text_string(&hint));
        text_deinit(&hint);
    }
    if (!fits)
        notice_hint(notices, "replace() in the SELECT makes these characters one.");
}

void look_alikes_note(const struct looking words[2], struct slice name, bool are_classes,
                      size_t spellings, struct notice_list *notices)
{
    struct alike_pair pair = {words[0].word, words[1].word, false};
    struct replacing replacings[REPLACINGS_MAX] = {{.from = SLICE("")}};
    struct slice pieces[2] = {{0}};
    const size_t count = replacings_of(pair, replacings);
    int last = 1; /* the word that the other one is made into */
    struct text list;

    if (alike_difference(&pair, &pieces[0], &pieces[1]))
        last = slice_equal(pieces[1], replacings[0].to);
    text_init(&list, NOTICE_BYTES_MAX);
    append_look(&list, &words[!last], pieces[!last]);
    text_append_string(&list, " and ");
    append_look(&list, &words[last], pieces[last]);
    notice_add(notices, are_classes ? NOTICE_LABEL : NOTICE_READING,
               "%s \"%.*s\": %llu %s look like others and have other characters, such as %s",
               are_classes ? "label column" : "column", SLICE_FORMAT(name),
               (unsigned long long)spellings, are_classes ? "classes" : "words",
               text_string(&list));
    text_deinit(&list);
    if (count > 0)
        hint_look(name, replacings, count, notices);
}

#include "runtime/data/columns/class_codes.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cell_text.h"
#include "runtime/data/spool/odd_numbers.h"

#define CODE_LEAST 10 /* a code has two digits */

static bool are_codes(const double *classes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(classes[i]) < CODE_LEAST || !odd_number_is_like_a_code(classes[i]))
            return false;
    return true;
}

/* Is there so wide a gap beside classes that lie from `least` to `greatest`? */
static bool is_far(double gap, double least, double greatest)
{
    return gap >= CLASS_CODE_GAP * (greatest - least + 1);
}

size_t class_codes_of(const double *classes, size_t count, size_t *first)
{
    for (size_t codes = 1; codes <= CLASS_CODES_MAX && codes + 2 <= count; codes++) {
        const size_t rest = count - codes;

        *first = rest;
        if (are_codes(classes + rest, codes) &&
            is_far(classes[rest] - classes[rest - 1], classes[0], classes[rest - 1]))
            return codes;
        *first = 0;
        if (are_codes(classes, codes) &&
            is_far(classes[codes] - classes[codes - 1], classes[codes], classes[count - 1]))
            return codes;
    }
    return 0;
}

/* ---- words ---- */

/* Are all classes signs, as '.', '?' and '!' are, or is one a plus? */
static bool are_signs(const struct labels *labels)
{
    bool has_letters = false, has_plus = false;

    for (uint32_t i = 0; i < labels->count; i++) {
        const struct slice text = labels->values[i].text;

        for (size_t k = 0; k < text.size; k++)
            has_letters |= isalnum((unsigned char)text.data[k]) || (text.data[k] & 0x80);
        has_plus |= text.size > 0 && *text.data == '+';
    }
    return has_plus || !has_letters;
}

bool class_says_missing(const struct labels *labels, const struct cell *class)
{
    static const char *const words[] = {"unknown",
                                        "unk",
                                        "missing",
                                        "undefined",
                                        "unspecified",
                                        "not available",
                                        "not applicable",
                                        "not specified",
                                        "not known",
                                        "not stated",
                                        "not reported",
                                        "not recorded",
                                        "no data",
                                        "no answer",
                                        "n.d.",
                                        "n/d",
                                        "(null)",
                                        "(blank)",
                                        "(empty)",
                                        "(missing)",
                                        "[null]",
                                        "nil",
                                        "#div/0!",
                                        "#value!",
                                        "#ref!",
                                        "#name?",
                                        "#num!",
                                        "#null!",
                                        "tbd",
                                        "unbekannt",
                                        "keine angabe",
                                        "k.a.",
                                        "inconnu",
                                        "non disponible",
                                        "desconocido",
                                        "desconhecido",
                                        "sin datos",
                                        "sconosciuto",
                                        "onbekend",
                                        "ok\u00e4nd",
                                        "nieznany"};
    struct slice text;

    if (class->type != CELL_TEXT)
        return false;
    text = slice_trim(class->text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is_fold(text, words[i]))
            return true;
    if (slice_is_fold(text, "none") || text_look_at(text).kind != TEXT_MISSING)
        return false;
    return text.size > 1 || !are_signs(labels);
}

/* ---- codes ---- */

struct numbered_class {
    double number;
    uint32_t class;
};

static int compare_numbers(const void *a, const void *b)
{
    const struct numbered_class *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static bool take_number(const struct cell *class, double *number)
{
    struct text_look look;

    if (class->type != CELL_TEXT) {
        *number = class->type == CELL_INTEGER ? (double)class->integer : class->real;
        return true;
    }
    look = text_look_at(class->text);
    *number = look.number;
    return look.kind == TEXT_NUMBER;
}

static void note(struct slice label, const struct dataset *dataset, uint32_t class, bool is_far)
{
    const struct cell *value = &dataset->labels.values[class];
    const unsigned long long rows = dataset->class_counts[class];
    struct text code;

    text_init(&code, NOTICE_BYTES_MAX);
    if (value->type == CELL_TEXT)
        text_append_string(&code, SQL_TEXT(value->text));
    else
        text_append_real(&code, value->type == CELL_INTEGER ? (double)value->integer : value->real);
    notice_add(dataset->notices, NOTICE_LABEL,
               "label column \"%.*s\" is %s in %llu row%s, %s, which is a class of its own",
               SLICE_FORMAT(label), text_string(&code), rows, rows == 1 ? "" : "s",
               is_far ? "far from all others" : "a number beside words");
    notice_hint(dataset->notices,
                "If the label is missing there, leave the rows out: WHERE %s <> %s.",
                SQL_NAME(label), text_string(&code));
    text_deinit(&code);
}

/* Where most classes are no numbers, and those that are look like codes. */
static void note_beside_words(struct slice label, const struct dataset *dataset,
                              const struct numbered_class *numbered, size_t count)
{
    if (count > CLASS_CODES_MAX || 2 * count >= dataset->labels.count)
        return;
    for (size_t i = 0; i < count; i++)
        if (fabs(numbered[i].number) < CODE_LEAST || !odd_number_is_like_a_code(numbered[i].number))
            return;
    for (size_t i = 0; i < count; i++)
        note(label, dataset, numbered[i].class, false);
}

static enum status note_codes(struct slice label, const struct dataset *dataset, struct error *err)
{
    const struct labels *labels = &dataset->labels;
    struct numbered_class *numbered = calloc(labels->count + (size_t)1, sizeof *numbered);
    double *numbers = calloc(labels->count + (size_t)1, sizeof *numbers);
    const bool has_memory = numbered && numbers;
    size_t count = 0, first = 0, codes;

    for (uint32_t i = 0; has_memory && i < labels->count; i++)
        if (take_number(&labels->values[i], &numbered[count].number))
            numbered[count++].class = i;
    if (has_memory && count < labels->count)
        note_beside_words(label, dataset, numbered, count);
    if (has_memory && count == labels->count) {
        qsort(numbered, count, sizeof *numbered, compare_numbers);
        for (size_t i = 0; i < count; i++)
            numbers[i] = numbered[i].number;
        codes = class_codes_of(numbers, count, &first);
        for (size_t i = first; i < first + codes; i++)
            note(label, dataset, numbered[i].class, true);
    }
    free(numbered);
    free(numbers);
    return has_memory ? STATUS_OK : fail_no_memory(err);
}

/* ---- yes and no ---- */

/* Yes and no in other languages. */
static const struct {
    const char *word;
    bool is_yes;
} answers[] = {{"ja", true},   {"nein", false},  {"oui", true},     {"non", false}, {"si", true},
               {"sí", true},   {"sì", true},     {"sim", true},     {"não", false}, {"nao", false},
               {"nee", false}, {"nej", false},   {"tak", true},     {"nie", false}, {"ano", true},
               {"evet", true}, {"hayır", false}, {"да", true},      {"Да", true},   {"нет", false},
               {"Нет", false}, {"はい", true},   {"いいえ", false}, {"是", true},   {"否", false}};

/* A word for yes or no, or a number as it is beside such words. */
struct answer {
    bool is_known, is_yes, is_word, is_foreign;
};

static struct answer answer_of(struct slice class)
{
    const struct slice word = slice_trim(class);
    const struct text_look look = text_look_at(word);

    if (look.kind == TEXT_BOOLEAN)
        return (struct answer){true, look.number > 0, true, false};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (slice_is_fold(word, answers[i].word))
            return (struct answer){true, answers[i].is_yes, true, true};
    return (struct answer){slice_is(word, "1") || slice_is(word, "0"), slice_is(word, "1"), false,
                           false};
}

/* Classes that differ in more than capitals and spaces around them. */
static uint32_t different_classes(const struct labels *labels)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < labels->count; i++) {
        uint32_t j = 0;

        while (j < i && !slice_equal_fold(slice_trim(labels->values[i].text),
                                          slice_trim(labels->values[j].text)))
            j++;
        count += j == i;
    }
    return count;
}

/* English words are told from others in capitals, too; others as the classes have them. */
static void hint_yes(struct slice label, const struct labels *labels, bool is_foreign,
                     struct notice_list *notices)
{
    struct text list;
    size_t count = 0;

    if (!is_foreign) {
        notice_hint(notices,
                    "lower(trim(%s)) IN ('yes', 'y', 'true', 't', 'on', '1') AS %s in the "
                    "SELECT makes two of them.",
                    SQL_NAME(label), SQL_NAME(label));
        return;
    }
    text_init(&list, NOTICE_BYTES_MAX / 2);
    for (uint32_t i = 0; i < labels->count; i++)
        if (answer_of(labels->values[i].text).is_yes)
            text_printf(&list, "%s%s", count++ > 0 ? ", " : "", SQL_TEXT(labels->values[i].text));
    if (list.failed)
        notice_hint(notices, "Make two of them in the SELECT: CASE WHEN ... THEN 1 ELSE 0 END.");
    else
        notice_hint(notices, "%s IN (%s) AS %s in the SELECT makes two of them.", SQL_NAME(label),
                    text_string(&list), SQL_NAME(label));
    text_deinit(&list);
}

/* More than two classes that all mean yes or no are two in several spellings. */
static void note_yes_and_no(struct slice label, const struct labels *labels,
                            struct notice_list *notices)
{
    bool is_word = false, is_foreign = false;

    if (labels->type != LABEL_TEXT || labels->count <= 2)
        return;
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct answer answer = answer_of(labels->values[i].text);

        if (!answer.is_known)
            return;
        is_word |= answer.is_word;
        is_foreign |= answer.is_foreign;
    }
    if (!is_word || different_classes(labels) <= 2)
        return;
    notice_add(
        notices, NOTICE_LABEL,
        "label column \"%.*s\" has %u classes, such as '%.*s' and '%.*s', that all mean yes or no",
        SLICE_FORMAT(label), labels->count, SLICE_FORMAT(slice_prefix(labels->values[0].text, 20)),
        SLICE_FORMAT(slice_prefix(labels->values[1].text, 20)));
    hint_yes(label, labels, is_foreign, notices);
}

enum status class_codes_note(struct slice label, struct dataset *dataset, struct error *err)
{
    note_yes_and_no(label, &dataset->labels, dataset->notices);
    return dataset->labels.spelling == LABEL_AS_NUMBER ? note_codes(label, dataset, err)
                                                       : STATUS_OK;
}

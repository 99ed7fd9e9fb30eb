#include "runtime/data/class_codes.h"

#include <math.h>
#include <stdlib.h>

#include "inputs/cell_text.h"
#include "runtime/data/odd_numbers.h"

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

static double number_of(const struct cell *class)
{
    return class->type == CELL_INTEGER ? (double)class->integer : class->real;
}

static void note(struct slice label, double code, uint64_t rows, struct notice_list *notices)
{
    notice_add(
        notices, NOTICE_LABEL,
        "label column \"%.*s\" is %g in %llu row%s, far from all others, which is a class of "
        "its own",
        SLICE_FORMAT(label), code, (unsigned long long)rows, rows == 1 ? "" : "s");
    notice_hint(notices, "If the label is missing there, leave the rows out: WHERE %s <> %g.",
                SQL_NAME(label), code);
}

/* Is the class a word for yes or no, as numbers beside such words are? */
static bool says_yes_or_no(struct slice class, bool *is_word)
{
    const enum text_kind kind = text_look_at(class).kind;

    *is_word |= kind == TEXT_BOOLEAN;
    return kind == TEXT_BOOLEAN || slice_is(class, "1") || slice_is(class, "0");
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

/* More than two classes that all say yes or no are two in several spellings. */
static void note_yes_and_no(struct slice label, const struct labels *labels,
                            struct notice_list *notices)
{
    bool is_word = false;

    if (labels->type != LABEL_TEXT || labels->count <= 2)
        return;
    for (uint32_t i = 0; i < labels->count; i++)
        if (!says_yes_or_no(labels->values[i].text, &is_word))
            return;
    if (!is_word || different_classes(labels) <= 2)
        return;
    notice_add(notices, NOTICE_LABEL,
               "label column \"%.*s\" has %u classes, as '%.*s' and '%.*s', that all say yes or no",
               SLICE_FORMAT(label), labels->count,
               SLICE_FORMAT(slice_prefix(labels->values[0].text, 20)),
               SLICE_FORMAT(slice_prefix(labels->values[1].text, 20)));
    notice_hint(notices,
                "lower(trim(%s)) IN ('yes', 'y', 'true', 't', 'on', '1') AS %s in the "
                "SELECT makes two of them.",
                SQL_NAME(label), SQL_NAME(label));
}

enum status class_codes_note(struct slice label, struct dataset *dataset, struct error *err)
{
    const struct labels *labels = &dataset->labels;
    double *numbers;
    size_t first = 0, codes;

    note_yes_and_no(label, labels, dataset->notices);
    if (labels->type == LABEL_TEXT || labels->spelling != LABEL_AS_NUMBER)
        return STATUS_OK;
    numbers = malloc((labels->count + (size_t)1) * sizeof *numbers);
    if (!numbers)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < labels->count; i++)
        numbers[i] = number_of(&labels->values[i]);
    codes = class_codes_of(numbers, labels->count, &first);
    for (size_t i = first; i < first + codes; i++)
        note(label, numbers[i], dataset->class_counts[i], dataset->notices);
    free(numbers);
    return STATUS_OK;
}

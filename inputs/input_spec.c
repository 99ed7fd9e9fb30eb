#include "inputs/input_spec.h"

#include "inputs/input_members.h"

enum status input_spec_copy(const struct input_spec *spec, struct arena *arena,
                            struct input_spec *copy, struct error *err)
{
    *copy = *spec;
    for (size_t i = 0; i < INPUT_MEMBERS; i++)
        TRY(input_member_copy(&input_members[i], spec, arena, copy, err));
    return STATUS_OK;
}

bool input_spec_equal(const struct input_spec *a, const struct input_spec *b)
{
    for (size_t i = 0; i < INPUT_MEMBERS; i++)
        if (!input_member_equal(&input_members[i], a, b))
            return false;
    return true;
}

/* ---- do the members go together? ---- */

static enum status refuse(const struct input_spec *spec, const char *member, const char *what,
                          struct error *err)
{
    return fail(err, STATUS_CORRUPT, "member \"%s\": a %s %s", member, input_type_words[spec->type],
                what);
}

static bool has_items(const struct input_spec *spec)
{
    return cell_list_has_items(&spec->list);
}

static enum status check_list(const struct input_spec *spec, struct error *err)
{
    if (!spec->list.form)
        return spec->element == 0 ? STATUS_OK : refuse(spec, "element", "of no list has one", err);
    if (spec->type != (has_items(spec) ? INPUT_TEXT : INPUT_NUMERIC))
        return refuse(spec, "list", "takes no such list", err);
    if (spec->source.size == 0)
        return refuse(spec, "list", "has no column", err);
    if (!has_items(spec) && spec->element >= spec->list.size)
        return fail(err, STATUS_CORRUPT, "member \"element\": %u of %u", spec->element,
                    spec->list.size);
    return !has_items(spec) || spec->list.size == spec->words_max
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"words_max\": not the list's \"size\"");
}

static enum status check_part(const struct input_spec *spec, struct error *err)
{
    if (!spec->part ||
        (spec->type == date_part_type(spec->part) && spec->source.size > 0 && !spec->list.form))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"part\": a %s is no %s of a date",
                input_type_words[spec->type], date_part_words[spec->part]);
}

/* May it have this rule, beside that of words? */
static bool takes_rule(const struct input_spec *spec)
{
    if (spec->type == INPUT_TEXT)
        return spec->list.form == LIST_SEQUENCE
                   ? spec->rule == RULE_SEQUENCE || spec->rule == RULE_ORDERED
                   : has_items(spec) && (spec->rule == RULE_HASH || spec->rule == RULE_ID);
    return spec->type == INPUT_CATEGORY && !spec->part && spec->rule != RULE_SEQUENCE &&
           spec->rule != RULE_ORDERED;
}

static enum status check_rule(const struct input_spec *spec, struct error *err)
{
    const bool is_made = spec->rule != RULE_WORDS && spec->rule != RULE_CROSS;

    if (spec->rule != RULE_WORDS && !takes_rule(spec))
        return fail(err, STATUS_CORRUPT, "member \"rule\": a %s has no rule \"%s\"",
                    input_type_words[spec->type], category_rule_words[spec->rule]);
    if (has_items(spec) && spec->rule == RULE_WORDS)
        return fail(err, STATUS_CORRUPT, "member \"rule\": a list of items has one");
    if (is_made && spec->source.size == 0)
        return refuse(spec, "rule", "with a rule needs its column", err);
    if (!is_made && spec->source.size > 0 && !spec->part && !spec->list.form)
        return fail(err, STATUS_CORRUPT, "member \"column\": an input of the column itself");
    if ((spec->cross != NULL) != (spec->rule == RULE_CROSS))
        return fail(err, STATUS_CORRUPT, "member \"cross\": of the rule \"cross\" alone");
    return spec->rule == RULE_BUCKET || spec->bound_count == 0
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"bounds\": of buckets alone");
}

/* Weights are those that stand in a list of pairs, or those of the terms of a text. */
static bool weights_fit(const struct input_spec *spec)
{
    if (spec->weight)
        return spec->is_weighted;
    return !spec->is_weighted || (has_items(spec) && spec->list.pair);
}

static enum status check_terms(const struct input_spec *spec, struct error *err)
{
    return (!spec->has_pairs && !spec->weight) || (spec->type == INPUT_TEXT && !spec->list.form)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "members \"pairs\" and \"weight\": of texts alone");
}

static enum status check_combiner(const struct input_spec *spec, struct error *err)
{
    return (spec->combiner == COMBINER_SQRTN || spec->type == INPUT_TEXT) && weights_fit(spec)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "members \"combiner\" and \"weighted\": of lists alone");
}

static enum status check_share(const struct input_spec *spec, struct error *err)
{
    if ((spec->dimension == 0 && spec->concat.number == 0) ||
        (spec->type != INPUT_NUMERIC && part_has_dnn(spec->model_part)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "members \"dimension\" and \"concat\": of embeddings alone");
}

/* Dates have readings of their own. READING_STRICT is one that nobody said. */
static enum status check_reading(const struct input_spec *spec, struct error *err)
{
    const bool is_said = spec->reading != READING_NUMBER && spec->reading != READING_STRICT;

    if (reading_is_of_dates(spec->reading) == (spec->part && is_said) &&
        (!is_said || input_takes_numbers(spec) || spec->part))
        return STATUS_OK;
    return refuse(spec, "reading", "has none", err);
}

/* A number of a column, and nothing else. */
static enum status check_offset(const struct input_spec *spec, struct error *err)
{
    return !spec->offset || (spec->type == INPUT_NUMERIC && spec->source.size == 0)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"offset\": a number of a column alone is one");
}

/* A number, or a category with a vocabulary, of a column that no other input takes. */
static enum status check_label(const struct input_spec *spec, struct error *err)
{
    const bool is_number = spec->label == INPUT_LABEL_NUMBER;

    if (!spec->label || (spec->source.size == 0 && !spec->offset && spec->rule == RULE_WORDS &&
                         spec->type == (is_number ? INPUT_NUMERIC : INPUT_CATEGORY)))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT,
                "member \"label\": it is that of a column as it is, a number or words by its type");
}

enum status input_spec_check(const struct input_spec *spec, struct error *err)
{
    if ((spec->words_max > 0) != (spec->type == INPUT_TEXT))
        return refuse(spec, "words_max",
                      spec->words_max > 0 ? "has none" : "takes at least one word", err);
    if (spec->keeps_codes && spec->type != INPUT_NUMERIC)
        return refuse(spec, "keeps_codes", "has none", err);
    if (spec->direction != 0 && spec->type != INPUT_NUMERIC)
        return refuse(spec, "direction", "has none", err);
    TRY(check_part(spec, err));
    TRY(check_list(spec, err));
    TRY(check_rule(spec, err));
    TRY(check_terms(spec, err));
    TRY(check_combiner(spec, err));
    TRY(check_share(spec, err));
    TRY(check_reading(spec, err));
    TRY(check_label(spec, err));
    return check_offset(spec, err);
}

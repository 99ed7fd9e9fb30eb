#include "cli/shell/completion.h"

#include <string.h>

#include "cli/shell/dot_line.h"
#include "definition/zoo.h"
#include "interop/exchange.h"
#include "interop/formulas/formula_print.h"
#include "params/attribute.h"
#include "parser/parser.h"
#include "parser/scan.h"
#include "parser/splitter.h"
#include "parser/statement.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/short_names.h"
#include "planner/columns/column_function.h"

/* A token of the statement before the word at the cursor. Names with dots
 * (train.epoch, xgboost.gbtree) are one. */
struct word {
    struct slice text;
    enum scan_kind kind;
    bool is_ours; /* behind TO */
};

struct finder {
    struct slice text; /* all of it, for what stands behind the cursor */
    const struct completion_names *names;
    struct arena *arena;
    struct completion *found;
    struct slice typed; /* the word at the cursor, so far */
    struct word *words;
    size_t count;
    int begin;      /* where the statement begins */
    bool is_silent; /* in a comment, or more words than we look at */
    bool has_failed;
};

/* ----- candidates ----- */

static bool begins_with_fold(struct slice text, struct slice front)
{
    return text.size >= front.size &&
           slice_equal_fold((struct slice){text.data, front.size}, front);
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static struct slice without_quote(struct slice text)
{
    if (text.size > 0 && is_quote(text.data[0]))
        return (struct slice){text.data + 1, text.size - 1};
    return text;
}

static bool is_found(const struct completion *found, struct slice text)
{
    for (size_t i = 0; i < found->count; i++)
        if (slice_equal(found->candidates[i].text, text))
            return true;
    return false;
}

/* Quotes may be left to us: my t finds "my table". */
static void offer(struct finder *finder, struct slice text, struct slice help, const char *after)
{
    struct completion *found = finder->found;

    if (!begins_with_fold(without_quote(text), without_quote(finder->typed)))
        return;
    if (found->count == COMPLETION_CANDIDATES_MAX || is_found(found, text))
        return;
    found->candidates[found->count++] = (struct completion_candidate){text, help, after};
}

static bool is_lower(struct slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] >= 'A' && text.data[i] <= 'Z')
            return false;
    return text.size > 0;
}

/* A keyword in the case of what was typed. */
static void offer_keyword(struct finder *finder, const char *keyword, const char *after)
{
    struct slice text = arena_copy(finder->arena, slice_of(keyword));

    if (!text.data) {
        finder->has_failed = true;
        return;
    }
    for (size_t i = 0; is_lower(finder->typed) && i < text.size; i++)
        if (text.data[i] >= 'A' && text.data[i] <= 'Z')
            ((char *)text.data)[i] += 'a' - 'A';
    offer(finder, text, SLICE(""), after);
}

/* A list of keywords with blanks between them. */
static void offer_keywords(struct finder *finder, const char *list)
{
    char word[32];
    size_t size;

    for (; *list; list += size + (list[size] == ' ')) {
        size = strcspn(list, " ");
        if (size >= sizeof word)
            continue;
        memcpy(word, list, size);
        word[size] = '\0';
        offer_keyword(finder, word, " ");
    }
}

static void offer_models(struct finder *finder)
{
    for (size_t i = 0; i < finder->names->model_count; i++)
        offer(finder, finder->names->models[i], SLICE(""), " ");
}

static void offer_tables(struct finder *finder)
{
    for (size_t i = 0; i < finder->names->table_count; i++)
        offer(finder, finder->names->tables[i].name, SLICE(""), " ");
}

/* Those that come with the product: others are the database's to list. */
static void offer_definitions(struct finder *finder)
{
    for (const struct zoo_definition *zoo = zoo_definitions; zoo->name; zoo++)
        offer(finder, slice_of(zoo->name), slice_of(zoo->help), " ");
}

static void offer_estimators(struct finder *finder)
{
    for (size_t i = 0; i < estimator_count; i++)
        offer(finder, slice_of(estimators[i].name), slice_of(estimators[i].help), " ");
    if (finder->typed.size > 0)
        offer_definitions(finder);
}

/* ----- columns ----- */

static bool word_is(const struct finder *finder, size_t index, const char *keyword)
{
    return index < finder->count && finder->words[index].kind == SCAN_WORD &&
           slice_is_fold(finder->words[index].text, keyword);
}

/* Does the statement, before the cursor or behind it, name the table? */
static bool is_named(const struct finder *finder, struct slice table)
{
    for (size_t at = (size_t)finder->begin; at < finder->text.size;) {
        struct scan scan = scan_next(finder->text, (int)at, SCAN_HOST);
        if (slice_is(scan_text(finder->text, &scan), ";"))
            return false;
        if (slice_equal_fold(scan_text(finder->text, &scan), table))
            return true;
        at = (size_t)scan.end;
    }
    return false;
}

static void offer_columns_of(struct finder *finder, const struct completion_table *table,
                             struct slice prefix)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct slice text = table->columns[i];
        if (prefix.size > 0)
            text =
                arena_printf(finder->arena, "%.*s.%.*s", SLICE_FORMAT(prefix), SLICE_FORMAT(text));
        if (!text.data) {
            finder->has_failed = true;
            return;
        }
        offer(finder, text, SLICE(""), " ");
    }
}

static bool is_table(const struct finder *finder, struct slice name)
{
    for (size_t i = 0; i < finder->names->table_count; i++)
        if (slice_equal_fold(finder->names->tables[i].name, name))
            return true;
    return false;
}

/* FROM iris AS i, JOIN iris i: the table that an alias stands for, before the
 * cursor or behind it. */
static struct slice table_of_alias(const struct finder *finder, struct slice alias)
{
    struct slice table = SLICE("");

    for (size_t at = (size_t)finder->begin; at < finder->text.size;) {
        struct scan scan = scan_next(finder->text, (int)at, SCAN_HOST);
        struct slice word = scan_text(finder->text, &scan);
        at = (size_t)scan.end;
        if (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT || slice_is_fold(word, "AS"))
            continue;
        if (slice_is(word, ";"))
            break;
        if (slice_equal_fold(word, alias) && is_table(finder, table))
            return table;
        table = scan.kind == SCAN_SYMBOL ? SLICE("") : word;
    }
    return alias;
}

/* Those of the tables that the statement names; without any, all of them. */
static void offer_columns(struct finder *finder)
{
    const struct completion_names *names = finder->names;
    const char *dot = memrchr(finder->typed.data, '.', finder->typed.size);
    struct slice prefix = {finder->typed.data, dot ? (size_t)(dot - finder->typed.data) : 0};
    struct slice wanted = table_of_alias(finder, prefix);
    bool any = false;

    for (size_t i = 0; i < names->table_count; i++) {
        const struct completion_table *table = &names->tables[i];
        if (dot ? !slice_equal_fold(table->name, wanted) : !is_named(finder, table->name))
            continue;
        offer_columns_of(finder, table, prefix);
        any = true;
    }
    for (size_t i = 0; !dot && !any && i < names->table_count; i++)
        offer_columns_of(finder, &names->tables[i], prefix);
}

/* ----- WITH ----- */

static void offer_attribute(struct finder *finder, const struct attribute *attribute)
{
    struct slice help = slice_of(attribute->help);

    if (attribute->default_value)
        help = arena_printf(finder->arena, "%s Default: %s.", attribute->help,
                            attribute->default_value);
    if (!help.data)
        finder->has_failed = true;
    else
        offer(finder, slice_of(attribute->name), help, " = ");
}

static bool is_set(const struct finder *finder, const struct attribute *attribute, unsigned scope,
                   const struct estimator *estimator)
{
    for (size_t i = 0; i + 1 < finder->count; i++)
        if (finder->words[i].is_ours && slice_is(finder->words[i + 1].text, "=") &&
            attribute_find_written(finder->words[i].text, scope, estimator) == attribute)
            return true;
    return false;
}

static const struct estimator *find_estimator(struct slice text)
{
    const struct name name = {.text = text};
    const struct estimator *found = NULL;
    struct error ignored;

    return estimator_find(&name, &found, &ignored) == STATUS_OK ? found : NULL;
}

/* Those that the statement and the estimator know, and that are not set yet. */
static void offer_attributes(struct finder *finder, unsigned scope, struct slice estimator)
{
    const struct estimator *found = find_estimator(estimator);
    const struct attribute *attribute;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if ((attribute->scope & scope) && (!found || estimator_uses(found, attribute)) &&
            !is_set(finder, attribute, scope, found)) {
            const struct attribute own = estimator_attribute(found, attribute);

            offer_attribute(finder, &own);
        }
}

static bool is_later(const struct attribute *attribute, const char *word)
{
    for (size_t i = 0; attribute->later && attribute->later[i]; i++)
        if (strcmp(attribute->later[i], word) == 0)
            return true;
    return false;
}

static void note_expected(struct finder *finder, const struct attribute *attribute)
{
    struct text note;

    text_init(&note, 4096);
    text_printf(&note, "%s: ", attribute->name);
    attribute_append_expected(attribute, &note);
    text_printf(&note, ". %s", attribute->help);
    finder->found->note = arena_copy(finder->arena, text_slice(&note));
    finder->has_failed |= !finder->found->note.data;
    text_deinit(&note);
}

static void offer_values(struct finder *finder, struct slice name, unsigned scope,
                         struct slice estimator)
{
    const struct estimator *found = find_estimator(estimator);
    const struct attribute *attribute = attribute_find_written(name, scope, found);

    if (!attribute)
        return;
    if (found)
        attribute = attribute_of_kind(attribute, found->kind);
    note_expected(finder, attribute);
    if (attribute->type == ATTRIBUTE_BOOLEAN) {
        if (!is_later(attribute, "true"))
            offer(finder, SLICE("true"), SLICE(""), "");
        if (!is_later(attribute, "false"))
            offer(finder, SLICE("false"), SLICE(""), "");
    }
    for (size_t i = 0; attribute->words && attribute->words[i]; i++) {
        struct slice word = arena_printf(finder->arena, "'%s'", attribute->words[i]);
        if (!word.data)
            finder->has_failed = true;
        else
            offer(finder, word, SLICE(""), "");
    }
}

/* ----- behind TO ----- */

/* The clauses of each statement, in the order in which they are offered. */
static const struct {
    const char *verb;
    unsigned scope;
    const char *clauses[6];
} statements[] = {
    {"TRAIN", SCOPE_TRAIN, {"WITH", "COLUMN", "LABEL", "USING", "INTO"}},
    {"PREDICT", SCOPE_PREDICT, {"WITH", "USING", "INTO"}},
    {"EVALUATE", SCOPE_EVALUATE, {"WITH", "LABEL", "INTO"}},
    {"EXPLAIN", SCOPE_EXPLAIN, {"WITH", "USING", "INTO"}},
    {"EXPLAIN", 0, {"WITH", "USING", "INTO"}},
    {"FORECAST", SCOPE_FORECAST, {"FOR", "WITH", "INTO"}},
};

/* Where the cursor is: words[clause] is the last clause's keyword, or the verb. */
struct place {
    size_t statement; /* index into the table above */
    size_t verb, clause;
    bool has[6]; /* by the index into `clauses`: it was written */
    int depth;   /* parentheses and brackets open at the cursor */
};

static bool is_symbol(const struct finder *finder, size_t index, char symbol)
{
    const struct word *word = &finder->words[index];

    return index < finder->count && word->kind == SCAN_SYMBOL && word->text.data[0] == symbol;
}

static void enter_clause(const struct finder *finder, struct place *place, size_t index)
{
    const char *const *clauses = statements[place->statement].clauses;

    for (size_t i = 0; clauses[i]; i++) {
        if (word_is(finder, index, clauses[i])) {
            place->clause = index;
            place->has[i] = true;
        }
    }
    if (word_is(finder, index, "FOR"))
        place->clause = index;
}

static bool find_place(const struct finder *finder, size_t verb, struct place *place)
{
    *place = (struct place){.verb = verb, .clause = verb};
    while (!word_is(finder, verb, statements[place->statement].verb))
        if (++place->statement == sizeof statements / sizeof *statements)
            return false;
    for (size_t i = verb + 1; i < finder->count; i++) {
        if (is_symbol(finder, i, '(') || is_symbol(finder, i, '['))
            place->depth++;
        else if (is_symbol(finder, i, ')') || is_symbol(finder, i, ']'))
            place->depth--;
        else if (place->depth == 0)
            enter_clause(finder, place, i);
    }
    return true;
}

static void offer_clauses(struct finder *finder, const struct place *place)
{
    const char *const *clauses = statements[place->statement].clauses;

    if (place->depth > 0)
        return;
    for (size_t i = 0; clauses[i]; i++)
        if (!place->has[i])
            offer_keyword(finder, clauses[i], " ");
}

/* name = value, name = [value, value */
static void complete_with(struct finder *finder, const struct place *place)
{
    size_t last = finder->count - 1, equals = last;

    if (place->depth == 0 && (last == place->clause || is_symbol(finder, last, ','))) {
        offer_attributes(finder, statements[place->statement].scope,
                         finder->words[place->verb + 1].text);
        return;
    }
    if (place->depth == 0 && !is_symbol(finder, last, '=')) {
        if (last > place->clause + 1 && !is_symbol(finder, last - 1, ','))
            offer_clauses(finder, place);
        return;
    }
    while (equals > place->clause && !is_symbol(finder, equals, '='))
        equals--;
    if (equals > place->clause)
        offer_values(finder, finder->words[equals - 1].text, statements[place->statement].scope,
                     finder->words[place->verb + 1].text);
}

static void complete_column(struct finder *finder, const struct place *place)
{
    size_t last = finder->count - 1;

    if (last != place->clause && !is_symbol(finder, last, ',') && !is_symbol(finder, last, '(') &&
        !is_symbol(finder, last, '[')) {
        if (is_symbol(finder, last, '*'))
            offer_keyword(finder, "EXCEPT", " (");
        if (place->depth == 0)
            offer_keywords(finder, "FOR COLUMN");
        offer_clauses(finder, place);
        return;
    }
    offer_columns(finder);
    for (size_t i = 0; column_functions[i].name; i++)
        offer_keyword(finder, column_functions[i].name, "(");
}

/* Behind the verb: an estimator, a target, a model. */
static void complete_object(struct finder *finder, const struct place *place)
{
    if (place->verb + 1 < finder->count && word_is(finder, place->verb, "EVALUATE") &&
        is_symbol(finder, finder->count - 1, ',')) {
        offer_models(finder);
    } else if (place->verb + 1 < finder->count) {
        offer_clauses(finder, place);
    } else if (word_is(finder, place->verb, "TRAIN")) {
        offer_estimators(finder);
    } else if (word_is(finder, place->verb, "PREDICT")) {
        offer_clauses(finder, place);
        offer_tables(finder);
    } else {
        offer_models(finder);
    }
}

static void complete_name(struct finder *finder, const struct place *place)
{
    if (place->clause + 1 < finder->count)
        offer_clauses(finder, place);
    else if (word_is(finder, place->clause, "LABEL"))
        offer_columns(finder);
    else if (word_is(finder, place->clause, "INTO") && !word_is(finder, place->verb, "TRAIN"))
        offer_tables(finder);
    else if (!word_is(finder, place->clause, "FOR"))
        offer_models(finder); /* USING, and a model to be trained anew */
}

static void complete_action(struct finder *finder, size_t verb)
{
    struct place place;

    if (verb >= finder->count)
        offer_keywords(finder, "TRAIN PREDICT EVALUATE");
    else if (!find_place(finder, verb, &place))
        return;
    else if (place.clause == verb)
        complete_object(finder, &place);
    else if (word_is(finder, place.clause, "WITH"))
        complete_with(finder, &place);
    else if (word_is(finder, place.clause, "COLUMN"))
        complete_column(finder, &place);
    else
        complete_name(finder, &place);
}

/* ----- the commands, and the half that is the host's ----- */

static void offer_report_formats(struct finder *finder)
{
    offer(finder, SLICE("html"), SLICE("a page"), "");
    offer(finder, SLICE("markdown"), SLICE("a page for documents"), "");
}

/* Does the statement write a file that it names behind TO? */
static bool writes_file(const struct finder *finder)
{
    return word_is(finder, 0, "EXPORT") || word_is(finder, 0, "REPORT");
}

/* Programs are written alone. */
static void offer_formats(struct finder *finder, bool with_programs)
{
#define OFFER_FORMAT(format, name, ending) offer(finder, SLICE(name), SLICE("*" ending), " ");
    EXCHANGE_FORMAT_MAP(OFFER_FORMAT)
#undef OFFER_FORMAT
    if (!with_programs)
        return;
    offer(finder, SLICE("sql"), SLICE("*.sql"), " ");
#define OFFER_LANGUAGE(language, name) offer(finder, SLICE(name), SLICE(""), " ");
    FORMULA_LANGUAGE_MAP(OFFER_LANGUAGE)
#undef OFFER_LANGUAGE
}

/* DEFINE [OR REPLACE] MODEL name AS */
static void complete_define(struct finder *finder, size_t last)
{
    if (last == 0)
        offer_keywords(finder, "MODEL OR");
    else if (word_is(finder, last, "OR"))
        offer_keywords(finder, "REPLACE");
    else if (word_is(finder, last, "REPLACE"))
        offer_keywords(finder, "MODEL");
    else if (!word_is(finder, last, "MODEL") && !word_is(finder, last, "AS"))
        offer_keywords(finder, "AS");
}

static bool complete_command(struct finder *finder)
{
    const bool is_import = word_is(finder, 0, "IMPORT");
    size_t last = finder->count - 1;

    if (word_is(finder, 0, "SHOW")) {
        if (last == 0)
            offer_keywords(
                finder,
                "TRAIN MODEL MODELS VERSIONS TRIALS JOBS ATTRIBUTES DEFINITIONS DEFINITION");
        else if (last == 1 && word_is(finder, 1, "DEFINITION"))
            offer_definitions(finder);
        else if (last == 1 && word_is(finder, 1, "ATTRIBUTES"))
            offer_keywords(finder, "FOR");
        else if (last == 1 && (word_is(finder, 1, "MODELS") || word_is(finder, 1, "JOBS")))
            offer_keywords(finder, "FULL");
        else if (last == 2 && word_is(finder, 2, "FOR"))
            offer_estimators(finder);
        else if (last == 1 && (word_is(finder, 1, "TRAIN") || word_is(finder, 1, "MODEL") ||
                               word_is(finder, 1, "VERSIONS") || word_is(finder, 1, "TRIALS")))
            offer_models(finder);
        return true;
    }
    if (word_is(finder, 0, "FORECAST")) {
        complete_action(finder, 0);
        return true;
    }
    if (word_is(finder, 0, "DEFINE")) {
        complete_define(finder, last);
        return true;
    }
    if (word_is(finder, 0, "DROP") && word_is(finder, 1, "DEFINITION")) {
        if (last == 1)
            offer_keywords(finder, "IF");
        else if (last == 2 && word_is(finder, 2, "IF"))
            offer_keywords(finder, "EXISTS");
        return true;
    }
    if (word_is(finder, 0, "CANCEL")) {
        offer_keywords(finder, last == 0 ? "JOB" : "");
        return true;
    }
    if (word_is(finder, 1, "DEFINITION") && (is_import || word_is(finder, 0, "EXPORT"))) {
        if (last == 1 && !is_import)
            offer_definitions(finder);
        else if (last == 4) /* zoo, a slash, a name */
            offer_keywords(finder, is_import ? "FROM" : "TO");
        return true;
    }
    if (is_import) {
        offer_keywords(finder, last == 0   ? "MODEL DEFINITION"
                               : last == 2 ? "FROM"
                               : last == 4 ? "FORMAT"
                                           : "");
        if (last == 5)
            offer_formats(finder, false);
        return true;
    }
    if (!word_is(finder, 0, "ROLLBACK") && !writes_file(finder))
        return false;
    if (last == 0)
        offer_keywords(finder, word_is(finder, 0, "EXPORT") ? "MODEL DEFINITION"
                               : writes_file(finder)        ? "MODEL"
                                                            : "MODEL TO");
    else if (last == 1 && word_is(finder, 1, "MODEL"))
        offer_models(finder);
    else if (last == 2)
        offer_keywords(finder, "TO");
    else if (last == 4 && writes_file(finder))
        offer_keywords(finder, "FORMAT");
    else if (last == 5 && word_is(finder, 5, "FORMAT") && word_is(finder, 0, "REPORT"))
        offer_report_formats(finder);
    else if (last == 5 && word_is(finder, 5, "FORMAT"))
        offer_formats(finder, word_is(finder, 0, "EXPORT"));
    return true;
}

static bool is_any(const struct finder *finder, size_t index, const char *const *keywords)
{
    for (; *keywords; keywords++)
        if (word_is(finder, index, *keywords))
            return true;
    return false;
}

/* Does an expression end with the last word, so that a keyword has to follow? */
static bool ends_operand(const struct finder *finder)
{
    static const char *const openers[] = {"SELECT", "DISTINCT", "WHERE",  "AND",  "OR",      "NOT",
                                          "ON",     "BY",       "HAVING", "WHEN", "THEN",    "ELSE",
                                          "CASE",   "SET",      "IN",     "LIKE", "BETWEEN", NULL};
    size_t last = finder->count - 1;

    if (finder->words[last].kind == SCAN_SYMBOL) /* SELECT * is an operand, a * is none */
        return is_symbol(finder, last, ')') ||
               (is_symbol(finder, last, '*') && word_is(finder, last - 1, "SELECT"));
    return !is_any(finder, last, openers);
}

/* Words that have one successor. */
static bool complete_pair(struct finder *finder)
{
    static const char *const pairs[][2] = {
        {"ORDER", "BY"}, {"GROUP", "BY"}, {"INSERT", "INTO"}, {"DELETE", "FROM"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (word_is(finder, finder->count - 1, pairs[i][0])) {
            offer_keyword(finder, pairs[i][1], " ");
            return true;
        }
    }
    return false;
}

static void complete_sql(struct finder *finder)
{
    static const char *const table_words[] = {"FROM", "JOIN", "INTO", "TABLE", "UPDATE", NULL};

    if (finder->count == 0) {
        offer_keywords(
            finder,
            "SELECT WITH EXPLAIN SHOW FORECAST DEFINE CANCEL ROLLBACK EXPORT IMPORT REPORT "
            "INSERT UPDATE DELETE CREATE DROP ALTER BEGIN COMMIT ATTACH PRAGMA ANALYZE VACUUM");
    } else if (complete_command(finder) || complete_pair(finder)) {
        return;
    } else if (is_any(finder, finder->count - 1, table_words)) {
        offer_tables(finder);
        offer_models(finder);
    } else if (finder->count == 1 && word_is(finder, 0, "EXPLAIN")) {
        offer_keywords(finder, "SELECT QUERY");
    } else if (finder->count == 1 && (word_is(finder, 0, "CREATE") || word_is(finder, 0, "DROP"))) {
        offer_keywords(finder, word_is(finder, 0, "DROP") ? "TABLE VIEW INDEX TRIGGER DEFINITION"
                                                          : "TABLE VIEW INDEX TRIGGER");
    } else if (ends_operand(finder)) {
        offer_keywords(finder, "TO FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT ON AS AND OR NOT IS "
                               "IN BETWEEN LIKE HAVING UNION ALL EXCEPT INTERSECT OFFSET DESC ASC "
                               "WHEN THEN ELSE END VALUES SET TABLE INTO");
    } else {
        offer_columns(finder);
        if (finder->typed.size > 0) {
            offer_keywords(finder, "DISTINCT CASE NOT NULL");
            offer(finder, SLICE("totrain_predict"), SLICE(""), "(");
            offer(finder, SLICE("totrain_probability"), SLICE(""), "(");
            offer(finder, SLICE("totrain_probabilities"), SLICE(""), "(");
            offer(finder, SLICE("totrain_quantiles"), SLICE(""), "(");
            offer(finder, SLICE("totrain_component"), SLICE(""), "(");
            offer(finder, SLICE("totrain_points"), SLICE(""), "(");
            offer(finder, SLICE("totrain_is_anomaly"), SLICE(""), "(");
            offer(finder, SLICE("totrain_anomaly_probability"), SLICE(""), "(");
            offer(finder, SLICE("totrain_forecast"), SLICE(""), "(");
            offer(finder, SLICE("totrain_forecast_series"), SLICE(""), "(");
            offer(finder, SLICE("totrain_export_model"), SLICE(""), "(");
            offer(finder, SLICE("totrain_export_text"), SLICE(""), "(");
            offer(finder, SLICE("totrain_import_model"), SLICE(""), "(");
            offer(finder, SLICE("totrain_report"), SLICE(""), "(");
        }
    }
}

/* ----- words ----- */

static bool is_name_byte(char c)
{
    return scan_is_word_byte(c) || c == '.';
}

static void add_word(struct finder *finder, const struct scan *scan, bool is_ours)
{
    struct slice text = scan_text(finder->text, scan);
    struct word *last = finder->count ? &finder->words[finder->count - 1] : NULL;
    bool touches = last && last->text.data + last->text.size == text.data;
    bool is_dot = slice_is(text, ".");

    if (touches && last->kind != SCAN_SYMBOL && last->kind != SCAN_NUMBER &&
        (is_dot || last->text.data[last->text.size - 1] == '.')) {
        last->text.size += text.size;
        return;
    }
    if (finder->count == COMPLETION_TOKENS_MAX)
        finder->is_silent = true;
    else
        finder->words[finder->count++] = (struct word){text, scan->kind, is_ours};
}

/* Cut the statement at the cursor into words; the last one, when the cursor
 * touches it, is the one being typed. */
static void cut_words(struct finder *finder, size_t cursor, int to_position)
{
    struct slice text = {finder->text.data, cursor};
    size_t start = cursor;

    while (start > (size_t)finder->begin && is_name_byte(text.data[start - 1]))
        start--;
    for (int at = finder->begin; (size_t)at < cursor;) {
        bool is_ours = to_position >= 0 && at > to_position;
        struct scan scan = scan_next(text, at, is_ours ? SCAN_OURS : SCAN_HOST);
        at = scan.end;
        if ((size_t)at == cursor && scan.kind == SCAN_COMMENT)
            finder->is_silent = true;
        if (!scan.closed) {
            start = (size_t)scan.start;
            break;
        }
        if (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT)
            continue;
        if ((size_t)at > start)
            break;
        add_word(finder, &scan, is_ours);
    }
    finder->found->start = start;
    finder->typed = (struct slice){text.data + start, cursor - start};
}

static void complete_statement(struct finder *finder, size_t cursor)
{
    struct slice before = {finder->text.data, cursor};
    struct piece piece = split_piece(before, 0);

    while (piece.terminated) {
        finder->begin = piece.next;
        piece = split_piece(before, piece.next);
    }
    cut_words(finder, cursor, piece.to_position);
    if (finder->is_silent)
        return;
    for (size_t i = 0; i < finder->count; i++) {
        if (piece.to_position >= 0 &&
            finder->words[i].text.data == finder->text.data + piece.to_position) {
            complete_action(finder, i + 1);
            return;
        }
    }
    complete_sql(finder);
}

/* Completes the argument of a dot command: on|off, [TABLE], FILE. */
static void complete_argument(struct finder *finder, const char *argument)
{
    if (strcmp(argument, "FILE") == 0)
        finder->found->is_file = true;
    if (strcmp(argument, "[TABLE]") == 0) {
        offer_tables(finder);
        offer_models(finder);
    }
    while (strchr(argument, '|') || (*argument >= 'a' && *argument <= 'z')) {
        size_t size = strcspn(argument, "|");
        offer(finder, (struct slice){argument, size}, SLICE(""), "");
        argument += size + (argument[size] == '|');
    }
}

/* A line that begins with a dot is the shell's own. */
static bool complete_dot(struct finder *finder, size_t cursor)
{
    int at = 0;
    struct slice text = {finder->text.data, cursor}, line = dot_line_find(text, &at), word = line;
    const struct completion_names *names = finder->names;
    size_t from = 0;

    if (line.size == 0)
        return false;
    word.size = 0;
    while (word.size < line.size && word.data[word.size] != ' ')
        word.size++;
    if (word.size < line.size) /* the word at the cursor is behind the command */
        for (from = word.size; from < line.size && line.data[from] == ' ';)
            from++;
    finder->typed = (struct slice){line.data + from, line.size - from};
    finder->found->start = cursor - finder->typed.size;
    for (size_t i = 0; i < names->command_count; i++) {
        const struct completion_command *command = &names->commands[i];
        if (word.size == line.size)
            offer(finder, slice_of(command->word), slice_of(command->help),
                  *command->argument ? " " : "");
        else if (slice_is(word, command->word))
            complete_argument(finder, command->argument);
    }
    return true;
}

enum status completion_find(struct slice text, size_t cursor, const struct completion_names *names,
                            struct arena *arena, struct completion *completion, struct error *err)
{
    struct finder finder = {.text = text, .names = names, .arena = arena, .found = completion};

    *completion = (struct completion){.start = cursor};
    completion->candidates =
        ARENA_NEW(arena, struct completion_candidate, COMPLETION_CANDIDATES_MAX);
    finder.words = ARENA_NEW(arena, struct word, COMPLETION_TOKENS_MAX);
    if (!completion->candidates || !finder.words)
        return fail_no_memory(err);
    if (!complete_dot(&finder, cursor))
        complete_statement(&finder, cursor);
    return finder.has_failed ? fail_no_memory(err) : STATUS_OK;
}

/* Case counts in names of files only. */
static bool begins_with(const struct completion *completion, struct slice text, struct slice front)
{
    return completion->is_file
               ? text.size >= front.size && memcmp(text.data, front.data, front.size) == 0
               : begins_with_fold(text, front);
}

struct slice completion_common(const struct completion *completion)
{
    struct slice common = completion->count ? completion->candidates[0].text : SLICE("");

    for (size_t i = 1; i < completion->count; i++)
        while (!begins_with(completion, completion->candidates[i].text, common))
            common.size--;
    return slice_prefix(completion->count ? completion->candidates[0].text : common, common.size);
}

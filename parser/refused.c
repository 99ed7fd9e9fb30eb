#include "parser/refused.h"

#include <stdio.h>
#include <string.h>

#include "parser/other_calls.h"
#include "parser/scan.h"
#include "parser/splitter.h"

#define COUNT(array)    (sizeof(array) / sizeof *(array))
#define TOKENS_MAX      100000 /* beyond which nothing is looked for */
#define VERBS_MAX       32     /* likewise */
#define DEPTH_MAX       64     /* depth of parentheses that are looked into */
#define HEAD_TOKENS_MAX 6      /* CREATE OR REPLACE MODEL IF NOT */
#define BETWEEN_MAX     6      /* OR REPLACE MODEL IF NOT EXISTS */

enum verb { VERB_NONE, VERB_TRAIN, VERB_PREDICT, VERB_EVALUATE, VERB_OTHER };

struct reader {
    struct slice text;
    int at, end;
};

struct reading_token {
    enum scan_kind kind; /* SCAN_END: there are no more */
    struct slice text;
    int start;
};

static struct reading_token read_token(struct reader *reader)
{
    for (;;) {
        const char first =
            (size_t)reader->at < reader->text.size ? reader->text.data[reader->at] : 0;
        const struct scan scan = first == '[' ? scan_bracket(reader->text, reader->at)
                                              : scan_next(reader->text, reader->at, SCAN_HOST);

        if (scan.kind == SCAN_END || scan.start >= reader->end)
            return (struct reading_token){SCAN_END, {"", 0}, reader->end};
        reader->at = scan.end;
        if (scan.kind != SCAN_BLANK && scan.kind != SCAN_COMMENT)
            return (struct reading_token){scan.kind, scan_text(reader->text, &scan), scan.start};
    }
}

static bool is_word(const struct reading_token *token, const char *word)
{
    return token->kind == SCAN_WORD && slice_is_fold(token->text, word);
}

static bool is_one_of(const struct reading_token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(token, words[i]))
            return true;
    return false;
}

static enum verb verb_of(const struct reading_token *token)
{
    static const char *const others[] = {"EXPLAIN", "RUN", "MAXIMIZE", "MINIMIZE"};

    if (is_word(token, "TRAIN"))
        return VERB_TRAIN;
    if (is_word(token, "PREDICT"))
        return VERB_PREDICT;
    if (is_word(token, "EVALUATE"))
        return VERB_EVALUATE;
    return is_one_of(token, others, COUNT(others)) ? VERB_OTHER : VERB_NONE;
}

static const char *form_of(enum verb verb)
{
    switch (verb) {
    case VERB_PREDICT:
        return "SELECT * FROM table TO PREDICT USING model;";
    case VERB_EVALUATE:
        return "SELECT * FROM table TO EVALUATE model;";
    case VERB_TRAIN:
    case VERB_OTHER:
    case VERB_NONE:
        break;
    }
    return "SELECT * FROM table TO TRAIN LinearClassifier LABEL column INTO model;";
}

/* ----- by the first words ----- */

struct head {
    struct reading_token tokens[HEAD_TOKENS_MAX];
    struct slice
        object; /* the word after CREATE, DROP or ALTER MODEL; "model" where there is none */
};

/* A name of up to three parts; what the reader is at is no name: size 0. */
static struct slice read_name(struct reader reader)
{
    struct reading_token token = read_token(&reader);
    struct slice name = {token.text.data, 0};

    for (int part = 0; part < 3; part++) {
        if (token.kind != SCAN_WORD && token.kind != SCAN_QUOTED)
            break;
        name.size = (size_t)(token.text.data + token.text.size - name.data);
        token = read_token(&reader);
        if (!slice_is(token.text, "."))
            break;
        token = read_token(&reader);
    }
    return name;
}

static struct head read_head(struct slice text, struct span span)
{
    static const char *const between[] = {"IF", "NOT", "EXISTS", "OR", "REPLACE", "MODEL"};
    struct reader reader = {text, span.start, span.end}, object;
    struct head head = {.object = SLICE("model")};
    struct reading_token token;

    for (size_t i = 0; i < HEAD_TOKENS_MAX; i++)
        head.tokens[i] = read_token(&reader);
    reader.at = span.start;
    token = read_token(&reader);
    for (int words = 0; words <= BETWEEN_MAX; words++) {
        object = reader;
        token = read_token(&reader);
        if (!is_one_of(&token, between, COUNT(between)))
            break;
    }
    if (read_name(object).size > 0)
        head.object = read_name(object);
    return head;
}

static bool hint_model(const struct head *head, struct error *err)
{
    const struct reading_token *first = &head->tokens[0];
    const bool is_replaced =
        is_word(&head->tokens[1], "OR") && is_word(&head->tokens[2], "REPLACE");
    const struct slice object = slice_prefix(head->object, 100);

    if (!is_word(&head->tokens[is_replaced ? 3 : 1], "MODEL"))
        return false;
    if (is_word(first, "CREATE"))
        error_hint(err, "A model is made by training: %s", form_of(VERB_TRAIN));
    else if (is_word(first, "DROP") || is_word(first, "DELETE"))
        error_hint(err, "A model is a table: DROP TABLE %.*s;", SLICE_FORMAT(object));
    else if (is_word(first, "ALTER") || is_word(first, "RENAME"))
        error_hint(err, "A model is a table: ALTER TABLE %.*s RENAME TO new_name;",
                   SLICE_FORMAT(object));
    else if (is_word(first, "DESCRIBE") || is_word(first, "DESC"))
        error_hint(err, "SHOW MODEL %.*s; describes a model, SHOW TRAIN its training.",
                   SLICE_FORMAT(object));
    else if (is_word(first, "EXPLAIN"))
        error_hint(err,
                   "SHOW MODEL %.*s; describes a model, SELECT * FROM table TO EXPLAIN "
                   "%.*s; what it looks at.",
                   SLICE_FORMAT(object), SLICE_FORMAT(object));
    else
        return false;
    return true;
}

/* SHOW MODLES */
static bool hint_misspelt_show(const struct head *head, struct error *err)
{
    static const char *const shown[] = {"TRAIN", "MODELS",     "VERSIONS",   "TRIALS",
                                        "JOBS",  "ATTRIBUTES", "DEFINITIONS"};
    const struct reading_token *object = &head->tokens[1];
    int nearest = -1;

    if (is_word(&head->tokens[0], "SHOW") && object->kind == SCAN_WORD)
        nearest = text_nearest(object->text, shown, COUNT(shown));
    if (nearest >= 0)
        error_hint(err, "Did you mean SHOW %s?", shown[nearest]);
    return nearest >= 0;
}

static bool hint_show(const struct head *head, struct error *err)
{
    if (!is_word(&head->tokens[0], "SHOW") || head->tokens[1].kind != SCAN_WORD)
        return false;
    if (!hint_misspelt_show(head, err))
        error_hint(
            err,
            "ToTrain shows models and jobs: SHOW MODELS, SHOW MODEL model, SHOW TRAIN model, "
            "SHOW VERSIONS model, SHOW TRIALS model, SHOW JOBS, SHOW ATTRIBUTES and SHOW "
            "DEFINITIONS.%s",
            is_word(&head->tokens[1], "TABLES")
                ? " Tables are listed by .tables in a shell, or SELECT name FROM sqlite_schema."
                : "");
    return true;
}

/* FORCAST m */
static bool hint_misspelt_forecast(const struct head *head, struct error *err)
{
    static const char *const verb[] = {"FORECAST"};
    const struct reading_token *first = &head->tokens[0], *second = &head->tokens[1];

    if (first->kind != SCAN_WORD || (second->kind != SCAN_WORD && second->kind != SCAN_QUOTED) ||
        text_nearest(first->text, verb, COUNT(verb)) < 0)
        return false;
    error_hint(err, "Did you mean FORECAST %.*s?", SLICE_FORMAT(slice_prefix(second->text, 100)));
    return true;
}

/* Is the clause of the verb, too, behind it? */
static bool is_followed(struct reader reader, enum verb verb)
{
    static const char *const clauses[] = {"WITH", "LABEL", "INTO"};
    struct reading_token token = read_token(&reader);
    struct reader model = reader;
    int left = TOKENS_MAX;

    if (verb == VERB_EVALUATE) { /* a model, and then nothing, or a clause of ours */
        token = read_token(&model);
        return token.kind == SCAN_END || is_one_of(&token, clauses, COUNT(clauses));
    }
    for (; token.kind != SCAN_END && left > 0; left--) {
        const bool is_using = is_word(&token, "USING");

        if (verb == VERB_TRAIN && (is_word(&token, "LABEL") || is_word(&token, "INTO")))
            return true;
        token = read_token(&reader);
        if (is_using && verb == VERB_PREDICT && token.kind == SCAN_WORD)
            return true;
    }
    return false;
}

static bool hint_first_verb(struct reader reader, struct error *err)
{
    const struct reading_token first = read_token(&reader);
    struct reader ahead = reader;
    const enum verb verb = verb_of(&first);
    struct reading_token second;

    if (verb == VERB_NONE || verb == VERB_OTHER || read_token(&ahead).kind != SCAN_WORD)
        return false;
    second = read_token(&ahead);
    if (!is_followed(reader, verb) && !is_word(&second, "ON"))
        return false;
    error_hint(err, "The query for the rows comes first: %s", form_of(verb));
    return true;
}

/* DESCRIBE t, DESC m */
static bool hint_describe(const struct head *head, struct error *err)
{
    const struct reading_token *first = &head->tokens[0], *object = &head->tokens[1];

    if ((!is_word(first, "DESCRIBE") && !is_word(first, "DESC")) ||
        (object->kind != SCAN_WORD && object->kind != SCAN_QUOTED))
        return false;
    error_hint(err,
               "SHOW MODEL %.*s; describes a model; the columns of a table are listed by "
               "SELECT name, type FROM pragma_table_info('%.*s').",
               SLICE_FORMAT(slice_prefix(object->text, 100)),
               SLICE_FORMAT(slice_prefix(object->text, 100)));
    return true;
}

/* CANCEL 5, CANCEL JOBS 5, CANCEL TRAINING 5 */
static bool hint_cancel(const struct head *head, struct error *err)
{
    const bool has_number =
        head->tokens[1].kind == SCAN_NUMBER || head->tokens[2].kind == SCAN_NUMBER;

    if (!is_word(&head->tokens[0], "CANCEL") || !has_number)
        return false;
    error_hint(err, "CANCEL JOB number; ends a job. SHOW JOBS; lists them.");
    return true;
}

/* \d, ?, help */
static bool hint_shell(const struct head *head, struct error *err)
{
    const struct reading_token *first = &head->tokens[0];
    const bool is_alone = head->tokens[1].kind == SCAN_END;

    if (!slice_is(first->text, "\\") &&
        !(is_alone && (slice_is(first->text, "?") || is_word(first, "HELP"))))
        return false;
    error_hint(err, "Commands of a shell begin with a dot: .tables, .schema, .help; \\d and the "
                    "like are those of psql.");
    return true;
}

/* SELECT * EXCEPT (a) FROM t, as BigQuery has it; EXCLUDE is DuckDB's. */
static bool hint_except(struct reader reader, struct error *err)
{
    static const char *const words[] = {"EXCEPT", "EXCLUDE", "REPLACE"};
    struct reading_token before = {.kind = SCAN_END}, token = read_token(&reader);

    for (int left = TOKENS_MAX; token.kind != SCAN_END && left > 0; left--) {
        struct reader ahead = reader;

        if (slice_is(before.text, "*") && is_one_of(&token, words, COUNT(words)) &&
            slice_is(read_token(&ahead).text, "(")) {
            error_hint(err,
                       "The database has no * %.*s: name the columns in the SELECT, or leave "
                       "inputs out behind TO TRAIN: COLUMN * EXCEPT (a, b).",
                       SLICE_FORMAT(token.text));
            return true;
        }
        before = token;
        token = read_token(&reader);
    }
    return false;
}

static bool is_name_of(struct slice name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(name, names[i]))
            return true;
    return false;
}

static bool is_our_function(struct slice text)
{
    static const char prefix[] = "totrain_";

    return text.size > sizeof prefix - 1 && strncmp(text.data, prefix, sizeof prefix - 1) == 0;
}

/* totrain_predict('m', *): functions of SQLite take no * behind another argument. */
static bool hint_all_columns(struct reader reader, struct error *err)
{
    struct reading_token before = {.kind = SCAN_END}, token = read_token(&reader);
    bool is_ours = false;

    for (int left = TOKENS_MAX; token.kind != SCAN_END && left > 0; left--) {
        struct reader ahead = reader;

        if (is_ours && slice_is(before.text, ",") && slice_is(token.text, "*") &&
            slice_is(read_token(&ahead).text, ")")) {
            error_hint(err,
                       "SELECT totrain_call('m'); prints the call with all inputs of m. SELECT * "
                       "FROM t TO PREDICT guess USING m finds the columns by name.");
            return true;
        }
        is_ours = is_ours || is_our_function(token.text);
        before = token;
        token = read_token(&reader);
    }
    return false;
}

/* ----- by a verb inside ----- */

/* The surroundings of a verb. */
struct place {
    struct reading_token earlier, before, verb, after;
    struct reader behind;     /* behind the verb */
    int depth;                /* depth of parentheses */
    bool is_query[DEPTH_MAX]; /* each begins with SELECT; [0]: a SELECT was before */
    bool is_followed;         /* by LABEL or INTO, or by USING and a name */
};

/* Is the position, or -1, in the call whose name the verb is, from its schema to the bracket that
 * ends it? Users may have functions of their own with these names, and mistakes elsewhere. */
static bool is_in_call(const struct place *place, int position)
{
    struct reader reader = place->behind;
    struct reading_token token = read_token(&reader);

    if (position < 0)
        return true;
    for (int depth = 1; depth > 0 && token.kind != SCAN_END && token.start < position;) {
        token = read_token(&reader);
        depth += slice_is(token.text, "(") - slice_is(token.text, ")");
    }
    return position >= place->earlier.start && position <= token.start;
}

/* SELECT pgml.train('x', ...), as PostgresML has it, and SELECT * FROM ML.PREDICT(MODEL m, TABLE
 * t), as BigQuery. */
static bool hint_bigquery(const struct place *place, int position, struct error *err)
{
    if (!slice_is(place->before.text, ".") || !slice_is(place->after.text, "(") ||
        !is_in_call(place, position))
        return false;
    error_hint(err, "Write %s", form_of(verb_of(&place->verb)));
    return true;
}

static bool is_inside_query(const struct place *place)
{
    return place->depth >= 0 && place->depth < DEPTH_MAX && place->is_query[place->depth];
}

/* CREATE TABLE t AS SELECT ... TO EVALUATE m, INSERT INTO t SELECT ... */
static void hint_own_table(const struct reading_token *verb, struct error *err)
{
    static const char text[] = "The statement begins with SELECT and makes its table itself: ";

    if (verb_of(verb) == VERB_PREDICT)
        error_hint(err, "%sSELECT * FROM table TO PREDICT new_table.column USING model;", text);
    else if (verb_of(verb) == VERB_TRAIN)
        error_hint(err, "%s%s", text, form_of(VERB_TRAIN));
    else
        error_hint(err, "%sSELECT * FROM table TO %.*s model INTO new_table;", text,
                   SLICE_FORMAT(verb->text));
}

static bool hint_after_to(const struct head *head, const struct place *place, struct error *err)
{
    const struct reading_token *first = &head->tokens[0];
    const int size = (int)place->verb.text.size;
    const char *verb = place->verb.text.data;

    if (is_word(first, "EXPLAIN"))
        error_hint(err, "EXPLAIN alone shows the plan: EXPLAIN SELECT ... TO %.*s ...", size, verb);
    else if (place->depth > 0 && !is_inside_query(place))
        return false;
    else if (is_word(first, "PREPARE") || is_word(first, "DECLARE"))
        error_hint(err, "%.*s takes no statement of ToTrain: it is run as it is.",
                   SLICE_FORMAT(first->text));
    else if (is_word(first, "CREATE") && is_word(&head->tokens[1], "VIEW") &&
             verb_of(&place->verb) == VERB_PREDICT)
        error_hint(err, "A view calls the model as a function: SELECT *, totrain_predict('model', "
                        "a, b) FROM table.");
    else if ((is_word(first, "CREATE") || is_word(first, "INSERT")) && is_inside_query(place))
        hint_own_table(&place->verb, err);
    else if (slice_is(first->text, "("))
        error_hint(err, "The SELECT stands without parentheses: SELECT ... TO %.*s ...", size,
                   verb);
    else if (is_word(first, "VALUES"))
        error_hint(err, "Only a SELECT can be before TO: SELECT * FROM (VALUES ...) TO %.*s ...",
                   size, verb);
    else if (place->depth > 0)
        error_hint(
            err,
            "TO %.*s is not for a query inside of another one. In FROM a function returns the "
            "rows of a statement: totrain_rows('SELECT ...'), in PostgreSQL totrain.rows.",
            size, verb);
    else if (is_word(first, "FROM") || is_word(first, "TABLE"))
        error_hint(err, "Only a SELECT can be before TO: %s", form_of(verb_of(&place->verb)));
    else
        return false;
    return true;
}

/* FROM t TRAIN LinearClassifier LABEL y INTO m: the verb behind a finished expression or table. A
 * table's other name could stand there, too, but then a clause follows and not a name. */
static bool lacks_to(const struct place *place)
{
    static const char *const open[] = {"SELECT", "FROM", "JOIN",   "AS",    "WHERE",   "AND",
                                       "OR",     "NOT",  "ON",     "BY",    "IN",      "IS",
                                       "LIKE",   "INTO", "UPDATE", "TABLE", "ALL",     "HAVING",
                                       "WHEN",   "THEN", "ELSE",   "CASE",  "DISTINCT"};
    static const char *const clauses[] = {
        "JOIN",      "LEFT",  "RIGHT",  "INNER",  "OUTER", "CROSS",   "NATURAL", "FULL",
        "WHERE",     "GROUP", "ORDER",  "LIMIT",  "ON",    "HAVING",  "UNION",   "AS",
        "INTERSECT", "FROM",  "EXCEPT", "WINDOW", "SET",   "INDEXED", "NOT",     "TABLESAMPLE"};
    const struct reading_token *before = &place->before, *after = &place->after;

    if (place->depth > 0 || !place->is_followed || is_one_of(before, open, COUNT(open)) ||
        is_one_of(after, clauses, COUNT(clauses)))
        return false;
    if (before->kind == SCAN_SYMBOL && !slice_is(before->text, ")"))
        return false;
    return before->kind != SCAN_END && (after->kind == SCAN_WORD || after->kind == SCAN_QUOTED);
}

static bool hint_place(const struct head *head, const struct place *place, int position,
                       struct error *err)
{
    const bool is_query = is_word(&head->tokens[0], "SELECT") ||
                          is_word(&head->tokens[0], "WITH") || is_word(&head->tokens[0], "EXPLAIN");
    const enum verb verb = verb_of(&place->verb);

    if (is_word(&place->before, "TO"))
        return hint_after_to(head, place, err);
    if (verb == VERB_OTHER)
        return false;
    if (hint_bigquery(place, position, err))
        return true;
    if (!is_query || (position >= 0 && position < place->verb.start) || !lacks_to(place))
        return false;
    error_hint(err, "Write TO before %.*s: SELECT ... TO %.*s %.*s ...",
               SLICE_FORMAT(place->verb.text), SLICE_FORMAT(place->verb.text),
               SLICE_FORMAT(slice_prefix(place->after.text, 100)));
    return true;
}

static void note_query(struct place *place)
{
    const bool begins = is_word(&place->verb, "SELECT") || is_word(&place->verb, "WITH");

    if (place->depth < 0 || place->depth >= DEPTH_MAX)
        return;
    if (slice_is(place->verb.text, "("))
        place->is_query[place->depth] = false;
    else if (begins && (place->depth == 0 || slice_is(place->before.text, "(")))
        place->is_query[place->depth] = true;
}

static bool hint_inside(struct slice text, struct span span, const struct head *head, int position,
                        struct error *err)
{
    struct reader reader = {text, span.start, span.end}, ahead;
    struct place place = {.earlier = {.kind = SCAN_END}, .before = {.kind = SCAN_END}};
    int verbs = 0;

    place.verb = read_token(&reader);
    for (int left = TOKENS_MAX; place.verb.kind != SCAN_END && left > 0; left--) {
        place.depth += slice_is(place.verb.text, "(");
        place.depth -= slice_is(place.verb.text, ")");
        note_query(&place);
        ahead = place.behind = reader;
        place.after = read_token(&ahead);
        if (verb_of(&place.verb) != VERB_NONE && verbs++ < VERBS_MAX) {
            place.is_followed = is_followed(reader, verb_of(&place.verb));
            if (hint_place(head, &place, position, err))
                return true;
        }
        place.earlier = place.before;
        place.before = place.verb;
        place.verb = read_token(&reader);
    }
    return false;
}

bool refused_hint(struct slice text, int position, struct error *err)
{
    const struct piece piece = split_piece(text, 0);
    const struct head head = read_head(text, piece.span);

    if (piece.kind == PIECE_OURS) /* PostgreSQL looks at a TO only behind a SELECT */
        return is_word(&head.tokens[0], "TO") &&
               hint_first_verb((struct reader){text, head.tokens[1].start, piece.span.end}, err);
    if (piece.kind != PIECE_SQL)
        return false;
    return hint_model(&head, err) || hint_show(&head, err) || hint_describe(&head, err) ||
           hint_cancel(&head, err) || hint_shell(&head, err) ||
           hint_misspelt_forecast(&head, err) ||
           hint_first_verb((struct reader){text, piece.span.start, piece.span.end}, err) ||
           hint_except((struct reader){text, piece.span.start, piece.span.end}, err) ||
           hint_all_columns((struct reader){text, piece.span.start, piece.span.end}, err) ||
           hint_inside(text, piece.span, &head, position, err) ||
           other_calls_hint((struct slice){text.data, (size_t)piece.span.end}, position,
                            (struct slice){"", 0}, err);
}

bool refused_show_hint(struct slice text, struct error *err)
{
    const struct head head = read_head(text, split_piece(text, 0).span);

    return hint_misspelt_show(&head, err);
}

/* Hints at a SELECT that the database has read to its end, and that is not complete: "SELECT *
 * FROM". */
static void hint_ends_early(struct slice select, struct error *err)
{
    struct reader reader = {select, 0, (int)select.size};
    struct reading_token last = {.kind = SCAN_END}, token;

    while ((token = read_token(&reader)).kind != SCAN_END)
        last = token;
    if (last.kind != SCAN_END)
        error_hint(err, "The SELECT ends too early: something is missing after %.*s.",
                   SLICE_FORMAT(slice_prefix(last.text, 100)));
}

void refused_select_hint(struct slice select, struct error *err)
{
    static const char *const keywords[] = {"FROM", "WHERE", "GROUP", "ORDER", "LIMIT",
                                           "JOIN", "UNION", "USING", "BY",    "HAVING"};
    const bool has_place = err->position >= 0 && !err->hint[0];
    const size_t start = has_place ? (size_t)err->position : select.size;
    struct slice word = {select.data + start, 0};
    int nearest;

    if (!err->hint[0] && hint_except((struct reader){select, 0, (int)select.size}, err))
        return;
    if (has_place && start >= select.size) {
        hint_ends_early(select, err);
        return;
    }
    while (start + word.size < select.size && scan_is_word_byte(word.data[word.size]))
        word.size++;
    nearest = word.size < 3 ? -1 : text_nearest(word, keywords, COUNT(keywords));
    if (nearest >= 0 && !slice_is_fold(word, keywords[nearest]))
        error_hint(err, "Did you mean %s?", keywords[nearest]);
}

/* ----- by a name that is not there ----- */

/* The function, table, column or setting that err's message calls missing. */
struct missing {
    struct slice name;
    bool is_table, is_column, is_postgres;
};

/* "no such function: predict" and "function predict(unknown) does not exist" name predict. */
static struct missing read_missing(struct slice message)
{
    static const struct {
        const char *front;
        bool is_table, is_column, is_postgres;
    } forms[] = {
        {"no such function: ", false, false, false}, {"no such table: ", true, false, false},
        {"no such column: ", false, true, false},    {"function ", false, false, true},
        {"schema \"", false, false, true},           {"column \"", false, true, true},
    };

    for (size_t i = 0; i < COUNT(forms); i++) {
        const size_t size = strlen(forms[i].front);
        struct slice name = {message.data + size, 0};

        if (message.size <= size || memcmp(message.data, forms[i].front, size) != 0)
            continue;
        while (size + name.size < message.size && !memchr("(\"", name.data[name.size], 2))
            name.size++;
        return (struct missing){name, forms[i].is_table, forms[i].is_column, forms[i].is_postgres};
    }
    return (struct missing){.name = {"", 0}};
}

static bool ends_with(struct slice name, const char *ending)
{
    const size_t size = strlen(ending);

    return name.size > size &&
           slice_is_fold((struct slice){name.data + name.size - size, size}, ending);
}

static bool hint_file(struct slice name, struct error *err)
{
    static const char *const endings[] = {".csv", ".tsv", ".txt", ".parquet", ".json"};

    for (size_t i = 0; i < COUNT(endings); i++) {
        if (!ends_with(name, endings[i]))
            continue;
        error_hint(err,
                   i < 2 ? "A file is no table: .import %.*s t makes one of it, in the sqlite3 "
                           "shell .import --csv %.*s t."
                         : "A file is no table: read it into one first. In Python totrain.train "
                           "takes DataFrames.",
                   SLICE_FORMAT(slice_prefix(name, 100)), SLICE_FORMAT(slice_prefix(name, 100)));
        return true;
    }
    return false;
}

/* FROM read_csv('a.csv'), as DuckDB has it */
static bool hint_reader(struct slice name, struct error *err)
{
    static const char *const readers[] = {"read_csv", "read_csv_auto", "read_parquet", "read_json",
                                          "read_json_auto"};

    for (size_t i = 0; i < COUNT(readers); i++)
        if (slice_is_fold(name, readers[i])) {
            error_hint(err, "A file is read into a table first: .import --csv a.csv t in the "
                            "sqlite3 shell. In Python totrain.train takes DataFrames, and "
                            "relations of DuckDB.");
            return true;
        }
    return false;
}

/* predict(...), pgml.train(...): `name` has no schema. */
static void hint_function(struct slice name, bool is_postgres, struct error *err)
{
    static const char *const predicts[] = {"predict", "ml_predict", "model_predict"};
    static const char *const trains[] = {"train", "create_model", "fit", "train_model", "pgml"};

    if (slice_is_fold(name, "predict_proba"))
        error_hint(err, is_postgres ? "It is totrain.probability here: SELECT "
                                      "totrain.probability('model', t) FROM t."
                                    : "It is totrain_probability here: SELECT "
                                      "totrain_probability('model', a, b) FROM t.");
    for (size_t i = 0; i < COUNT(predicts); i++)
        if (slice_is_fold(name, predicts[i]))
            error_hint(err, is_postgres ? "It is totrain.predict here: SELECT "
                                          "totrain.predict('model', t) FROM t."
                                        : "It is totrain_predict here: SELECT "
                                          "totrain_predict('model', a, b) FROM t.");
    for (size_t i = 0; i < COUNT(trains); i++)
        if (slice_is_fold(name, trains[i]))
            error_hint(err, "A statement trains: %s", form_of(VERB_TRAIN));
}

/* totrain_proba is the beginning of one of ours, or nearly one. */
static void hint_misspelt_function(struct slice name, struct error *err)
{
    static const char *const ours[] = {
        "totrain_predict",   "totrain_probability",  "totrain_probabilities", "totrain_logits",
        "totrain_quantiles", "totrain_shap",         "totrain_leaf",          "totrain_distance",
        "totrain_points",    "totrain_component",    "totrain_problem",       "totrain_call",
        "totrain_named",     "totrain_export_model", "totrain_import_model",  "totrain_version",
        "totrain_report"};
    int found = -1;

    if (!is_our_function(name))
        return;
    if (slice_is_fold(name, "totrain_train") || slice_is_fold(name, "totrain_fit")) {
        error_hint(err, "A statement trains: %s", form_of(VERB_TRAIN));
        return;
    }
    for (size_t i = 0; i < COUNT(ours) && found < 0; i++)
        if (strncmp(ours[i], name.data, name.size) == 0)
            found = (int)i;
    if (found < 0)
        found = text_nearest(name, ours, COUNT(ours));
    if (found >= 0)
        error_hint(err, "Did you mean %s?", ours[found]);
}

/* FROM totrain_evaluate('m'), FROM totrain.rows('...') in SQLite, FROM totrain_modles: `name` has
 * no schema. */
static bool hint_own_name_of_table(struct slice schema, struct slice name, struct error *err)
{
    static const char *const made[] = {"totrain_models", "totrain_versions", "totrain_metrics"};
    static const char *const calls[] = {"totrain_evaluate", "totrain_explain", "totrain_predict",
                                        "totrain",          "totrain_show",    "totrain_run"};
    static const char *const ours[] = {
        "totrain_rows",    "totrain_models",   "totrain_versions",
        "totrain_metrics", "totrain_forecast", "totrain_jobs",
        "totrain_workers", "totrain_events",   "totrain_job_metrics"};
    char whole[80];
    int nearest;

    if (slice_is_fold(schema, "totrain")) { /* or a database that is attached under this name */
        snprintf(whole, sizeof whole, "totrain_%.*s", SLICE_FORMAT(slice_prefix(name, 60)));
        nearest = text_nearest(slice_of(whole), ours, COUNT(ours));
        if (nearest < 0)
            return false;
        error_hint(err, "Names of ToTrain have no schema in SQLite: %s.", ours[nearest]);
        return true;
    }
    if (is_name_of(name, calls, COUNT(calls)))
        error_hint(err, "In FROM a function returns the rows of a statement: SELECT row FROM "
                        "totrain_rows('SELECT * FROM table TO EVALUATE model');");
    else if (is_name_of(name, made, COUNT(made)))
        error_hint(err, "The first training in this database makes it. %s", form_of(VERB_TRAIN));
    else if (is_our_function(name) && (nearest = text_nearest(name, ours, COUNT(ours))) >= 0)
        error_hint(err, "Did you mean %s?", ours[nearest]);
    else
        return false;
    return true;
}

/* totrain_predict(m, a), totrain.predict(m, t): the model's name is taken for a column's. */
static bool hint_unquoted_model(struct slice text, struct slice name, struct error *err)
{
    struct reader reader = {text, 0, (int)text.size};
    struct reading_token before = {.kind = SCAN_END}, token = read_token(&reader);

    for (int left = TOKENS_MAX; token.kind != SCAN_END && left > 0; left--) {
        struct reader ahead = reader;

        if (slice_is(token.text, "(") && before.kind == SCAN_WORD) {
            const struct reading_token model = read_token(&ahead);

            if (model.kind == SCAN_WORD && slice_equal_fold(model.text, name) &&
                (is_our_function(before.text) || slice_is_fold(before.text, "predict") ||
                 slice_is_fold(before.text, "probability"))) {
                error_hint(err, "A model's name stands in single quotes: %.*s('%.*s', ...).",
                           SLICE_FORMAT(slice_prefix(before.text, 60)),
                           SLICE_FORMAT(slice_prefix(name, 100)));
                return true;
            }
        }
        before = token;
        token = read_token(&reader);
    }
    return false;
}

bool refused_missing_hint(struct slice text, struct error *err)
{
    static const char *const schemas[] = {"pgml", "ml", "madlib"};
    char message[sizeof err->message];
    struct slice name, schema = {"", 0};
    struct missing missing;
    const char *dot;

    memcpy(message, err->message, sizeof message);
    missing = read_missing(slice_of(message));
    if (err->hint[0] || missing.name.size == 0)
        return false;
    if (missing.is_column)
        return hint_unquoted_model(text, missing.name, err);
    if (missing.is_table && (hint_file(missing.name, err) || hint_reader(missing.name, err)))
        return true;
    name = missing.name;
    dot = memrchr(name.data, '.', name.size);
    if (dot) {
        schema = (struct slice){name.data, (size_t)(dot - name.data)};
        name = (struct slice){dot + 1, name.size - schema.size - 1};
    }
    if (missing.is_table && !missing.is_postgres && hint_own_name_of_table(schema, name, err))
        return true;
    for (size_t i = 0; missing.is_table && i < COUNT(schemas); i++)
        missing.is_table = !slice_is_fold(schema, schemas[i]);
    if (!missing.is_table &&
        !other_calls_hint((struct slice){text.data, (size_t)split_piece(text, 0).span.end}, -1,
                          dot ? schema : name, err))
        hint_function(name, missing.is_postgres, err);
    if (!missing.is_table && !missing.is_postgres && !err->hint[0])
        hint_misspelt_function(name, err);
    return err->hint[0] != 0;
}

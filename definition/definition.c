#include "definition/definition.h"

#include <stdio.h>

#include "base/sums/sha256.h"
#include "definition/zoo.h"
#include "parser/parser.h"

/* ----- names ----- */

/* Where "zoo/" begins in [schema.]zoo/name; -1: nowhere. */
static int folder_start(struct slice name)
{
    const size_t size = sizeof DEFINITION_FOLDER - 1;

    for (size_t at = 0; at + size <= name.size; at++) {
        const struct slice part = {name.data + at, size};

        if (slice_is_fold(part, DEFINITION_FOLDER) && (at == 0 || name.data[at - 1] == '.'))
            return (int)at;
    }
    return -1;
}

bool definition_is_name(struct slice name)
{
    return folder_start(name) >= 0 || zoo_namesake(name);
}

static bool is_plain(struct slice word)
{
    for (size_t i = 0; i < word.size; i++) {
        const char c = word.data[i];

        if (c != '_' && !(c >= 'a' && c <= 'z') && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return word.size > 0;
}

static void fold(char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] >= 'A' && bytes[i] <= 'Z')
            bytes[i] = (char)(bytes[i] - 'A' + 'a');
}

static enum status refuse_name(const struct name *name, struct error *err)
{
    fail_at(err, STATUS_INVALID, name->position,
            "a definition is called zoo/name, of small letters, digits and _, not \"%.*s\"",
            SLICE_FORMAT(slice_prefix(name->text, 80)));
    return error_hint(err, "DEFINE MODEL zoo/tower (dim = 16) AS '...', or schema.zoo/tower.");
}

enum status definition_name_read(const struct name *name, struct arena *arena,
                                 struct definition_name *read, struct error *err)
{
    const char *namesake = zoo_namesake(name->text);
    const int start = folder_start(name->text);
    const size_t folder = sizeof DEFINITION_FOLDER - 1;
    struct slice copy = arena_copy(arena, name->text);

    if (namesake) {
        *read = (struct definition_name){.schema = {"", 0}, .name = slice_of(namesake)};
        return STATUS_OK;
    }
    if (!copy.data)
        return fail_no_memory(err);
    if (start < 0)
        return refuse_name(name, err);
    read->schema = (struct slice){copy.data, start > 0 ? (size_t)start - 1 : 0};
    read->name = (struct slice){copy.data + start, copy.size - (size_t)start};
    fold((char *)read->name.data, read->name.size);
    if (read->name.size > DEFINITION_NAME_MAX)
        return fail_at(err, STATUS_LIMIT, name->position,
                       "a definition's name has at most %d bytes", DEFINITION_NAME_MAX);
    return is_plain((struct slice){read->name.data + folder, read->name.size - folder})
               ? STATUS_OK
               : refuse_name(name, err);
}

/* ----- arguments ----- */

static const char *const type_names[] = {
    [DEFINITION_NUMBER] = "number",
    [DEFINITION_TEXT] = "text",
    [DEFINITION_LIST] = "list",
};

const char *definition_type_name(enum definition_type type)
{
    return type_names[type];
}

/* True is 1, false is 0. */
static bool is_number(const struct value *value)
{
    return value->kind == VALUE_NUMBER || value->kind == VALUE_BOOLEAN;
}

/* Items of a list are numbers or texts. */
static bool is_list(const struct value *value)
{
    for (size_t i = 0; value->kind == VALUE_LIST && i < value->count; i++)
        if (!is_number(&value->items[i]) && value->items[i].kind != VALUE_STRING &&
            value->items[i].kind != VALUE_WORD)
            return false;
    return value->kind == VALUE_LIST && value->count <= COMPILE_ITEMS_MAX;
}

static bool has_type(const struct value *value, enum definition_type type)
{
    switch (type) {
    case DEFINITION_NUMBER:
        return is_number(value);
    case DEFINITION_TEXT:
        return value->kind == VALUE_STRING || value->kind == VALUE_WORD;
    default:
        return is_list(value);
    }
}

enum status definition_check_value(const struct definition_argument *argument,
                                   const struct value *value, struct error *err)
{
    static const char *const wanted[] = {
        [DEFINITION_NUMBER] = "a number",
        [DEFINITION_TEXT] = "a text",
        [DEFINITION_LIST] = "a list of numbers or texts, such as [64, 32]",
    };

    return has_type(value, argument->type)
               ? STATUS_OK
               : fail_at(err, STATUS_INVALID, value->span.start, "model.%.*s is %s",
                         SLICE_FORMAT(argument->name), wanted[argument->type]);
}

static enum status type_of(const struct setting *setting, enum definition_type *type,
                           struct error *err)
{
    static const enum definition_type types[] = {DEFINITION_NUMBER, DEFINITION_TEXT,
                                                 DEFINITION_LIST};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (has_type(&setting->value, types[i])) {
            *type = types[i];
            return STATUS_OK;
        }
    fail_at(err, STATUS_INVALID, setting->value.span.start,
            "the default of %.*s is no number, text or list", SLICE_FORMAT(setting->name.text));
    return error_hint(err, "Numbers as 16 or 0.1, texts as 'relu', lists as [64, 32].");
}

static enum status check_argument_name(const struct setting *setting, struct error *err)
{
    const struct name *name = &setting->name;

    if (!is_plain(name->text)) {
        fail_at(err, STATUS_INVALID, name->position,
                "an argument is named by small letters, digits and _, not \"%.*s\"",
                SLICE_FORMAT(slice_prefix(name->text, 60)));
        return error_hint(err, "WITH model.%s = ... sets it where the definition is trained.",
                          "name");
    }
    for (size_t i = 0; definition_inputs[i]; i++)
        if (slice_is(name->text, definition_inputs[i]))
            return fail_at(err, STATUS_INVALID, name->position,
                           "%s is an input, and no argument's name", definition_inputs[i]);
    return STATUS_OK;
}

static enum status take_arguments(const struct statement *statement, struct arena *arena,
                                  struct definition *definition, struct error *err)
{
    if (statement->setting_count > DEFINITION_ARGUMENTS_MAX)
        return fail_at(err, STATUS_LIMIT, statement->settings[0].name.position,
                       "a definition has at most %d arguments", DEFINITION_ARGUMENTS_MAX);
    definition->arguments = ARENA_NEW(arena, struct definition_argument, statement->setting_count);
    if (!definition->arguments)
        return fail_no_memory(err);
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        struct definition_argument *argument = &definition->arguments[i];

        TRY(check_argument_name(setting, err));
        *argument = (struct definition_argument){
            .name = setting->name.text, .place = setting->name.position, .value = &setting->value};
        TRY(type_of(setting, &argument->type, err));
    }
    definition->argument_count = statement->setting_count;
    return STATUS_OK;
}

/* ----- the statement as it is stored ----- */

static void digest(struct definition *definition)
{
    uint8_t bytes[SHA256_BYTES];
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, definition->statement.data, definition->statement.size);
    sha256_final(&hash, bytes);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(definition->digest + 2 * i, 3, "%02x", bytes[i]);
}

static void write_statement(const struct statement *statement, struct slice program,
                            const struct definition *definition, struct text *out)
{
    text_printf(out, "DEFINE MODEL %.*s", SLICE_FORMAT(definition->name.name));
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct setting *setting = &statement->settings[i];
        const struct span span = setting->value.span;

        text_printf(out, "%s%.*s = %.*s", i == 0 ? " (" : ", ", SLICE_FORMAT(setting->name.text),
                    span.end - span.start, program.data + span.start);
    }
    text_printf(out, "%s AS ", statement->setting_count > 0 ? ")" : "");
    text_append(out, statement->definition_written);
}

static enum status keep_statement(const struct statement *statement, struct slice program,
                                  struct arena *arena, struct definition *definition,
                                  struct error *err)
{
    bool is_too_long, has_failed;
    struct text written;

    text_init(&written, TEXT_MAXIMUM);
    write_statement(statement, program, definition, &written);
    is_too_long = written.size > DEFINITION_STATEMENT_MAX;
    definition->statement = arena_copy(arena, text_slice(&written));
    has_failed = written.failed || !definition->statement.data;
    text_deinit(&written);
    if (has_failed)
        return fail_no_memory(err);
    if (is_too_long)
        return fail_at(err, STATUS_LIMIT, statement->definition_position,
                       "a definition has at most %zu bytes", DEFINITION_STATEMENT_MAX);
    digest(definition);
    return STATUS_OK;
}

/* ----- reading ----- */

static enum status read_statement(const struct statement *statement, struct slice program,
                                  struct arena *arena, struct definition *definition,
                                  struct error *err)
{
    *definition = (struct definition){.text = statement->definition};
    TRY(definition_name_read(&statement->model, arena, &definition->name, err));
    TRY(take_arguments(statement, arena, definition, err));
    return keep_statement(statement, program, arena, definition, err);
}

/* "line 2, column 5: message" */
static void name_line(const char *owner, struct slice text, struct error *err)
{
    const struct line_column at = definition_place(text, err->position);
    char message[sizeof err->message];

    snprintf(message, sizeof message, "%s%sline %d, column %d: %.400s", owner, *owner ? ", " : "",
             at.line, at.column, err->message);
    memcpy(err->message, message, sizeof message);
}

enum status definition_name_place(const struct definition *definition, int position,
                                  struct error *err)
{
    char owner[DEFINITION_NAME_MAX + 1];

    slice_copy(definition->name.name, owner, sizeof owner);
    if (err->position >= 0)
        name_line(owner, definition->text, err);
    err->position = position;
    return err->status;
}

static bool steps_have_loss(const struct step *step)
{
    for (; step; step = step->next)
        if ((step->kind == STEP_ASSIGN && slice_is(step->name, DEFINITION_LOSS)) ||
            (step->kind == STEP_FOR && steps_have_loss(step->body)))
            return true;
    return false;
}

bool definition_has_loss(const struct definition *definition)
{
    return steps_have_loss(definition->steps);
}

/* Checks what does not depend on the columns that there are. */
static enum status try_text(struct arena *arena, struct definition *definition, struct error *err)
{
    const struct definition_columns any = {.are_unknown = true};
    struct graph graph;

    TRY(definition_read(definition->text, arena, &definition->steps, err));
    return definition_compile(definition, NULL, &any, arena, &graph, err);
}

enum status definition_of_statement(const struct statement *statement, struct slice program,
                                    struct arena *arena, struct definition *definition,
                                    struct error *err)
{
    TRY(read_statement(statement, program, arena, definition, err));
    if (try_text(arena, definition, err) == STATUS_OK)
        return STATUS_OK;
    if (err->position < 0)
        return error_place(err, statement->definition_position);
    name_line("", definition->text, err);
    err->position = statement_definition_place(statement, err->position);
    return err->status;
}

enum status definition_of_file(struct slice text, struct slice name, struct arena *arena,
                               struct definition *definition, struct error *err)
{
    const struct slice program = arena_copy(arena, text);
    struct statement *statement = ARENA_NEW(arena, struct statement, 1);
    enum status status;

    if (!program.data || !statement)
        return fail_no_memory(err);
    status = parse_statement(program, arena, statement, err);
    if (status == STATUS_OK && statement->kind != STATEMENT_DEFINE_MODEL)
        status = fail(err, STATUS_INVALID, "the file is neither a network nor a DEFINE MODEL");
    if (status == STATUS_OK) {
        statement->model.text = name;
        status = definition_of_statement(statement, program, arena, definition, err);
    }
    if (status != STATUS_OK && err->position >= 0)
        name_line("the file", program, err);
    err->position = -1;
    return status;
}

enum status definition_of_stored(struct slice stored, struct slice name, struct arena *arena,
                                 struct definition *definition, struct error *err)
{
    const struct slice program = arena_copy(arena, stored);
    struct statement *statement = ARENA_NEW(arena, struct statement, 1);
    struct error why;

    if (!program.data || !statement)
        return fail_no_memory(err);
    error_clear(&why);
    if (parse_statement(program, arena, statement, &why) != STATUS_OK ||
        statement->kind != STATEMENT_DEFINE_MODEL ||
        read_statement(statement, program, arena, definition, &why) != STATUS_OK ||
        definition_read(definition->text, arena, &definition->steps, &why) != STATUS_OK)
        return why.status == STATUS_NO_MEMORY
                   ? fail_no_memory(err)
                   : fail(err, STATUS_CORRUPT, "definition %.*s is damaged", SLICE_FORMAT(name));
    return slice_equal(definition->name.name, name)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "definition %.*s is damaged: its text defines %.*s",
                      SLICE_FORMAT(name), SLICE_FORMAT(definition->name.name));
}

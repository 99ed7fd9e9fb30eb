#include "definition/syntax_build.h"

#include <math.h>

#include "base/text.h"

static void syntax_fail(struct syntax *syntax, enum status status)
{
    if (syntax->status == STATUS_OK)
        syntax->status = status;
}

/* Zeroed memory for one part of the tree; NULL after a failure. */
static void *part(struct syntax *syntax, size_t size, int place)
{
    void *made = NULL;

    if (syntax->status != STATUS_OK)
        return NULL;
    if (++syntax->parts > DEFINITION_PARTS_MAX)
        syntax_fail(syntax, fail_at(syntax->err, STATUS_LIMIT, place,
                                    "a definition has at most %d parts", DEFINITION_PARTS_MAX));
    else if (!(made = arena_alloc(syntax->arena, size)))
        syntax_fail(syntax, fail_no_memory(syntax->err));
    return made;
}

static struct slice unquoted(struct syntax *syntax, struct slice written)
{
    char *bytes = arena_alloc(syntax->arena, written.size);
    size_t size = 0;

    if (!bytes) {
        syntax_fail(syntax, fail_no_memory(syntax->err));
        return (struct slice){"", 0};
    }
    for (size_t i = 1; i + 1 < written.size; i++) {
        bytes[size++] = written.data[i];
        if (written.data[i] == written.data[0])
            i++;
    }
    return (struct slice){bytes, size};
}

/* ----- steps ----- */

struct step_list syntax_step_added(struct step_list list, struct step *step)
{
    if (list.last)
        list.last->next = step;
    return (struct step_list){list.first ? list.first : step, step};
}

static struct step *new_step(struct syntax *syntax, enum step_kind kind,
                             const struct syntax_token *word)
{
    struct step *step = part(syntax, sizeof *step, word->place);

    if (step)
        *step = (struct step){.kind = kind, .place = word->place};
    return step;
}

struct step *syntax_assign(struct syntax *syntax, const struct syntax_token *name,
                           struct expression *value)
{
    struct step *step = new_step(syntax, STEP_ASSIGN, name);

    if (step) {
        step->name = name->text;
        step->value = value;
    }
    return step;
}

struct step *syntax_return(struct syntax *syntax, const struct syntax_token *word,
                           struct expression *value)
{
    struct step *step = new_step(syntax, STEP_RETURN, word);

    if (step)
        step->value = value;
    return step;
}

struct step *syntax_for(struct syntax *syntax, const struct syntax_token *word,
                        const struct syntax_token *name, struct expression *list,
                        struct step_list body)
{
    struct step *step = new_step(syntax, STEP_FOR, word);

    if (step) {
        step->name = name->text;
        step->value = list;
        step->body = body.first;
    }
    return step;
}

struct step *syntax_parameters(struct syntax *syntax)
{
    return new_step(syntax, STEP_FUNCTION, &(struct syntax_token){.place = 0});
}

struct step *syntax_parameter(struct syntax *syntax, struct step *function,
                              const struct syntax_token *name)
{
    if (!function)
        return NULL;
    if (function->parameter_count == DEFINITION_PARAMETERS_MAX) {
        syntax_fail(syntax,
                    fail_at(syntax->err, STATUS_LIMIT, name->place,
                            "a function takes at most %d arguments", DEFINITION_PARAMETERS_MAX));
        return function;
    }
    for (size_t i = 0; i < function->parameter_count; i++)
        if (slice_equal(function->parameters[i].name, name->text))
            syntax_fail(syntax, fail_at(syntax->err, STATUS_SYNTAX, name->place,
                                        "a second argument \"%.*s\"", SLICE_FORMAT(name->text)));
    function->parameters[function->parameter_count++] = (struct parameter){name->text, name->place};
    return function;
}

struct step *syntax_function(struct syntax *syntax, const struct syntax_token *word,
                             const struct syntax_token *name, struct step *function,
                             struct step_list body)
{
    (void)syntax;
    if (function) {
        function->place = word->place;
        function->name = name->text;
        function->body = body.first;
    }
    return function;
}

/* ----- expressions ----- */

static struct expression *new_expression(struct syntax *syntax, enum expression_kind kind,
                                         const struct syntax_token *token)
{
    struct expression *expression = part(syntax, sizeof *expression, token->place);

    if (expression)
        *expression = (struct expression){.kind = kind, .place = token->place};
    return expression;
}

struct expression *syntax_number(struct syntax *syntax, const struct syntax_token *token)
{
    struct expression *expression = new_expression(syntax, EXPRESSION_NUMBER, token);
    int64_t integer;

    if (!expression)
        return NULL;
    (void)slice_to_real(token->text, &expression->number); /* the lexer has looked */
    expression->is_integer =
        slice_to_integer(token->text, &integer) && fabs(expression->number) < 9007199254740992.0;
    return expression;
}

struct expression *syntax_text(struct syntax *syntax, const struct syntax_token *token)
{
    struct expression *expression = new_expression(syntax, EXPRESSION_TEXT, token);

    if (expression)
        expression->name = unquoted(syntax, token->text);
    return expression;
}

struct expression *syntax_name(struct syntax *syntax, const struct syntax_token *token)
{
    struct expression *expression = new_expression(syntax, EXPRESSION_NAME, token);

    if (!expression)
        return NULL;
    expression->is_quoted = token->text.data[0] == '"';
    expression->name = expression->is_quoted ? unquoted(syntax, token->text) : token->text;
    return expression;
}

static void deepen(struct syntax *syntax, struct expression *expression,
                   const struct expression *inner)
{
    if (!inner || inner->depth < expression->depth)
        return;
    expression->depth = inner->depth + 1;
    if (expression->depth > DEFINITION_TERMS_MAX)
        syntax_fail(syntax, fail_at(syntax->err, STATUS_LIMIT, expression->place,
                                    "a value is made of at most %d values in each other",
                                    DEFINITION_TERMS_MAX));
}

static struct expression *with_items(struct syntax *syntax, struct expression *expression,
                                     struct argument_list items)
{
    if (!expression)
        return NULL;
    expression->items = items.first;
    expression->count = items.count;
    for (const struct argument *item = items.first; item; item = item->next)
        deepen(syntax, expression, item->value);
    return expression;
}

struct expression *syntax_list(struct syntax *syntax, const struct syntax_token *open,
                               struct argument_list items)
{
    for (const struct argument *item = items.first; item; item = item->next)
        if (item->name.size > 0)
            syntax_fail(syntax, fail_at(syntax->err, STATUS_SYNTAX, item->place,
                                        "an item of a list has no name"));
    return with_items(syntax, new_expression(syntax, EXPRESSION_LIST, open), items);
}

struct expression *syntax_call(struct syntax *syntax, const struct syntax_token *name,
                               struct argument_list items)
{
    struct expression *call = new_expression(syntax, EXPRESSION_CALL, name);

    if (call)
        call->name = name->text;
    return with_items(syntax, call, items);
}

static struct expression *of_two(struct syntax *syntax, struct expression *expression,
                                 struct expression *left, struct expression *right)
{
    if (!expression)
        return NULL;
    expression->left = left;
    expression->right = right;
    deepen(syntax, expression, left);
    deepen(syntax, expression, right);
    return expression;
}

struct expression *syntax_element(struct syntax *syntax, const struct syntax_token *open,
                                  struct expression *list, struct expression *number)
{
    return of_two(syntax, new_expression(syntax, EXPRESSION_ELEMENT, open), list, number);
}

struct expression *syntax_negate(struct syntax *syntax, const struct syntax_token *sign,
                                 struct expression *value)
{
    return of_two(syntax, new_expression(syntax, EXPRESSION_NEGATE, sign), value, NULL);
}

struct expression *syntax_binary(struct syntax *syntax, const struct syntax_token *sign,
                                 struct expression *left, struct expression *right)
{
    struct expression *expression = new_expression(syntax, EXPRESSION_BINARY, sign);

    if (expression)
        expression->sign = sign->text.data[0];
    return of_two(syntax, expression, left, right);
}

/* ----- arguments ----- */

struct argument *syntax_item(struct syntax *syntax, const struct syntax_token *name,
                             struct expression *value)
{
    const int place = name ? name->place : value ? value->place : 0;
    struct argument *item = part(syntax, sizeof *item, place);

    if (item)
        *item = (struct argument){
            .name = name ? name->text : (struct slice){"", 0}, .place = place, .value = value};
    return item;
}

static void check_item(struct syntax *syntax, const struct argument_list *list,
                       const struct argument *item)
{
    if (item->name.size == 0 && list->last && list->last->name.size > 0)
        syntax_fail(syntax, fail_at(syntax->err, STATUS_SYNTAX, item->place,
                                    "an argument without a name stands before those with one"));
    for (const struct argument *other = list->first; other && item->name.size > 0;
         other = other->next)
        if (slice_equal(other->name, item->name))
            syntax_fail(syntax, fail_at(syntax->err, STATUS_SYNTAX, item->place,
                                        "a second \"%.*s\"", SLICE_FORMAT(item->name)));
}

struct argument_list syntax_item_added(struct syntax *syntax, struct argument_list list,
                                       struct argument *item)
{
    if (!item)
        return list;
    check_item(syntax, &list, item);
    if (list.last)
        list.last->next = item;
    return (struct argument_list){list.first ? list.first : item, item, list.count + 1};
}

void syntax_fail_unexplained(struct syntax *syntax)
{
    syntax_fail(syntax, fail(syntax->err, STATUS_SYNTAX, "the definition cannot be parsed"));
}

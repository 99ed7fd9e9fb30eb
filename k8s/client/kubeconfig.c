#include "k8s/client/kubeconfig.h"

#include <string.h>

#include <yaml.h>

#include "base/whole_file.h"

struct reader {
    yaml_document_t document;
    const char *file;
    struct arena *arena;
    struct kubeconfig *config;
    struct error *err;
};

/* A member of a mapping: where its text goes in the struct of the mapping. */
struct member {
    const char *name;
    size_t offset; /* offset of a struct kubeconfig_field */
    bool is_boolean;
};

#define FIELD(type, field) offsetof(struct type, field)

static const struct member cluster_members[] = {
    {"server", FIELD(kubeconfig_cluster, server), false},
    {"tls-server-name", FIELD(kubeconfig_cluster, server_name), false},
    {"proxy-url", FIELD(kubeconfig_cluster, proxy), false},
    {"certificate-authority-data", FIELD(kubeconfig_cluster, authority_data), false},
    {"certificate-authority", FIELD(kubeconfig_cluster, authority_file), false},
    {"insecure-skip-tls-verify", FIELD(kubeconfig_cluster, insecure), true},
    {NULL, 0, false},
};

static const struct member user_members[] = {
    {"token", FIELD(kubeconfig_user, token), false},
    {"tokenFile", FIELD(kubeconfig_user, token_file), false},
    {"client-certificate-data", FIELD(kubeconfig_user, certificate_data), false},
    {"client-certificate", FIELD(kubeconfig_user, certificate_file), false},
    {"client-key-data", FIELD(kubeconfig_user, key_data), false},
    {"client-key", FIELD(kubeconfig_user, key_file), false},
    {NULL, 0, false},
};

static const struct member context_members[] = {
    {"cluster", FIELD(kubeconfig_context, cluster), false},
    {"user", FIELD(kubeconfig_context, user), false},
    {"namespace", FIELD(kubeconfig_context, kube_namespace), false},
    {NULL, 0, false},
};

static const char *const refused_members[] = {
    "username", "password", "auth-provider", "as", "as-uid", "as-groups", "as-user-extra",
};

static unsigned line_of(const yaml_node_t *node)
{
    return (unsigned)node->start_mark.line + 1;
}

static enum status refuse_node(struct reader *reader, const yaml_node_t *node, const char *where,
                               const char *problem)
{
    return fail(reader->err, STATUS_CORRUPT, "%s:%u: %s: %s", reader->file, line_of(node), where,
                problem);
}

static yaml_node_t *node_of(struct reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

static struct slice scalar(const yaml_node_t *node)
{
    return (struct slice){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static bool is_scalar(const yaml_node_t *node, const char *text)
{
    return node->type == YAML_SCALAR_NODE && slice_is(scalar(node), text);
}

/* `key:` with nothing behind it, null and ~ are all the same as no key. */
static bool is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (is_scalar(node, nulls[i]))
            return true;
    return false;
}

static enum status take_field(struct reader *reader, const yaml_node_t *node, const char *name,
                              bool is_boolean, struct kubeconfig_field *field)
{
    if (field->name)
        return refuse_node(reader, node, name, "is there twice");
    field->name = name;
    field->file = reader->file;
    field->line = line_of(node);
    if (is_null(node))
        return STATUS_OK;
    if (node->type != YAML_SCALAR_NODE || memchr(scalar(node).data, '\0', scalar(node).size))
        return refuse_node(reader, node, name, "expected a text");
    if (is_boolean && !is_scalar(node, "true") && !is_scalar(node, "false"))
        return refuse_node(reader, node, name, "expected true or false");
    if (scalar(node).size == 0)
        return STATUS_OK;
    field->value = arena_copy(reader->arena, scalar(node));
    return field->value.data ? STATUS_OK : fail_no_memory(reader->err);
}

static enum status take_member(struct reader *reader, const yaml_node_t *key,
                               const yaml_node_t *value, const struct member *members, void *base)
{
    for (const struct member *member = members; member->name; member++)
        if (is_scalar(key, member->name))
            return take_field(reader, value, member->name, member->is_boolean,
                              (struct kubeconfig_field *)((char *)base + member->offset));
    return STATUS_OK;
}

static enum status expect_mapping(struct reader *reader, const yaml_node_t *node, const char *where)
{
    return node->type == YAML_MAPPING_NODE ? STATUS_OK
                                           : refuse_node(reader, node, where, "expected a mapping");
}

static enum status expect_sequence(struct reader *reader, const yaml_node_t *node,
                                   const char *where, size_t count_max)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return refuse_node(reader, node, where, "expected a list");
    if ((size_t)(node->data.sequence.items.top - node->data.sequence.items.start) > count_max)
        return refuse_node(reader, node, where, "too many entries");
    return STATUS_OK;
}

#define EACH_PAIR(pair, node)                                                                      \
    (yaml_node_pair_t *pair = (node)->data.mapping.pairs.start;                                    \
     pair < (node)->data.mapping.pairs.top; pair++)
#define EACH_ITEM(item, node)                                                                      \
    (yaml_node_item_t *item = (node)->data.sequence.items.start;                                   \
     item < (node)->data.sequence.items.top; item++)

static enum status read_members(struct reader *reader, const yaml_node_t *node, const char *where,
                                const struct member *members, void *base)
{
    TRY(expect_mapping(reader, node, where));
    for
        EACH_PAIR(pair, node)
    TRY(take_member(reader, node_of(reader, pair->key), node_of(reader, pair->value), members,
                    base));
    return STATUS_OK;
}

static enum status read_arguments(struct reader *reader, const yaml_node_t *node,
                                  struct access_exec *exec)
{
    struct slice *arguments;

    TRY(expect_sequence(reader, node, "exec args", ACCESS_EXEC_STRINGS_MAX));
    arguments = ARENA_NEW(reader->arena, struct slice, ACCESS_EXEC_STRINGS_MAX);
    if (!arguments)
        return fail_no_memory(reader->err);
    exec->argument_count = 0;
    for
        EACH_ITEM(item, node)
        {
            struct slice *argument = &arguments[exec->argument_count++];
            const yaml_node_t *text = node_of(reader, *item);

            if (text->type != YAML_SCALAR_NODE ||
                memchr(scalar(text).data, '\0', scalar(text).size))
                return refuse_node(reader, text, "exec args", "expected texts");
            *argument = arena_copy(reader->arena, scalar(text));
            if (!argument->data)
                return fail_no_memory(reader->err);
        }
    exec->arguments = arguments;
    return STATUS_OK;
}

struct variable {
    struct kubeconfig_field name, value;
};

static const struct member variable_members[] = {
    {"name", FIELD(variable, name), false},
    {"value", FIELD(variable, value), false},
    {NULL, 0, false},
};

static enum status read_variables(struct reader *reader, const yaml_node_t *node,
                                  struct access_exec *exec)
{
    struct slice *variables;

    TRY(expect_sequence(reader, node, "exec env", ACCESS_EXEC_STRINGS_MAX));
    variables = ARENA_NEW(reader->arena, struct slice, ACCESS_EXEC_STRINGS_MAX);
    if (!variables)
        return fail_no_memory(reader->err);
    exec->variable_count = 0;
    for
        EACH_ITEM(item, node)
        {
            struct variable variable = {.name = {.name = NULL}};
            const yaml_node_t *pair = node_of(reader, *item);

            TRY(read_members(reader, pair, "exec env", variable_members, &variable));
            if (!variable.name.value.data ||
                memchr(variable.name.value.data, '=', variable.name.value.size))
                return refuse_node(reader, pair, "exec env", "expected the name of a variable");
            variables[exec->variable_count] =
                arena_printf(reader->arena, "%.*s=%.*s", SLICE_FORMAT(variable.name.value),
                             SLICE_FORMAT(variable.value.value));
            if (!variables[exec->variable_count++].data)
                return fail_no_memory(reader->err);
        }
    exec->variables = variables;
    return STATUS_OK;
}

/* Scalars of exec, and members that are lists. */
struct exec_fields {
    struct kubeconfig_field command, version, hint, interactive;
};

static const struct member exec_members[] = {
    {"command", FIELD(exec_fields, command), false},
    {"apiVersion", FIELD(exec_fields, version), false},
    {"installHint", FIELD(exec_fields, hint), false},
    {"interactiveMode", FIELD(exec_fields, interactive), false},
    {NULL, 0, false},
};

static enum status check_exec(struct reader *reader, const yaml_node_t *node,
                              const struct exec_fields *fields)
{
    if (!fields->command.value.data)
        return refuse_node(reader, node, "exec", "the command is missing");
    if (!slice_is(fields->version.value, "client.authentication.k8s.io/v1") &&
        !slice_is(fields->version.value, "client.authentication.k8s.io/v1beta1"))
        return refuse_node(reader, node, "exec apiVersion",
                           "expected client.authentication.k8s.io/v1 or v1beta1");
    if (slice_is(fields->interactive.value, "Always"))
        return refuse_node(reader, node, "exec interactiveMode",
                           "a program that asks for input cannot be run");
    return STATUS_OK;
}

static enum status read_exec(struct reader *reader, const yaml_node_t *node,
                             struct kubeconfig_user *user)
{
    struct exec_fields fields = {.command = {.name = NULL}};

    if (is_null(node))
        return STATUS_OK;
    TRY(read_members(reader, node, "exec", exec_members, &fields));
    TRY(check_exec(reader, node, &fields));
    for
        EACH_PAIR(pair, node)
        {
            const yaml_node_t *key = node_of(reader, pair->key),
                              *value = node_of(reader, pair->value);

            if (is_scalar(key, "args") && !is_null(value))
                TRY(read_arguments(reader, value, &user->exec));
            if (is_scalar(key, "env") && !is_null(value))
                TRY(read_variables(reader, value, &user->exec));
        }
    user->exec.command = fields.command.value;
    user->exec.version = fields.version.value;
    user->exec.hint = fields.hint.value;
    user->exec_place = fields.command;
    return STATUS_OK;
}

static void note_refused(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
                         struct kubeconfig_user *user)
{
    for (size_t i = 0; i < sizeof refused_members / sizeof *refused_members; i++)
        if (is_scalar(key, refused_members[i]) && !is_null(value) && !user->refused.name)
            user->refused = (struct kubeconfig_field){
                .name = refused_members[i], .file = reader->file, .line = line_of(key)};
}

static enum status read_user(struct reader *reader, const yaml_node_t *node,
                             struct kubeconfig_user *user)
{
    TRY(read_members(reader, node, "user", user_members, user));
    for
        EACH_PAIR(pair, node)
        {
            const yaml_node_t *key = node_of(reader, pair->key),
                              *value = node_of(reader, pair->value);

            note_refused(reader, key, value, user);
            if (is_scalar(key, "exec"))
                TRY(read_exec(reader, value, user));
        }
    return STATUS_OK;
}

/* One entry of a list: `name` and the mapping under `kind`. */
static enum status read_entry(struct reader *reader, const yaml_node_t *node, const char *kind,
                              struct kubeconfig_field *name, const yaml_node_t **body)
{
    *body = NULL;
    TRY(expect_mapping(reader, node, kind));
    for
        EACH_PAIR(pair, node)
        {
            const yaml_node_t *key = node_of(reader, pair->key),
                              *value = node_of(reader, pair->value);

            if (is_scalar(key, "name"))
                TRY(take_field(reader, value, "name", false, name));
            if (is_scalar(key, kind) && !is_null(value))
                *body = value;
        }
    return name->value.data ? STATUS_OK : refuse_node(reader, node, kind, "the name is missing");
}

static enum status add_cluster(struct reader *reader, const yaml_node_t *node)
{
    struct kubeconfig_cluster *cluster = ARENA_NEW(reader->arena, struct kubeconfig_cluster, 1);
    struct kubeconfig_cluster **end = &reader->config->clusters;
    const yaml_node_t *body;

    if (!cluster)
        return fail_no_memory(reader->err);
    TRY(read_entry(reader, node, "cluster", &cluster->name, &body));
    if (body)
        TRY(read_members(reader, body, "cluster", cluster_members, cluster));
    while (*end)
        end = &(*end)->next;
    *end = cluster;
    return STATUS_OK;
}

static enum status add_user(struct reader *reader, const yaml_node_t *node)
{
    struct kubeconfig_user *user = ARENA_NEW(reader->arena, struct kubeconfig_user, 1);
    struct kubeconfig_user **end = &reader->config->users;
    const yaml_node_t *body;

    if (!user)
        return fail_no_memory(reader->err);
    TRY(read_entry(reader, node, "user", &user->name, &body));
    if (body)
        TRY(read_user(reader, body, user));
    while (*end)
        end = &(*end)->next;
    *end = user;
    return STATUS_OK;
}

static enum status add_context(struct reader *reader, const yaml_node_t *node)
{
    struct kubeconfig_context *context = ARENA_NEW(reader->arena, struct kubeconfig_context, 1);
    struct kubeconfig_context **end = &reader->config->contexts;
    const yaml_node_t *body;

    if (!context)
        return fail_no_memory(reader->err);
    TRY(read_entry(reader, node, "context", &context->name, &body));
    if (body)
        TRY(read_members(reader, body, "context", context_members, context));
    while (*end)
        end = &(*end)->next;
    *end = context;
    return STATUS_OK;
}

static enum status read_list(struct reader *reader, const yaml_node_t *node, const char *where,
                             enum status (*add)(struct reader *reader, const yaml_node_t *node))
{
    if (is_null(node))
        return STATUS_OK;
    TRY(expect_sequence(reader, node, where, KUBECONFIG_ENTRIES_MAX));
    for
        EACH_ITEM(item, node)
    TRY(add(reader, node_of(reader, *item)));
    return STATUS_OK;
}

/* The first file that names a context wins, also within one file. */
static enum status take_current(struct reader *reader, const yaml_node_t *node)
{
    struct kubeconfig_field current = {.name = NULL};

    TRY(take_field(reader, node, "current-context", false, &current));
    if (current.value.data && !reader->config->current.value.data)
        reader->config->current = current;
    return STATUS_OK;
}

static enum status read_top(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
    if (is_scalar(key, "clusters"))
        return read_list(reader, value, "clusters", add_cluster);
    if (is_scalar(key, "users"))
        return read_list(reader, value, "users", add_user);
    if (is_scalar(key, "contexts"))
        return read_list(reader, value, "contexts", add_context);
    if (is_scalar(key, "current-context"))
        return take_current(reader, value);
    if (is_scalar(key, "kind") && !is_scalar(value, "Config"))
        return refuse_node(reader, value, "kind", "expected Config");
    if (is_scalar(key, "apiVersion") && !is_scalar(value, "v1"))
        return refuse_node(reader, value, "apiVersion", "expected v1");
    return STATUS_OK;
}

static enum status read_document(struct reader *reader)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);

    if (!root || is_null(root)) /* kubectl takes an empty file too */
        return STATUS_OK;
    TRY(expect_mapping(reader, root, "the file"));
    for
        EACH_PAIR(pair, root)
    TRY(read_top(reader, node_of(reader, pair->key), node_of(reader, pair->value)));
    return STATUS_OK;
}

static enum status yaml_failed(const yaml_parser_t *parser, const char *file, struct error *err)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return fail_no_memory(err);
    return fail(err, STATUS_CORRUPT, "%s:%zu: no YAML: %s", file, parser->problem_mark.line + 1,
                parser->problem ? parser->problem : "cannot be read");
}

static enum status parse(yaml_parser_t *parser, struct reader *reader)
{
    enum status status;

    if (!yaml_parser_load(parser, &reader->document))
        return yaml_failed(parser, reader->file, reader->err);
    status = read_document(reader);
    yaml_document_delete(&reader->document);
    return status;
}

enum status kubeconfig_read(struct slice yaml, const char *file, struct arena *arena,
                            struct kubeconfig *config, struct error *err)
{
    struct reader reader = {.file = arena_copy(arena, slice_of(file)).data,
                            .arena = arena,
                            .config = config,
                            .err = err};
    yaml_parser_t parser;
    enum status status;

    if (yaml.size > KUBECONFIG_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "%s is longer than the %zu bytes that are read", file,
                    KUBECONFIG_BYTES_MAX);
    if (!reader.file || !yaml_parser_initialize(&parser))
        return fail_no_memory(err);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(yaml.data ? yaml.data : ""),
                                 yaml.size);
    status = parse(&parser, &reader);
    yaml_parser_delete(&parser);
    return status;
}

enum status kubeconfig_load(const char *file, struct arena *arena, struct kubeconfig *config,
                            struct error *err)
{
    struct text text;
    enum status status;

    text_init(&text, KUBECONFIG_BYTES_MAX);
    status = whole_file_read(file, &text, err);
    if (status == STATUS_OK)
        status = kubeconfig_read(text_slice(&text), file, arena, config, err);
    text_deinit(&text);
    return status;
}

#include "parse_command.h"

#include <stdio.h>
#include <string.h>

#include "parser/parser.h"

#define PROGRAM_BYTES_MAX ((size_t)64 << 20) /* of SQL in one run */

static const char usage[] =
    "usage: totrain parse [-f FILE]\n"
    "\n"
    "Reads SQL from FILE or from standard input, and prints the tree of each statement\n"
    "as one line of JSON, with byte positions. Needs no database. At the first wrong\n"
    "statement it prints the error and ends with exit code 2.\n"
    "\n"
    "    echo 'SELECT * FROM iris TO TRAIN DNNClassifier LABEL class INTO m;' | totrain parse\n"
    "    totrain parse -f train.sql\n"
    "\n"
    "The members of the tree are described in docs/language.md.\n";

static enum status read_all(FILE *file, const char *name, struct text *out, struct error *err)
{
    char buffer[16384];
    size_t size;

    while ((size = fread(buffer, 1, sizeof buffer, file)) > 0) {
        text_append(out, (struct slice){buffer, size});
        if (out->failed)
            return fail(err, STATUS_LIMIT, "%s holds more than %zu bytes", name, PROGRAM_BYTES_MAX);
    }
    if (ferror(file))
        return fail_errno(err, STATUS_IO, "cannot read %s", name);
    return STATUS_OK;
}

static enum status read_program(const char *path, struct text *out, struct error *err)
{
    FILE *file;
    enum status status;

    if (!path)
        return read_all(stdin, "standard input", out, err);
    file = fopen(path, "rb");
    if (!file)
        return fail_errno(err, STATUS_INVALID, "cannot open %s", path);
    status = read_all(file, path, out, err);
    fclose(file);
    return status;
}

static enum status print_piece(struct slice program, const struct piece *piece, struct error *err)
{
    struct statement statement;
    struct arena arena;
    struct text json;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, TEXT_MAXIMUM);
    TRY_OR(done, status, parse_piece(program, piece, &arena, &statement, err));
    TRY_OR(done, status, statement_print_json(&statement, &json, err));
    puts(text_string(&json));
done:
    text_deinit(&json);
    arena_deinit(&arena);
    return status;
}

static enum status print_program(struct slice program, struct error *err)
{
    struct piece piece = {.next = 0};

    while ((size_t)piece.next < program.size) {
        piece = split_piece(program, piece.next);
        if (piece.kind != PIECE_EMPTY)
            TRY(print_piece(program, &piece, err));
    }
    if (fflush(stdout) != 0)
        return fail_errno(err, STATUS_IO, "cannot write to standard output");
    return STATUS_OK;
}

/* A terminal gets no NUL: where one is the mistake, the line shows a ?. */
static int report(const struct error *err, struct text *program)
{
    struct text message;

    for (size_t i = 0; i < program->size; i++)
        if (program->data[i] == '\0')
            program->data[i] = '?';
    fflush(stdout);
    text_init(&message, TEXT_MAXIMUM);
    error_render(err, text_slice(program), &message);
    fputs(text_string(&message), stderr);
    text_deinit(&message);
    return status_exit_code(err->status);
}

/* `path` stays NULL for standard input. False when the words make no sense. */
static bool read_options(int argc, char **argv, const char **path, bool *help)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            *help = true;
        else if (strcmp(argv[i], "-f") == 0 && i + 1 < argc && !*path)
            *path = argv[++i];
        else
            return false;
    }
    return true;
}

int command_parse(int argc, char **argv)
{
    const char *path = NULL;
    struct text program;
    struct error err;
    bool help = false;
    int exit_code = 0;

    if (!read_options(argc, argv, &path, &help)) {
        fprintf(stderr, "%s", usage);
        return status_exit_code(STATUS_INVALID);
    }
    if (help) {
        fputs(usage, stdout);
        return 0;
    }
    error_clear(&err);
    text_init(&program, PROGRAM_BYTES_MAX);
    if (read_program(path, &program, &err) != STATUS_OK ||
        print_program(text_slice(&program), &err) != STATUS_OK)
        exit_code = report(&err, &program);
    text_deinit(&program);
    return exit_code;
}

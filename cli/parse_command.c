#include "cli/parse_command.h"

#include <stdio.h>

#include "cli/session/input.h"
#include "cli/session/options.h"
#include "parser/parser.h"
#include "parser/splitter.h"
#include "parser/statement_json.h"

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

static enum status read_options(int argc, char **argv, struct options *options, struct error *err)
{
    TRY(options_read(argc, argv, OPTION_FILE | OPTION_COLOUR | OPTION_HELP, options, err));
    if (options->word_count > 0 || options->input_count > 1)
        return fail(err, STATUS_INVALID, "parse reads one file"),
               error_hint(err, "totrain parse --help shows how it is called.");
    return STATUS_OK;
}

int command_parse(int argc, char **argv)
{
    struct options options;
    struct text program;
    struct error err;
    int exit_code = 0;

    if (read_options(argc, argv, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage, stdout);
        return 0;
    }
    error_clear(&err);
    text_init(&program, INPUT_BYTES_MAX);
    if (input_read(options.input_count ? options.inputs[0].value : "-", &program, &err) !=
            STATUS_OK ||
        print_program(text_slice(&program), &err) != STATUS_OK)
        exit_code = status_exit_code(report_error(&err, "", text_slice(&program), options.colour));
    text_deinit(&program);
    return exit_code;
}

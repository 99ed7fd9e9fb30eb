#include "cli/shell/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/shell/file_names.h"
#include "cli/shell/history_file.h"
#include "cli/shell/listing.h"
#include "cli/shell/names.h"

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24

struct prompt {
    EditLine *editor;
    History *history;
    char file[PATH_MAX]; /* empty: none */
    struct session *session;
    struct text *typed; /* the lines before this one */
    const struct completion_command *commands;
    size_t command_count;
    bool is_pasting;
};

static struct prompt *prompt_of(EditLine *editor)
{
    void *prompt = NULL;

    el_get(editor, EL_CLIENTDATA, &prompt);
    return prompt;
}

/* The terminal has another size; the program was stopped and goes on. Flags,
 * since a signal handler has no argument. */
static volatile sig_atomic_t was_resized, was_stopped;

static void on_resize(int signal)
{
    (void)signal;
    was_resized = 1;
}

static void on_continue(int signal)
{
    (void)signal;
    was_stopped = 1;
}

/* Calls that these interrupt go on by themselves, but for our own ppoll(). */
static void catch_terminal_signals(void)
{
    struct sigaction resize = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
    struct sigaction go_on = {.sa_handler = on_continue, .sa_flags = SA_RESTART};

    sigaction(SIGWINCH, &resize, NULL);
    sigaction(SIGCONT, &go_on, NULL);
}

/* Pasted text is taken as it is: its tabs complete nothing. Terminals with bracketed paste mark
 * where it begins and ends. */
#define PASTE_ASK   "\033[?2004h"
#define PASTE_LEAVE "\033[?2004l"
#define LINE_CLEAR  "\r\033[J" /* from the line's beginning on */

static void tell_terminal(const char *sequence)
{
    if (!report_is_to_terminal())
        return;
    fputs(sequence, stdout);
    fflush(stdout);
}

/* The shell that stopped us may have left the terminal in its own mode. */
static void answer_terminal_signals(EditLine *editor)
{
    if (!was_resized && !was_stopped)
        return;
    if (was_stopped) {
        el_set(editor, EL_PREP_TERM, 0);
        el_set(editor, EL_PREP_TERM, 1);
        tell_terminal(PASTE_ASK);
    }
    if (was_resized)
        el_resize(editor);
    was_resized = was_stopped = 0;
    tell_terminal(LINE_CLEAR); /* the editor draws from where it takes the cursor to be */
    el_set(editor, EL_REFRESH);
}

static char *show_prompt(EditLine *editor)
{
    return prompt_of(editor)->typed->size ? "   ...> " : "totrain> ";
}

/* One byte; 0 at the end of the input, -1 after Ctrl-C. Signals are let in only
 * while we wait, so that none comes between the look and the wait. */
static int read_byte(EditLine *editor, char *byte)
{
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t signals, before;
    int ready = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGWINCH);
    sigaddset(&signals, SIGCONT);
    sigprocmask(SIG_BLOCK, &signals, &before);
    while (!session_is_interrupted() && ready <= 0) {
        answer_terminal_signals(editor);
        ready = ppoll(&terminal, 1, NULL, &before);
        if (ready < 0 && errno != EINTR)
            break;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ready > 0 ? (int)read(STDIN_FILENO, byte, 1) : -1;
}

static int read_character(EditLine *editor, wchar_t *character)
{
    mbstate_t state = {0};
    char byte;
    int count;

    while ((count = read_byte(editor, &byte)) == 1) {
        size_t size = mbrtowc(character, &byte, 1, &state);
        if (size == (size_t)-1)
            state = (mbstate_t){0}; /* no character: ignored */
        else if (size != (size_t)-2)
            return 1;
    }
    return count;
}

/* ----- completion ----- */

static void list(const struct completion *completion)
{
    struct winsize size;
    struct text lines;
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;

    text_init(&lines, TEXT_MAXIMUM);
    text_append_char(&lines, '\n');
    listing_append(completion, is_known ? size.ws_col : COLUMNS_DEFAULT,
                   is_known && size.ws_row > 0 ? size.ws_row : ROWS_DEFAULT, &lines);
    fwrite(text_string(&lines), 1, lines.size, stdout);
    fflush(stdout);
    text_deinit(&lines);
}

static int characters(struct slice text)
{
    int count = 0;

    for (size_t i = 0; i < text.size; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}

static unsigned char insert(EditLine *editor, const struct completion *completion,
                            struct slice word)
{
    struct slice common = completion_common(completion);
    struct text text;

    if (completion->count == 0 && completion->note.size == 0)
        return CC_REFRESH_BEEP;
    if (completion->count != 1 && common.size <= word.size) {
        list(completion);
        return CC_REDISPLAY;
    }
    text_init(&text, TEXT_MAXIMUM);
    text_append(&text, common);
    if (completion->count == 1)
        text_append_string(&text, completion->candidates[0].after);
    el_deletestr(editor, characters(word));
    el_insertstr(editor, text_string(&text));
    text_deinit(&text);
    return CC_REFRESH;
}

/* The word at the cursor, and what it may become. */
static enum status find(struct prompt *prompt, struct slice text, size_t cursor,
                        struct arena *arena, struct completion *completion)
{
    struct completion_names names = {.commands = prompt->commands,
                                     .command_count = prompt->command_count};
    struct error ignored;

    names_read(prompt->session, arena, &names);
    TRY(completion_find(text, cursor, &names, arena, completion, &ignored));
    if (!completion->is_file)
        return STATUS_OK;
    return file_names_find(
        (struct slice){text.data + completion->start, cursor - completion->start}, arena,
        completion, &ignored);
}

/* Nothing but blanks before the cursor: an indent is typed. */
static bool is_indent(const LineInfo *line)
{
    for (const char *at = line->buffer; at < line->cursor; at++)
        if (*at != ' ' && *at != '\t')
            return false;
    return line->cursor > line->buffer;
}

static bool has_more_input(void)
{
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&terminal, 1, 0) > 0;
}

static unsigned char complete(EditLine *editor, int key)
{
    struct prompt *prompt = prompt_of(editor);
    const LineInfo *line = el_line(editor);
    struct completion completion;
    struct arena arena;
    struct text text;
    size_t cursor = prompt->typed->size + (size_t)(line->cursor - line->buffer);
    unsigned char result = CC_ERROR;

    (void)key;
    prompt->is_pasting &= has_more_input(); /* Ctrl-C may have dropped its end */
    if (prompt->is_pasting || is_indent(line))
        return el_insertstr(editor, "\t") == 0 ? CC_REFRESH : CC_ERROR;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&text, TEXT_MAXIMUM);
    text_append(&text, text_slice(prompt->typed));
    text_append(&text, (struct slice){line->buffer, (size_t)(line->lastchar - line->buffer)});
    if (!text.failed && find(prompt, text_slice(&text), cursor, &arena, &completion) == STATUS_OK)
        result = insert(
            editor, &completion,
            (struct slice){text_string(&text) + completion.start, cursor - completion.start});
    text_deinit(&text);
    arena_deinit(&arena);
    return result;
}

/* ----- the editor ----- */

/* Between these two a tab is a tab. */
static unsigned char begin_paste(EditLine *editor, int key)
{
    (void)key;
    prompt_of(editor)->is_pasting = true;
    return CC_NORM;
}

static unsigned char end_paste(EditLine *editor, int key)
{
    (void)key;
    prompt_of(editor)->is_pasting = false;
    return CC_NORM;
}

void prompt_remember(struct prompt *prompt, struct slice statement)
{
    struct slice trimmed = slice_trim(statement);
    char *entry = trimmed.size ? strndup(trimmed.data, trimmed.size) : NULL;

    if (!entry)
        return;
    history_enter(prompt->history, entry);
    history_file_enter(prompt->file, entry);
    free(entry);
}

static void set_up(struct prompt *prompt)
{
    EditLine *editor = prompt->editor;
    HistEvent event;

    el_set(editor, EL_CLIENTDATA, prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_PROMPT, show_prompt);
    el_set(editor, EL_GETCFN, read_character);
    history(prompt->history, &event, H_SETSIZE, HISTORY_MAX);
    history_file_find(prompt->file);
    history_file_load(prompt->file, prompt->history);
    el_set(editor, EL_HIST, history, prompt->history);
    /* el_set would copy the names, for ever. */
    el_wset(editor, EL_ADDFN, L"complete", L"what may be typed next", complete);
    /* A Ctrl-D typed while a statement runs waits for the prompt, as all that
     * is typed ahead; the terminal would make a NUL of it. */
    el_set(editor, EL_SETTY, "-x", "eof=", NULL);
    el_set(editor, EL_BIND, "^I", "complete", NULL);
    el_wset(editor, EL_ADDFN, L"begin-paste", L"the terminal begins to paste", begin_paste);
    el_wset(editor, EL_ADDFN, L"end-paste", L"the terminal has pasted", end_paste);
    el_set(editor, EL_BIND, "\\e[200~", "begin-paste", NULL);
    el_set(editor, EL_BIND, "\\e[201~", "end-paste", NULL);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(editor, NULL); /* the user's ~/.editrc */
}

struct prompt *prompt_new(struct session *session, const struct completion_command *commands,
                          size_t command_count)
{
    struct prompt *prompt = calloc(1, sizeof *prompt);

    if (!prompt)
        return NULL;
    *prompt =
        (struct prompt){.session = session, .commands = commands, .command_count = command_count};
    prompt->editor = el_init("totrain", stdin, stdout, stderr);
    prompt->history = history_init();
    if (!prompt->editor || !prompt->history) {
        prompt_free(prompt);
        return NULL;
    }
    set_up(prompt);
    catch_terminal_signals();
    return prompt;
}

void prompt_free(struct prompt *prompt)
{
    if (prompt->editor)
        el_end(prompt->editor);
    if (prompt->history)
        history_end(prompt->history);
    free(prompt);
}

enum prompt_result prompt_read(struct prompt *prompt, struct text *typed)
{
    const char *line;
    int count = 0;

    prompt->typed = typed;
    el_resize(prompt->editor);
    el_set(prompt->editor, EL_PREP_TERM, 1); /* once the prompt is shown Ctrl-D must work */
    tell_terminal(PASTE_ASK);
    line = el_gets(prompt->editor, &count);
    tell_terminal(PASTE_LEAVE);
    if (session_is_interrupted())
        return PROMPT_INTERRUPTED;
    if (!line || count <= 0)
        return PROMPT_END;
    text_append(typed, (struct slice){line, (size_t)count});
    return PROMPT_LINE;
}

#include "prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "file_names.h"
#include "names.h"

#define LISTED_MAX 100

struct prompt {
    EditLine *editor;
    History *history;
    char file[PATH_MAX]; /* empty: none */
    struct session *session;
    struct text *typed; /* the lines before this one */
    const struct completion_command *commands;
    size_t command_count;
};

static struct prompt *prompt_of(EditLine *editor)
{
    void *prompt = NULL;

    el_get(editor, EL_CLIENTDATA, &prompt);
    return prompt;
}

static char *show_prompt(EditLine *editor)
{
    return prompt_of(editor)->typed->size ? "   ...> " : "totrain> ";
}

/* One byte; 0 at the end of the input, -1 after Ctrl-C. SIGINT is let in only
 * while we wait, so that none comes between the look and the wait. */
static int read_byte(char *byte)
{
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t interrupt, before;
    int ready = 0;

    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    while (!session_is_interrupted() && ready <= 0) {
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

    (void)editor;
    while ((count = read_byte(&byte)) == 1) {
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
    putchar('\n');
    for (size_t i = 0; i < completion->count && i < LISTED_MAX; i++)
        printf("  %-28.*s %.*s\n", SLICE_FORMAT(completion->candidates[i].text),
               SLICE_FORMAT(completion->candidates[i].help));
    if (completion->count > LISTED_MAX)
        printf("  and %zu more\n", completion->count - LISTED_MAX);
    if (completion->count == 0)
        printf("  %.*s\n", SLICE_FORMAT(completion->note));
    fflush(stdout);
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

    names_read(prompt->session->db, arena, &names);
    TRY(completion_find(text, cursor, &names, arena, completion, &ignored));
    if (!completion->is_file)
        return STATUS_OK;
    return file_names_find(
        (struct slice){text.data + completion->start, cursor - completion->start}, arena,
        completion, &ignored);
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

/* ----- history ----- */

/* Makes the folders above the file; whether it worked shows when it is written. */
static void find_file(char file[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int size;

    if (state && *state == '/')
        size = snprintf(file, PATH_MAX, "%s/totrain/history", state);
    else
        size = snprintf(file, PATH_MAX, "%s/.local/state/totrain/history", home ? home : "");
    if (size >= PATH_MAX || file[0] != '/' || (!home && !state)) {
        file[0] = '\0';
        return;
    }
    for (char *slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(file, 0700);
        *slash = '/';
    }
}

static void forget_same(History *past, const char *entry)
{
    HistEvent event;

    for (int found = history(past, &event, H_FIRST); found >= 0;
         found = history(past, &event, H_NEXT)) {
        if (strcmp(event.str, entry) == 0) {
            history(past, &event, H_DEL, event.num);
            return;
        }
    }
}

void prompt_remember(struct prompt *prompt, struct slice statement)
{
    struct slice trimmed = slice_trim(statement);
    char *entry = trimmed.size ? strndup(trimmed.data, trimmed.size) : NULL;
    HistEvent event;
    mode_t mask;

    if (!entry)
        return;
    forget_same(prompt->history, entry);
    history(prompt->history, &event, H_ENTER, entry);
    free(entry);
    mask = umask(077);
    if (prompt->file[0])
        history(prompt->history, &event, H_SAVE, prompt->file);
    umask(mask);
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
    find_file(prompt->file);
    if (prompt->file[0])
        history(prompt->history, &event, H_LOAD, prompt->file);
    el_set(editor, EL_HIST, history, prompt->history);
    el_set(editor, EL_ADDFN, "complete", "what may be typed next", complete);
    /* A Ctrl-D typed while a statement runs waits for the prompt, as all that
     * is typed ahead; the terminal would make a NUL of it. */
    el_set(editor, EL_SETTY, "-x", "eof=", NULL);
    el_set(editor, EL_BIND, "^I", "complete", NULL);
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
    el_set(prompt->editor, EL_PREP_TERM, 1); /* who sees the prompt may type Ctrl-D */
    line = el_gets(prompt->editor, &count);
    if (session_is_interrupted())
        return PROMPT_INTERRUPTED;
    if (!line || count <= 0)
        return PROMPT_END;
    text_append(typed, (struct slice){line, (size_t)count});
    return PROMPT_LINE;
}

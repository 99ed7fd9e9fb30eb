/*
 * pause [WORD...] - the sandbox of every pod in the lab, and its simplest work.
 *
 * Without words it waits for SIGTERM and ends with 0 at once; pods share their
 * process namespace with it, so it reaps whatever ends there. With words it
 * prints them as one line and ends: what `kubectl exec` and a pod's log are
 * tried with. The image holds this program and nothing else.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(char **words)
{
    for (; *words; words++)
        printf("%s%s", *words, words[1] ? " " : "\n");
}

static void wait_for_the_end(void)
{
    sigset_t signals;
    int number;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    while (sigwait(&signals, &number) == 0 && number == SIGCHLD)
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
}

int main(int count, char **words)
{
    if (count > 1)
        say(words + 1);
    else
        wait_for_the_end();
    return 0;
}

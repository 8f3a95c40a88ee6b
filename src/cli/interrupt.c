/* interrupt.c -- signals that ask for an end, and the command that goes on from there. */
#include "cli/interrupt.h"

#include <string.h>

static volatile sig_atomic_t stop;

static void ask(int number)
{
    stop = number;
}

const volatile sig_atomic_t *attest_cli_watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = ask}, before;

    sigemptyset(&action.sa_mask);
    for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++)
        if (sigaction(signals[s], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[s], &action, NULL);
    return &stop;
}

void attest_cli_add_quoted(attest_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:@%+";

    if (*word && word[strspn(word, plain)] == '\0') {
        attest_text_add(text, word);
        return;
    }
    attest_text_add(text, "'");
    for (; *word; word++) {
        if (*word == '\'')
            attest_text_add(text, "'\\''");
        else
            attest_text_append(text, word, 1);
    }
    attest_text_add(text, "'");
}

void attest_cli_add_word(attest_text *text, const char *word)
{
    if (text->size > 0)
        attest_text_add(text, " ");
    attest_cli_add_quoted(text, word);
}

char *attest_cli_command_line(int argc, char *const *argv, const char *added)
{
    bool there = false;
    attest_text text;

    attest_text_init(&text);
    attest_cli_add_word(&text, "attest");
    for (int i = 0; i < argc; i++) {
        attest_cli_add_word(&text, argv[i]);
        there = there || (added && strcmp(argv[i], added) == 0);
    }
    if (added && !there)
        attest_cli_add_word(&text, added);
    return attest_text_take(&text);
}

/* terminal.c -- the terminal: how wide the lines of standard output may be, whether they have
 * colours, hints, and the line on standard error that shows how long work goes on. */
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/workers.h"
#include "cli/command.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 1000, MARGIN = 2 };

size_t attest_cli_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        width = USUAL_WIDTH;
    return (size_t)(width < LEAST_WIDTH  ? LEAST_WIDTH
                    : width > MOST_WIDTH ? MOST_WIDTH
                                         : width);
}

/* Prints a line unchanged. */
static const char *print_line(const char *text)
{
    size_t length = strcspn(text, "\n");

    attest_print("%.*s\n", (int)length, text);
    return text + length + (text[length] != '\0');
}

const char *attest_cli_print_wrapped(const char *text, int indent)
{
    size_t wide = attest_cli_width();
    int width = (int)(wide < USUAL_WIDTH ? wide : USUAL_WIDTH) - MARGIN, column = indent;

    if (*text == ' ' || *text == '\n')
        return print_line(text);
    while (*text && !(*text == '\n' && (text[1] == ' ' || text[1] == '\n'))) {
        int word = (int)strcspn(text += strspn(text, " \n"), " \n");

        if (column > indent && column + 1 + word > width) {
            attest_print("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        attest_print("%.*s", word, text);
        column += word;
        text += word;
        if (*text == ' ')
            text += strspn(text, " ");
    }
    putchar('\n');
    return *text ? text + 1 : text;
}

static bool hints_disabled;

void attest_cli_disable_hints(void)
{
    hints_disabled = true;
}

void attest_cli_print_hint(const attest_common *common, const char *format, ...)
{
    char text[1024];
    attest_text shown;
    va_list arguments;

    if (hints_disabled || common->json || common->stdout_by || !isatty(STDOUT_FILENO))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    attest_text_init(&shown);
    attest_escape_terminal(&shown, text, strlen(text));
    if (!shown.failed) {
        putchar('\n');
        attest_cli_print_wrapped(shown.data, 0);
    }
    attest_text_clear(&shown);
}

const char *const attest_color_names[] = {"auto", "always", "never", NULL};

bool attest_cli_paints(int color)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (color != 0)
        return color == 1;
    if ((none && *none) || !terminal || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(STDOUT_FILENO);
}

#define SECONDS_BEFORE_LINES 1.0
#define SECONDS_BETWEEN_LINES 0.2
#define SECONDS_OF_SILENCE 1.0
enum { ROOM_FOR_SECONDS = 14 }; /* ", 1234567890 s" */

/* The progress line of the program. The timer draws it, except while it is being changed. */
static attest_cli_line program_line;
static volatile sig_atomic_t changing;

static void format_time(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void attest_cli_line_format(char *text, int size, const char *what, uint64_t done,
                            uint64_t total, double seconds, const char *note)
{
    double rate = seconds > 0 ? (double)done / seconds : 0;
    char left[32] = "", speed[32] = "";

    if (rate > 0)
        snprintf(speed, sizeof speed, ", %.4g/s", rate);
    if (total && rate > 0 && done < total)
        format_time(left, sizeof left, (double)(total - done) / rate);
    if (total)
        snprintf(text, (size_t)size, "%" PRIu64 " of %" PRIu64 " %s (%.0f %%)%s%s%s%s%s%s",
                 done, total, what, 100.0 * (double)done / (double)total, speed,
                 left[0] ? ", " : "", left, left[0] ? " left" : "", note ? ", " : "",
                 note ? note : "");
    else
        snprintf(text, (size_t)size, "%" PRIu64 " %s%s%s%s", done, what, speed,
                 note ? ", " : "", note ? note : "");
}

/* Returns the characters that fit into the line: longer lines could not be overwritten. */
static size_t get_room(const attest_cli_line *line)
{
    return line->width > ROOM_FOR_SECONDS ? line->width - 1 : sizeof line->text;
}

static size_t get_stderr_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void wipe(attest_cli_line *line)
{
    if (line->visible)
        fputs("\r\033[K", stderr);
    line->visible = false;
}

void attest_cli_line_report(void *context, const char *what, uint64_t done, uint64_t total,
                            const char *note)
{
    attest_cli_line *line = context;
    double time;

    if (!line->on_terminal)
        return;
    if (!what) {
        changing = true;
        line->text[0] = '\0';
        wipe(line);
        changing = false;
        return;
    }
    time = attest_clock_seconds();
    if (line->work_began == 0)
        line->work_began = time;
    if (done == 0)
        line->stage_began = line->last_drawn = time;
    if (done > 0 && (time - line->work_began < SECONDS_BEFORE_LINES ||
                     time - line->last_drawn < SECONDS_BETWEEN_LINES))
        return;
    changing = true;
    attest_cli_line_format(line->text, sizeof line->text, what, done, total,
                           time - line->stage_began, note);
    if (done > 0) {
        line->last_drawn = time;
        line->visible = true;
        fprintf(stderr, "\r%.*s\033[K", (int)get_room(line), line->text);
        fflush(stderr);
    }
    changing = false;
}

/* The handler of the timer's signal: only write may be called. */
static void draw_silence(int signal)
{
    attest_cli_line *line = &program_line;
    const char *what = line->text[0] ? line->text : line->work;
    double time = attest_clock_seconds();
    char text[224] = "\r", digits[24];
    size_t length = 1, count = 0;
    int saved = errno;

    (void)signal;
    if (changing || !what || time - line->work_began < SECONDS_BEFORE_LINES ||
        time - line->last_drawn < SECONDS_OF_SILENCE)
        return;
    for (size_t i = 0; what[i] && length + ROOM_FOR_SECONDS <= get_room(line) + 1; i++)
        text[length++] = what[i];
    text[length++] = ',';
    text[length++] = ' ';
    for (unsigned long left = (unsigned long)(time - line->work_began); count < 20;) {
        digits[count++] = (char)('0' + left % 10);
        if ((left /= 10) == 0)
            break;
    }
    while (count > 0)
        text[length++] = digits[--count];
    memcpy(text + length, " s\033[K", 5);
    line->visible = write(STDERR_FILENO, text, length + 5) > 0 || line->visible;
    line->last_drawn = time;
    errno = saved;
}

static void set_timer(long milliseconds)
{
    struct itimerval every = {{0, milliseconds * 1000}, {0, milliseconds * 1000}};

    setitimer(ITIMER_REAL, &every, NULL);
}

void attest_cli_work_begin(const char *what)
{
    struct sigaction action = {.sa_handler = draw_silence, .sa_flags = SA_RESTART};

    if (!isatty(STDERR_FILENO))
        return;
    program_line.on_terminal = true;
    program_line.width = get_stderr_width();
    program_line.work_began = program_line.last_drawn = attest_clock_seconds();
    program_line.work = what;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    set_timer(200);
}

void attest_cli_work_end(void)
{
    if (!program_line.work)
        return;
    set_timer(0);
    program_line.work = NULL;
    program_line.text[0] = '\0';
    wipe(&program_line);
    fflush(stderr);
}

attest_progress attest_cli_progress(void)
{
    if (!program_line.work)
        program_line = (attest_cli_line){.on_terminal = isatty(STDERR_FILENO),
                                         .width = get_stderr_width()};
    return (attest_progress){attest_cli_line_report, &program_line};
}

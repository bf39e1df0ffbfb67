/* SPDX-License-Identifier: MIT */
/*
 * Many inputs for a target that makes stores of its own, in a process that is
 * started again after each one that it does not survive:
 *
 *   fuzz-records [--cases N] [--seed S] [--first I] [--until SECONDS]
 *                [--format FORMAT.md] [--verbose] [INPUT...]
 *
 * Case I of a seed is the same everywhere; its first eight bytes are I. With
 * --format every kind of record that the page names has to be mutated. Fails
 * where a case ends its process, takes more than 5 seconds of the processor, or
 * asks for much memory.
 */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "stores.h"

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "abort_on_error=1:handle_abort=1:allocator_may_return_null=1:"
           "hard_rss_limit_mb=2000:detect_leaks=0:fast_unwind_on_malloc=1:"
           "quarantine_size_mb=32";
}

const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

enum { INPUT = 160, SECONDS = 5, BYTES_MOST = 192 << 20,
       PORTION = 500 /* cases of a process, after which it is told */ };

/* Of all processes. */
typedef struct shared {
    const char *command;
    time_t until; /* 0: until all cases are done */
    uint64_t at, done, findings;
    char why[64];
} shared;

static shared *all;
static int report = -1; /* where sanitizers write */

void __sanitizer_print_stack_trace(void) __attribute__((weak));

static _Noreturn void give_up(void)
{
    if (__sanitizer_print_stack_trace != NULL)
        __sanitizer_print_stack_trace();
    abort();
}

static void too_long(int number)
{
    (void)number;
    snprintf(all->why, sizeof all->why, "over %d seconds", SECONDS);
    give_up();
}

/* Asked to end, it says what it found. */
static void no_more(int number)
{
    (void)number;
    all->until = 1;
}

/* Nothing that these small stores have needs so much at once. */
static bool gate(size_t size)
{
    if (size <= BYTES_MOST)
        return true;
    snprintf(all->why, sizeof all->why, "asks for %zu bytes", size);
    give_up();
}

static void watch(void)
{
    const struct itimerval cpu = {.it_value = {SECONDS, 0}};

    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(20 * SECONDS);
}

static bool is_late(void)
{
    return all->until != 0 && time(NULL) >= all->until;
}

static void run_cases(uint64_t seed, uint64_t first, uint64_t end)
{
    uint8_t data[INPUT];

    signal(SIGPROF, too_long);
    signal(SIGALRM, too_long);
    mem_set_gate(gate);
    for (uint64_t i = first; i < end && !is_late(); i++) {
        put_u64(data, i);
        for (size_t k = 8; k < INPUT; k += 8)
            put_u64(data + k, hash_stream(seed * 1000003 + i, k));
        all->at = i;
        watch();
        LLVMFuzzerTestOneInput(data, INPUT);
        all->done++;
    }
}

static void show_report(const char *path)
{
    char line[512];
    FILE *const in = fopen(path, "r");
    int lines = 0;

    while (in != NULL && lines < 24 && fgets(line, sizeof line, in) != NULL)
        if (strstr(line, "    #") != NULL || strstr(line, "ERROR") != NULL ||
            strstr(line, "runtime error") != NULL) {
            printf("    %.150s%s", line, strchr(line, '\n') ? "" : "\n");
            lines++;
        }
    if (in != NULL)
        fclose(in);
}

/* One process, which goes as far as it can. */
static void run_process(uint64_t seed, uint64_t first, uint64_t end,
                        bool verbose)
{
    char path[512];
    int state = 0;

    stores_path("report", path);
    fflush(NULL);
    const pid_t child = fork();
    PROMISE(child >= 0);
    if (child == 0) {
        report = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 1);
        dup2(verbose ? 2 : report, 2);
        setvbuf(stdout, NULL, _IOFBF, 1 << 16);
        run_cases(seed, first, end);
        _exit(0);
    }
    waitpid(child, &state, 0);
    if (state == 0) {
        if (end - first == PORTION)
            printf("%llu cases, %llu findings\n",
                   (unsigned long long)all->done,
                   (unsigned long long)all->findings);
        fflush(stdout);
        return;
    }
    all->findings++;
    printf("case %llu: kedge %s: %s %s\n", (unsigned long long)all->at,
           all->command, WIFSIGNALED(state) ? strsignal(WTERMSIG(state))
                                            : "ended", all->why);
    all->why[0] = '\0';
    show_report(path);
    fflush(stdout);
}

/* The kinds that the page has, as `KXXX`, in stores or in files that travel. */
static bool kinds_are_mutated(const char *format)
{
    size_t size;
    uint8_t *const page = stores_read(format, &size);
    const char *const end = (const char *)page + size;
    bool fine = true;

    page[size] = 0;
    for (const char *p = (const char *)page; p + 6 < end; p++) {
        char tag[5];
        uint64_t mutated = 0;
        if (p[0] != '`' || p[1] != 'K' || p[5] != '`' ||
            !isupper((unsigned char)p[2]) || !isupper((unsigned char)p[3]) ||
            !isupper((unsigned char)p[4]))
            continue;
        snprintf(tag, sizeof tag, "%.4s", p + 1);
        for (size_t i = 0; i < kinds_count; i++)
            if (strncmp(kinds[i].tag, tag, 4) == 0)
                mutated += kinds[i].mutated;
        if (mutated == 0)
            printf("no %s was mutated, which %s names\n", tag, format);
        fine &= mutated > 0;
    }
    free(page);
    return fine;
}

static void run_file(const char *path)
{
    size_t size;
    uint8_t *const data = stores_read(path, &size);

    watch();
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    uint64_t cases = 200, seed = 1, first = 0, until = 0;
    const char *format = NULL;
    bool verbose = false, fine = true;
    int at = 1;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++)
        if (strcmp(argv[at], "--verbose") == 0)
            verbose = true;
        else if (at + 1 == argc)
            return 2;
        else if (strcmp(argv[at], "--format") == 0)
            format = argv[++at];
        else
            *(argv[at][2] == 'c'   ? &cases
              : argv[at][2] == 's' ? &seed
              : argv[at][2] == 'u' ? &until
                                   : &first) = strtoull(argv[at + 1], NULL, 0),
                at++;
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    PROMISE(all != MAP_FAILED);
    LLVMFuzzerInitialize(NULL, NULL);
    command_now = &all->command;
    signal(SIGINT, no_more);
    signal(SIGTERM, no_more);
    for (; at < argc; at++, cases = 0)
        run_file(argv[at]);
    const uint64_t end = first + cases;
    all->until = until > 0 ? time(NULL) + (time_t)until : 0;
    for (uint64_t i = first; i < end && !is_late(); i = all->at + 1)
        run_process(seed, i, end - i < PORTION ? end : i + PORTION, verbose);
    for (size_t i = 0; i < kinds_count; i++)
        printf("%s %llu\n", kinds[i].tag, (unsigned long long)kinds[i].mutated);
    printf("%llu cases, %llu findings\n", (unsigned long long)all->done,
           (unsigned long long)all->findings);
    if (format != NULL && cases > 0)
        fine = kinds_are_mutated(format);
    return fine && all->findings == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

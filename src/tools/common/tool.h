/* What the programs share: the option table and its --help, exit codes,
 * messages, files.  A program describes its options once, loops over
 * tool_next, and then makes its calls. */
#ifndef QD_TOOLS_TOOL_H
#define QD_TOOLS_TOOL_H

#include <stdio.h>

#include "base.h"
#include "qd.h"

enum tool_exit {
	EXIT_OK = 0,
	EXIT_INPUT = 1,	      /* the input is wrong */
	EXIT_USAGE = 2,	      /* the command line is */
	EXIT_ENVIRONMENT = 3, /* files, drivers, devices, memory */
	EXIT_BUG = 4
};

#if defined(__GNUC__)
#define TOOL_NORETURN __attribute__((noreturn))
#else
#define TOOL_NORETURN
#endif

/* -- Options ------------------------------------------------------------------ */

struct tool_option {
	char letter;	  /* 0: none */
	const char *name; /* without -- */
	const char *arg;  /* what it takes, for --help; NULL: a flag */
	const char *help;
};

/* What an option takes, for completion: words with blanks between, or one of the kinds
 * below.  Of a word that is no option: what may follow it; of "": what may come first. */
struct tool_values {
	const char *option, *words; /* option NULL: behind the last */
};

/* What completion asks the tables for. */
#define TOOL_TARGETS	 "@targets"
#define TOOL_AOT_TARGETS "@aot" /* and what stands for several, or for the kernel itself */
#define TOOL_AMD_TARGETS "@amd"
#define TOOL_DEVICES	 "@devices"
#define TOOL_WHY_DEVICES "@why" /* and targets */

/* Every program has these behind the options of its own table. */
enum { COMMON_HELP, COMMON_VERSION, COMMON_COLOR, COMMON_DIAG, COMMON_MAN, COMMON_COMPLETION, N_COMMON };

struct tool {
	const char *name;
	const char *usage; /* after the name */
	const char *about;
	const struct tool_option *options;
	uint32_t n_options;
	const struct tool_values *values; /* of options that take a choice; NULL: none */
	const char *operands; /* help on them, lines as they shall stand; NULL: none */
	const char *examples[4]; /* NULL behind the last */
};

/* Its own options, then the common ones. */
const struct tool_option *tool_option(const struct tool *t, uint32_t i);
uint32_t tool_option_count(const struct tool *t);
void tool_print_help(const struct tool *t);
void tool_print_man(const struct tool *t); /* roff */
void tool_print_completion(const struct tool *t); /* of bash */
void tool_print_version(const struct tool *t);

struct tool_args {
	const struct tool *tool;
	int argc, at;
	char **argv;
	const char *letters; /* what is left of -abc */
	bool ended;	     /* after -- */
};

enum { TOOL_END = -1, TOOL_OPERAND = -2 };

void tool_start(struct tool_args *a, const struct tool *tool, int argc, char **argv);
/* The next option's place in the table, TOOL_OPERAND, or TOOL_END. */
int tool_next(struct tool_args *a, const char **value);
uint64_t tool_number(const char *option, const char *text, uint64_t lo, uint64_t hi);
uint64_t tool_milliseconds(const char *option, const char *text); /* of "1.5" seconds */

/* The closest of n names to a wrong one, or NULL where none is close. */
const char *tool_closest(const char *word, const char *(*name)(void *user, uint32_t i), void *user,
			 uint32_t n);

/* Names for a message, each once, the first of them as text. */
struct tool_names {
	char text[512];
	size_t len;
	uint32_t n, n_listed;
	char last[64], whole[532];
};
void tool_names_add(struct tool_names *names, const char *name);
/* "; there are a, b and 3 more", or "" if there are none. */
const char *tool_names_text(struct tool_names *names);

/* -- Messages and exits ------------------------------------------------------- */

/* A diagnostic of the library as one line of JSON on stderr; severity: of a text that
 * does not say. */
void diag_json(const char *severity, const char *text);

/* "name: text" and a hint at --help; exit 2. */
TOOL_NORETURN QD_COLD void tool_usage(const char *fmt, ...) QD_PRINTF(1, 2);
TOOL_NORETURN QD_COLD void tool_die(enum tool_exit code, const char *fmt, ...) QD_PRINTF(2, 3);
/* "name: error: text", colours where wanted. */
QD_COLD void tool_message(const char *severity, const char *fmt, ...) QD_PRINTF(2, 3);
/* A message as a JSON object; severity: of a text that does not say. */
void diag_object(FILE *f, const char *severity, const char *text);
/* Exits on the way, as those two do. */
TOOL_NORETURN QD_COLD void tool_quit(int code);
/* The same without any of the clean-up that would wait for another thread. */
TOOL_NORETURN QD_COLD void tool_quit_now(int code);
/* What a program may hear of, from any thread: each message as it is printed, and an exit
 * on the way, before it. */
struct tool_listener {
	void (*message)(const char *severity, const char *text);
	void (*quit)(int code);
};
void tool_listen(const struct tool_listener *l);
/* Prints what the log has not shown already; the exit code of the status. */
int tool_report(const struct qd_error *e);
TOOL_NORETURN QD_COLD void tool_fail(const struct qd_error *e);
/* Flushes stdout; a write that failed is exit 3.  The code to return from main. */
int tool_finish(int code);

/* From here to the end of the limit the program may take so long; then it says what is
 * not done and exits 1, wherever it is. */
void tool_limit_start(const char *what, uint64_t ms);
void tool_limit_end(void); /* where there is one */

/* A context whose errors, warnings and what QD_LOG asks for go to stderr. */
struct qd_context *tool_context(void);
/* Until the end the calling thread gets so many bytes of the library's memory. Where it wants more
 * the program ends with EXIT_INPUT and the limit; text: what the limit follows from. */
void tool_memory_begin(uint64_t most, const char *text);
void tool_memory_end(void);

/* -- Files and text ------------------------------------------------------------ */

/* Whole file, or stdin for "-"; NUL-terminated.  Exits where it cannot. */
char *tool_read(const char *path, size_t *size);
/* What a file of code is by its first bytes, and what takes it, as the rest of "it is"; NULL: none
 * that is known. */
const char *tool_kind_of_code(const void *bytes, size_t size);
/* Bytes of white space and C's comments that the text begins with. */
size_t tool_skip_blank(const char *text, size_t size);

struct tool_output {
	FILE *file;
	FILE *raw; /* of text: behind file, which escapes; else NULL */
	char *path; /* a symbolic link is followed; NULL: stdout */
	char *temporary; /* NULL: it has no name yet, or is written in place */
	bool renamed;	 /* at the end, to path */
};

/* path NULL or "-": stdout, where binary is refused on a terminal unless forced.  Exits where
 * path is a file that tool_read has read. */
void tool_output_open(struct tool_output *o, const char *path, bool binary, bool force);
/* What is written from here on is text, in part from files: control characters but newlines
 * and tabs are escaped in it (show.h). */
void tool_output_text(struct tool_output *o);
/* Gives the file its name; what was there keeps its permissions.  Where the program exits
 * instead, nothing is left of it. */
void tool_output_close(struct tool_output *o);
/* For several outputs that belong together: the names of all are given by one commit. */
void tool_output_close_later(struct tool_output *o);
void tool_output_commit(void);
/* No output is written over this file. */
void tool_output_protect(const char *path);

/* A file's name as messages and listings have it: itself, or an escaped copy that stays. */
const char *tool_shown(const char *name);
/* A name from a file, escaped (show.h). */
void tool_put_name(FILE *f, const char *s);
void tool_json_string(FILE *f, const char *s);

/* From here on what is printed to the standard output is kept until tool_finish: where the
 * program ends on the way nothing is printed, and a reader of JSON gets whole JSON or none. */
void tool_hold(void);
/* Drops what was kept so far, and keeps no more. */
void tool_hold_drop(void);

#endif

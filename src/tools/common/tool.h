/* Interface shared by the programs: option table and --help, exit codes, messages, files. A
 * program declares its options once, loops over tool_next, and then does its work. */
#ifndef QD_TOOLS_TOOL_H
#define QD_TOOLS_TOOL_H

#include <stdio.h>

#include "base.h"
#include "qd.h"

enum tool_exit {
	EXIT_OK = 0,
	EXIT_INPUT = 1,	      /* the input is invalid */
	EXIT_USAGE = 2,	      /* the command line is invalid */
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
	const char *arg;  /* its argument, for --help; NULL: a flag */
	const char *help;
};

/* Values of an option, for completion: words separated by spaces, or one of the kinds below. For a
 * word that is not an option: the words that may follow it. For "": the first words of the command
 * line. */
struct tool_values {
	const char *option, *words; /* option NULL: end of the table */
};

/* Kinds of values that completion reads from tables. */
#define TOOL_TARGETS	 "@targets"
#define TOOL_AOT_TARGETS "@aot" /* and the names for several targets, or for the IR */
#define TOOL_AMD_TARGETS "@amd"
#define TOOL_DEVICES	 "@devices"
#define TOOL_WHY_DEVICES "@why" /* devices and targets */

/* Options of every program. They follow the options of the program's own table. */
enum { COMMON_HELP, COMMON_VERSION, COMMON_COLOR, COMMON_DIAG, COMMON_MAN, COMMON_COMPLETION, N_COMMON };

struct tool {
	const char *name;
	const char *usage; /* after the name */
	const char *about;
	const struct tool_option *options;
	uint32_t n_options;
	const struct tool_values *values; /* of options with fixed values; NULL: none */
	const char *operands; /* help on operands, printed line by line; NULL: none */
	const char *examples[4]; /* ends with NULL */
};

/* Return the program's options, followed by the common ones. */
const struct tool_option *tool_option(const struct tool *t, uint32_t i);
uint32_t tool_option_count(const struct tool *t);
void tool_print_help(const struct tool *t);
void tool_print_man(const struct tool *t); /* roff */
void tool_print_completion(const struct tool *t); /* for bash */
void tool_print_version(const struct tool *t);

struct tool_args {
	const struct tool *tool;
	int argc, at;
	char **argv;
	const char *letters; /* the rest of -abc */
	bool ended;	     /* after -- */
};

enum { TOOL_END = -1, TOOL_OPERAND = -2 };

void tool_start(struct tool_args *a, const struct tool *tool, int argc, char **argv);
/* Returns the index of the next option in the table, TOOL_OPERAND, or TOOL_END. */
int tool_next(struct tool_args *a, const char **value);
uint64_t tool_number(const char *option, const char *text, uint64_t lo, uint64_t hi);
uint64_t tool_milliseconds(const char *option, const char *text); /* parses seconds, such as "1.5" */

/* Returns the closest of n names to an unknown one, or NULL if none is close. */
const char *tool_closest(const char *word, const char *(*name)(void *user, uint32_t i), void *user,
			 uint32_t n);

/* Names for a message: each is counted once, and the first ones are listed. */
struct tool_names {
	char text[512];
	size_t len;
	uint32_t n, n_listed;
	char last[64], whole[532];
};
void tool_names_add(struct tool_names *names, const char *name);
/* Returns "; there are a, b and 3 more", or "" if there are none. */
const char *tool_names_text(struct tool_names *names);

/* -- Messages and exits ------------------------------------------------------- */

/* Prints a diagnostic of the library as one line of JSON on stderr. severity: the default, if the
 * text has none. */
void diag_json(const char *severity, const char *text);

/* Prints "name: text" and a hint to use --help; exits with 2. */
TOOL_NORETURN QD_COLD void tool_usage(const char *fmt, ...) QD_PRINTF(1, 2);
TOOL_NORETURN QD_COLD void tool_die(enum tool_exit code, const char *fmt, ...) QD_PRINTF(2, 3);
/* Prints "name: error: text", in color if enabled. */
QD_COLD void tool_message(const char *severity, const char *fmt, ...) QD_PRINTF(2, 3);
/* Writes a message as a JSON object. severity: as for diag_json. */
void diag_object(FILE *f, const char *severity, const char *text);
/* Exits early, as tool_usage and tool_die do. */
TOOL_NORETURN QD_COLD void tool_quit(int code);
/* Exits without any clean-up that would wait for another thread. */
TOOL_NORETURN QD_COLD void tool_quit_now(int code);
/* Callbacks, called from any thread: for each message when it is printed, and before an early
 * exit. */
struct tool_listener {
	void (*message)(const char *severity, const char *text);
	void (*quit)(int code);
};
void tool_listen(const struct tool_listener *l);
/* Prints an error unless it was logged. Returns the exit code for the status. */
int tool_report(const struct qd_error *e);
TOOL_NORETURN QD_COLD void tool_fail(const struct qd_error *e);
/* Flushes stdout; returns the exit code for main, 3 if a write has failed. */
int tool_finish(int code);

/* Starts a time limit for `what`. When it expires, the program prints a message and exits with 1,
 * in any state. */
void tool_limit_start(const char *what, uint64_t ms);
void tool_limit_end(void); /* no effect without a limit */

/* Returns a context whose errors, warnings and QD_LOG messages go to stderr. */
struct qd_context *tool_context(void);
/* Returns such a context, which compiles at this optimization level. */
struct qd_context *tool_context_at(qd_opt opt, qd_facts facts);
#define TOOL_OPT_HELP "optimization level: 0 (for debugging), 1 or 2 (default: QD_OPT, else 2)"
qd_opt tool_opt(const char *text); /* parses the value of -O */
#define TOOL_FACTS_HELP "auto or none (default: QD_FACTS, else auto)"
qd_facts tool_facts(const char *text); /* parses the value of --facts */
/* Limits the library's memory in the calling thread to `most` bytes until tool_memory_end. If
 * the library needs more, the program exits with EXIT_INPUT. text: the reason for the limit. */
void tool_memory_begin(uint64_t most, const char *text);
/* Raises the limit. A lower value has no effect. */
void tool_memory_more(uint64_t most, const char *text);
void tool_memory_end(void);

/* -- Files and text ------------------------------------------------------------ */

/* Reads a whole file, or stdin for "-"; NUL-terminated. Exits on an error. */
char *tool_read(const char *path, size_t *size);
/* Returns the bytes of white space and C comments at the beginning of the text. */
size_t tool_skip_blank(const char *text, size_t size);

struct tool_output {
	FILE *file;
	FILE *raw; /* of text: the stream to which `file` writes the escaped text; else NULL */
	char *path; /* a symbolic link is resolved; NULL: stdout */
	char *temporary; /* NULL: still unnamed, or written in place */
	bool renamed;	 /* to path, at the end */
};

/* Opens an output. path NULL or "-": stdout. Binary output to a terminal is rejected unless
 * forced. Exits if tool_read has read the file at path. */
void tool_output_open(struct tool_output *o, const char *path, bool binary, bool force);
/* Marks further output as text, in part from files: control characters other than newlines and tabs
 * are escaped (show.h). */
void tool_output_text(struct tool_output *o);
/* Gives the file its name and the permissions of the file it replaces. If the program exits
 * earlier, no file remains. */
void tool_output_close(struct tool_output *o);
/* Close outputs that belong together: one commit gives all of them their names. */
void tool_output_close_later(struct tool_output *o);
void tool_output_commit(void);
/* Protects a file from being overwritten by an output. */
void tool_output_protect(const char *path);

/* Returns a file name for messages and listings: itself, or an escaped copy that is never freed. */
const char *tool_shown(const char *name);
/* Writes a name from a file, escaped (show.h). */
void tool_put_name(FILE *f, const char *s);
void tool_json_string(FILE *f, const char *s);

/* Buffers standard output until tool_finish. If the program exits early, nothing is printed, so a
 * reader of JSON gets all of it or none. */
void tool_hold(void);
/* Discards the buffered output and ends buffering. */
void tool_hold_drop(void);

#endif

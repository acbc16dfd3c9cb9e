/* Options, messages, exit codes. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa.h"
#include "log.h"
#include "show.h"
#include "suggest.h"

static const struct tool *current;
static bool color, json;

/* -- Parsing ------------------------------------------------------------------- */

static void
choose_color(const char *when)
{
	if (strcmp(when, "always") == 0) {
		color = true;
	} else if (strcmp(when, "never") == 0) {
		color = false;
	} else if (strcmp(when, "auto") == 0) {
		const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
		const char *force = getenv("CLICOLOR_FORCE");
		color = (isatty(STDERR_FILENO) && !(no && *no) && term &&
			  strcmp(term, "dumb") != 0) ||
			 (force && *force && strcmp(force, "0") != 0 && !(no && *no));
	} else {
		tool_usage("--color takes auto, always or never, not '%s'", when);
	}
}

static void
choose_form(const char *form)
{
	json = strcmp(form, "json") == 0;
	if (!json && strcmp(form, "text") != 0)
		tool_usage("--diag takes text or json, not '%s'", form);
}

void
tool_start(struct tool_args *a, const struct tool *tool, int argc, char **argv)
{
	current = tool;
	signal(SIGPIPE, SIG_DFL);
	/* A closed standard descriptor must not be reused for another file. */
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			exit(EXIT_ENVIRONMENT);
	}
	choose_color("auto");
	/* Errors in options before --diag=json are printed as JSON too. */
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		json |= strcmp(argv[i], "--diag=json") == 0;
	*a = (struct tool_args){ .tool = tool, .argc = argc, .at = 1, .argv = argv };
}

static const char *
long_name(void *user, uint32_t i)
{
	return tool_option(user, i)->name;
}

static uint32_t
find_long(const struct tool *t, const char *word, size_t len)
{
	uint32_t n = tool_option_count(t);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = tool_option(t, i)->name;
		if (strlen(name) == len && memcmp(name, word, len) == 0)
			return i;
	}
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)len, word);
	const char *close = tool_closest(name, long_name, (void *)(uintptr_t)t, n);
	if (close)
		tool_usage("unknown option '--%s'; did you mean '--%s'?", name, close);
	tool_usage("unknown option '--%s'", name);
}

static uint32_t
find_letter(const struct tool *t, char letter)
{
	for (uint32_t i = 0; i < tool_option_count(t); i++) {
		if (tool_option(t, i)->letter == letter)
			return i;
	}
	tool_usage("unknown option '-%c'", letter);
}

/* Handles options that all programs share; false: the program must handle it. */
static bool
do_common(struct tool_args *a, uint32_t i, const char *value)
{
	if (i < a->tool->n_options)
		return false;
	switch (i - a->tool->n_options) {
	case COMMON_HELP: tool_print_help(a->tool); break;
	case COMMON_VERSION: tool_print_version(a->tool); break;
	case COMMON_MAN: tool_print_man(a->tool); break;
	case COMMON_COMPLETION: tool_print_completion(a->tool); break;
	case COMMON_DIAG: choose_form(value); return true;
	default: choose_color(value); return true;
	}
	exit(tool_finish(EXIT_OK));
}

static const char *
next_word(struct tool_args *a, const char *option)
{
	if (a->at >= a->argc)
		tool_usage("option '%s' needs a value", option);
	return a->argv[a->at++];
}

/* Parses -a, -abc, -ovalue, -o value. */
static int
next_letter(struct tool_args *a, const char **value)
{
	char text[3] = { '-', *a->letters, '\0' };
	uint32_t i = find_letter(a->tool, *a->letters++);
	*value = NULL;
	if (tool_option(a->tool, i)->arg) {
		*value = *a->letters ? a->letters : next_word(a, text);
		a->letters = NULL;
	} else if (!*a->letters) {
		a->letters = NULL;
	}
	return (int)i;
}

/* Parses --name, --name=value, --name value. */
static int
next_long(struct tool_args *a, const char *word, const char **value)
{
	size_t len = strcspn(word + 2, "=");
	uint32_t i = find_long(a->tool, word + 2, len);
	bool given = word[2 + len] == '=';
	*value = given ? word + 3 + len : NULL;
	if (tool_option(a->tool, i)->arg && !given)
		*value = next_word(a, word);
	if (!tool_option(a->tool, i)->arg && given)
		tool_usage("option '--%.*s' takes no value", (int)len, word + 2);
	return (int)i;
}

int
tool_next(struct tool_args *a, const char **value)
{
	for (;;) {
		int i;
		if (a->letters) {
			i = next_letter(a, value);
		} else if (a->at >= a->argc) {
			return TOOL_END;
		} else {
			const char *word = a->argv[a->at++];
			if (a->ended || word[0] != '-' || !word[1]) {
				*value = word;
				return TOOL_OPERAND;
			}
			if (strcmp(word, "--") == 0) {
				a->ended = true;
				continue;
			}
			if (word[1] == '-') {
				i = next_long(a, word, value);
			} else {
				a->letters = word + 1;
				continue;
			}
		}
		if (!do_common(a, (uint32_t)i, *value))
			return i;
	}
}

uint64_t
tool_number(const char *option, const char *text, uint64_t lo, uint64_t hi)
{
	uint64_t v = 0;
	bool good = *text != '\0';
	for (const char *p = text; good && *p; p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		good = *p >= '0' && *p <= '9' && v <= (UINT64_MAX - digit) / 10;
		v = 10 * v + digit;
	}
	if (!good || v < lo || v > hi)
		tool_usage("%s takes a number from %llu to %llu, not '%s'", option,
			   (unsigned long long)lo, (unsigned long long)hi, text);
	return v;
}

uint64_t
tool_milliseconds(const char *option, const char *text)
{
	uint64_t v = 0;
	int digits = -1; /* after the point */
	bool good = *text >= '0' && *text <= '9';

	for (const char *p = text; good && *p; p++) {
		if (*p == '.' && digits < 0) {
			digits = 0;
			continue;
		}
		digits += digits >= 0;
		good = *p >= '0' && *p <= '9' && digits <= 3 && v < UINT32_MAX;
		v = 10 * v + (uint64_t)(*p - '0');
	}
	for (digits = digits < 0 ? 0 : digits; digits < 3; digits++)
		v *= 10;
	if (!good || !v || v > 1000000000)
		tool_usage("%s takes seconds from 0.001 to 1000000, not '%s'", option, text);
	return v;
}

const char *
tool_closest(const char *word, const char *(*name)(void *user, uint32_t i), void *user, uint32_t n)
{
	struct suggest g;

	suggest_init(&g, word, (uint32_t)strlen(word));
	for (uint32_t i = 0; i < n; i++)
		suggest_offer(&g, name(user, i), (uint32_t)strlen(name(user, i)));
	return g.best;
}

void
tool_names_add(struct tool_names *names, const char *name)
{
	size_t len = strlen(name), room = sizeof names->text - names->len;

	/* A kernel occurs once for each of its entries, consecutively. */
	if (strncmp(names->last, name, sizeof names->last - 1) == 0 && names->n)
		return;
	snprintf(names->last, sizeof names->last, "%s", name);
	names->n++;
	if (names->n != names->n_listed + 1 || names->n_listed == 16 || len + 40 > room)
		return;
	names->len += (size_t)snprintf(names->text + names->len, room, "%s%s",
				       names->n_listed ? ", " : "", name);
	names->n_listed++;
}

const char *
tool_names_text(struct tool_names *names)
{
	if (!names->n_listed)
		return "";
	if (names->n > names->n_listed)
		snprintf(names->text + names->len, sizeof names->text - names->len, " and %u more",
			 names->n - names->n_listed);
	snprintf(names->whole, sizeof names->whole, "; there %s %s", names->n > 1 ? "are" : "is", names->text);
	return names->whole;
}

/* -- Messages ------------------------------------------------------------------ */

static struct tool_listener listener;

void
tool_listen(const struct tool_listener *l)
{
	listener = *l;
}

void
tool_quit(int code)
{
	if (listener.quit)
		listener.quit(code);
	exit(code);
}

void
tool_quit_now(int code)
{
	if (listener.quit)
		listener.quit(code);
	_exit(code);
}

static const char *
severity_color(const char *severity)
{
	return *severity == 'e' ? "\033[1;31m" : *severity == 'w' ? "\033[1;35m" : "\033[1;36m";
}

/* Escapes a message, which may quote files and names; NULL: nothing to escape. */
static char *
escaped(const char *text)
{
	size_t len = strlen(text), cap = SHOW_MOST * len + 8;
	char *out;

	if (show_is_plain(text, len, SHOW_LINES) || !(out = malloc(cap)))
		return NULL;
	show_text(out, cap, text, len, SHOW_LINES);
	return out;
}

static void print_plain(const char *text);

static void
print_text(const char *text)
{
	char *safe = escaped(text);

	print_plain(safe ? safe : text);
	free(safe);
}

/* Prints a message of the library unchanged, with the severity of its first line in color. */
static void
print_plain(const char *text)
{
	static const char *const words[] = { "error:", "warning:", "finding:", "remark:",
					     "print:" };
	size_t line = strcspn(text, "\n");
	if (listener.message)
		listener.message("error", text);
	if (json) {
		diag_json("error", text);
		return;
	}
	for (size_t i = 0; color && i < QD_COUNT(words); i++) {
		const char *p = strstr(text, words[i]);
		if (p && (size_t)(p - text) < line) {
			fprintf(stderr, "%.*s%s%s\033[0m%s\n", (int)(p - text), text,
				severity_color(words[i]), words[i], p + strlen(words[i]));
			return;
		}
	}
	fprintf(stderr, "%s\n", text);
}

/* Prints a message of the program: "name: text", or "name: severity: text" if severity_shown. JSON always
 * contains the severity. */
static void QD_PRINTF(3, 0)
say(const char *severity, bool severity_shown, const char *fmt, va_list ap)
{
	char *text = NULL;
	int n = vasprintf(&text, fmt, ap);
	char *safe = n < 0 ? NULL : escaped(text);
	const char *s = n < 0 ? "out of memory" : safe ? safe : text;
	fflush(stdout);
	if (listener.message)
		listener.message(severity, s);
	if (json) {
		diag_json(severity, s);
	} else {
		fprintf(stderr, "%s: ", current->name);
		if (severity_shown)
			fprintf(stderr, "%s%s:%s ", color ? severity_color(severity) : "",
				severity, color ? "\033[0m" : "");
		fprintf(stderr, "%s\n", s);
	}
	free(safe);
	free(n < 0 ? NULL : text);
}

void
tool_message(const char *severity, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(severity, true, fmt, ap);
	va_end(ap);
}

void
tool_usage(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("error", false, fmt, ap);
	va_end(ap);
	if (!json)
		fprintf(stderr, "'%s --help' lists the options\n", current->name);
	tool_quit(EXIT_USAGE);
}

/* -- Memory limit in proportion to a file ----------------------------------------------- */

static struct pool_quota memory;
static const char *memory_text;

void
tool_memory_begin(uint64_t most, const char *text)
{
	memory_text = text;
	pool_quota_begin(&memory, most);
}

void
tool_memory_more(uint64_t most, const char *text)
{
	if (most <= memory.most)
		return;
	memory.most = most;
	memory_text = text;
}

void
tool_memory_end(void)
{
	pool_quota_end(&memory);
}

/* Ends the program if an allocation failed because of the file's memory limit. */
static void
check_memory(void)
{
	if (!memory.over)
		return;
	memory.over = false;
	tool_die(EXIT_INPUT,
		 "reading the file needs more than %llu bytes of memory, the limit (%s); unpack it "
		 "and read its parts",
		 (unsigned long long)memory.most, memory_text);
}

void
tool_die(enum tool_exit code, const char *fmt, ...)
{
	va_list ap;
	if (code == EXIT_ENVIRONMENT)
		check_memory();
	va_start(ap, fmt);
	say("error", false, fmt, ap);
	va_end(ap);
	tool_quit((int)code);
}

/* -- The library's log ------------------------------------------------------------- */

/* Hashes of logged messages. An error that is both logged and returned is printed once. */
enum { N_SHOWN = 64 };
static struct {
	pthread_mutex_t lock;
	uint64_t hash[N_SHOWN];
	uint32_t n;
	struct log_sink sink;
	bool has_sink;
} shown = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t
text_hash(const char *s, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
	return h;
}

static bool
was_shown(const char *s, size_t len)
{
	uint64_t hash = text_hash(s, len);
	bool seen = false;
	pthread_mutex_lock(&shown.lock);
	for (uint32_t i = 0; i < N_SHOWN && i < shown.n; i++)
		seen |= shown.hash[i] == hash;
	pthread_mutex_unlock(&shown.lock);
	return seen;
}

static void
on_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)user;
	pthread_mutex_lock(&shown.lock);
	if (strcmp(component, "print") == 0) { /* a kernel's print */
		fflush(stdout);
		print_text(msg);
	} else if (level > QD_LOG_WARNING) {
		if (shown.has_sink && json)
			diag_json(level == QD_LOG_INFO ? "info" : "debug", msg);
		else if (shown.has_sink)
			log_sink_write(&shown.sink, level, component, msg, len);
	} else {
		/* The messages of these components are complete: position, severity, text. */
		bool whole = strcmp(component, "diag") == 0 || strcmp(component, "ref") == 0 ||
			     strcmp(component, "emu") == 0 || strcmp(component, "launch") == 0 ||
			     strcmp(component, "compile") == 0;
		shown.hash[shown.n++ % N_SHOWN] = text_hash(msg, len);
		fflush(stdout);
		if (whole)
			print_text(msg);
		else
			tool_message(level == QD_LOG_ERROR ? "error" : "warning", "%s", msg);
	}
	pthread_mutex_unlock(&shown.lock);
}

qd_opt
tool_opt(const char *text)
{
	return QD_OPT_NONE + (qd_opt)tool_number("-O", text, 0, QD_OPT_FULL - QD_OPT_NONE);
}

qd_facts
tool_facts(const char *text)
{
	if (strcmp(text, "auto") == 0)
		return QD_FACTS_AUTO;
	if (strcmp(text, "none") == 0)
		return QD_FACTS_NONE;
	tool_usage("--facts takes auto or none, not '%s'", text);
}

struct qd_context *
tool_context(void)
{
	return tool_context_at(QD_OPT_DEFAULT, QD_FACTS_DEFAULT);
}

struct qd_context *
tool_context_at(qd_opt opt, qd_facts facts)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .log = on_log, .opt = opt, .facts = facts };
	struct qd_context *ctx;
	struct qd_error e;
	const char *text = getenv("QD_LOG");
	if (text && *text) {
		shown.has_sink = log_sink_parse(&shown.sink, text);
		if (!shown.has_sink)
			tool_message("warning", "QD_LOG='%s' is ignored; it takes error, warning, "
						"info or debug, or component:level,...",
				     text);
	}
	if (qd_context_create(&desc, &ctx, &e))
		tool_fail(&e);
	if (!shown.has_sink)
		ctx->log_max = QD_LOG_INFO; /* print uses this level */
	return ctx;
}

static int
exit_code(const struct qd_error *e)
{
	switch (e->code) {
	case QD_OK: return EXIT_OK;
	case QD_E_NOMEM:
	case QD_E_UNAVAILABLE:
	case QD_E_DRIVER:
	case QD_E_DEVICE_NOMEM:
	case QD_E_DEVICE_LOST:
	case QD_E_IO: return EXIT_ENVIRONMENT;
	case QD_E_INTERNAL:
	case QD_E_FORKED:
	case QD_E_BUSY: return EXIT_BUG;
	default: return EXIT_INPUT;
	}
}

int
tool_report(const struct qd_error *e)
{
	/* The last line may be a count of logged messages. */
	const char *last = strrchr(e->text, '\n');
	bool seen = was_shown(e->text, strlen(e->text)) ||
		    (last && was_shown(e->text, (size_t)(last - e->text)));
	if (e->code == QD_E_NOMEM)
		check_memory();
	fflush(stdout);
	if (e->line && !seen)
		print_text(e->text);
	else if (!seen)
		tool_message("error", "%s", e->text);
	int code = exit_code(e);
	if (code == EXIT_BUG)
		tool_message("note", "this is a bug in qd; please report it with the command and "
				     "its input");
	return code;
}

void
tool_fail(const struct qd_error *e)
{
	tool_quit(tool_report(e));
}

/* -- The standard output ------------------------------------------------------------ */

static struct {
	bool on;
	int real; /* standard output, while an unnamed file replaces it */
} held;

void
tool_hold(void)
{
	FILE *f = tmpfile();
	int fd = f ? dup(fileno(f)) : memfd_create("qd", MFD_CLOEXEC);

	if (f)
		fclose(f);
	fflush(stdout);
	held.real = fd < 0 ? -1 : dup(STDOUT_FILENO);
	if (held.real < 0 || dup2(fd, STDOUT_FILENO) < 0)
		tool_die(EXIT_ENVIRONMENT, "cannot create a temporary file: %s", strerror(errno));
	close(fd);
	held.on = true;
}

/* Restores standard output; returns the descriptor of the stored output. */
static int
end_hold(void)
{
	int fd = dup(STDOUT_FILENO);

	dup2(held.real, STDOUT_FILENO);
	close(held.real);
	held.on = false;
	return fd;
}

void
tool_hold_drop(void)
{
	if (!held.on)
		return;
	fflush(stdout);
	close(end_hold());
}

static bool
write_all(const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

static bool
give_held(void)
{
	char bytes[1 << 16];
	bool good = fflush(stdout) == 0 && !ferror(stdout);
	int fd = end_hold();
	ssize_t n = 1;

	good = good && fd >= 0 && lseek(fd, 0, SEEK_SET) == 0;
	while (good && (n = read(fd, bytes, sizeof bytes)) > 0)
		good = write_all(bytes, (size_t)n);
	close(fd);
	return good && n == 0;
}

int
tool_finish(int code)
{
	bool bad = ferror(stdout) != 0;
	if (held.on && !give_held())
		bad = true;
	if (fflush(stdout) != 0 || bad) {
		tool_die(EXIT_ENVIRONMENT, "cannot write to the standard output");
	}
	return code;
}

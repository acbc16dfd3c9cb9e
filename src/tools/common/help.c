/* Prints a program's table of options as --help and as manual page; prints the version. */
#include "fatbin.h"
#include "isa.h"
#include "tool.h"

static const struct tool_option common[N_COMMON] = {
	[COMMON_HELP] = { 'h', "help", NULL, "print this and exit" },
	[COMMON_VERSION] = { 'V', "version", NULL, "print the version and exit" },
	[COMMON_COLOR] = { 0, "color", "WHEN",
			   "color in messages: auto, always or never (default: auto)" },
	[COMMON_DIAG] = { 0, "diag", "FORM",
			  "errors and warnings as text (default), or as json: an object on each "
			  "line "
			  "of the standard error" },
	[COMMON_MAN] = { 0, "man", NULL, "print the manual page, in roff, and exit" },
	[COMMON_COMPLETION] = { 0, "completion", NULL,
				"print a completion script for bash, and exit" },
};

const struct tool_option *
tool_option(const struct tool *t, uint32_t i)
{
	return i < t->n_options ? &t->options[i] : &common[i - t->n_options];
}

uint32_t
tool_option_count(const struct tool *t)
{
	return t->n_options + N_COMMON;
}

/* -- Help and version ---------------------------------------------------------- */

enum { HELP_COLUMN = 26, HELP_WIDTH = 79 };

/* Prints text from `column` on, wrapped. at: the current column. */
static void
print_wrapped(const char *text, size_t at, size_t column)
{
	bool first = true;
	while (*text) {
		size_t len = strcspn(text, " ");
		if (at < column) {
			printf("%*s", (int)(column - at), "");
			at = column;
		} else if (first) {
			/* at the column already */
		} else if (at + 1 + len > HELP_WIDTH) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)len, text);
		at += len;
		text += len;
		text += strspn(text, " ");
		first = false;
	}
	putchar('\n');
}

static void
print_option(const struct tool_option *o)
{
	char head[80];
	int n = o->letter ? snprintf(head, sizeof head, "  -%c, --%s", o->letter, o->name)
			  : snprintf(head, sizeof head, "      --%s", o->name);
	if (o->arg)
		n += snprintf(head + n, sizeof head - (size_t)n, "=%s", o->arg);
	fputs(head, stdout);
	/* At least two spaces between an option and its help, or a line break. */
	if (n + 2 > HELP_COLUMN) {
		putchar('\n');
		n = 0;
	}
	print_wrapped(o->help, (size_t)n, HELP_COLUMN);
}

void
tool_print_help(const struct tool *t)
{
	printf("Usage: %s %s\n\n", t->name, t->usage);
	print_wrapped(t->about, 0, 0);
	printf("\nOptions:\n");
	for (uint32_t i = 0; i < tool_option_count(t); i++)
		print_option(tool_option(t, i));
	if (t->operands)
		printf("\n%s", t->operands);
	printf("\nExamples:\n");
	for (size_t i = 0; i < QD_COUNT(t->examples) && t->examples[i]; i++)
		printf("  %s\n", t->examples[i]);
}

void
tool_print_version(const struct tool *t)
{
	uint32_t v = qd_version();
	printf("%s %u.%u.%u\nMIT license\ntargets:", t->name, v / 1000000, v / 1000 % 1000,
	       v % 1000);
	for (uint32_t i = 0; i < isa_count; i++)
		printf(" %s (emitter %u)", isa_table[i]->name, isa_table[i]->version);
	printf("\nfatbin %d.%d, %s zstd\n", FATBIN_MAJOR, FATBIN_MINOR, fatbin_auto == FATBIN_ZSTD ? "with" : "without");
}

/* -- The manual page ------------------------------------------------------------ */

/* Prints text as roff, with escapes, so that none of it is a request. */
static void
man_text(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((s[i] == '.' || s[i] == '\'') && (i == 0 || s[i - 1] == '\n'))
			fputs("\\&", stdout);
		if (s[i] == '-')
			fputs("\\-", stdout);
		else if (s[i] == '\\')
			fputs("\\e", stdout);
		else
			putchar(s[i]);
	}
}

static void
man_line(const char *s)
{
	man_text(s, strlen(s));
	putchar('\n');
}

static void
man_option(const struct tool_option *o)
{
	printf(".TP\n\\fB");
	if (o->letter)
		printf("\\-%c\\fR, \\fB", o->letter);
	printf("\\-\\-");
	man_text(o->name, strlen(o->name));
	printf("\\fR");
	if (o->arg) {
		printf("=\\fI");
		man_text(o->arg, strlen(o->arg));
		printf("\\fR");
	}
	putchar('\n');
	man_line(o->help);
}

static const struct {
	enum tool_exit code;
	const char *when;
} exits[] = {
	{ EXIT_OK, "success" },
	{ EXIT_INPUT, "the input is wrong" },
	{ EXIT_USAGE, "the command line is wrong" },
	{ EXIT_ENVIRONMENT, "no device, driver or file, or no memory" },
	{ EXIT_BUG, "a bug in qd" },
};

static const char *const pages[] = { "qd-aot", "qd-dis", "qd-info", "qd-run" };

void
tool_print_man(const struct tool *t)
{
	uint32_t v = qd_version();
	const char *stop = strstr(t->about, ". ");
	size_t first = stop ? (size_t)(stop - t->about) : strlen(t->about) - 1;

	printf(".TH ");
	for (const char *s = t->name; *s; s++)
		putchar(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
	printf(" 1 \"\" \"qd %u.%u.%u\" \"User Commands\"\n.SH NAME\n", v / 1000000,
	       v / 1000 % 1000, v % 1000);
	man_text(t->name, strlen(t->name));
	/* The NAME line continues in lower case. */
	printf(" \\- %c", *t->about | ('a' - 'A'));
	man_text(t->about + 1, first - 1);
	printf("\n.SH SYNOPSIS\n.B ");
	man_line(t->name);
	man_line(t->usage);
	printf(".SH DESCRIPTION\n");
	man_line(t->about);
	printf(".SH OPTIONS\n");
	for (uint32_t i = 0; i < tool_option_count(t); i++)
		man_option(tool_option(t, i));
	if (t->operands) {
		printf(".SH OPERANDS\n.nf\n");
		man_text(t->operands, strlen(t->operands));
		printf(".fi\n");
	}
	printf(".SH EXIT STATUS\n");
	for (size_t i = 0; i < QD_COUNT(exits); i++)
		printf(".TP\n%d\n%s\n", (int)exits[i].code, exits[i].when);
	printf(".SH ENVIRONMENT\n.B qd\\-info \\-\\-env\nlists the variables.\n");
	printf(".SH EXAMPLES\n.nf\n");
	for (size_t i = 0; i < QD_COUNT(t->examples) && t->examples[i]; i++)
		man_line(t->examples[i]);
	printf(".fi\n.SH SEE ALSO\n");
	for (size_t i = 0; i < QD_COUNT(pages); i++) {
		if (strcmp(pages[i], t->name) == 0)
			continue;
		printf(".BR ");
		man_text(pages[i], strlen(pages[i]));
		printf(" (1)\n");
	}
}

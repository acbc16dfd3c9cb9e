/* An output file is either complete or absent. Each output is written to an unnamed file, which
 * is linked to its name at the end. If the file system does not support unnamed files, a file
 * with a random name is renamed instead. */
#include "tool.h"
#include "show.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Inputs ---------------------------------------------------------------------------------- */

/* Files that the program has read. No output replaces one of them. */
static struct input {
	dev_t device;
	ino_t number;
} *inputs;
static size_t n_inputs;

void
tool_output_protect(const char *path)
{
	struct stat s;

	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return;
	struct input *more = realloc(inputs, (n_inputs + 1) * sizeof *more);
	if (!more)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	inputs = more;
	inputs[n_inputs++] = (struct input){ s.st_dev, s.st_ino };
}

static bool
was_read(const struct stat *s)
{
	for (size_t i = 0; i < n_inputs; i++) {
		if (inputs[i].device == s->st_dev && inputs[i].number == s->st_ino)
			return true;
	}
	return false;
}

/* -- Temporaries ----------------------------------------------------------------------------- */

/* Outputs that are complete but do not have their final names yet. */
static struct tool_output *pending;
static size_t n_pending;
/* The temporary file that is being written; removed if the program exits early. */
static char *unfinished;

static void
remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
	for (size_t i = 0; i < n_pending; i++) {
		if (pending[i].temporary)
			unlink(pending[i].temporary);
	}
}

static void *
need(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

/* Returns "folder/.qd-" and 16 random digits, which is short enough for any output's name. */
static char *
random_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - path) : 0, size = folder + 24;
	char *name = need(malloc(size));
	uint64_t seed[2];

	hash_seed(seed);
	memcpy(name, path, folder);
	snprintf(name + folder, size - folder, ".qd-%016llx", (unsigned long long)(seed[0] ^ seed[1] << 1));
	return name;
}

/* Opens a file without a name in the directory of path, so that nothing is left if the program is
 * killed. Returns -1 if the file system does not support that, or /proc is not mounted. */
static int
open_unnamed(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = need(slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("."));
	int fd = access("/proc/self/fd", X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;

	free(folder);
	return fd;
}

/* Links the unnamed file to a random name, o->temporary. */
static bool
give_name(struct tool_output *o)
{
	char of_process[40];

	snprintf(of_process, sizeof of_process, "/proc/self/fd/%d", fileno(o->file));
	for (int i = 0; i < 100; i++) {
		o->temporary = random_name(o->path);
		if (linkat(AT_FDCWD, of_process, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) == 0)
			return true;
		free(o->temporary);
		o->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return false;
}

static int
open_named(struct tool_output *o)
{
	int fd = -1;

	for (int i = 0; i < 100 && fd < 0; i++) {
		o->temporary = random_name(o->path);
		fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			break;
		free(o->temporary);
		o->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	unfinished = o->temporary;
	return fd;
}

/* -- Text ------------------------------------------------------------------------------------ */

/* A listing contains text from input files. This stream escapes the control characters in
 * it (show.h) and writes the result to the output's own stream. */
struct filter {
	FILE *to;
	char rest[4]; /* first bytes of a character; the others are in the next piece */
	size_t n_rest;
};

static bool
filter_put(struct filter *f, const char *s, size_t n)
{
	char out[SHOW_MOST + 1];
	size_t at = 0, len;

	while (at < n) {
		size_t plain = at;
		while (plain < n && (((unsigned char)s[plain] >= 0x20 && (unsigned char)s[plain] < 0x7f) ||
				     s[plain] == '\n' || s[plain] == '\t'))
			plain++;
		if (fwrite(s + at, 1, plain - at, f->to) != plain - at)
			return false;
		if ((at = plain) == n)
			break;
		at += show_next(s + at, n - at, SHOW_LINES, out, &len);
		if (fwrite(out, 1, len, f->to) != len)
			return false;
	}
	return true;
}

/* Returns the number of bytes at the end that may be an incomplete character. */
static size_t
cut_off(const char *s, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++) {
		unsigned char c = (unsigned char)s[n - k];

		if (c >= 0xc0)
			return k < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? k : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

static ssize_t
filter_write(void *cookie, const char *s, size_t n)
{
	struct filter *f = cookie;
	char first[8];
	size_t from = 0;

	if (f->n_rest) {
		/* Complete the stored character. */
		memcpy(first, f->rest, f->n_rest);
		while (from < n && f->n_rest + from < 4 && ((unsigned char)s[from] & 0xc0) == 0x80) {
			first[f->n_rest + from] = s[from];
			from++;
		}
		size_t all = f->n_rest + from;
		if (from == n && cut_off(first, all) == all) {
			memcpy(f->rest, first, all);
			f->n_rest = all;
			return (ssize_t)n;
		}
		f->n_rest = 0;
		if (!filter_put(f, first, all))
			return 0;
	}
	f->n_rest = cut_off(s + from, n - from);
	memcpy(f->rest, s + n - f->n_rest, f->n_rest);
	return filter_put(f, s + from, n - from - f->n_rest) ? (ssize_t)n : 0;
}

static int
filter_close(void *cookie)
{
	struct filter *f = cookie;
	bool good = filter_put(f, f->rest, f->n_rest);

	free(f);
	return good ? 0 : EOF;
}

/* Starts filtering. The stream is line-buffered, so that messages keep their positions between
 * the lines. */
static void
filter_open(struct tool_output *o)
{
	static const cookie_io_functions_t calls = { .write = filter_write, .close = filter_close };
	struct filter *f = need(malloc(sizeof *f));

	*f = (struct filter){ .to = o->file };
	o->raw = o->file;
	o->file = need(fopencookie(f, "w", calls));
	setvbuf(o->file, NULL, _IOLBF, 1 << 16);
}

/* Ends filtering and restores the output's own stream. Returns false after an error. */
static bool
filter_end(struct tool_output *o)
{
	bool good;

	if (!o->raw)
		return true;
	good = !ferror(o->file);
	good = fclose(o->file) == 0 && good;
	o->file = o->raw;
	o->raw = NULL;
	return good;
}

/* -- Outputs --------------------------------------------------------------------------------- */

/* Returns the file to replace. Like cp, follows a symbolic link and preserves it. */
static char *
follow(const char *path)
{
	struct stat link;

	if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode))
		return need(strdup(path));
	char *to = realpath(path, NULL);
	if (!to)
		tool_die(EXIT_ENVIRONMENT, "cannot write '%s': it is a symbolic link whose target cannot be found: %s; remove "
					   "the link, or name the file", SHOWN(path), strerror(errno));
	return to;
}

void
tool_output_open(struct tool_output *o, const char *path, bool binary, bool force)
{
	static bool registered;
	struct stat info;

	*o = (struct tool_output){ .file = stdout };
	if (!path || strcmp(path, "-") == 0) {
		if (binary && !force && isatty(STDOUT_FILENO))
			tool_usage("binary output to a terminal; use -o FILE, or --force");
		return;
	}
	if (!*path)
		tool_usage(
			"the output name is empty; use a file name, or - for standard output");
	bool exists = stat(path, &info) == 0;
	if (exists && was_read(&info))
		tool_usage("the output '%s' would overwrite an input", SHOWN(path));
	/* A pipe or /dev/null is written in place. */
	if (exists && !S_ISREG(info.st_mode)) {
		o->path = need(strdup(path));
		o->file = fopen(path, "wb");
		if (!o->file)
			tool_die(EXIT_ENVIRONMENT, "cannot open '%s': %s", SHOWN(path), strerror(errno));
		return;
	}
	o->path = follow(path);
	o->renamed = true;
	int fd = open_unnamed(o->path);
	if (fd < 0)
		fd = open_named(o);
	o->file = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!o->file)
		tool_die(EXIT_ENVIRONMENT, "cannot create '%s': %s", SHOWN(path), strerror(errno));
	/* The new file gets the permissions of the one that it replaces. */
	if (exists && fchmod(fd, info.st_mode & 0777) != 0)
		tool_die(EXIT_ENVIRONMENT,
			 "cannot copy the permissions of the replaced file to '%s': %s",
			 SHOWN(path), strerror(errno));
	if (!registered)
		atexit(remove_unfinished);
	registered = true;
}

void
tool_output_text(struct tool_output *o)
{
	filter_open(o);
}

void
tool_output_close_later(struct tool_output *o)
{
	bool bad = !filter_end(o);
	if (!o->path)
		return; /* tool_finish checks stdout */
	bad |= fflush(o->file) != 0 || ferror(o->file) != 0;
	if (!bad && o->renamed && !o->temporary)
		bad = !give_name(o);
	unfinished = o->temporary;
	if (fclose(o->file) != 0 || bad)
		tool_die(EXIT_ENVIRONMENT, "cannot write '%s': %s", SHOWN(o->path), strerror(errno));
	pending = need(realloc(pending, (n_pending + 1) * sizeof *pending));
	pending[n_pending++] = *o;
	unfinished = NULL;
}

void
tool_output_commit(void)
{
	for (size_t i = 0; i < n_pending; i++) {
		struct tool_output *o = &pending[i];
		if (!o->renamed || rename(o->temporary, o->path) == 0) {
			free(o->temporary);
			o->temporary = NULL;
			continue;
		}
		int why = errno;
		/* Removes the outputs that are already renamed: a set of outputs is written
		 * completely or not at all. */
		for (size_t j = 0; j < i; j++) {
			if (pending[j].renamed)
				unlink(pending[j].path);
		}
		tool_die(EXIT_ENVIRONMENT, "cannot write '%s': %s", SHOWN(o->path), strerror(why));
	}
	for (size_t i = 0; i < n_pending; i++)
		free(pending[i].path);
	n_pending = 0;
}

void
tool_output_close(struct tool_output *o)
{
	tool_output_close_later(o);
	tool_output_commit();
}

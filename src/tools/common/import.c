/* Imported files of .qdk texts: search in directories, and identity by device and inode. */
#include "import.h"
#include "show.h"
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
tool_add_folder(struct tool_imports *im, const char *folder)
{
	if (im->n_folders == QD_COUNT(im->folders))
		tool_usage("-I is given more than %u times", im->n_folders);
	im->folders[im->n_folders++] = *folder ? folder : ".";
}

static void *
need(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

static struct tool_import *
add_file(struct tool_imports *im, const char *path, const struct stat *st)
{
	if (!(im->n_files & (im->n_files - 1)))
		im->files = need(realloc(im->files, (im->n_files ? 2 * im->n_files : 1) * sizeof *im->files));
	struct tool_import *f = &im->files[im->n_files++];
	*f = (struct tool_import){ .path = need(strdup(path)), .device = st->st_dev, .number = st->st_ino };
	f->shown = tool_shown(f->path);
	return f;
}

static struct tool_import *
find_file(struct tool_imports *im, const struct stat *st)
{
	for (uint32_t i = 0; i < im->n_files; i++) {
		if (im->files[i].device == st->st_dev && im->files[i].number == st->st_ino)
			return &im->files[i];
	}
	return NULL;
}

/* Returns the path of the file with this name in messages. */
static const char *
path_of(const struct tool_imports *im, const char *shown)
{
	for (uint32_t i = 0; i < im->n_files; i++) {
		if (strcmp(im->files[i].shown, shown) == 0)
			return im->files[i].path;
	}
	return shown;
}

/* Opens a regular file. Returns -1 if there is none, or after an error, which sets err. */
static int
open_file(const char *path, struct stat *st, struct qd_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -1;
	if (fd < 0 || fstat(fd, st) != 0)
		qd_fail(err, QD_E_IO, "cannot open '%s': %s", SHOWN(path), strerror(errno));
	else if (!S_ISREG(st->st_mode))
		qd_fail(err, QD_E_IO, "'%s' is %s", SHOWN(path),
			S_ISDIR(st->st_mode) ? "a directory" : "not a regular file");
	else if (st->st_size > LIMIT_TEXT)
		qd_fail(err, QD_E_LIMIT, "'%s' has %lld bytes, the limit is %d", SHOWN(path), (long long)st->st_size,
			LIMIT_TEXT);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static qd_status
read_text(struct tool_import *f, int fd, size_t size, struct qd_error *err)
{
	f->text = need(malloc(size + 1));
	while (f->size < size) {
		ssize_t n = read(fd, f->text + f->size, size - f->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return qd_fail(err, QD_E_IO, "cannot read '%s': %s", f->shown, strerror(errno));
		if (n == 0)
			break;
		f->size += (size_t)n;
	}
	return QD_OK;
}

/* Reads a file, unless it was read under another name. Returns NOT_FOUND if there is none. */
static qd_status
try_path(struct tool_imports *im, const char *path, struct qd_text *out, struct qd_error *err)
{
	struct tool_import *f;
	struct stat st;
	int fd = open_file(path, &st, err);
	qd_status result = QD_OK;

	if (fd < 0)
		return err->code ? err->code : QD_E_NOT_FOUND;
	if (!(f = find_file(im, &st))) {
		f = add_file(im, path, &st);
		tool_output_protect(path);
	}
	if (!f->text)
		result = read_text(f, fd, (size_t)st.st_size, err);
	close(fd);
	*out = (struct qd_text){ f->shown, f->text, f->size };
	return result;
}

/* Joins the directory of a file, or a directory, and a name. */
static char *
join(const char *folder, size_t len, const char *name)
{
	size_t size = len + strlen(name) + 2;
	char *path = need(malloc(size));

	snprintf(path, size, "%.*s%s%s", (int)len, folder, len && folder[len - 1] != '/' ? "/" : "", name);
	return path;
}

static qd_status
resolve(void *user, const char *name, const char *from, struct qd_text *out, struct qd_error *err)
{
	struct tool_imports *im = user;
	const char *importer = path_of(im, from), *slash = strrchr(importer, '/');
	qd_status st = QD_E_NOT_FOUND;

	*err = (struct qd_error){ .code = QD_OK };
	for (uint32_t i = 0; i <= im->n_folders && st == QD_E_NOT_FOUND; i++) {
		const char *folder = i ? im->folders[i - 1] : importer;
		size_t len = i ? strlen(folder) : slash ? (size_t)(slash - importer) + 1 : 0;
		char *path = *name == '/' ? need(strdup(name)) : join(folder, len, name);

		st = try_path(im, path, out, err);
		free(path);
	}
	if (st == QD_E_NOT_FOUND)
		qd_fail(err, st, im->n_folders ? "it is neither in the directory of this file nor in those of -I"
					       : "it is not in the directory of this file; -I adds directories");
	return st;
}

struct qd_module *
tool_parse(struct tool_imports *im, struct qd_context *ctx, const char *file, const char *text, size_t size)
{
	const struct qd_imports imports = { .resolve = resolve, .user = im };
	const char *shown = tool_shown(file);
	struct tool_import *f;
	struct qd_module *m;
	struct qd_error e;
	struct stat st;

	if (strcmp(file, "-") != 0 && stat(file, &st) == 0) {
		f = find_file(im, &st);
		f = f ? f : add_file(im, file, &st);
		free(f->path);
		f->path = need(strdup(file));
		f->shown = tool_shown(f->path);
		f->is_main = true;
		shown = f->shown;
	}
	if (qd_module_parse_imports(ctx, &(struct qd_text){ shown, text, size }, &imports, &m, &e))
		tool_fail(&e);
	return m;
}

void
tool_free_imports(struct tool_imports *im)
{
	for (uint32_t i = 0; i < im->n_files; i++) {
		free(im->files[i].path);
		free(im->files[i].text);
	}
	free(im->files);
	im->files = NULL;
	im->n_files = 0;
}

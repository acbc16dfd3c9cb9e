/* The cache directory: its location, its required owner, and its files. Files are opened relative
 * to the descriptor of the checked directory, so it cannot be replaced after the check. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "disk_file.h"

enum { DEFAULT_MOST = 256 << 20 };

/* -- Settings ----------------------------------------------------------------------- */

/* Parses "268435456" or "256M". Returns false for any other string. */
static bool
parse_size(const char *s, uint64_t *out)
{
	uint64_t v = 0;
	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	unsigned shift = *s == 'K' ? 10 : *s == 'M' ? 20 : *s == 'G' ? 30 : 0;
	if (shift)
		s++;
	if (*s || v > UINT64_MAX >> shift)
		return false;
	*out = v << shift;
	return true;
}

static void QD_PRINTF(2, 3)
add_wrong(struct disk_settings *s, const char *fmt, ...)
{
	size_t n = strlen(s->wrong);
	va_list ap;
	if (n && n + 2 < sizeof s->wrong) {
		memcpy(s->wrong + n, "; ", 3);
		n += 2;
	}
	va_start(ap, fmt);
	vsnprintf(s->wrong + n, sizeof s->wrong - n, fmt, ap);
	va_end(ap);
}

/* Returns the value of a variable, or NULL if it is empty or unset, or in a setuid program. */
static const char *
variable(const char *name)
{
	const char *v = secure_getenv(name);
	return v && *v ? v : NULL;
}

/* Returns false if the result does not fit. */
static bool
join(char *out, size_t size, const char *a, const char *b)
{
	int n = snprintf(out, size, "%s%s", a, b);
	return n >= 0 && (size_t)n < size;
}

/* Returns true if the directory exists and belongs to the effective user. This prevents root, with
 * another user's HOME, from creating directories there. */
static bool
is_home(const char *dir)
{
	struct stat st;
	return *dir == '/' && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static bool
find_path(const char *given, char *out, size_t size, bool *chosen)
{
	const char *dir = given && *given ? given : variable("QD_CACHE_DIR");
	*chosen = dir != NULL;
	if (dir)
		return join(out, size, dir, "");
	dir = variable("XDG_CACHE_HOME");
	if (dir && *dir == '/')
		return join(out, size, dir, "/qd");
	dir = variable("HOME");
	return dir && is_home(dir) && join(out, size, dir, "/.cache/qd");
}

static void
read_mode(const struct qd_context *ctx, struct disk_settings *s)
{
	static const enum disk_mode modes[] = { [QD_CACHE_OFF] = DISK_OFF,
						[QD_CACHE_READ_ONLY] = DISK_READ,
						[QD_CACHE_ON] = DISK_ON };
	const char *text = variable("QD_CACHE");
	s->mode = DISK_ON;
	if (ctx->cache_mode != QD_CACHE_DEFAULT)
		s->mode = modes[ctx->cache_mode];
	else if (text && strcmp(text, "0") == 0)
		s->mode = DISK_OFF;
	else if (text && strcmp(text, "ro") == 0)
		s->mode = DISK_READ;
	else if (text && strcmp(text, "1") != 0)
		add_wrong(s, "QD_CACHE='%.80s' is ignored: it takes 0, ro or 1", text);
}

void
disk_settings(const struct qd_context *ctx, struct disk_settings *s)
{
	const char *most = variable("QD_CACHE_MAXSIZE");
	*s = (struct disk_settings){ .most = DEFAULT_MOST };
	read_mode(ctx, s);
	if (s->mode == DISK_OFF)
		return;
	if (most && !parse_size(most, &s->most))
		add_wrong(s,
			  "QD_CACHE_MAXSIZE='%.80s' is ignored: it takes a number of bytes, with "
			  "an optional suffix K, M or G, such as 256M; 0 means no limit",
			  most);
	if (!find_path(ctx->cache_dir, s->path, sizeof s->path, &s->chosen)) {
		if (s->chosen)
			add_wrong(s,
				  "the path of the cache directory is longer than %zu bytes; "
				  "nothing is stored",
				  sizeof s->path - 1);
		s->mode = DISK_OFF;
		s->path[0] = '\0';
	}
}

/* -- Directory ---------------------------------------------------------------------- */

/* Creates a directory and its parents. Returns 0 or an errno value. Checking the directory is up
 * to the caller. */
static int
make_folders(const char *path)
{
	char part[1024];
	size_t len = strlen(path);
	if (len >= sizeof part)
		return ENAMETOOLONG;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i <= len; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		char was = part[i];
		part[i] = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST && errno != EISDIR) {
			/* mkdir may fail otherwise for an existing directory on a read-only file system. */
			int e = errno;
			struct stat st;
			if (stat(part, &st) != 0 || !S_ISDIR(st.st_mode))
				return e;
		}
		part[i] = was;
	}
	return 0;
}

/* Returns true if root runs with another user's variables: the last existing directory of the path
 * belongs to another user, so nothing must be created in it. */
static bool
is_borrowed(const char *path)
{
	char part[1024];
	struct stat st;

	if (geteuid() != 0 || stat(path, &st) == 0)
		return false;
	snprintf(part, sizeof part, "%s", path);
	while (stat(part, &st) != 0) {
		char *slash = strrchr(part, '/');
		if (!slash || slash == part)
			return false;
		*slash = '\0';
	}
	return st.st_uid != 0;
}

/* Returns the reason not to trust files in the directory, or NULL. */
static const char *
distrust(const struct stat *st, bool foreign)
{
	if (st->st_uid != geteuid() && !(foreign && st->st_uid == 0))
		return "it belongs to another user";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "other users can write to it (chmod go-w)";
	return NULL;
}

/* Opens a directory relative to an open one. Returns -1 with errno or the reason in *why. */
static int
open_folder(int at, const char *name, bool make, bool foreign, const char **why)
{
	struct stat st;
	/* The user may link to the cache directory; inside it links are not allowed. */
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (at == AT_FDCWD ? 0 : O_NOFOLLOW);
	*why = NULL;
	if (make && at != AT_FDCWD && mkdirat(at, name, 0700) != 0 && errno != EEXIST &&
	    errno != EROFS)
		return -1;
	int fd = openat(at, name, flags);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && !(*why = distrust(&st, foreign)))
		return fd;
	close(fd);
	return -1;
}

static qd_status
cannot(struct qd_error *err, const char *path, const char *below, const char *why, int e)
{
	return qd_fail(err, why ? QD_E_INVALID : QD_E_UNAVAILABLE,
		       "the cache directory '%s%s' cannot be used: %s", path, below,
		       why ? why : strerror(e));
}

qd_status
disk_dir_open(struct disk_dir *d, struct pool *pool, const char *path, bool make, bool foreign,
	      struct qd_error *err)
{
	const char *why;
	bool chosen;
	*d = (struct disk_dir){ .fd = -1, .pool = pool };
	if (!find_path(path, d->path, sizeof d->path, &chosen))
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "there is no cache directory: QD_CACHE_DIR, XDG_CACHE_HOME and HOME "
			       "are not set, or the path is too long");
	if (make && is_borrowed(d->path))
		return cannot(err, d->path, "", "it would be created in another user's directory",
			      0);
	int e = make ? make_folders(d->path) : 0;
	if (e)
		return cannot(err, d->path, "", NULL, e);
	int root = open_folder(AT_FDCWD, d->path, make, foreign, &why);
	if (root < 0)
		return cannot(err, d->path, "", why, errno);
	d->fd = open_folder(root, "v1", make, foreign, &why);
	e = errno;
	close(root);
	return d->fd < 0 ? cannot(err, d->path, "/v1", why, e) : QD_OK;
}

void
disk_dir_close(struct disk_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* -- Names -------------------------------------------------------------------------- */

void
file_hash(char out[33], struct hash128 h)
{
	snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
}

void
file_name(char out[FILE_NAME], const uint64_t key[2])
{
	char hash[33];
	file_hash(hash, (struct hash128){ key[0], key[1] });
	snprintf(out, FILE_NAME, "%.2s/%s.qdc", hash, hash);
}

bool
file_is_hash(const char *name, size_t digits, const char *rest)
{
	for (size_t i = 0; i < digits; i++) {
		char c = name[i];
		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return false;
	}
	return strcmp(name + digits, rest) == 0;
}

bool
file_is_temporary(const char *name)
{
	return strncmp(name, "tmp-", 4) == 0 && file_is_hash(name + 4, 16, "");
}

/* -- Subdirectories ------------------------------------------------------------------- */

/* Inside the cache directory no symbolic link is followed. */
int
file_folder(const struct disk_dir *d, const char *path, const char **name)
{
	const char *slash = strchr(path, '/');
	char folder[FILE_NAME];

	snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
	*name = slash + 1;
	return openat(d->fd, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Like file_folder, but creates a missing directory and replaces a file of its name. */
static int
make_folder(const struct disk_dir *d, const char *path, const char **name)
{
	int fd = file_folder(d, path, name);
	char folder[FILE_NAME];

	if (fd >= 0 || (errno != ENOENT && errno != ENOTDIR && errno != ELOOP))
		return fd;
	snprintf(folder, sizeof folder, "%.*s", (int)(*name - 1 - path), path);
	if (errno != ENOENT && unlinkat(d->fd, folder, 0) != 0 && errno != ENOENT)
		return -1;
	if (mkdirat(d->fd, folder, 0700) != 0 && errno != EEXIST)
		return -1;
	return file_folder(d, path, name);
}

enum { MAX_TREE = 16 /* depth of nested directories */ };

/* Removes a file, or a directory with its contents. Links are removed, not followed. */
static bool
remove_tree(int at, const char *name, uint32_t depth)
{
	const struct dirent *e;

	if (unlinkat(at, name, 0) == 0)
		return true;
	if (errno != EISDIR && errno != EPERM)
		return false;
	if (unlinkat(at, name, AT_REMOVEDIR) == 0)
		return true;
	if (!depth_enter(&depth, MAX_TREE))
		return false;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_tree(dirfd(dir), e->d_name, depth);
	if (dir)
		closedir(dir);
	return unlinkat(at, name, AT_REMOVEDIR) == 0;
}

bool
file_unlink(const struct disk_dir *d, const char *path)
{
	const char *name;
	int folder = file_folder(d, path, &name);
	bool gone = folder >= 0 && remove_tree(folder, name, 0);

	if (folder >= 0)
		close(folder);
	return gone;
}

/* -- Reading ------------------------------------------------------------------------ */

static int
read_all(int fd, char *p, size_t size)
{
	while (size) {
		ssize_t n = read(fd, p, size);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0)
			return EBADMSG;
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int
read_open(const struct disk_dir *d, int fd, size_t most, struct pool_block **out, size_t *size,
	  struct stat *st)
{
	if (fstat(fd, st) != 0)
		return errno;
	if (!S_ISREG(st->st_mode) || distrust(st, true) || st->st_size <= 0 ||
	    (uint64_t)st->st_size > most)
		return EBADMSG;
	*size = (size_t)st->st_size;
	*out = pool_get(d->pool, *size);
	if (!*out)
		return ENOMEM;
	int e = read_all(fd, pool_data(*out), *size);
	if (e) {
		pool_put(d->pool, *out);
		*out = NULL;
	}
	return e;
}

int
file_read(const struct disk_dir *d, const char *path, size_t most, struct pool_block **out,
	  size_t *size, struct stat *st)
{
	const char *name;
	*out = NULL;
	memset(st, 0, sizeof *st);
	int folder = file_folder(d, path, &name);
	if (folder < 0)
		return errno == ENOTDIR || errno == ELOOP ? EBADMSG : errno;
	/* O_NONBLOCK: the file may be a pipe, whose open would block. */
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int e = fd < 0 ? errno : read_open(d, fd, most, out, size, st);
	if (fd < 0 && (e == ELOOP || e == EACCES || e == ENXIO))
		e = fstatat(folder, name, st, AT_SYMLINK_NOFOLLOW) == 0 ? EBADMSG : ENOENT;
	if (fd >= 0)
		close(fd);
	close(folder);
	return e;
}

void
file_remove(const struct disk_dir *d, const char *path, dev_t dev, ino_t ino,
	    const struct timespec *changed)
{
	struct stat st;
	const char *name;
	int folder = file_folder(d, path, &name);
	if (folder < 0)
		return;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == dev &&
	    st.st_ino == ino && st.st_ctim.tv_sec == changed->tv_sec &&
	    st.st_ctim.tv_nsec == changed->tv_nsec)
		remove_tree(folder, name, 0);
	close(folder);
}

/* -- Writing ------------------------------------------------------------------------ */

/* Creates a temporary file. Its name is random, because process IDs are not unique on a shared file
 * system. */
static int
make_temporary(int folder, char out[FILE_NAME])
{
	uint64_t seed[2];
	hash_seed(seed);
	snprintf(out, FILE_NAME, "tmp-%016llx", (unsigned long long)seed[0]);
	return openat(folder, out, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int
write_in(int folder, const char *name, const void *bytes, size_t size)
{
	char temporary[FILE_NAME];
	int fd = make_temporary(folder, temporary), e;
	if (fd < 0)
		return errno;
	e = bytes_write(fd, bytes, size);
	/* The mode must not depend on the umask. */
	if (!e && fchmod(fd, 0600) != 0)
		e = errno;
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && renameat(folder, temporary, folder, name) != 0) {
		e = errno;
		/* A directory with the entry's name. */
		if (e == EISDIR && remove_tree(folder, name, 0))
			e = renameat(folder, temporary, folder, name) == 0 ? 0 : errno;
	}
	if (e)
		unlinkat(folder, temporary, 0);
	return e;
}

int
file_write(const struct disk_dir *d, const char *path, const void *bytes, size_t size)
{
	const char *name;
	int folder = make_folder(d, path, &name);
	if (folder < 0)
		return errno;
	int e = write_in(folder, name, bytes, size);
	close(folder);
	return e;
}

/* External programs: ptxas, which assembles PTX on the build machine, and the checkers of
 * --verify. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aot.h"
#include "bytes.h"

extern char **environ;

int
aot_run(const char *const *argv, char *said, size_t cap)
{
	posix_spawn_file_actions_t io;
	int fds[2], status = -1;
	size_t len = 0;
	pid_t pid;

	said[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&io);
	posix_spawn_file_actions_addopen(&io, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&io, fds[1], 1);
	posix_spawn_file_actions_adddup2(&io, fds[1], 2);
	int r = posix_spawnp(&pid, argv[0], &io, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&io);
	close(fds[1]);
	while (r == 0) {
		char text[512];
		ssize_t n = read(fds[0], text, sizeof text);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		size_t room = cap - 1 - len, take = (size_t)n < room ? (size_t)n : room;
		memcpy(said + len, text, take);
		len += take;
		said[len] = '\0';
	}
	close(fds[0]);
	if (r != 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Builds a name pattern in TMPDIR, else in /tmp, for mkstemp and mkdtemp. */
static void
temporary_name(char path[AOT_PATH])
{
	const char *folder = getenv("TMPDIR");
	static const char name[] = "qd-aot-XXXXXX";

	if (!folder || !*folder || strlen(folder) + sizeof name >= AOT_PATH / 2)
		folder = "/tmp";
	snprintf(path, AOT_PATH, "%s/%s", folder, name);
}

static bool
write_all(int fd, const void *data, size_t size)
{
	if (fd < 0)
		return false;
	int wrong = bytes_write(fd, data, size);
	if (close(fd) != 0 && !wrong)
		wrong = errno;
	errno = wrong;
	return wrong == 0;
}

bool
aot_temporary(char path[AOT_PATH], const void *data, size_t size)
{
	temporary_name(path);
	int fd = mkstemp(path);
	if (write_all(fd, data, size))
		return true;
	int wrong = errno;
	if (fd >= 0)
		unlink(path);
	errno = wrong;
	return false;
}

static qd_status
read_whole(const char *path, struct buf *out, struct qd_error *err)
{
	FILE *f = fopen(path, "rb");
	char text[4096];
	size_t n;

	if (!f)
		return qd_fail(err, QD_E_IO, "ptxas: cannot open its output: %s", strerror(errno));
	while ((n = fread(text, 1, sizeof text, f)) > 0)
		buf_put(out, text, n);
	bool bad = ferror(f) != 0;
	int why = errno;
	fclose(f);
	if (bad)
		return qd_fail(err, QD_E_IO, "ptxas: cannot read its output: %s", strerror(why));
	if (out->nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	return out->len ? QD_OK : qd_fail(err, QD_E_IO, "ptxas: it succeeded, but wrote an empty file");
}

void
aot_need_ptxas(void)
{
	const char *const argv[] = { "ptxas", "--version", NULL };
	char said[256];

	if (aot_run(argv, said, sizeof said) != 0)
		tool_die(EXIT_ENVIRONMENT, "target cubin: ptxas cannot be started; it is part of "
					   "the CUDA toolkit and must be on the PATH");
}

/* Runs ptxas on the file `in` and reads its output file `to`. */
static qd_status
assemble(const struct qd_image *img, const char *in, const char *to, struct buf *out, struct qd_error *err)
{
	const char *name = layout_name(img->layout);
	char arch[32], said[1024];

	snprintf(arch, sizeof arch, "-arch=sm_%u", img->target->arch);
	const char *argv[] = { "ptxas", arch, "-o", to, in, NULL };
	int r = aot_run(argv, said, sizeof said);
	if (r < 0)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "kernel '%s' for cubin:sm_%u: ptxas cannot be started: %s; it is "
			       "part of the CUDA toolkit",
			       name, img->target->arch, strerror(errno));
	if (r != 0)
		return qd_fail(err, QD_E_TARGET, "kernel '%s' for cubin:sm_%u: ptxas: %.*s", name, img->target->arch,
			       (int)strcspn(said, "\n"), said);
	return read_whole(to, out, err);
}

qd_status
aot_assemble(const struct qd_image *img, struct buf *out, struct qd_error *err)
{
	char folder[AOT_PATH], in[AOT_PATH + 8], to[AOT_PATH + 8];
	const char *name = layout_name(img->layout);
	qd_status st;

	/* In a private directory no other user can place a link where ptxas writes. */
	temporary_name(folder);
	if (!mkdtemp(folder))
		return qd_fail(err, QD_E_IO,
			       "kernel '%s': cannot create the temporary directory '%s': %s", name,
			       folder, strerror(errno));
	snprintf(in, sizeof in, "%s/in", folder);
	snprintf(to, sizeof to, "%s/cubin", folder);
	if (write_all(open(in, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), img->code, img->code_size))
		st = assemble(img, in, to, out, err);
	else
		st = qd_fail(err, QD_E_IO, "kernel '%s': cannot write a temporary file: %s", name, strerror(errno));
	unlink(in);
	unlink(to);
	rmdir(folder);
	return st;
}

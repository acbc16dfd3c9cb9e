/* Lets libelf write to a memfd, and reads the bytes back. */
#include "elfwrite.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static qd_status
make_file(int fd, const char *what, bool (*fill)(void *user, Elf *elf), void *user, int64_t *size,
	  struct qd_error *err)
{
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	bool good = elf && fill(user, elf);
	qd_status st = QD_OK;

	*size = good ? elf_update(elf, ELF_C_WRITE) : -1;
	if (*size < 0)
		st = qd_fail(err, QD_E_IO, "%s: libelf: %s", what, elf_errmsg(-1));
	elf_end(elf);
	return st;
}

static qd_status
read_back(int fd, const char *what, size_t size, struct buf *out, struct qd_error *err)
{
	size_t start = out->len, done = 0;
	char *at = buf_extend(out, size);

	if (!at)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %s of %zu bytes", what, size);
	while (done < size) {
		ssize_t n = pread(fd, at + done, size - done, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			out->len = start;
			return qd_fail(err, QD_E_IO, "%s in memory cannot be read: %s", what,
				       n ? strerror(errno) : "it is too short");
		}
		done += (size_t)n;
	}
	return QD_OK;
}

qd_status
elf_write(struct buf *out, const char *what, bool (*fill)(void *user, Elf *elf), void *user,
	  struct qd_error *err)
{
	int fd = memfd_create(what, MFD_CLOEXEC);
	int64_t size = 0;
	qd_status st;

	if (fd < 0)
		return qd_fail(err, QD_E_IO, "no memory file for %s: %s", what, strerror(errno));
	st = make_file(fd, what, fill, user, &size, err);
	if (st == QD_OK)
		st = read_back(fd, what, (size_t)size, out, err);
	close(fd);
	return st;
}

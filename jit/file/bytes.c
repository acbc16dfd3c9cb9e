/* Helpers of readers and writers of files. */
#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

uint64_t
bytes_number(const uint8_t *p, size_t size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

qd_status
bytes_vfail(struct qd_error *err, uint64_t at, const char *in, const char *fmt, va_list ap)
{
	char text[256];

	vsnprintf(text, sizeof text, fmt, ap);
	return qd_fail(err, QD_E_INVALID, "offset 0x%llx%s: %s", (unsigned long long)at, in, text);
}

void *
bytes_append(struct arena *mem, void *rows, uint32_t *n, uint32_t *cap, const void *row, size_t size,
	     struct qd_error *err)
{
	if (*n == *cap) {
		uint32_t more = *cap ? 2 * *cap : 16;
		char *grown = arena_alloc(mem, more * size);
		if (!grown) {
			qd_fail(err, QD_E_NOMEM, "out of memory for %u entries of a file", more);
			return NULL;
		}
		if (*n)
			memcpy(grown, rows, *n * size);
		rows = grown;
		*cap = more;
	}
	memcpy((char *)rows + *n * size, row, size);
	++*n;
	return rows;
}

int
bytes_write(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno != EINTR)
			return errno;
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

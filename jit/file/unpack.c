/* Decompresses zstd with libzstd, and blocks of LZ4 (LZ4 Block Format Description: sequences of a
 * token, literals, and a match, which is copied from earlier output). */
#include "unpack.h"

#ifdef QD_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

const char *const pack_names[] = { "stored", "zstd", "LZ4", "packed by an unknown method" };

static qd_status
broken(uint64_t at, const char *what, struct qd_error *err)
{
	return qd_fail(err, QD_E_INVALID, "offset 0x%llx: an LZ4 block %s", (unsigned long long)at,
		       what);
}

/* Reads the extension of a length of 15, which continues after each byte of 255. Returns false at
 * the end of the input. */
static bool
read_length(const uint8_t *in, size_t in_size, size_t *i, size_t *len)
{
	uint8_t byte = 255;

	if (*len != 15)
		return true;
	for (; byte == 255; *len += byte) {
		if (*i == in_size)
			return false;
		byte = in[(*i)++];
	}
	return true;
}

static qd_status
unpack_lz4(const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out, size_t out_size, struct qd_error *err)
{
	enum { LEAST_MATCH = 4 };
	size_t i = 0, o = 0;

	while (i < in_size) {
		uint8_t token = in[i++];
		size_t len = token >> 4;
		if (!read_length(in, in_size, &i, &len) || len > in_size - i)
			return broken(at + i, "has literals that extend past its end", err);
		if (len > out_size - o)
			return broken(at + i, "unpacks to more bytes than stated", err);
		if (len)
			memcpy(out + o, in + i, len);
		i += len;
		o += len;
		if (i == in_size)
			break;
		if (in_size - i < 2)
			return broken(at + i, "ends within a match", err);
		size_t back = (size_t)in[i] | (size_t)in[i + 1] << 8;
		if (!back || back > o)
			return broken(at + i, "has a match before its beginning", err);
		i += 2;
		len = token & 15;
		if (!read_length(in, in_size, &i, &len))
			return broken(at + i, "ends within a length", err);
		len += LEAST_MATCH;
		if (len > out_size - o)
			return broken(at + i, "unpacks to more bytes than stated", err);
		/* A match may overlap its own output. */
		for (; len; len--, o++)
			out[o] = out[o - back];
	}
	return o == out_size ? QD_OK
			     : broken(at + in_size, "unpacks to fewer bytes than stated", err);
}

#ifdef QD_HAVE_ZSTD
qd_status
unpack_zstd_status(size_t result, qd_status other)
{
	return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? QD_E_NOMEM : other;
}

static qd_status
unpack_zstd(const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out, size_t out_size, struct qd_error *err)
{
	size_t n = ZSTD_decompress(out, out_size, in, in_size);

	if (ZSTD_isError(n))
		return qd_fail(err, unpack_zstd_status(n, QD_E_INVALID),
			       "offset 0x%llx: the zstd data does not unpack: %s",
			       (unsigned long long)at, ZSTD_getErrorName(n));
	if (n != out_size)
		return qd_fail(err, QD_E_INVALID,
			       "offset 0x%llx: unpacks to %zu bytes, but %zu are stated",
			       (unsigned long long)at, n, out_size);
	return QD_OK;
}
#else
static qd_status
unpack_zstd(const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out, size_t out_size, struct qd_error *err)
{
	(void)in, (void)in_size, (void)out, (void)out_size;
	return qd_fail(err, QD_E_UNAVAILABLE, "offset 0x%llx: packed with zstd, but this qd was built without libzstd",
		       (unsigned long long)at);
}
#endif

qd_status
unpack(enum pack how, const uint8_t *in, size_t in_size, uint64_t at, uint8_t *out, size_t out_size, struct qd_error *err)
{
	switch (how) {
	case PACK_ZSTD: return unpack_zstd(in, in_size, at, out, out_size, err);
	case PACK_LZ4: return unpack_lz4(in, in_size, at, out, out_size, err);
	case PACK_NONE:
		if (in_size != out_size)
			return qd_fail(err, QD_E_INVALID,
				       "offset 0x%llx: %zu bytes stored, but %zu are stated",
				       (unsigned long long)at, in_size, out_size);
		memcpy(out, in, out_size);
		return QD_OK;
	default:
		return qd_fail(err, QD_E_INVALID, "offset 0x%llx: packed by an unknown method",
			       (unsigned long long)at);
	}
}

bool
unpack_fits(enum pack how, const uint8_t *in, size_t in_size, uint64_t out_size)
{
	enum { MOST = 1 << 30, LZ4_MOST = 255 };

	if (out_size > MOST)
		return false;
	if (how == PACK_LZ4)
		return out_size / LZ4_MOST <= in_size;
#ifdef QD_HAVE_ZSTD
	if (how == PACK_ZSTD) {
		unsigned long long n = ZSTD_getFrameContentSize(in, in_size);
		return n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR || n == out_size;
	}
#endif
	(void)in;
	return true;
}

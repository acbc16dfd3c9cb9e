/* Reads the record of an image's variables, and loads them. */
#include "variables.h"

static uint32_t
word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Reads the record at this byte; returns NULL or the error. */
static const char *
read_record(const struct qd_image *image, size_t at, struct variables *out)
{
	size_t left = image->code_size - at;
	const uint8_t *p = image->code + at;

	*out = (struct variables){ .size = word(p),
				   .n_bytes = (uint32_t)at,
				   .from = word(p + 4),
				   .n_written = word(p + 8),
				   .n_addresses = word(p + 12),
				   .addresses = p + VARIABLES_HEAD };
	if (out->size < at || out->size > VARIABLES_MAX)
		return "an invalid size";
	if (out->from > out->size || out->n_written > out->size - out->from)
		return "variables outside of its bounds";
	if ((left - VARIABLES_HEAD) / 4 != out->n_addresses || left % 4)
		return "an invalid number of addresses";
	for (uint32_t i = 0; i < out->n_addresses; i++) {
		uint32_t place = word(out->addresses + 4 * (size_t)i);
		if (place > at || at - place < 8)
			return "an address outside of its bounds";
	}
	return NULL;
}

qd_status
variables_read(const struct qd_image *image, struct variables *out, struct qd_error *err)
{
	uint32_t at = image->meta.own[ISA_AMD_VARIABLES_AT];
	const char *wrong;

	if (!at && image->code_size > VARIABLES_MAX)
		return qd_fail(err, QD_E_LIMIT, "an image of %zu bytes; the limit is %d",
			       image->code_size, VARIABLES_MAX);
	if (!at) {
		*out = (struct variables){ .size = (uint32_t)image->code_size,
					   .n_bytes = (uint32_t)image->code_size };
		return QD_OK;
	}
	if (at % 4 || at > image->code_size || image->code_size - at < VARIABLES_HEAD)
		wrong = "no space in the image";
	else
		wrong = read_record(image, at, out);
	return wrong ? qd_fail(err, QD_E_INVALID, "the record of the image's memory has %s", wrong) : QD_OK;
}

void
variables_load(const struct qd_image *image, const struct variables *v, uint64_t addr, void *to)
{
	uint8_t *bytes = to;

	memcpy(bytes, image->code, v->n_bytes);
	memset(bytes + v->n_bytes, 0, v->size - v->n_bytes);
	for (uint32_t i = 0; i < v->n_addresses; i++) {
		uint32_t place = word(v->addresses + 4 * (size_t)i);
		uint64_t value;
		memcpy(&value, bytes + place, sizeof value);
		value += addr;
		memcpy(bytes + place, &value, sizeof value);
	}
}

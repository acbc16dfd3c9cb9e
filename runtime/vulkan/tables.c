/* Constant tables: the module contains their bytes as hexadecimal digits. A function has them in device memory, whose
 * address launches pass. If the host cannot write that memory, a batch of a queue of the function does. Nothing waits
 * for it, because every batch is ordered after what was submitted earlier. */
#include "vulkan_internal.h"

enum { MOST_BYTES = 1 << 17 };

static int
digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
vulkan_tables_check(const struct qd_image *img)
{
	uint64_t at = img->meta.own[ISA_SPIRV_TABLES_AT], size = img->meta.own[ISA_SPIRV_TABLES_SIZE];

	if (size > MOST_BYTES || size % 4 || at + 2 * size > img->code_size)
		return false;
	for (uint64_t i = 0; i < 2 * size; i++)
		if (digit(img->code[at + i]) < 0)
			return false;
	return true;
}

static void
decode(const struct qd_image *img, uint8_t *out)
{
	const uint8_t *text = img->code + img->meta.own[ISA_SPIRV_TABLES_AT];

	for (uint32_t i = 0; i < img->meta.own[ISA_SPIRV_TABLES_SIZE]; i++)
		out[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
}

/* Submits a batch that writes the bytes to the function's memory. */
static qd_status
upload(struct qd_device *dev, struct vulkan_function *fn, const uint8_t *bytes, uint32_t size, struct qd_error *err)
{
	QD_TRY(vulkan_timeline_create(dev, &fn->upload_timeline, err));
	fn->upload_timeline->dev = dev;
	QD_TRY(vulkan_queue_create(dev, fn->upload_timeline, &fn->upload, err));
	fn->upload->dev = dev;
	fn->upload->timeline = fn->upload_timeline;
	QD_TRY(vulkan_begin(fn->upload, 0, err));
	vulkan_update(fn->upload, fn->tables, bytes, size);
	QD_TRY(vulkan_finish(fn->upload, 1, err));
	QD_TRY(vulkan_submit(fn->upload, false, NULL, 0, 1, err));
	fn->uploads = true;
	return QD_OK;
}

qd_status
vulkan_tables_load(struct vulkan_device *dev, struct vulkan_function *fn, const struct qd_image *img,
		   struct qd_error *err)
{
	struct pool *pool = &dev->base.ctx->pool;
	uint32_t size = img->meta.own[ISA_SPIRV_TABLES_SIZE];
	struct device_memory to;
	uint8_t *bytes;

	if (!size)
		return QD_OK;
	QD_TRY(heap_alloc(&dev->main->base, size, &fn->tables, err));
	to = heap_memory(fn->tables);
	fn->tables_addr = to.addr;
	if (to.host) {
		decode(img, (uint8_t *)to.host);
		return QD_OK;
	}
	if (!(bytes = pool_new(pool, size)))
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	decode(img, bytes);
	qd_status st = upload(&dev->base, fn, bytes, size, err);
	pool_delete(pool, bytes);
	return st;
}

void
vulkan_tables_free(struct vulkan_function *fn)
{
	if (fn->uploads)
		vulkan_wait(fn->upload_timeline, 1, FOREVER, QD_IGNORE_ERROR);
	if (fn->upload)
		vulkan_queue_free(fn->upload);
	if (fn->upload_timeline)
		vulkan_timeline_free(fn->upload_timeline);
	if (fn->tables)
		heap_free(fn->tables);
}

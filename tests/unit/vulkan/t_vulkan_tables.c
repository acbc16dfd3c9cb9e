/* Constant tables on Vulkan: their bytes are copied from the module to device memory, and launches pass its address.
 * Detects tables that are not uploaded or freed, invalid bytes in images, and lost errors. */
#include "fatbin.h"
#include "function.h"
#include "t_vulkan.h"

#include <stdio.h>
#include <string.h>

/* ODD: the tables and their padding exceed what one command uploads. */
enum { FIRST = 1, ODD = 16383, SCALARS = 60, N = 4 };

/* dst[i] = small[i >> 31] + large[i * 5461] + the sum of the scalars. */
static struct qd_kernel *
make(struct unit_ctx *t, struct vulkan_rig *r, uint32_t n_scalars)
{
	static uint32_t values[ODD], small = 1000;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_val sum = { 0 }, v, i;
	char name[16];

	VULKAN_OK(t, r, qd_builder_create(r->ctx, "tables", &b, &r->e));
	qd_block(b, 64, 1, 1);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	for (uint32_t j = 0; j < ODD; j++)
		values[j] = j * 3;
	for (uint32_t j = 0; j < n_scalars; j++) {
		snprintf(name, sizeof name, "x%u", j);
		v = qd_param_scalar(b, name, QD_TYPE_U32);
		sum = j ? qd_add(b, sum, v) : v;
	}
	struct qd_array first = qd_table(b, "small", QD_TYPE_U32, &small, FIRST);
	struct qd_array large = qd_table(b, "large", QD_TYPE_U32, values, ODD);
	i = qd_grid(b, qd_len(b, dst));
	v = qd_add(b, qd_load(b, first, qd_shr(b, i, qd_u32(b, 31))), qd_load(b, large, qd_mul(b, i, qd_u32(b, 5461))));
	qd_store(b, dst, i, n_scalars ? qd_add(b, v, sum) : v);
	VULKAN_OK(t, r, qd_builder_finish(b, &k, &r->e));
	return k;
}

/* Launches the kernel, or the image if there is one. */
static qd_status
run_either(struct vulkan_rig *r, const struct qd_kernel *k, struct qd_image *img, uint32_t n_scalars, uint32_t got[N])
{
	struct qd_arg args[1 + SCALARS];
	struct qd_function *fn = NULL;
	struct qd_buffer *buf = NULL;
	qd_status st = qd_buffer_create(r->dev, 4 * N, 0, &buf, &r->e);

	memset(got, 0, 4 * N);
	if (img)
		st = st ? st : qd_function_load(r->dev, img, &fn, &r->e);
	else
		st = st ? st : qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	args[0] = qd_arg_buffer(buf);
	for (uint32_t j = 0; j < n_scalars; j++)
		args[1 + j] = qd_arg_u32(j);
	st = st ? st : qd_launch(r->stream, fn, QD_GRID, args, 1 + n_scalars, &r->e);
	st = st ? st : qd_buffer_download(r->stream, buf, 0, got, 4 * N, &r->e);
	qd_function_free(fn);
	qd_buffer_free(buf);
	return st;
}

static qd_status
run(struct vulkan_rig *r, const struct qd_kernel *k, uint32_t n_scalars, uint32_t got[N])
{
	return run_either(r, k, NULL, n_scalars, got);
}

static void
check(struct unit_ctx *t, const uint32_t got[N], uint32_t more)
{
	for (uint32_t i = 0; i < N; i++) {
		uint32_t want = 1000 + (i * 5461 < ODD ? i * 5461 * 3 : 0) + more;

		UNIT_CHECK(t, got[i] == want, "element %u: %u, not %u", i, got[i], want);
	}
}

static void
launches(struct unit_ctx *t, bool staged)
{
	struct vulkan_rig r;
	uint32_t got[N];

	if (!vulkan_rig_open(t, &r, staged))
		return;
	for (uint32_t n = 0; n <= SCALARS; n += SCALARS) {
		struct qd_kernel *k = make(t, &r, n);
		struct qd_function *fn = vulkan_rig_function(t, &r, k);

		UNIT_CHECK(t, fn->args_in_memory == (n > 0), "%u scalars are in the wrong place", n);
		for (uint32_t i = 0; i < 2; i++) {
			VULKAN_OK(t, &r, run(&r, k, n, got));
			check(t, got, n ? SCALARS * (SCALARS - 1) / 2 : 0);
		}
		qd_function_free(fn);
		qd_kernel_free(k);
	}
	vulkan_rig_close(t, &r);
}

void
t_vulkan_tables_mapped(struct unit_ctx *t)
{
	launches(t, false);
}

void
t_vulkan_tables_staged(struct unit_ctx *t)
{
	launches(t, true);
}

/* -- Saved images --------------------------------------------------------------------------- */

/* Checks that a fatbin contains the tables, and that the size of the arguments in its row includes their address. */
void
t_vulkan_tables_saved(struct unit_ctx *t)
{
	static uint8_t bytes[1 << 19];
	struct vulkan_rig r;
	struct qd_image *img = NULL, *again = NULL;
	struct qd_fatbin *f = NULL;
	struct fatbin_place at = { .part = NULL };
	uint32_t got[N];
	size_t len = 0;

	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_kernel *k = make(t, &r, 0);
	VULKAN_OK(t, &r, qd_compile(r.ctx, k, qd_device_target(r.dev), NULL, 0, &img, &r.e));
	VULKAN_OK(t, &r, qd_image_save(img, bytes, sizeof bytes, &len, &r.e));
	VULKAN_OK(t, &r, qd_image_load(r.ctx, bytes, len, &again, &r.e));
	VULKAN_OK(t, &r, run_either(&r, NULL, again, 0, got));
	check(t, got, 0);
	VULKAN_OK(t, &r, qd_fatbin_open(r.ctx, bytes, len, NULL, &f, &r.e));
	if (f)
		fatbin_at(f, 0, &at);
	UNIT_CHECK(t, at.row.args_size == img->layout->args_size + 8, "%u bytes of arguments", at.row.args_size);
	qd_fatbin_free(f);
	qd_image_free(img);
	qd_image_free(again);
	qd_kernel_free(k);
	vulkan_rig_close(t, &r);
}

/* -- Invalid images ------------------------------------------------------------------------ */

void
t_vulkan_tables_bad(struct unit_ctx *t)
{
	static const struct {
		uint32_t at, size, byte; /* added to the first two; byte: xor of the first digit */
	} bad[] = { { UINT32_MAX / 2, 0, 0 }, { 0, 4, 0 }, { 0, 1, 0 }, { 0, UINT32_MAX - 80000, 0 }, { 0, 0, 0x40 }, { 0, 0, 0x0f } };
	struct vulkan_rig r;
	static struct qd_image img;
	static uint8_t code[1 << 18];

	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_kernel *k = make(t, &r, 0);
	struct qd_function *fn = vulkan_rig_function(t, &r, k);
	uint32_t size = fn->image->meta.own[ISA_SPIRV_TABLES_SIZE];
	UNIT_CHECK(t, size == 8 + 65536, "%u bytes of tables", size);
	for (uint32_t i = 0; i < QD_COUNT(bad) && fn->image->code_size <= sizeof code; i++) {
		memcpy(&img, fn->image, sizeof img);
		memcpy(code, img.code, img.code_size);
		img.code = code;
		img.meta.own[ISA_SPIRV_TABLES_AT] += bad[i].at;
		img.meta.own[ISA_SPIRV_TABLES_SIZE] += bad[i].size;
		code[fn->image->meta.own[ISA_SPIRV_TABLES_AT]] ^= (uint8_t)bad[i].byte;
		qd_status st = device_accepts(r.dev, &img, &r.e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.e.text, "the constant tables of kernel 'tables' are invalid"),
			   "row %u: %s: %s", i, qd_status_name(st), st ? r.e.text : "");
	}
	qd_function_free(fn);
	qd_kernel_free(k);
	vulkan_rig_close(t, &r);
}

/* -- Failures ------------------------------------------------------------------------------ */

/* Lets each allocation fail in turn, from the load on. */
static void
no_memory(struct unit_ctx *t, bool staged)
{
	qd_status st = QD_E_NOMEM;
	uint32_t got[N];

	for (size_t n = 1; n < 300 && st != QD_OK; n++) {
		struct vulkan_rig r;
		if (!vulkan_rig_open(t, &r, staged))
			return;
		struct qd_kernel *k = make(t, &r, 0);
		r.alloc.fail_at = r.alloc.n_calls + n;
		st = run(&r, k, 0, got);
		r.alloc.fail_at = 0;
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "allocation %zu: %s: %s", n, qd_status_name(st), r.e.text);
		if (st == QD_OK)
			check(t, got, 0);
		qd_kernel_free(k);
		vulkan_rig_close(t, &r);
	}
	UNIT_CHECK(t, st == QD_OK, "never enough memory");
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info, const VkAllocationCallbacks *a, VkSemaphore *out)
{
	(void)device, (void)info, (void)a, (void)out;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_pool(VkDevice device, const VkCommandPoolCreateInfo *info, const VkAllocationCallbacks *a, VkCommandPool *out)
{
	(void)device, (void)info, (void)a, (void)out;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_end(VkCommandBuffer cmd)
{
	(void)cmd;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_submit(VkQueue queue, uint32_t n, const VkSubmitInfo2 *info, VkFence fence)
{
	(void)queue, (void)n, (void)info, (void)fence;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

void
t_vulkan_tables_faults(struct unit_ctx *t)
{
	static const char *const calls[] = { "vkCreateSemaphore", "vkCreateCommandPool", "vkEndCommandBuffer", "vkQueueSubmit2" };
	struct vulkan_rig r;
	uint32_t got[N];

	no_memory(t, false);
	no_memory(t, true);
	if (!vulkan_rig_open(t, &r, true))
		return;
	struct qd_kernel *k = make(t, &r, 0);
	struct vulkan_device_symbols *vk = &r.vk->vk, real = *vk;
	for (uint32_t i = 0; i < QD_COUNT(calls); i++) {
		struct qd_function *fn = NULL;
		vk->vkCreateSemaphore = i == 0 ? no_semaphore : real.vkCreateSemaphore;
		vk->vkCreateCommandPool = i == 1 ? no_pool : real.vkCreateCommandPool;
		vk->vkEndCommandBuffer = i == 2 ? no_end : real.vkEndCommandBuffer;
		vk->vkQueueSubmit2 = i == 3 ? no_submit : real.vkQueueSubmit2;
		qd_status st = qd_function_get(r.dev, k, NULL, 0, &fn, &r.e);
		UNIT_CHECK(t, st == QD_E_NOMEM && strstr(r.e.text, calls[i]), "%s: %s: %s", calls[i],
			   qd_status_name(st), st ? r.e.text : "");
		*vk = real;
	}
	VULKAN_OK(t, &r, run(&r, k, 0, got));
	check(t, got, 0);
	qd_kernel_free(k);
	vulkan_rig_close(t, &r);
}

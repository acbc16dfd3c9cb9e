/* A Vulkan loader without any function. loader.sh gives it the names that the loader has on other
 * systems. */
typedef void fn(void);

fn *vkGetInstanceProcAddr(void *instance, const char *name);

__attribute__((visibility("default"))) fn *
vkGetInstanceProcAddr(void *instance, const char *name)
{
	(void)instance;
	(void)name;
	return 0; /* no function: the error names the library and the function */
}

/* Makes one call of the C library fail for files below a folder, as a full disk or a share that went away does.
 * FAIL_CALL names the call, FAIL_ERRNO the error, FAIL_BELOW the folder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(const char *call)
{
    const char *wanted = getenv("FAIL_CALL");
    if (wanted == NULL || strcmp(wanted, call) != 0)
        return 0;
    errno = atoi(getenv("FAIL_ERRNO"));
    return 1;
}

static int is_below_name(const char *path)
{
    const char *folder = getenv("FAIL_BELOW");
    return folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_below(int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return is_below_name(path);
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "write");
    if (is_below(descriptor) && fails("write"))
        return -1;
    return real(descriptor, data, size);
}

ssize_t read(int descriptor, void *data, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "read");
    if (is_below(descriptor) && fails("read"))
        return -1;
    return real(descriptor, data, size);
}

int fsync(int descriptor)
{
    static int (*real)(int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "fsync");
    if (is_below(descriptor) && fails("sync"))
        return -1;
    return real(descriptor);
}

int fdatasync(int descriptor)
{
    static int (*real)(int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "fdatasync");
    if (is_below(descriptor) && fails("sync"))
        return -1;
    return real(descriptor);
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "rename");
    if (is_below_name(to) && fails("rename"))
        return -1;
    return real(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)
{
    static int (*real)(int, const char *, int, const char *, unsigned int);
    if (real == NULL)
        real = dlsym(RTLD_NEXT, "renameat2");
    if (is_below_name(to) && fails("rename"))
        return -1;
    return real(from_folder, from, to_folder, to, flags);
}

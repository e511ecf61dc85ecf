/* What a process is made to believe: that its clock jumped, that its disk is full.
 *
 * Loaded in front of libc (LD_PRELOAD) by proof.chaos.trouble; reads two numbers from a file that
 * the run changes at any time. The monotonic clock is never touched. Linux, for tests only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t calm[2];
static const volatile int64_t *told = calm; /* seconds that the clock is ahead; is the disk full? */

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PROOF_TROUBLE");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *found = mmap(0, sizeof calm, PROT_READ, MAP_SHARED, fd, 0);
    if (found != MAP_FAILED)
        told = found;
    close(fd);
}

int clock_gettime(clockid_t which, struct timespec *at)
{
    int failed = syscall(SYS_clock_gettime, which, at);
    if (!failed && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        at->tv_sec += told[0];
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}

/* Sockets and pipes have no disk behind them. */
static int is_full(int fd)
{
    struct stat about;
    if (!told[1] || fstat(fd, &about) || !S_ISREG(about.st_mode))
        return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    return is_full(fd) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    return is_full(fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at)
{
    return pwrite(fd, bytes, size, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    return is_full(fd) ? -1 : syscall(SYS_pwritev, fd, parts, count, at, 0);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at)
{
    return pwritev(fd, parts, count, at);
}

int posix_fallocate(int fd, off_t at, off_t size)
{
    if (is_full(fd))
        return ENOSPC;
    return syscall(SYS_fallocate, fd, 0, at, size) ? errno : 0;
}

int posix_fallocate64(int fd, off_t at, off_t size)
{
    return posix_fallocate(fd, at, size);
}

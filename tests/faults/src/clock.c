/* The clock of a machine that jumps: a library that a program loads before the C library (LD_PRELOAD) and that adds a
 * number of seconds to the time of day. The number, a native 64-bit integer, is in a file that the program maps, so it
 * can change while the program runs.
 *
 * Steady clocks are those of the kernel, as when an operator sets the time. Waits until a time of day would be wrong;
 * neither a node nor PostgreSQL has any, since both wait for a duration. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t no_seconds = 0;
static const volatile int64_t *seconds = &no_seconds;

__attribute__((constructor)) static void map_seconds(void)
{
    const char *path = getenv("MACHINE_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file == -1)
        return;
    void *mapped = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED)
        seconds = mapped;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *seconds;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    if (result == 0) {
        now->tv_sec = precise.tv_sec;
        now->tv_usec = precise.tv_nsec / 1000;
    }
    return result;
}

time_t time(time_t *now)
{
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now != NULL)
        *now = precise.tv_sec;
    return precise.tv_sec;
}

/*
 * A clock that can be set, for tests: loaded before libc (LD_PRELOAD), it moves the time of day of a process by as much as a
 * small file says that both sides have mapped. Time that only passes (CLOCK_MONOTONIC) stays as it is, as on a real machine
 * whose clock is set.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *moved_ms;

__attribute__((constructor)) static void prepare(void) {
  const char *path = getenv("MOVED_CLOCK_CONTROL");
  if (path == NULL) return;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *moved_ms, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) moved_ms = mapped;
}

static int64_t moved(void) { return moved_ms == NULL ? 0 : atomic_load(moved_ms); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t ms = moved();
  int64_t nanoseconds = time->tv_nsec + (ms % 1000) * 1000000;
  time->tv_sec += ms / 1000 + (nanoseconds < 0 ? -1 : nanoseconds / 1000000000);
  time->tv_nsec = nanoseconds < 0 ? nanoseconds + 1000000000 : nanoseconds % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return result;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != NULL) *place = now.tv_sec;
  return now.tv_sec;
}

/*
 * A bad disk for tests: loaded before libc (LD_PRELOAD), it makes chosen writes, syncs and truncations of files in one
 * folder fail, and syncs take longer. The test steers it through a small file that both sides have mapped; see index.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE = 1, SYNC = 2, TRUNCATE = 4 };

/* The same layout as in index.ts. */
struct control {
  _Atomic int32_t sync_delay_ms;
  _Atomic int32_t kinds;    /* which kinds of steps are counted */
  _Atomic int32_t fail_at;  /* the step of this number fails; 0 = none */
  _Atomic int32_t for_good; /* 1 = and so do all after it */
  _Atomic int32_t error;
  _Atomic int32_t steps;  /* counted so far */
  _Atomic int32_t faults; /* of them failed */
  int32_t unused;
  char file[96]; /* only files whose path ends like this; empty = every file of the folder */
};

static struct control *control;
static char folder[4096];

__attribute__((constructor)) static void prepare(void) {
  const char *path = getenv("DISK_FAULTS_CONTROL");
  const char *where = getenv("DISK_FAULTS_FOLDER");
  if (path == NULL || where == NULL) return;
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  snprintf(folder, sizeof folder, "%s/", where);
  control = mapped;
}

static void wait_ms(int32_t ms) {
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* The path of an open file of the folder, or an empty text. */
static void path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) path[0] = 0;
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), wanted = strlen(end);
  return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* 0 when the step may be taken; else errno is set and the caller must fail. */
static int refuse(int fd, enum kind kind) {
  if (control == NULL) return 0;
  int kept = errno;
  char path[4096];
  path_of(fd, path, sizeof path);
  errno = kept;
  if (path[0] == 0) return 0;
  int32_t delay = atomic_load(&control->sync_delay_ms);
  if (kind == SYNC && delay > 0) wait_ms(delay);
  errno = kept;
  if ((atomic_load(&control->kinds) & kind) == 0 || !ends_with(path, control->file)) return 0;
  int32_t step = atomic_fetch_add(&control->steps, 1) + 1;
  int32_t fail_at = atomic_load(&control->fail_at);
  if (fail_at == 0 || step < fail_at || (step > fail_at && atomic_load(&control->for_good) == 0)) return 0;
  atomic_fetch_add(&control->faults, 1);
  errno = atomic_load(&control->error);
  return -1;
}

#define FAULTY(kind, result, name, parameters, arguments)                             \
  result name parameters {                                                            \
    static result(*real) parameters;                                                  \
    if (real == NULL) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);           \
    if (refuse(fd, kind) != 0) return -1;                                             \
    return real arguments;                                                            \
  }

FAULTY(WRITE, ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
FAULTY(WRITE, ssize_t, pwrite, (int fd, const void *bytes, size_t count, off_t at), (fd, bytes, count, at))
FAULTY(WRITE, ssize_t, pwrite64, (int fd, const void *bytes, size_t count, off64_t at), (fd, bytes, count, at))
FAULTY(WRITE, ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
FAULTY(WRITE, ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
FAULTY(WRITE, ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
FAULTY(SYNC, int, fsync, (int fd), (fd))
FAULTY(SYNC, int, fdatasync, (int fd), (fd))
FAULTY(TRUNCATE, int, ftruncate, (int fd, off_t length), (fd, length))
FAULTY(TRUNCATE, int, ftruncate64, (int fd, off64_t length), (fd, length))

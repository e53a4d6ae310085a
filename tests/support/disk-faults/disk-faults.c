/*
 * A bad disk for tests: loaded before libc (LD_PRELOAD), it makes chosen steps of one folder's files fail (writes, syncs,
 * truncations, and the making, renaming and removing of files), and syncs take longer. The test steers it through a small
 * file that both sides have mapped; see index.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
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

enum kind { WRITE = 1, SYNC = 2, TRUNCATE = 4, CREATE = 8, RENAME = 16, REMOVE = 32 };

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
  snprintf(folder, sizeof folder, "%s", where);
  control = mapped;
}

static void wait_ms(int32_t ms) {
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* A file of the folder, or the folder itself. */
static int is_inside(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), wanted = strlen(end);
  return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* 0 when the step may be taken; else errno is set and the caller must fail. */
static int refuse_path(const char *path, enum kind kind) {
  if (control == NULL || !is_inside(path)) return 0;
  int kept = errno;
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

/* The same for a file that is open. */
static int refuse(int fd, enum kind kind) {
  if (control == NULL) return 0;
  int kept = errno;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  errno = kept;
  return refuse_path(path, kind);
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

#define FAULTY_PATH(kind, name, parameters, arguments, path)                          \
  int name parameters {                                                               \
    static int(*real) parameters;                                                     \
    if (real == NULL) real = (int(*) parameters)dlsym(RTLD_NEXT, #name);              \
    if (refuse_path(path, kind) != 0) return -1;                                      \
    return real arguments;                                                            \
  }

FAULTY_PATH(RENAME, rename, (const char *from, const char *to), (from, to), to)
FAULTY_PATH(REMOVE, unlink, (const char *path), (path), path)

/* Opening is a step only where it makes a new file. */
static int refuse_open(const char *path, int flags) {
  int kept = errno;
  int makes = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  errno = kept;
  return makes ? refuse_path(path, CREATE) : 0;
}

#define FAULTY_OPEN(name)                                                             \
  int name(const char *path, int flags, ...) {                                        \
    static int (*real)(const char *, int, ...);                                       \
    if (real == NULL) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);\
    va_list rest;                                                                     \
    va_start(rest, flags);                                                            \
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;                 \
    va_end(rest);                                                                     \
    if (refuse_open(path, flags) != 0) return -1;                                     \
    return real(path, flags, mode);                                                   \
  }

FAULTY_OPEN(open)
FAULTY_OPEN(open64)

/*
 * Keeps a record of what a disk was told, for tests of power cuts: loaded before libc (LD_PRELOAD), it writes down every
 * change to the files of one folder with its bytes, and every sync. What a cut leaves of it is worked out by disk-model.ts.
 *
 * A change is written down after it was made, and both happen before the next one of the same process. So a process that is
 * killed in between has at most one change that nobody knows of, and nothing that was synced is among the unknown.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* The same numbers and the same layouts as in records.ts. */
enum kind { WRITE = 1, TRUNCATE, CREATE, RENAME, REMOVE, SYNC, SYNC_FOLDER, MAKE_FOLDER };

struct record {
  uint32_t mark;
  uint32_t kind;
  uint64_t number; /* all processes of the folder count together */
  uint64_t file;   /* its inode */
  uint64_t at;     /* WRITE: the place; TRUNCATE: the length; SYNC: the number of the last change that it covers */
  uint64_t size;   /* of what follows: bytes, or paths that end with 0 */
};

struct control {
  _Atomic uint64_t number;
  _Atomic uint64_t is_lying; /* syncs do nothing, and say that they did */
};

static const uint32_t MARK = 0x43555450;
static struct control *control;
static char folder[PATH_BYTES];
static char records[PATH_BYTES];
static int log_fd = -1;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name, result, parameters)                                                \
  static result(*real) parameters;                                                    \
  if (real == NULL) real = (result(*) parameters)dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(open, int, (const char *, int, ...));
  return real(path, flags, mode);
}

static ssize_t real_write(int fd, const void *bytes, size_t count) {
  REAL(write, ssize_t, (int, const void *, size_t));
  return real(fd, bytes, count);
}

__attribute__((constructor)) static void prepare(void) {
  const char *where = getenv("POWER_CUTS_FOLDER");
  const char *notes = getenv("POWER_CUTS_RECORDS");
  if (where == NULL || notes == NULL) return;
  char path[PATH_BYTES + 16];
  snprintf(path, sizeof path, "%s/control", notes);
  int fd = real_open(path, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  snprintf(folder, sizeof folder, "%s", where);
  snprintf(records, sizeof records, "%s", notes);
  control = mapped;
}

static void write_all(const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = real_write(log_fd, next, count);
    if (written < 0 && errno == EINTR) continue;
    /* A record that cannot be kept would make the model wrong without a word. */
    if (written <= 0) abort();
    next += written;
    count -= (size_t)written;
  }
}

/* With the turn taken. */
static void note(enum kind kind, uint64_t file, uint64_t at, const struct iovec *parts, int count, size_t size) {
  int kept = errno;
  if (log_fd < 0) {
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%d-%llu.records", records, getpid(), (unsigned long long)control->number);
    log_fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
  }
  struct record record = {MARK, kind, atomic_fetch_add(&control->number, 1) + 1, file, at, size};
  write_all(&record, sizeof record);
  for (int part = 0; part < count && size > 0; part++) {
    size_t taken = parts[part].iov_len < size ? parts[part].iov_len : size;
    write_all(parts[part].iov_base, taken);
    size -= taken;
  }
  errno = kept;
}

static void note_paths(enum kind kind, uint64_t file, uint64_t at, const char *path, const char *other) {
  struct iovec parts[2] = {{(void *)path, strlen(path) + 1}, {(void *)other, other == NULL ? 0 : strlen(other) + 1}};
  note(kind, file, at, parts, 2, parts[0].iov_len + parts[1].iov_len);
}

/* The index of SQLite's log is shared memory and is built anew after a crash: nobody relies on its bytes. */
static int is_kept(const char *path) {
  size_t length = strlen(folder), whole = strlen(path);
  int is_inside = strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
  return is_inside && !(whole > 4 && strcmp(path + whole - 4, "-shm") == 0);
}

/* 1 when the file that is open here belongs to the folder; then its path and what the system knows of it. */
static int look_at(int fd, char *path, struct stat *facts) {
  if (control == NULL) return 0;
  int kept = errno;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_BYTES - 1);
  path[length < 0 ? 0 : length] = 0;
  int found = is_kept(path) && fstat(fd, facts) == 0;
  errno = kept;
  return found;
}

/* Where a write without a place of its own begins. */
static uint64_t place_of(int fd, const struct stat *facts) {
  int kept = errno;
  int appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
  off_t at = lseek(fd, 0, SEEK_CUR);
  errno = kept;
  return (uint64_t)(appends || at < 0 ? facts->st_size : at);
}

#define RECORDED_WRITE(name, parameters, arguments, place, pieces, count)             \
  ssize_t name parameters {                                                           \
    REAL(name, ssize_t, parameters);                                                  \
    char path[PATH_BYTES];                                                            \
    struct stat facts;                                                                \
    if (!look_at(fd, path, &facts)) return real arguments;                            \
    pthread_mutex_lock(&turn);                                                        \
    fstat(fd, &facts);                                                                \
    uint64_t begins = place;                                                          \
    ssize_t written = real arguments;                                                 \
    if (written > 0) note(WRITE, facts.st_ino, begins, pieces, count, (size_t)written);\
    pthread_mutex_unlock(&turn);                                                      \
    return written;                                                                   \
  }

#define ONE (&(struct iovec){(void *)bytes, size})
RECORDED_WRITE(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), place_of(fd, &facts), ONE, 1)
RECORDED_WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), (uint64_t)at, ONE, 1)
RECORDED_WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), (uint64_t)at, ONE, 1)
RECORDED_WRITE(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), place_of(fd, &facts), parts, count)
RECORDED_WRITE(pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), (uint64_t)at, parts, count)
RECORDED_WRITE(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at), (uint64_t)at, parts, count)

#define RECORDED_TRUNCATE(name, offset)                                               \
  int name(int fd, offset length) {                                                   \
    REAL(name, int, (int, offset));                                                   \
    char path[PATH_BYTES];                                                            \
    struct stat facts;                                                                \
    if (!look_at(fd, path, &facts)) return real(fd, length);                          \
    pthread_mutex_lock(&turn);                                                        \
    int result = real(fd, length);                                                    \
    if (result == 0) note(TRUNCATE, facts.st_ino, (uint64_t)length, NULL, 0, 0);      \
    pthread_mutex_unlock(&turn);                                                      \
    return result;                                                                    \
  }

RECORDED_TRUNCATE(ftruncate, off_t)
RECORDED_TRUNCATE(ftruncate64, off64_t)

/* What was changed before the sync began is covered by it; the others need not wait while the disk works. */
#define RECORDED_SYNC(name)                                                           \
  int name(int fd) {                                                                  \
    REAL(name, int, (int));                                                           \
    char path[PATH_BYTES];                                                            \
    struct stat facts;                                                                \
    if (!look_at(fd, path, &facts)) return real(fd);                                  \
    pthread_mutex_lock(&turn);                                                        \
    uint64_t covered = atomic_load(&control->number);                                 \
    pthread_mutex_unlock(&turn);                                                      \
    int result = real(fd);                                                            \
    if (result != 0 || atomic_load(&control->is_lying) != 0) return result;           \
    pthread_mutex_lock(&turn);                                                        \
    if (S_ISDIR(facts.st_mode)) note_paths(SYNC_FOLDER, facts.st_ino, covered, path, NULL);\
    else note(SYNC, facts.st_ino, covered, NULL, 0, 0);                               \
    pthread_mutex_unlock(&turn);                                                      \
    return result;                                                                    \
  }

RECORDED_SYNC(fsync)
RECORDED_SYNC(fdatasync)

/* With the turn taken. */
static void note_opened(int fd, int flags, int was_there) {
  char path[PATH_BYTES];
  struct stat facts;
  if (fd < 0 || !look_at(fd, path, &facts) || !S_ISREG(facts.st_mode)) return;
  if (!was_there) note_paths(CREATE, facts.st_ino, 0, path, NULL);
  else if ((flags & O_TRUNC) != 0) note(TRUNCATE, facts.st_ino, 0, NULL, 0, 0);
}

#define RECORDED_OPEN(name, parameters, arguments, from)                              \
  int name parameters {                                                               \
    REAL(name, int, parameters);                                                      \
    va_list rest;                                                                     \
    va_start(rest, flags);                                                            \
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;                  \
    va_end(rest);                                                                     \
    if (control == NULL || (flags & (O_CREAT | O_TRUNC)) == 0) return real arguments; \
    pthread_mutex_lock(&turn);                                                        \
    int kept = errno;                                                                 \
    int was_there = faccessat(from, path, F_OK, 0) == 0;                              \
    errno = kept;                                                                     \
    int fd = real arguments;                                                          \
    note_opened(fd, flags, was_there);                                                \
    pthread_mutex_unlock(&turn);                                                      \
    return fd;                                                                        \
  }

RECORDED_OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
RECORDED_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
RECORDED_OPEN(openat, (int folder_fd, const char *path, int flags, ...), (folder_fd, path, flags, mode), folder_fd)
RECORDED_OPEN(openat64, (int folder_fd, const char *path, int flags, ...), (folder_fd, path, flags, mode), folder_fd)

int rename(const char *from, const char *to) {
  REAL(rename, int, (const char *, const char *));
  if (control == NULL || !(is_kept(from) || is_kept(to))) return real(from, to);
  pthread_mutex_lock(&turn);
  int result = real(from, to);
  if (result == 0) note_paths(RENAME, 0, 0, from, to);
  pthread_mutex_unlock(&turn);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir, int, (const char *, mode_t));
  if (control == NULL || !is_kept(path)) return real(path, mode);
  pthread_mutex_lock(&turn);
  int result = real(path, mode);
  if (result == 0) note_paths(MAKE_FOLDER, 0, 0, path, NULL);
  pthread_mutex_unlock(&turn);
  return result;
}

char *mkdtemp(char *path) {
  REAL(mkdtemp, char *, (char *));
  if (control == NULL || !is_kept(path)) return real(path);
  pthread_mutex_lock(&turn);
  char *made = real(path);
  if (made != NULL) note_paths(MAKE_FOLDER, 0, 0, made, NULL);
  pthread_mutex_unlock(&turn);
  return made;
}

#define RECORDED_REMOVE(name)                                                         \
  int name(const char *path) {                                                        \
    REAL(name, int, (const char *));                                                  \
    if (control == NULL || !is_kept(path)) return real(path);                         \
    pthread_mutex_lock(&turn);                                                        \
    int result = real(path);                                                          \
    if (result == 0) note_paths(REMOVE, 0, 0, path, NULL);                            \
    pthread_mutex_unlock(&turn);                                                      \
    return result;                                                                    \
  }

RECORDED_REMOVE(unlink)
RECORDED_REMOVE(remove)

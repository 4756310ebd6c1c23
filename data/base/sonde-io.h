/* SPDX-License-Identifier: Apache-2.0
 * The replaceable table of file and socket calls. Everything in Sonde that reads or writes a file
 * or a session socket goes through a SondeIo that its creator was given; tests hand in a table
 * that fails call k, writes short or fills the disk. What does not live here: buffering,
 * formats. */
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeIo:
 *
 * Every entry is required and behaves as the system call of its name: -1 and errno on failure,
 * short counts possible, EINTR possible (the sonde_io_*() helpers below repeat on it).
 * A table that only changes some calls copies sonde_io_system() and replaces those entries; its own
 * state follows the struct in memory (the table is passed back as @io).
 */
typedef struct _SondeIo SondeIo;
struct _SondeIo
{
  int (*open) (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode); /* openat */
  /* openat2, read only: RESOLVE_BENEATH | NO_SYMLINKS */
  int (*open_beneath) (const SondeIo *io, int dirfd, const char *path);
  int (*close) (const SondeIo *io, int fd);
  ssize_t (*read) (const SondeIo *io, int fd, void *data, size_t length);
  ssize_t (*pread) (const SondeIo *io, int fd, void *data, size_t length, off_t offset);
  ssize_t (*write) (const SondeIo *io, int fd, const void *data, size_t length);
  int (*fsync) (const SondeIo *io, int fd);
  int (*truncate) (const SondeIo *io, int fd, off_t length); /* ftruncate */
  /* fstatat */
  int (*stat) (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags);
  int (*fstat) (const SondeIo *io, int fd, struct stat *result);
  int (*rename) (const SondeIo *io, const char *from, const char *to);
  int (*unlink) (const SondeIo *io, const char *path);
  int (*mkdir) (const SondeIo *io, const char *path, mode_t mode);
  /* sendmsg */
  ssize_t (*send) (const SondeIo *io, int fd, const struct msghdr *message, int flags);
  /* recvmsg */
  ssize_t (*receive) (const SondeIo *io, int fd, struct msghdr *message, int flags);
};

/* The operating system's calls; static, never freed. */
const SondeIo *sonde_io_system (void);
/* The same, but fsync does nothing: for many files that can be made again. After a crash of the
 * machine some may be empty. */
const SondeIo *sonde_io_hasty (void);

/* In all functions below: @io: (nullable): NULL is sonde_io_system(); @name: path for messages.
 * Errors: of data/base/sonde-error.h, with the path and, where there is one, the offset. */

/**
 * sonde_io_open_regular:
 *
 * Opens a regular file for reading (O_NONBLOCK, O_CLOEXEC; FIFOs, devices, sockets and directories
 * are refused with SONDE_DATA_ERROR_FORBIDDEN before a byte is read).
 * @size: (out) (optional): its size in bytes
 * Returns: a file descriptor, or -1 with @error set; close with sonde_io_close().
 */
int sonde_io_open_regular (const SondeIo *io, const char *path, guint64 *size, GError **error);

void sonde_io_close (const SondeIo *io, int fd);

/**
 * sonde_io_pread_full:
 *
 * Reads up to @length bytes at @offset, repeating short reads. Returns: bytes read, fewer than
 * @length only at the end of the file; -1 with @error set.
 */
gssize sonde_io_pread_full (const SondeIo *io, int fd, const char *name, void *data, gsize length,
                            guint64 offset, GError **error);

/* Writes everything, repeating short writes. Returns FALSE with @error set when some was not
 * written; *@written (optional) then says how much was. */
gboolean sonde_io_write_full (const SondeIo *io, int fd, const char *name, const void *data,
                              gsize length, gsize *written, GError **error);

/* @path and all parents; an existing directory is fine. Mode 0777 less umask. */
gboolean sonde_io_make_directories (const SondeIo *io, const char *path, GError **error);

/**
 * sonde_io_read_file:
 *
 * A whole regular file. Errors: also SONDE_DATA_ERROR_LIMIT when larger than @max_bytes.
 * Returns: (transfer full): its bytes.
 */
GBytes *sonde_io_read_file (const SondeIo *io, const char *path, guint64 max_bytes, GError **error);

/**
 * sonde_io_replace_file:
 *
 * Replaces @path by @data so that after a crash either the old or the new file is there whole:
 * temporary file in the same folder, fsync, rename, fsync of the folder. On an error the old file
 * is untouched and the temporary one is removed (only when the last step, the folder's fsync, fails
 * is the new file in place already). A read-only file is left alone. What is there and is no
 * regular file (a device, a pipe, a symbolic link) is written into instead, without that promise.
 */
gboolean sonde_io_replace_file (const SondeIo *io, const char *path, const void *data, gsize length,
                                GError **error);

/* Is it the name (without folder) of a temporary file of sonde_io_replace_file()? A killed process
 * leaves such. */
gboolean sonde_io_is_temporary (const char *name);

G_END_DECLS

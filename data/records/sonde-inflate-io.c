/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-inflate-io.h"

#include <errno.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#define INPUT_BYTES ((gsize) 64 << 10)
#define WINDOW_BYTES ((gsize) 2 << 20)
#define UNKNOWN_SIZE ((off_t) 1 << 46)
/* Each costs the inflating of everything before. */
#define MAX_RESTARTS 256u

typedef enum
{
  STATE_RUNNING,
  STATE_ENDED, /* all members whole */
  STATE_SHORT, /* the file ends inside one: it may grow */
  STATE_DAMAGED,
} State;

/* @window: the bytes before @position, @kept of them
 * @at: in the compressed file, of what is read next */
struct _SondeInflateIo
{
  SondeIo io;
  const SondeIo *below;
  int fd;
  State state;
  guint64 position, at;
  guint restarts;
  guint8 *window, *input;
  gsize kept;
  struct inflate_state inflate;
};

static void
begin_member (SondeInflateIo *inflate)
{
  isal_inflate_reset (&inflate->inflate);
  inflate->inflate.crc_flag = ISAL_GZIP;
}

static void
begin (SondeInflateIo *inflate)
{
  inflate->state = STATE_RUNNING;
  inflate->position = inflate->at = 0;
  inflate->kept = 0;
  isal_inflate_init (&inflate->inflate);
  inflate->inflate.crc_flag = ISAL_GZIP;
}

/* FALSE: nothing more is there, or it cannot be read (errno is set). */
static gboolean
fill_input (SondeInflateIo *inflate, gboolean *failed)
{
  ssize_t bytes;

  *failed = FALSE;
  if (inflate->inflate.avail_in > 0)
    return TRUE;
  do
    bytes = inflate->below->pread (inflate->below, inflate->fd, inflate->input, INPUT_BYTES,
                                   (off_t) inflate->at);
  while (bytes < 0 && errno == EINTR);
  *failed = bytes < 0;
  if (bytes <= 0)
    return FALSE;
  inflate->at += (guint64) bytes;
  inflate->inflate.next_in = inflate->input;
  inflate->inflate.avail_in = (guint32) bytes;
  return TRUE;
}

static void
forget_old (SondeInflateIo *inflate)
{
  if (inflate->kept < 2 * WINDOW_BYTES)
    return;
  memmove (inflate->window, inflate->window + WINDOW_BYTES, WINDOW_BYTES);
  inflate->kept = WINDOW_BYTES;
}

/* Inflates some bytes onto the window. FALSE: no more come now. */
static gboolean
step (SondeInflateIo *inflate, gboolean *failed)
{
  struct inflate_state *state = &inflate->inflate;
  gboolean has_input = fill_input (inflate, failed);
  gsize room;
  int result;

  if (*failed)
    return FALSE;
  if (state->block_state == ISAL_BLOCK_FINISH)
    {
      if (!has_input)
        {
          inflate->state = STATE_ENDED;
          return FALSE;
        }
      begin_member (inflate); /* gzip files may be strung together */
    }
  forget_old (inflate);
  room = 2 * WINDOW_BYTES - inflate->kept;
  state->next_out = inflate->window + inflate->kept;
  state->avail_out = (guint32) room;
  result = isal_inflate (state);
  inflate->kept += room - state->avail_out;
  inflate->position += room - state->avail_out;
  if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT)
    {
      inflate->state = STATE_DAMAGED;
      return room > state->avail_out;
    }
  if (room == state->avail_out && !has_input && state->block_state != ISAL_BLOCK_FINISH)
    {
      inflate->state = STATE_SHORT;
      return FALSE;
    }
  inflate->state = STATE_RUNNING;
  return TRUE;
}

static SondeInflateIo *
inflate_of (const SondeIo *io)
{
  return (SondeInflateIo *) (gpointer) io;
}

static int
inflate_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  SondeInflateIo *inflate = inflate_of (io);

  inflate->fd = inflate->below->open (inflate->below, dirfd, path, flags, mode);
  inflate->restarts = 0;
  begin (inflate);
  return inflate->fd;
}

static int
inflate_close (const SondeIo *io, int fd)
{
  return inflate_of (io)->below->close (inflate_of (io)->below, fd);
}

static int
inflate_fstat (const SondeIo *io, int fd, struct stat *result)
{
  SondeInflateIo *inflate = inflate_of (io);
  int status = inflate->below->fstat (inflate->below, fd, result);

  result->st_size = inflate->state == STATE_RUNNING ? UNKNOWN_SIZE : (off_t) inflate->position;
  return status;
}

static ssize_t
inflate_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  SondeInflateIo *inflate = inflate_of (io);
  guint64 from = (guint64) offset;
  gboolean failed = FALSE;
  gsize bytes;

  if (from + inflate->kept < inflate->position)
    {
      if (++inflate->restarts > MAX_RESTARTS)
        {
          errno = EIO;
          return -1;
        }
      begin (inflate);
    }
  while (inflate->position <= from && inflate->state != STATE_DAMAGED
         && inflate->state != STATE_ENDED)
    if (!step (inflate, &failed))
      break;
  if (failed)
    return -1;
  if (inflate->position <= from)
    return 0;
  bytes = MIN (length, (gsize) (inflate->position - from));
  memcpy (data, inflate->window + inflate->kept - (gsize) (inflate->position - from), bytes);
  return (ssize_t) bytes;
}

static ssize_t
refuse_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  errno = EROFS;
  return -1;
}

SondeInflateIo *
sonde_inflate_io_new (const SondeIo *below)
{
  SondeInflateIo *inflate = g_new0 (SondeInflateIo, 1);

  inflate->below = below != NULL ? below : sonde_io_system ();
  inflate->io = *inflate->below;
  inflate->io.open = inflate_open;
  inflate->io.close = inflate_close;
  inflate->io.fstat = inflate_fstat;
  inflate->io.pread = inflate_pread;
  inflate->io.write = refuse_write;
  inflate->fd = -1;
  inflate->window = g_malloc (2 * WINDOW_BYTES);
  inflate->input = g_malloc (INPUT_BYTES);
  return inflate;
}

void
sonde_inflate_io_free (SondeInflateIo *inflate)
{
  if (inflate == NULL)
    return;
  g_free (inflate->window);
  g_free (inflate->input);
  g_free (inflate);
}

const SondeIo *
sonde_inflate_io_get_io (SondeInflateIo *inflate)
{
  return &inflate->io;
}

gboolean
sonde_inflate_io_is_complete (SondeInflateIo *inflate, const char **reason)
{
  static const char *const reasons[] = {
    [STATE_SHORT] = "the gzip file ends before its data do",
    [STATE_DAMAGED] = "the gzip file is damaged here",
  };

  if (reason != NULL)
    *reason = inflate->state < G_N_ELEMENTS (reasons) ? reasons[inflate->state] : NULL;
  return inflate->state == STATE_ENDED;
}

gboolean
sonde_inflate_io_get_size (SondeInflateIo *inflate, guint64 *size)
{
  *size = inflate->position;
  return inflate->state != STATE_RUNNING;
}

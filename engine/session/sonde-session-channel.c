/* SPDX-License-Identifier: Apache-2.0
 * Frames over a non-blocking Unix stream socket. */
#include "engine/session/sonde-session-channel-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data/base/sonde-budget.h"
#include "engine/session/sonde-session-carried.h"

#define READ_BYTES ((gsize) 64 << 10)
#define READS_A_CALL 16
#define MAX_FDS 4          /* in one receive; each frame has at most one */
#define MAX_WAITING_FDS 64 /* that came and were not taken */

/* Bytes on their way out. @sent: of them; @memfd: goes with the first, -1 when it has or there is
 * none. */
typedef struct
{
  GBytes *bytes;
  gsize sent;
  int memfd;
} Chunk;

static void
chunk_free (void *data)
{
  Chunk *chunk = data;

  g_bytes_unref (chunk->bytes);
  if (chunk->memfd >= 0)
    close (chunk->memfd);
  g_free (chunk);
}

void
sonde_session_channel_init (SondeSessionChannel *channel, const SondeIo *io, int fd)
{
  g_autoptr (GBytes) preamble
      = g_bytes_new_static (sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES);

  *channel = (SondeSessionChannel){ .io = io != NULL ? io : sonde_io_system (), .fd = fd };
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK);
  fcntl (fd, F_SETFD, FD_CLOEXEC);
  channel->input = g_byte_array_new ();
  channel->received = g_array_new (FALSE, FALSE, sizeof (int));
  channel->carried = -1;
  g_queue_init (&channel->output);
  sonde_session_channel_queue (channel, preamble, -1);
}

void
sonde_session_channel_clear (SondeSessionChannel *channel)
{
  int fd;

  if (channel->input == NULL)
    return;
  while ((fd = sonde_session_channel_take_fd (channel)) >= 0)
    close (fd);
  sonde_session_carried_drop (&channel->carried);
  g_clear_pointer (&channel->input, g_byte_array_unref);
  g_clear_pointer (&channel->received, g_array_unref);
  g_queue_clear_full (&channel->output, chunk_free);
  sonde_io_close (channel->io, channel->fd);
  channel->fd = -1;
}

/* ---- out ----------------------------------------------------------------- */

gboolean
sonde_session_channel_queue_carried (SondeSessionChannel *channel, int memfd, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_session_carried_dup_bytes (memfd, error);
  g_autoptr (GBytes) head = bytes != NULL ? sonde_session_carried_dup_head (bytes) : NULL;

  if (bytes == NULL)
    return FALSE;
  sonde_session_channel_queue (channel, head, -1);
  sonde_session_channel_queue (channel, bytes, -1);
  return TRUE;
}

void
sonde_session_channel_queue (SondeSessionChannel *channel, GBytes *frame, int memfd)
{
  Chunk *chunk = g_new0 (Chunk, 1);

  chunk->bytes = g_bytes_ref (frame);
  chunk->memfd = memfd;
  channel->queued_fds += memfd >= 0;
  channel->queued += g_bytes_get_size (frame);
  g_queue_push_tail (&channel->output, chunk);
}

static ssize_t
send_chunk (SondeSessionChannel *channel, Chunk *chunk)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  gsize length;
  const guint8 *data = g_bytes_get_data (chunk->bytes, &length);
  struct iovec vector
      = { .iov_base = (void *) (data + chunk->sent), .iov_len = length - chunk->sent };
  struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

  if (chunk->memfd >= 0)
    {
      message.msg_control = control.bytes;
      message.msg_controllen = sizeof control.bytes;
      control.header.cmsg_level = SOL_SOCKET;
      control.header.cmsg_type = SCM_RIGHTS;
      control.header.cmsg_len = CMSG_LEN (sizeof (int));
      memcpy (CMSG_DATA (&control.header), &chunk->memfd, sizeof (int));
    }
  return channel->io->send (channel->io, channel->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

gboolean
sonde_session_channel_flush (SondeSessionChannel *channel, GError **error)
{
  Chunk *chunk;

  while ((chunk = g_queue_peek_head (&channel->output)) != NULL)
    {
      ssize_t sent = send_chunk (channel, chunk);

      if (sent < 0 && errno == EINTR)
        continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return TRUE;
      if (sent < 0)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                           "The other end closed the session: %-s.",
                           sonde_message_describe_errno (errno));
          return FALSE;
        }
      if (chunk->memfd >= 0)
        {
          close (chunk->memfd);
          channel->queued_fds--;
        }
      chunk->memfd = -1;
      chunk->sent += (gsize) sent;
      channel->queued -= (guint64) sent;
      if (chunk->sent == g_bytes_get_size (chunk->bytes))
        chunk_free (g_queue_pop_head (&channel->output));
    }
  return TRUE;
}

/* ---- in ------------------------------------------------------------------ */

/* FALSE when there are more descriptors than anybody may send. */
static gboolean
take_in_fds (SondeSessionChannel *channel, struct msghdr *message)
{
  for (struct cmsghdr *header = CMSG_FIRSTHDR (message); header != NULL;
       header = CMSG_NXTHDR (message, header))
    {
      gsize bytes = header->cmsg_len - CMSG_LEN (0);

      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        continue;
      for (gsize i = 0; i < bytes / sizeof (int); i++)
        {
          int fd;

          memcpy (&fd, CMSG_DATA (header) + i * sizeof (int), sizeof (int));
          g_array_append_val (channel->received, fd);
        }
    }
  return (message->msg_flags & MSG_CTRUNC) == 0 && channel->received->len <= MAX_WAITING_FDS;
}

/* Drops what has been consumed, so that the buffer does not grow. */
static void
compact (SondeSessionChannel *channel)
{
  if (channel->consumed == 0)
    return;
  g_byte_array_remove_range (channel->input, 0, (guint) channel->consumed);
  channel->consumed = 0;
}

/* Bytes read, 0 when there are none now, -1 with @error. */
static gssize
receive_some (SondeSessionChannel *channel, GError **error)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (MAX_FDS * sizeof (int))];
  } control;
  guint before = channel->input->len;
  struct iovec vector;
  struct msghdr message = { .msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes };
  ssize_t got;

  g_byte_array_set_size (channel->input, before + READ_BYTES);
  vector = (struct iovec){ .iov_base = channel->input->data + before, .iov_len = READ_BYTES };
  do
    got = channel->io->receive (channel->io, channel->fd, &message,
                                MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  g_byte_array_set_size (channel->input, before + (guint) MAX (got, 0));
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return 0;
  if (got <= 0)
    {
      channel->ended = TRUE;
      if (got < 0)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The other end closed the session: %-s.",
                         sonde_message_describe_errno (errno));
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The other end closed the session.");
      return -1;
    }
  channel->n_received += (guint64) got;
  if (!take_in_fds (channel, &message))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The other end sent more descriptors than it may.");
      return -1;
    }
  return got;
}

gboolean
sonde_session_channel_receive (SondeSessionChannel *channel, GError **error)
{
  compact (channel);
  for (int i = 0; i < READS_A_CALL; i++)
    {
      gssize got = receive_some (channel, error);

      if (got < 0)
        return FALSE;
      if (got < (gssize) READ_BYTES)
        break;
    }
  return TRUE;
}

/* The preamble is checked byte by byte, so that a stranger is noticed with its first wrong one. */
static gboolean
check_preamble (SondeSessionChannel *channel, GError **error)
{
  gsize there = MIN (channel->input->len, SONDE_SESSION_PREAMBLE_BYTES);

  if (memcmp (channel->input->data, sonde_session_preamble, MIN (there, 6)) != 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The other end does not speak Sonde's session protocol.");
      return FALSE;
    }
  if (memcmp (channel->input->data, sonde_session_preamble, there) != 0)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
          "The other end speaks version %u of the session protocol, this is version %u.",
          channel->input->data[6], SONDE_SESSION_VERSION);
      return FALSE;
    }
  if (there == SONDE_SESSION_PREAMBLE_BYTES)
    {
      channel->greeted = TRUE;
      channel->consumed = SONDE_SESSION_PREAMBLE_BYTES;
    }
  return TRUE;
}

static gsize
get_there (const SondeSessionChannel *channel, const guint8 **start)
{
  *start = channel->input->data + channel->consumed;
  return channel->input->len - channel->consumed;
}

/* The length at the start of what is there; 0: it is not there whole. */
static guint32
peek_length (const SondeSessionChannel *channel)
{
  const guint8 *start;
  guint32 little;

  if (get_there (channel, &start) < SONDE_SESSION_LENGTH_BYTES)
    return 0;
  memcpy (&little, start, sizeof little);
  return GUINT32_FROM_LE (little);
}

/* What comes in place of descriptors, as far as it is there. */
static gboolean
take_in_carried (SondeSessionChannel *channel, GError **error)
{
  const guint8 *start;
  gsize there;

  do
    {
      guint32 head = peek_length (channel);

      if (channel->carried < 0 && !sonde_session_carried_is_head (head))
        return TRUE;
      if (channel->carried < 0)
        {
          channel->consumed += SONDE_SESSION_LENGTH_BYTES;
          channel->carried_left = sonde_session_carried_get_bytes (head);
          channel->carried_bytes += channel->carried_left;
          channel->carried
              = sonde_session_carried_open (channel->carried_bytes, channel->received->len, error);
        }
      there = get_there (channel, &start);
      if (channel->carried < 0
          || !sonde_session_carried_take (channel->carried, start, there, &channel->carried_left,
                                          &channel->consumed, error))
        return FALSE;
      if (channel->carried_left == 0)
        {
          g_array_append_val (channel->received, channel->carried);
          channel->carried = -1;
        }
    }
  while (channel->carried < 0);
  return TRUE;
}

gboolean
sonde_session_channel_next (SondeSessionChannel *channel, const guint8 **data, gsize *length,
                            GError **error)
{
  const guint8 *start;
  gsize there;
  guint32 bytes;

  *data = NULL;
  *length = 0;
  if (!channel->greeted && channel->input->len > 0 && !check_preamble (channel, error))
    return FALSE;
  if (!channel->greeted)
    return TRUE;
  if (channel->carries_in && !take_in_carried (channel, error))
    return FALSE;
  there = get_there (channel, &start);
  if (channel->carried >= 0 || there < SONDE_SESSION_LENGTH_BYTES)
    return TRUE;
  bytes = peek_length (channel);
  if (bytes == 0 || bytes > SONDE_BUDGET_FRAME_BYTES)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "A frame of %u bytes came; it may have 1 to %" PRIu64 ".", bytes,
                       SONDE_BUDGET_FRAME_BYTES);
      return FALSE;
    }
  if (there - SONDE_SESSION_LENGTH_BYTES < bytes)
    return TRUE;
  *data = start + SONDE_SESSION_LENGTH_BYTES;
  *length = bytes;
  channel->consumed += SONDE_SESSION_LENGTH_BYTES + bytes;
  return TRUE;
}

int
sonde_session_channel_take_fd (SondeSessionChannel *channel)
{
  int fd;

  if (channel->received->len == 0)
    return -1;
  fd = g_array_index (channel->received, int, 0);
  g_array_remove_index (channel->received, 0);
  if (channel->carries_in)
    channel->carried_bytes -= MIN (sonde_session_carried_get_size (fd), channel->carried_bytes);
  return fd;
}

/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing frames. */
#include "app/dap/sonde-dap-channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"

#define MAX_HEADER_BYTES 4096
#define BLOCK_BYTES 65536

void
sonde_dap_channel_init (SondeDapChannel *channel, int input, int output)
{
  channel->input = input;
  channel->output = output;
  channel->stop = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  channel->buffer = g_byte_array_new ();
  channel->seq = 0;
}

void
sonde_dap_channel_clear (SondeDapChannel *channel)
{
  g_clear_pointer (&channel->buffer, g_byte_array_unref);
  if (channel->stop >= 0)
    close (channel->stop);
  channel->stop = -1;
}

void
sonde_dap_channel_stop (SondeDapChannel *channel)
{
  const guint64 one = 1;

  while (write (channel->stop, &one, sizeof one) < 0 && errno == EINTR)
    ;
}

/* FALSE when reading is to end. */
static gboolean
wait_for_input (SondeDapChannel *channel)
{
  struct pollfd fds[] = { { channel->input, POLLIN, 0 }, { channel->stop, POLLIN, 0 } };

  while (poll (fds, G_N_ELEMENTS (fds), -1) < 0)
    if (errno != EINTR)
      return FALSE;
  return fds[1].revents == 0;
}

/* More input. 0 at the end (or when stopped), -1 with @error. */
static int
fill (SondeDapChannel *channel, GError **error)
{
  guint length = channel->buffer->len;
  ssize_t n;

  if (!wait_for_input (channel))
    return 0;
  g_byte_array_set_size (channel->buffer, length + BLOCK_BYTES);
  do
    n = read (channel->input, channel->buffer->data + length, BLOCK_BYTES);
  while (n < 0 && errno == EINTR);
  g_byte_array_set_size (channel->buffer, length + (guint) MAX (n, 0));
  if (n < 0)
    sonde_data_error_set_errno (error, errno, "cannot read from the editor");
  return n < 0 ? -1 : n > 0;
}

static char *
fail (GError **error, const char *sentence)
{
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, sentence);
  return NULL;
}

/* Value of the Content-Length line of a header that ends at @end; FALSE when there is none. */
static gboolean
parse_header (const guint8 *data, gsize end, gsize *length)
{
  g_autofree char *text = g_strndup ((const char *) data, end);
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint64 number;

      if (g_ascii_strncasecmp (lines[i], "Content-Length:", strlen ("Content-Length:")) != 0)
        continue;
      if (!g_ascii_string_to_unsigned (g_strstrip (lines[i] + strlen ("Content-Length:")), 10, 0,
                                       G_MAXSIZE, &number, NULL))
        return FALSE;
      *length = (gsize) number;
      return TRUE;
    }
  return FALSE;
}

/* Bytes of the header with its empty line, 0 when it is not all there. */
static gsize
find_header_end (const GByteArray *buffer)
{
  const char *found = buffer->len > 0
                          ? g_strstr_len ((const char *) buffer->data, buffer->len, "\r\n\r\n")
                          : NULL;

  return found != NULL ? (gsize) (found - (const char *) buffer->data) + 4 : 0;
}

char *
sonde_dap_channel_read (SondeDapChannel *channel, GError **error)
{
  gsize header, length = 0;
  char *body;
  int more = 1;

  while ((header = find_header_end (channel->buffer)) == 0
         && channel->buffer->len <= MAX_HEADER_BYTES && (more = fill (channel, error)) > 0)
    ;
  if (more < 0 || (header == 0 && more == 0 && channel->buffer->len == 0))
    return NULL;
  if (header == 0 || !parse_header (channel->buffer->data, header, &length))
    return fail (error, "What the editor sent is not the Debug Adapter Protocol: no "
                        "“Content-Length: N” was found.");
  if (length > SONDE_DAP_MAX_BYTES)
    return fail (error, "The editor announced a message of more than 16 MiB.");
  while (channel->buffer->len < header + length && (more = fill (channel, error)) > 0)
    ;
  if (more < 0)
    return NULL;
  if (channel->buffer->len < header + length)
    return fail (error, "The editor's last message ends in the middle.");
  body = g_strndup ((const char *) channel->buffer->data + header, length);
  g_byte_array_remove_range (channel->buffer, 0, (guint) (header + length));
  return body;
}

gboolean
sonde_dap_channel_write (SondeDapChannel *channel, const char *rest)
{
  g_autofree char *body = g_strdup_printf ("{\"seq\":%u,%s}", ++channel->seq, rest);
  g_autofree char *frame = g_strdup_printf ("Content-Length: %zu\r\n\r\n%s", strlen (body), body);
  gsize length = strlen (frame), done = 0;

  while (done < length)
    {
      ssize_t n = write (channel->output, frame + done, length - done);

      if (n < 0 && errno != EINTR)
        return FALSE;
      done += (gsize) MAX (n, 0);
    }
  return TRUE;
}

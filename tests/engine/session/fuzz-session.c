/* SPDX-License-Identifier: Apache-2.0
 * What a hostile client sends to a session, and what a hostile engine sends to a client. The first
 * byte says which: odd, the rest is a message to be decoded; even, it is requests (length of 2
 * bytes each, then the bytes) to a server that has a small net open. As a program of its own it
 * runs made inputs, or the files that it is given. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data/base/sonde-random.h"
#include "engine/session/codec/sonde-codec-reply.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "tests/engine/session/session-fixture.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

static void
decode (const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL;
  Sonde__Session__Message *message = sonde_session_unpack (&sonde__session__message__descriptor,
                                                           data, length, "message", &error);
  SondeSessionChannel channel;
  SondeReplySource source = { .channel = &channel };
  int ends[2];

  g_assert_true ((message == NULL) == (error != NULL));
  if (message == NULL)
    return;
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  close (ends[1]);
  sonde_session_channel_init (&channel, NULL, ends[0]);
  if (message->body_case == SONDE__SESSION__MESSAGE__BODY_REPLY)
    sonde_session_reply_free (sonde_codec_read_reply (message->reply, &source, &error));
  else if (message->body_case == SONDE__SESSION__MESSAGE__BODY_EVENT)
    sonde_session_event_free (sonde_codec_read_event (message->event));
  sonde_session_channel_clear (&channel);
  sonde_wire_free (message);
}

static void
send_frame (int fd, const guint8 *data, gsize length)
{
  guint32 little = GUINT32_TO_LE ((guint32) length);

  if (send (fd, &little, sizeof little, MSG_NOSIGNAL) > 0
      && send (fd, data, length, MSG_NOSIGNAL) > 0)
    return;
}

/* Until the server has nothing more to say, or closed. */
static void
read_away (int fd)
{
  struct pollfd set = { .fd = fd, .events = POLLIN };
  guint8 buffer[65536];

  shutdown (fd, SHUT_WR);
  while (poll (&set, 1, 20000) == 1 && recv (fd, buffer, sizeof buffer, 0) > 0)
    ;
}

static gboolean
leaves_no_file (const guint8 *data, gsize length)
{
  return memchr (data, '/', length) == NULL; /* paths are absolute: what has none writes none */
}

static void
serve (const guint8 *data, gsize length)
{
  SessionFixture fixture;
  int fd;

  session_fixture_init (&fixture);
  fixture.options.client_lost = SONDE_CLIENT_LOST_QUIT;
  session_fixture_start (&fixture);
  fixture.activity = session_fixture_open (&fixture, length % 2 == 0 ? "loops" : "inference", NULL);
  fd = session_fixture_connect_raw (&fixture);
  if (send (fd, sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES, MSG_NOSIGNAL) > 0)
    {
      SondeSessionRequest *hello = sonde_session_request_hello ("", TRUE);
      g_autoptr (GBytes) frame = NULL;

      hello->message.id = 1;
      frame = sonde_session_pack (&hello->message.base);
      if (send (fd, g_bytes_get_data (frame, NULL), g_bytes_get_size (frame), MSG_NOSIGNAL) < 0)
        length = 0;
      sonde_session_request_free (hello);
    }
  for (gsize at = 0, n = 0; at + 2 < length && n < 32; n++)
    {
      gsize bytes = MIN ((gsize) (data[at] | data[at + 1] << 8), length - at - 2);

      if (leaves_no_file (data + at + 2, bytes))
        send_frame (fd, data + at + 2, bytes);
      at += 2 + bytes;
    }
  read_away (fd);
  close (fd);
  session_fixture_join (&fixture);
  session_fixture_clear (&fixture);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  if (length < 2 || length > 1 << 16)
    return 0;
  if (data[0] % 2 == 1)
    decode (data + 1, length - 1);
  else
    serve (data + 1, length - 1);
  return 0;
}

#ifndef SONDE_LIBFUZZER
/* Requests of fields with likely and unlikely bodies; replies of any bytes. */
static void
append_made (GByteArray *input, guint64 *drawn)
{
  static const char *const texts[]
      = { "v1",  "n3",  "outer", "op:*", "max(v1) > 0", "preset recommended",
          "[0]", "f16", "\xff",  "1 / 0" };
  guint8 body[64] = { 0x08, 7 };
  guint n = 2, start, field = 3 + (guint) (sonde_random_uniform (5, 0, (*drawn)++) * 64);

  body[n++] = (guint8) (field << 3 | 2 | (field > 15 ? 0x80 : 0));
  if (field > 15)
    body[n++] = (guint8) (field >> 4);
  start = n++;
  for (guint k = (guint) (sonde_random_uniform (5, 0, (*drawn)++) * 4); k > 0; k--)
    {
      const char *text
          = texts[(guint) (sonde_random_uniform (5, 0, (*drawn)++) * G_N_ELEMENTS (texts))];
      gboolean number = sonde_random_uniform (5, 0, (*drawn)++) < 0.4;
      guint8 which = (guint8) (1 + sonde_random_uniform (5, 0, (*drawn)++) * 5),
             length = (guint8) strlen (text);

      if (n + length + 2 >= sizeof body)
        break;
      body[n++] = (guint8) (which << 3 | (number ? 0 : 2));
      body[n++] = number ? (guint8) (sonde_random_uniform (5, 0, (*drawn)++) * 128) : length;
      if (!number)
        memcpy (body + n, text, length);
      n += number ? 0 : length;
    }
  body[start] = (guint8) (n - start - 1);
  g_byte_array_append (input, (const guint8[]){ (guint8) n, 0 }, 2);
  g_byte_array_append (input, body, n);
}

static void
run_made (guint n)
{
  guint64 drawn = 0;

  for (guint round = 0; round < n; round++)
    {
      g_autoptr (GByteArray) input = g_byte_array_new ();
      guint8 kind = (guint8) (round % 8 == 0 ? 0 : 1);

      g_byte_array_append (input, &kind, 1);
      for (guint k = (guint) (sonde_random_uniform (5, 0, drawn++) * 12) + 1; k > 0; k--)
        append_made (input, &drawn);
      if (kind == 1) /* a message: the bytes of one request, one of them bent */
        g_byte_array_remove_range (input, 1, 2);
      if (round % 3 == 0)
        input->data[1 + (guint) (sonde_random_uniform (5, 0, drawn++) * (input->len - 1))]
            ^= (guint8) (round * 37 + 1);
      LLVMFuzzerTestOneInput (input->data, input->len);
    }
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *text = NULL;
      gsize length;

      if (g_file_get_contents (argv[i], &text, &length, NULL))
        LLVMFuzzerTestOneInput ((const guint8 *) text, length);
    }
  if (argc == 1)
    run_made (4000);
  printf ("1..1\nok 1 /fuzz/session\n");
  return 0;
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Bytes that no good client sends: strangers, wrong lengths, torn frames, descriptors, random
 * damage. The client is dropped or told off, and the session lives. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/session/sonde-session-channel-private.h"
#include "tests/engine/session/session-fixture.h"

#define WAIT_MS 20000

/* ---- raw clients --------------------------------------------------------- */

static void
send_all (int fd, const void *data, gsize length)
{
  const char *at = data;

  while (length > 0)
    {
      ssize_t sent = send (fd, at, length, MSG_NOSIGNAL);

      if (sent <= 0) /* it was dropped: that is what is tested */
        return;
      at += sent;
      length -= (gsize) sent;
    }
}

static void
send_preamble (int fd)
{
  send_all (fd, sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES);
}

static GBytes *
make_frame (Sonde__Session__Request *request)
{
  return sonde_session_pack (&request->base);
}

static GBytes *
make_hello (void)
{
  Sonde__Session__Request request = SONDE__SESSION__REQUEST__INIT;
  Sonde__Session__Hello hello = SONDE__SESSION__HELLO__INIT;

  hello.version = SONDE_SESSION_VERSION;
  request.id = 1;
  request.body_case = SONDE__SESSION__REQUEST__BODY_HELLO;
  request.hello = &hello;
  return make_frame (&request);
}

static GBytes *
make_status (guint32 id)
{
  Sonde__Session__Request request = SONDE__SESSION__REQUEST__INIT;
  Sonde__Session__Empty empty = SONDE__SESSION__EMPTY__INIT;

  request.id = id;
  request.body_case = SONDE__SESSION__REQUEST__BODY_STATUS;
  request.status = &empty;
  return make_frame (&request);
}

static void
send_bytes (int fd, GBytes *bytes)
{
  gsize length;
  const void *data = g_bytes_get_data (bytes, &length);

  send_all (fd, data, length);
}

static void
say_hello (int fd)
{
  g_autoptr (GBytes) hello = make_hello ();

  send_preamble (fd);
  send_bytes (fd, hello);
}

/* A message of the server, NULL when it closed. Events are dropped but the goodbye. */
static Sonde__Session__Message *
receive (SondeSessionChannel *channel)
{
  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      struct pollfd set = { .fd = channel->fd, .events = POLLIN };
      const guint8 *data;
      gsize length;
      Sonde__Session__Message *message;

      g_assert_true (sonde_session_channel_next (channel, &data, &length, &error));
      if (data == NULL)
        {
          g_assert_cmpint (poll (&set, 1, WAIT_MS), ==, 1);
          if (!sonde_session_channel_receive (channel, &error)
              && (!sonde_session_channel_next (channel, &data, &length, NULL) || data == NULL))
            return NULL;
          if (data == NULL)
            continue;
        }
      message = sonde_session_unpack (&sonde__session__message__descriptor, data, length, "message",
                                      &error);
      g_assert_no_error (error);
      if (message->body_case == SONDE__SESSION__MESSAGE__BODY_REPLY
          || message->event->kind == SONDE_SESSION_EVENT_CLOSED)
        return message;
      sonde_wire_free (message);
    }
}

static void
expect_reply (SondeSessionChannel *channel, guint32 id)
{
  Sonde__Session__Message *message = receive (channel);

  g_assert_nonnull (message);
  g_assert_cmpint (message->body_case, ==, SONDE__SESSION__MESSAGE__BODY_REPLY);
  g_assert_cmpuint (message->reply->id, ==, id);
  sonde_wire_free (message);
}

/* The server says @said (nullable), and closes. */
static void
expect_goodbye (SondeSessionChannel *channel, const char *said)
{
  Sonde__Session__Message *message = receive (channel);

  if (message != NULL)
    {
      g_assert_cmpint (message->body_case, ==, SONDE__SESSION__MESSAGE__BODY_EVENT);
      if (said != NULL)
        g_assert_nonnull (strstr (message->event->text, said));
      sonde_wire_free (message);
      message = receive (channel);
    }
  else
    g_assert_null (said);
  g_assert_null (message);
}

/* A fixture with one good client in control, which must be unhurt at the end. */
typedef struct
{
  SessionFixture fixture;
  SondeSessionClient *good;
} Protocol;

static void
protocol_init (Protocol *protocol)
{
  session_fixture_init (&protocol->fixture);
  session_fixture_start (&protocol->fixture);
  protocol->good = session_fixture_connect (&protocol->fixture);
  open_subject (protocol->good, "inference");
}

static void
protocol_clear (Protocol *protocol)
{
  g_autoptr (SondeSessionReply) steps = call (protocol->good, sonde_session_request_steps ());

  g_assert_cmpuint (steps->steps->len, ==, FIXTURE_STEPS);
  g_object_unref (protocol->good);
  session_fixture_clear (&protocol->fixture);
}

static void
channel_for (Protocol *protocol, SondeSessionChannel *channel)
{
  sonde_session_channel_init (channel, NULL, session_fixture_connect_raw (&protocol->fixture));
}

/* ---- strangers ----------------------------------------------------------- */

static void
test_strangers (void)
{
  static const char *const strangers[] = {
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "PING\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "SONDF",
    "X",
  };
  Protocol protocol;

  protocol_init (&protocol);
  for (gsize i = 0; i < G_N_ELEMENTS (strangers); i++)
    {
      SondeSessionChannel channel;

      channel_for (&protocol, &channel);
      send_all (channel.fd, strangers[i], strlen (strangers[i]));
      expect_goodbye (&channel, "does not speak");
      sonde_session_channel_clear (&channel);
    }
  protocol_clear (&protocol);
}

static void
test_version (void)
{
  static const guint8 newer[] = { 'S', 'O', 'N', 'D', 'E', 0, SONDE_SESSION_VERSION + 1, '\n' };
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  send_all (channel.fd, newer, sizeof newer);
  expect_goodbye (&channel, "version 3");
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

static void
test_no_hello (void)
{
  g_autoptr (GBytes) status = make_status (1);
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  send_preamble (channel.fd);
  send_bytes (channel.fd, status);
  expect_goodbye (&channel, "hello");
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

/* ---- frames -------------------------------------------------------------- */

static void
test_lengths (void)
{
  static const guint32 lengths[] = { 0, 0xffffffff, (16 << 20) + 1, 0x80000000 };
  Protocol protocol;

  protocol_init (&protocol);
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      guint32 little = GUINT32_TO_LE (lengths[i]);
      SondeSessionChannel channel;

      channel_for (&protocol, &channel);
      say_hello (channel.fd);
      expect_reply (&channel, 1);
      send_all (channel.fd, &little, sizeof little);
      expect_goodbye (&channel, "frame");
      sonde_session_channel_clear (&channel);
    }
  protocol_clear (&protocol);
}

static void
test_byte_by_byte (void)
{
  g_autoptr (GBytes) hello = make_hello (), status = make_status (7);
  SondeSessionChannel channel;
  Protocol protocol;
  gsize length;
  const guint8 *data;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  for (gsize i = 0; i < SONDE_SESSION_PREAMBLE_BYTES; i++)
    send_all (channel.fd, sonde_session_preamble + i, 1);
  data = g_bytes_get_data (hello, &length);
  for (gsize i = 0; i < length; i++)
    send_all (channel.fd, data + i, 1);
  expect_reply (&channel, 1);
  data = g_bytes_get_data (status, &length);
  for (gsize i = 0; i < length; i++)
    send_all (channel.fd, data + i, 1);
  expect_reply (&channel, 7);
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

static void
test_many_in_one (void)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  say_hello (channel.fd);
  expect_reply (&channel, 1);
  for (guint32 id = 2; id < 1002; id++)
    {
      g_autoptr (GBytes) status = make_status (id);

      g_byte_array_append (all, g_bytes_get_data (status, NULL), (guint) g_bytes_get_size (status));
    }
  send_all (channel.fd, all->data, all->len);
  for (guint32 id = 2; id < 1002; id++)
    expect_reply (&channel, id);
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

/* A request of a later version is answered, not a reason to go. */
static void
test_unknown_request (void)
{
  static const guint8 unknown[] = { 8, 0, 0, 0, 0x08, 0x05, 0xc2, 0x3e, 0x03, 1, 2, 3 };
  Sonde__Session__Message *message;
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  say_hello (channel.fd);
  expect_reply (&channel, 1);
  send_all (channel.fd, unknown, sizeof unknown);
  message = receive (&channel);
  g_assert_nonnull (message);
  g_assert_cmpuint (message->reply->id, ==, 5);
  g_assert_cmpuint (message->reply->error->code, ==, SONDE_ENGINE_ERROR_UNSUPPORTED);
  sonde_wire_free (message);
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

static void
test_descriptors (void)
{
  g_autoptr (GBytes) hello = make_hello ();
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  sonde_session_channel_queue (&channel, hello, dup (STDERR_FILENO));
  g_assert_true (sonde_session_channel_flush (&channel, NULL));
  expect_goodbye (&channel, "descriptors");
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

static void
test_limit_of_clients (void)
{
  SondeSessionChannel channels[SONDE_SESSION_MAX_CLIENTS];
  Protocol protocol;

  protocol_init (&protocol); /* one is there */
  for (guint i = 0; i < SONDE_SESSION_MAX_CLIENTS - 1; i++)
    {
      channel_for (&protocol, &channels[i]);
      say_hello (channels[i].fd);
      expect_reply (&channels[i], 1);
    }
  channel_for (&protocol, &channels[SONDE_SESSION_MAX_CLIENTS - 1]);
  expect_goodbye (&channels[SONDE_SESSION_MAX_CLIENTS - 1], "which is the maximum");
  for (guint i = 0; i < SONDE_SESSION_MAX_CLIENTS; i++)
    sonde_session_channel_clear (&channels[i]);
  protocol_clear (&protocol);
}

/* A client that asks and does not read: it is not read either, and the others do not notice. */
static void
test_does_not_read (void)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  SondeSessionChannel channel;
  Protocol protocol;

  protocol_init (&protocol);
  channel_for (&protocol, &channel);
  say_hello (channel.fd);
  for (guint32 id = 2; id < 20000; id++)
    {
      g_autoptr (GBytes) status = make_status (id);

      g_byte_array_append (all, g_bytes_get_data (status, NULL), (guint) g_bytes_get_size (status));
    }
  for (int i = 0; i < 10; i++)
    {
      g_autoptr (SondeSessionReply) reply = NULL;

      g_assert_cmpint (send (channel.fd, all->data, all->len / 10, MSG_DONTWAIT | MSG_NOSIGNAL), !=,
                       0);
      reply = call (protocol.good, sonde_session_request_steps ());
    }
  sonde_session_channel_clear (&channel);
  protocol_clear (&protocol);
}

/* ---- random -------------------------------------------------------------- */

static GBytes *
random_request (GRand *random)
{
  static const char *const words[]
      = { "",       "v1",     "n3", "v1[0",     "[",   "op:Relu", "step:0",
          "step:9", "phase:", "*",  "\xff\xfe", "big", "words" };
  Sonde__Session__Request request = SONDE__SESSION__REQUEST__INIT;
  Sonde__Session__Empty empty = SONDE__SESSION__EMPTY__INIT;
  Sonde__Session__Resume resume = SONDE__SESSION__RESUME__INIT;
  Sonde__Session__AddBreakpoint add = SONDE__SESSION__ADD_BREAKPOINT__INIT;
  Sonde__Session__ChangeBreakpoint change = SONDE__SESSION__CHANGE_BREAKPOINT__INIT;
  Sonde__Session__Value value = SONDE__SESSION__VALUE__INIT;
  Sonde__Session__WhichGraph which = SONDE__SESSION__WHICH_GRAPH__INIT;
  Sonde__Session__Pattern pattern = SONDE__SESSION__PATTERN__INIT;
  Sonde__Session__Control control = SONDE__SESSION__CONTROL__INIT;
  Sonde__Session__Open open = SONDE__SESSION__OPEN__INIT;
  char *word = (char *) words[g_rand_int_range (random, 0, G_N_ELEMENTS (words))];
  const struct
  {
    Sonde__Session__Request__BodyCase kind;
    void *body;
  } kinds[] = {
    { SONDE__SESSION__REQUEST__BODY_STATUS, &empty },
    { SONDE__SESSION__REQUEST__BODY_OPEN, &open },
    { SONDE__SESSION__REQUEST__BODY_CONTROL, &control },
    { SONDE__SESSION__REQUEST__BODY_RESUME, &resume },
    { SONDE__SESSION__REQUEST__BODY_RESUME, &resume },
    { SONDE__SESSION__REQUEST__BODY_PAUSE, &empty },
    { SONDE__SESSION__REQUEST__BODY_RESTART, &empty },
    { SONDE__SESSION__REQUEST__BODY_LIST_BREAKPOINTS, &empty },
    { SONDE__SESSION__REQUEST__BODY_ADD_BREAKPOINT, &add },
    { SONDE__SESSION__REQUEST__BODY_REMOVE_BREAKPOINT, &change },
    { SONDE__SESSION__REQUEST__BODY_ENABLE_BREAKPOINT, &change },
    { SONDE__SESSION__REQUEST__BODY_IGNORE_BREAKPOINT, &change },
    { SONDE__SESSION__REQUEST__BODY_LISTING, &which },
    { SONDE__SESSION__REQUEST__BODY_STEPS, &empty },
    { SONDE__SESSION__REQUEST__BODY_VALUES, &pattern },
    { SONDE__SESSION__REQUEST__BODY_STATISTICS, &value },
    { SONDE__SESSION__REQUEST__BODY_TENSOR, &value },
    { SONDE__SESSION__REQUEST__BODY_ALIVE, &empty },
  };
  guint k = (guint) g_rand_int_range (random, 0, G_N_ELEMENTS (kinds));

  resume.kind = (guint32) g_rand_int_range (random, 0, 6);
  resume.count = g_rand_int (random) % 5;
  resume.target = value.expression = pattern.glob = add.pattern = open.subject = word;
  add.after = g_rand_boolean (random);
  add.temporary = g_rand_boolean (random);
  change.id = g_rand_int (random) % 6;
  change.value = g_rand_int (random) % 3;
  control.take = g_rand_int (random) % 8 != 0;
  request.id = g_rand_int (random);
  request.body_case = kinds[k].kind;
  request.hello = kinds[k].body;
  return make_frame (&request);
}

/* Reads away what comes, so that the server is never blocked by us. */
static gboolean
read_away (int fd)
{
  char buffer[65536];
  ssize_t got;

  while ((got = recv (fd, buffer, sizeof buffer, MSG_DONTWAIT)) > 0)
    ;
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/* Valid requests in any order: whatever the state, the session lives. */
static void
test_random_requests (void)
{
  GRand *random = g_rand_new_with_seed (20240611);

  for (int round = 0; round < 20; round++)
    {
      SessionFixture fixture;
      int fd;

      session_fixture_init (&fixture);
      fixture.options.client_lost = SONDE_CLIENT_LOST_CONTINUE;
      session_fixture_start (&fixture);
      fixture.activity
          = session_fixture_open (&fixture, round % 2 == 0 ? "training" : "inference", NULL);
      fixture.run_now = round % 4 == 0;
      fd = session_fixture_connect_raw (&fixture);
      say_hello (fd);
      for (int i = 0; i < 300; i++)
        {
          g_autoptr (GBytes) frame = random_request (random);

          send_bytes (fd, frame);
          g_assert_true (read_away (fd)); /* it is never dropped for that */
        }
      close (fd);
      session_fixture_clear (&fixture);
    }
  g_rand_free (random);
}

/* A client that is let in; the ones before it may not have been noticed to be gone. */
static int
connect_welcome (Protocol *protocol)
{
  while (TRUE)
    {
      int fd = session_fixture_connect_raw (&protocol->fixture);
      struct pollfd set = { .fd = fd, .events = POLLIN };
      guint8 preamble[SONDE_SESSION_PREAMBLE_BYTES + 6];

      say_hello (fd);
      g_assert_cmpint (poll (&set, 1, WAIT_MS), ==, 1);
      while (recv (fd, preamble, sizeof preamble, MSG_PEEK) == SONDE_SESSION_PREAMBLE_BYTES)
        ;
      /* a message whose first field is a reply, not the goodbye, which is an event */
      if (recv (fd, preamble, sizeof preamble, MSG_PEEK) > SONDE_SESSION_PREAMBLE_BYTES + 4
          && preamble[SONDE_SESSION_PREAMBLE_BYTES + 4] == 0x0a)
        return fd;
      close (fd);
      g_thread_yield ();
    }
}

/* The same with damaged bytes: dropped at the worst. */
static void
test_random_damage (void)
{
  GRand *random = g_rand_new_with_seed (20240612);
  Protocol protocol;

  protocol_init (&protocol);
  for (int round = 0; round < 300; round++)
    {
      int fd = connect_welcome (&protocol);

      for (int i = 0; i < 10 && read_away (fd); i++)
        {
          g_autoptr (GBytes) frame = random_request (random);
          gsize length;
          g_autofree guint8 *bytes
              = g_memdup2 (g_bytes_get_data (frame, &length), g_bytes_get_size (frame));

          length = g_bytes_get_size (frame);
          for (int flips = g_rand_int_range (random, 0, 4); flips > 0; flips--)
            bytes[g_rand_int_range (random, round % 3 == 0 ? 0 : 4, (gint32) length)]
                = (guint8) g_rand_int (random);
          send_all (fd, bytes, length);
        }
      close (fd);
    }
  g_rand_free (random);
  protocol_clear (&protocol);
}

static void
test_random_bytes (void)
{
  GRand *random = g_rand_new_with_seed (20240613);
  g_autofree guint8 *bytes = g_malloc (1 << 20);
  Protocol protocol;

  for (gsize i = 0; i < 1 << 20; i++)
    bytes[i] = (guint8) g_rand_int (random);
  protocol_init (&protocol);
  for (int round = 0; round < 20; round++)
    {
      int fd = round % 2 == 0 ? connect_welcome (&protocol)
                              : session_fixture_connect_raw (&protocol.fixture);

      send_all (fd, bytes + round, (1 << 20) - 100);
      close (fd);
    }
  g_rand_free (random);
  protocol_clear (&protocol);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/protocol/strangers", test_strangers);
  g_test_add_func ("/engine/session/protocol/version", test_version);
  g_test_add_func ("/engine/session/protocol/no-hello", test_no_hello);
  g_test_add_func ("/engine/session/protocol/lengths", test_lengths);
  g_test_add_func ("/engine/session/protocol/byte-by-byte", test_byte_by_byte);
  g_test_add_func ("/engine/session/protocol/many-in-one", test_many_in_one);
  g_test_add_func ("/engine/session/protocol/unknown-request", test_unknown_request);
  g_test_add_func ("/engine/session/protocol/descriptors", test_descriptors);
  g_test_add_func ("/engine/session/protocol/limit-of-clients", test_limit_of_clients);
  g_test_add_func ("/engine/session/protocol/does-not-read", test_does_not_read);
  g_test_add_func ("/engine/session/protocol/random/requests", test_random_requests);
  g_test_add_func ("/engine/session/protocol/random/damage", test_random_damage);
  g_test_add_func ("/engine/session/protocol/random/bytes", test_random_bytes);
  return g_test_run ();
}

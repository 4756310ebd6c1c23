/* SPDX-License-Identifier: Apache-2.0
 * Clients and engines that misbehave, row by row (DP1 … DP11): wrong and late tokens, crowds,
 * clients that vanish, stop reading or hold a run, engines that stand still. Time is a clock that
 * the tests turn. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/live/sonde-watch-table.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/client/sonde-session-client-private.h"
#include "engine/session/sonde-session-directory.h"
#include "engine/session/server/sonde-session-server-private.h"
#include "tests/engine/session/session-fixture.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define WAIT_MS 20000

/* ---- a clock ------------------------------------------------------------- */

typedef struct
{
  SondeClock clock; /* first member */
  _Atomic gint64 now;
} Clock;

static gint64
read_clock (const SondeClock *clock)
{
  return atomic_load (&((Clock *) clock)->now);
}

static void
clock_init (Clock *clock)
{
  clock->clock = (SondeClock){ read_clock, read_clock };
  atomic_init (&clock->now, 100 * SECOND);
}

/* Later, and the server notices. */
static void
advance (Clock *clock, SondeSessionServer *server, gint64 seconds)
{
  atomic_fetch_add (&clock->now, seconds * SECOND);
  if (server != NULL)
    sonde_session_socket_wake (server);
}

/* ---- raw clients --------------------------------------------------------- */

static void
send_all (int fd, const void *data, gsize length)
{
  if (send (fd, data, length, MSG_NOSIGNAL) < 0)
    return; /* it was turned away: what it says is read later */
}

static void
send_request (int fd, SondeSessionRequest *request, guint32 id)
{
  g_autoptr (GBytes) frame = NULL;

  request->message.id = id;
  frame = sonde_session_pack (&request->message.base);
  send_all (fd, g_bytes_get_data (frame, NULL), g_bytes_get_size (frame));
  sonde_session_request_free (request);
}

static int
say_hello (int fd, const char *token)
{
  send_all (fd, sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES);
  send_request (fd, sonde_session_request_hello (token, TRUE), 1);
  return fd;
}

/* Everything that comes until the server closes. (transfer full) */
static GByteArray *
read_to_end (int fd)
{
  GByteArray *bytes = g_byte_array_new ();
  struct pollfd set = { .fd = fd, .events = POLLIN };
  guint8 buffer[4096];
  ssize_t got;

  do
    {
      g_assert_cmpint (poll (&set, 1, WAIT_MS), ==, 1);
      got = recv (fd, buffer, sizeof buffer, 0);
      if (got > 0)
        g_byte_array_append (bytes, buffer, (guint) got);
    }
  while (got > 0);
  return bytes;
}

static void
expect_goodbye (int fd, const char *said)
{
  g_autoptr (GByteArray) bytes = read_to_end (fd);

  g_assert_nonnull (memmem (bytes->data, bytes->len, said, strlen (said)));
  close (fd);
}

/* A reply came: something beside the preamble that is no event. */
static void
expect_reply (int fd)
{
  struct pollfd set = { .fd = fd, .events = POLLIN };
  guint8 buffer[SONDE_SESSION_PREAMBLE_BYTES + 5];
  gsize there = 0;

  while (there < sizeof buffer)
    {
      ssize_t got;

      g_assert_cmpint (poll (&set, 1, WAIT_MS), ==, 1);
      got = recv (fd, buffer + there, sizeof buffer - there, 0);
      g_assert_cmpint (got, >, 0);
      there += (gsize) got;
    }
  g_assert_cmpuint (buffer[sizeof buffer - 1], ==, 0x0a);
}

/* ---- a listening session ------------------------------------------------- */

typedef struct
{
  SessionFixture fixture;
  Clock clock;
  SondeSessionClient *good; /* over a pair; in control */
} Place;

static SondeSessionState
state_of (SondeSessionClient *client)
{
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_status ());

  return reply->status->state;
}

/* The subject is ready, or runs, when this returns: the server answers some requests before its
 * engine has come that far. */
static void
place_init (Place *place, const char *subject, SondeClientLost lost)
{
  clock_init (&place->clock);
  session_fixture_init (&place->fixture);
  place->fixture.options.clock = &place->clock.clock;
  place->fixture.options.listen = TRUE;
  place->fixture.options.client_lost = lost;
  session_fixture_start (&place->fixture);
  place->fixture.activity = session_fixture_open (&place->fixture, subject, NULL);
  place->fixture.run_now = g_str_equal (subject, "training");
  place->good = session_fixture_connect (&place->fixture);
  while (state_of (place->good)
         != (place->fixture.run_now ? SONDE_SESSION_RUNNING : SONDE_SESSION_READY))
    g_thread_yield ();
}

static void
place_clear (Place *place)
{
  g_clear_object (&place->good);
  session_fixture_clear (&place->fixture);
}

static int
knock (Place *place)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, sonde_session_server_get_socket_path (place->fixture.server),
             sizeof address.sun_path);
  g_assert_cmpint (connect (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  return fd;
}

/* ---- DP1: tokens --------------------------------------------------------- */

static void
test_long_token (void)
{
  g_autofree char *text = g_strnfill (1 << 16, 'a');
  Place place;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  expect_goodbye (say_hello (knock (&place), text), "token is wrong");
  g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_READY);
  place_clear (&place);
}

/* The token of a session that is over opens no other. */
static void
test_old_token (void)
{
  g_autofree char *old = NULL;
  Place place;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  old = g_strdup (place.fixture.server->listener.token);
  place_clear (&place);
  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  expect_goodbye (say_hello (knock (&place), old), "token is wrong");
  place_clear (&place);
}

static void
test_late_hello (void)
{
  Place place;
  int fd;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  fd = knock (&place);
  send_all (fd, sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES);
  pthread_mutex_lock (&place.fixture.server->lock);
  while (place.fixture.server->peers->len < 2) /* it is let in first */
    {
      pthread_mutex_unlock (&place.fixture.server->lock);
      g_thread_yield ();
      pthread_mutex_lock (&place.fixture.server->lock);
    }
  pthread_mutex_unlock (&place.fixture.server->lock);
  advance (&place.clock, place.fixture.server, 11);
  expect_goodbye (fd, "did not send hello");
  place_clear (&place);
}

/* After five wrong ones nobody is let in for a second. */
static void
test_guessing (void)
{
  Place place;
  struct pollfd set = { .events = POLLIN };

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  for (int i = 0; i < 5; i++)
    expect_goodbye (say_hello (knock (&place), "0123"), "token is wrong");
  set.fd = say_hello (knock (&place), place.fixture.server->listener.token);
  for (int i = 0; i < 20; i++)
    g_assert_cmpint (state_of (place.good), ==,
                     SONDE_SESSION_READY); /* the server goes round, and does not look */
  g_assert_cmpint (poll (&set, 1, 0), ==, 0);
  advance (&place.clock, place.fixture.server, 2);
  expect_reply (set.fd);
  close (set.fd);
  place_clear (&place);
}

/* ---- DP5: nonsense ------------------------------------------------------- */

/* Every kind of request with nothing in it, and kinds that are none: an answer each, with its
 * id. */
static void
test_empty_bodies (void)
{
  Place place;
  int fd;
  guint n = 0;
  g_autoptr (GError) error = NULL;
  SondeSessionChannel channel;
  GHashTable *answered = g_hash_table_new (NULL, NULL);

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  fd = say_hello (session_fixture_connect_raw (&place.fixture), "");
  for (guint k = 3; k < 120; k++)
    {
      guint8 frame[]
          = { 0, 0, 0, 0, 0x08, (guint8) k, (guint8) (k << 3 | 2 | 0x80), (guint8) (k >> 4), 0 };

      /* quit, detach; taken, alive and cancel are not answered */
      if (k == 9 || (k >= 22 && k <= 24) || k == 86)
        continue;
      frame[0] = sizeof frame - 4;
      send_all (fd, frame, sizeof frame);
      n++;
    }
  sonde_session_channel_init (&channel, NULL, fd);
  while (g_hash_table_size (answered) < n)
    {
      struct pollfd set = { .fd = fd, .events = POLLIN };
      const guint8 *data;
      gsize length;

      g_assert_cmpint (poll (&set, 1, WAIT_MS), ==, 1);
      g_assert_true (sonde_session_channel_receive (&channel, &error));
      while (sonde_session_channel_next (&channel, &data, &length, &error) && data != NULL)
        {
          Sonde__Session__Message *message = sonde_session_unpack (
              &sonde__session__message__descriptor, data, length, "message", &error);

          g_assert_no_error (error);
          if (message->body_case == SONDE__SESSION__MESSAGE__BODY_REPLY && message->reply->id > 1)
            g_hash_table_add (answered, GUINT_TO_POINTER (message->reply->id));
          sonde_wire_free (message);
        }
      g_assert_no_error (error);
    }
  sonde_session_channel_clear (&channel);
  g_hash_table_unref (answered);
  g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_READY);
  place_clear (&place);
}

/* ---- DP6: a client that does not read ------------------------------------ */

static gint64
time_of_runs (SessionFixture *fixture, guint64 n)
{
  guint64 end = atomic_load (&fixture->runs) + n;
  gint64 since = g_get_monotonic_time ();

  while (atomic_load (&fixture->runs) < end)
    g_thread_yield ();
  return g_get_monotonic_time () - since;
}

/* 1 GB and more of tensors are asked for and not read: what waits is bounded, and once it does the
 * run is as fast as before. */
static void
test_does_not_read (void)
{
  Place place;
  SondeSessionPeer *peer;
  gint64 before = G_MAXINT64, during = G_MAXINT64;
  guint64 outside;
  int fd, descriptors;

  place_init (&place, "training", SONDE_CLIENT_LOST_CONTINUE);
  for (int i = 0; i < 5; i++)
    before = MIN (before, time_of_runs (&place.fixture, 100));
  fd = say_hello (session_fixture_connect_raw (&place.fixture), "");
  fcntl (fd, F_SETFL, O_NONBLOCK);
  for (guint32 id = 2; id < 1000; id++)
    send_request (fd, sonde_session_request_tensor ("big"), id); /* 1.4 MB each */
  for (int i = 0; i < 5; i++)
    during = MIN (during, time_of_runs (&place.fixture, 100));
  pthread_mutex_lock (&place.fixture.server->lock);
  peer = g_ptr_array_index (place.fixture.server->peers, 1);
  outside = peer->in_transit;
  descriptors = (int) peer->channel.queued_fds;
  g_assert_cmpuint (peer->channel.queued, <=, SONDE_SESSION_QUEUE_BYTES);
  pthread_mutex_unlock (&place.fixture.server->lock);
  g_assert_cmpuint (outside, <=, SONDE_SESSION_MEMORY_BYTES);
  g_assert_cmpint (descriptors, <=, SONDE_SESSION_UNREAD_VALUES);
  g_test_message ("%" G_GUINT64_FORMAT " MB wait; 100 runs: %.2f of before", outside / 1000000,
                  (double) during / (double) MAX (before, 1));
  g_assert_cmpint (during, <, 10 * before + 20000);
  g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_RUNNING);
  close (fd);
  place_clear (&place);
}

/* ---- DP7, DP8: clients that vanish --------------------------------------- */

/* It holds a paused run and does not say that it is there: after half a minute the run goes on. */
static void
test_heartbeat (gconstpointer data)
{
  gboolean waits = GPOINTER_TO_INT (data);
  Place place;
  g_autoptr (SondeSessionReply) released = NULL;
  int fd;

  place_init (&place, "training", waits ? SONDE_CLIENT_LOST_WAIT : SONDE_CLIENT_LOST_CONTINUE);
  released = call (place.good, sonde_session_request_control (FALSE));
  fd = say_hello (session_fixture_connect_raw (&place.fixture), "");
  send_request (fd, sonde_session_request_pause (), 2);
  g_clear_pointer (&released, sonde_session_reply_free);
  sonde_session_event_free (wait_for (place.good, SONDE_SESSION_EVENT_STOPPED));
  for (int i = 0; i < 8; i++)
    {
      advance (&place.clock, place.fixture.server, 6);
      state_of (place.good); /* it went round */
    }
  if (waits)
    {
      sonde_session_event_free (wait_for (place.good, SONDE_SESSION_EVENT_LOG));
      sonde_session_event_free (wait_for (place.good, SONDE_SESSION_EVENT_CONTROL));
      g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_PAUSED);
      released = call (place.good, sonde_session_request_control (TRUE));
      g_assert_true (released->status->in_control);
      sonde_session_event_free (
          resume (place.good, SONDE_RESUME_STEP, 1, NULL, SONDE_SESSION_EVENT_STOPPED));
    }
  else
    sonde_session_event_free (wait_for (place.good, SONDE_SESSION_EVENT_RESUMED));
  close (fd);
  place_clear (&place);
}

/* Nobody is left: it goes on, or waits for the next who attaches. */
static void
test_gone_while_paused (gconstpointer data)
{
  gboolean waits = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) next = NULL;
  guint64 runs;
  Place place;

  place_init (&place, "training", waits ? SONDE_CLIENT_LOST_WAIT : SONDE_CLIENT_LOST_CONTINUE);
  add_breakpoint (place.good, "n2", SONDE_MOMENT_BEFORE);
  sonde_session_event_free (wait_for (place.good, SONDE_SESSION_EVENT_STOPPED));
  runs = atomic_load (&place.fixture.runs);
  g_clear_object (&place.good);
  if (!waits)
    {
      while (atomic_load (&place.fixture.runs) < runs + 3) /* the breakpoint is gone, too */
        g_thread_yield ();
      place_clear (&place);
      return;
    }
  next = sonde_session_client_attach (getpid (), place.fixture.directory, &error);
  g_assert_no_error (error);
  while (state_of (next) == SONDE_SESSION_PAUSED && !sonde_session_client_is_closed (next))
    {
      g_autoptr (SondeSessionReply) taken = call (next, sonde_session_request_control (TRUE));
      g_autoptr (SondeSessionReply) list = NULL;

      if (!taken->status->in_control) /* the other one was not noticed to be gone yet */
        continue;
      list = call (next, sonde_session_request_list_breakpoints ());
      g_assert_cmpuint (list->breakpoints->len, ==, 1);
      break;
    }
  g_assert_cmpuint (atomic_load (&place.fixture.runs), ==, runs);
  g_clear_object (&next);
  place_clear (&place);
}

/* Gone with half a request on the wire: nothing of it was done. With a whole one: it was done
 * whole. */
static void
test_half_a_watch (void)
{
  Place place;
  g_autoptr (SondeSessionReply) list = NULL, released = NULL;
  SondeSessionRequest *request = sonde_session_request_add_watch ("preset tensor_overflow");
  g_autoptr (GBytes) frame = NULL;
  int fd;

  place_init (&place, "inference", SONDE_CLIENT_LOST_WAIT);
  released = call (place.good, sonde_session_request_control (FALSE));
  fd = say_hello (session_fixture_connect_raw (&place.fixture), "");
  expect_reply (fd);
  request->message.id = 2;
  frame = sonde_session_pack (&request->message.base);
  send_all (fd, g_bytes_get_data (frame, NULL), g_bytes_get_size (frame) - 3);
  shutdown (fd, SHUT_WR); /* half-closed */
  g_byte_array_unref (read_to_end (fd));
  close (fd);
  list = call (place.good, sonde_session_request_list_watches ());
  g_assert_cmpuint (list->watches->len, ==, 0);
  sonde_session_request_free (request);
  place_clear (&place);
}

/* A client that is let in: those that left may not have been noticed to be gone yet. */
static int
connect_with_room (Place *place)
{
  SondeSessionServer *server = place->fixture.server;
  gboolean room = FALSE;

  while (!room)
    {
      g_thread_yield ();
      pthread_mutex_lock (&server->lock);
      room = server->peers->len < SONDE_SESSION_MAX_CLIENTS;
      pthread_mutex_unlock (&server->lock);
    }
  return session_fixture_connect_raw (&place->fixture);
}

/* Gone, with a reset, while tensors are on their way. */
static void
test_gone_in_a_reply (void)
{
  Place place;

  place_init (&place, "training", SONDE_CLIENT_LOST_CONTINUE);
  for (int round = 0; round < 20; round++)
    {
      int fd = say_hello (connect_with_room (&place), "");

      for (guint32 id = 2; id < 12; id++)
        send_request (fd, sonde_session_request_tensor (round % 2 == 0 ? "big" : "v3"), id);
      expect_reply (fd);
      close (fd); /* with unread bytes: the server's next write is refused */
      g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_RUNNING);
    }
  place_clear (&place);
}

/* ---- DP9: crowds --------------------------------------------------------- */

static void
test_hundred (void)
{
  int fds[100];
  guint n_in = 0;
  Place place;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    {
      fds[i] = say_hello (knock (&place), place.fixture.server->listener.token);
      if (n_in < SONDE_SESSION_MAX_CLIENTS - 1)
        expect_reply (fds[i]);
      else
        expect_goodbye (fds[i], "which is the maximum");
      n_in += n_in < SONDE_SESSION_MAX_CLIENTS - 1;
    }
  g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_READY);
  for (guint i = 0; i < n_in; i++)
    close (fds[i]);
  place_clear (&place);
}

static void
test_observer (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  Place place;
  g_autoptr (SondeSessionReply) added = NULL, list = NULL;
  g_autoptr (SondeSessionClient) other = NULL;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  other = session_fixture_connect (&place.fixture);
  added = call (place.good, sonde_session_request_add_watch ("preset tensor_overflow"));
  call_fails (other, sonde_session_request_remove_breakpoint (1), SONDE_ENGINE_ERROR_STATE);
  call_fails (other, sonde_session_request_add_watch ("preset tensor_overflow"),
              SONDE_ENGINE_ERROR_STATE);
  call_fails (other, sonde_session_request_resume (&on), SONDE_ENGINE_ERROR_STATE);
  list = call (other, sonde_session_request_list_watches ());
  g_assert_cmpuint (list->watches->len, ==, 1);
  place_clear (&place);
}

/* ---- DP10: watches and conditions ---------------------------------------- */

static void
test_many_watches (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) list = NULL;
  guint n = 0, n_refused = 0;
  Place place;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  for (guint i = 0; i < 100000 && n_refused < 100; i++)
    {
      g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
          place.good, sonde_session_request_add_watch ("max(v0) > 1e30 nostop"), WAIT_MS, &error);

      n += reply != NULL;
      n_refused += reply == NULL;
      if (reply != NULL)
        continue;
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "10000"));
      g_clear_error (&error);
    }
  g_assert_cmpuint (n, ==, SONDE_DEBUGGER_MAX_WATCHES);
  list = call (place.good, sonde_session_request_list_watches ());
  g_assert_cmpuint (list->watches->len, ==, n);
  place_clear (&place);
}

static void
test_odd_conditions (void)
{
  static const struct
  {
    const char *text;
    gboolean truth;
  } known[] = {
    { "1 / 0 > 2", TRUE },       { "-1 / 0 < 0", TRUE },       { "0 / 0 > 0", FALSE },
    { "0 / 0 == 0 / 0", FALSE }, { "nan != nan", TRUE },       { "inf == inf", TRUE },
    { "inf - inf > 0", FALSE },  { "nan > 0 || 1 > 0", TRUE },
  };
  static const char *const refused[]
      = { "words > 1", "max(words) > 0", "nothing > 0", "max()", "1 +", "" };
  g_autoptr (SondeSessionEvent) ended = NULL;
  Place place;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  ended = resume (place.good, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autoptr (SondeSessionReply) reply
          = call (place.good,
                  sonde_session_request_evaluate (known[i].text, SONDE_SESSION_WANT_CHECKED, NULL));

      g_test_message ("%s: %d", known[i].text, reply->truth);
      g_assert_cmpint (reply->truth, ==, known[i].truth);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
          place.good, sonde_session_request_evaluate (refused[i], SONDE_SESSION_WANT_CHECKED, NULL),
          WAIT_MS, &error);

      g_assert_null (reply);
      g_assert_cmpint (error->domain, ==, SONDE_ENGINE_ERROR);
    }
  place_clear (&place);
}

/* ---- DP11: processes ----------------------------------------------------- */

/* Nothing of a session goes on into programs that are started meanwhile. */
static void
test_cloexec (void)
{
  Place place;
  DIR *folder;
  const struct dirent *entry;
  guint n = 0;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  sonde_session_reply_free (call (place.good, sonde_session_request_tensor ("tall")));
  folder = opendir ("/proc/self/fd");
  while ((entry = readdir (folder)) != NULL)
    {
      int fd = (int) g_ascii_strtoll (entry->d_name, NULL, 10);
      g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd),
                      *what = g_file_read_link (link, NULL);

      if (fd <= 2 || what == NULL
          || !(strstr (what, "socket") != NULL || strstr (what, place.fixture.directory) != NULL))
        continue;
      g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
      n++;
    }
  closedir (folder);
  g_assert_cmpuint (n, >=, 4); /* two ends, the listening socket, its token */
  place_clear (&place);
}

/* An engine that stands still: its other end is a socket that nobody reads. @clock is the client's;
 * the server's lock is held. */
static void
stand_still (Place *place, Clock *clock)
{
  gint64 pinged = 0;

  clock_init (clock);
  sonde_session_client_set_clock (place->good, &clock->clock);
  pthread_mutex_lock (&place->fixture.server->lock); /* its socket's thread waits for this */
  atomic_fetch_add (&clock->now, 3 * SECOND);
  sonde_session_client_wake (place->good); /* the ping goes out */
  while (pinged == 0)
    {
      pthread_mutex_lock (&place->good->lock);
      pinged = place->good->monitor.pinged_ns;
      pthread_mutex_unlock (&place->good->lock);
      g_thread_yield ();
    }
  g_assert_false (sonde_session_client_is_silent (place->good));
  atomic_fetch_add (&clock->now, 4 * SECOND);
  sonde_session_client_wake (place->good);
}

static void
test_not_answering (void)
{
  Place place;
  Clock clock;
  g_autoptr (SondeSessionEvent) silent = NULL, back = NULL;
  g_autoptr (GError) error = NULL;

  place_init (&place, "inference", SONDE_CLIENT_LOST_QUIT);
  stand_still (&place, &clock);
  silent = wait_for (place.good, SONDE_SESSION_EVENT_SILENT);
  g_assert_true (sonde_session_client_is_silent (place.good));
  /* no freeze */
  g_assert_null (
      sonde_session_client_call (place.good, sonde_session_request_steps (), 10, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  pthread_mutex_unlock (&place.fixture.server->lock);
  back = wait_for (place.good, SONDE_SESSION_EVENT_ANSWERS);
  g_assert_false (sonde_session_client_is_silent (place.good));
  g_assert_cmpint (state_of (place.good), ==, SONDE_SESSION_READY);
  place_clear (&place);
}

/* Leaving one that is silent waits for nothing; it learns of it later, and goes on. */
static void
test_leaving_while_silent (void)
{
  Place place;
  Clock clock;
  g_autoptr (SondeSessionClient) next = NULL;

  place_init (&place, "training", SONDE_CLIENT_LOST_CONTINUE);
  stand_still (&place, &clock);
  sonde_session_client_detach (place.good);
  g_assert_true (sonde_session_client_is_closed (place.good));
  pthread_mutex_unlock (&place.fixture.server->lock);
  next = session_fixture_connect (&place.fixture);
  g_assert_cmpint (state_of (next), ==, SONDE_SESSION_RUNNING);
  g_set_object (&place.good, next);
  place_clear (&place);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/DP1/too-long", test_long_token);
  g_test_add_func ("/engine/session/DP1/replayed", test_old_token);
  g_test_add_func ("/engine/session/DP1/late-hello", test_late_hello);
  g_test_add_func ("/engine/session/DP1/guessing", test_guessing);
  g_test_add_func ("/engine/session/DP5/empty-bodies", test_empty_bodies);
  g_test_add_func ("/engine/session/DP6/does-not-read", test_does_not_read);
  g_test_add_data_func ("/engine/session/DP7/heartbeat-goes-on", GINT_TO_POINTER (FALSE),
                        test_heartbeat);
  g_test_add_data_func ("/engine/session/DP7/heartbeat-waits", GINT_TO_POINTER (TRUE),
                        test_heartbeat);
  g_test_add_func ("/engine/session/DP7/reset-in-a-reply", test_gone_in_a_reply);
  g_test_add_data_func ("/engine/session/DP8/T29-goes-on", GINT_TO_POINTER (FALSE),
                        test_gone_while_paused);
  g_test_add_data_func ("/engine/session/DP8/T29-waits", GINT_TO_POINTER (TRUE),
                        test_gone_while_paused);
  g_test_add_func ("/engine/session/DP8/half-a-watch", test_half_a_watch);
  g_test_add_func ("/engine/session/DP9/hundred", test_hundred);
  g_test_add_func ("/engine/session/DP9/observer", test_observer);
  g_test_add_func ("/engine/session/DP10/many-watches", test_many_watches);
  g_test_add_func ("/engine/session/DP10/odd-conditions", test_odd_conditions);
  g_test_add_func ("/engine/session/DP11/close-on-exec", test_cloexec);
  g_test_add_func ("/engine/session/DP11/not-answering", test_not_answering);
  g_test_add_func ("/engine/session/DP11/leaving-while-silent", test_leaving_while_silent);
  return g_test_run ();
}

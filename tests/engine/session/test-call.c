/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own over a real socket: what they carry, parts, cancelling in the middle,
 * clients that go, bytes that are nonsense. */
#include <string.h>
#include <sys/socket.h>

#include "data/base/sonde-random.h"
#include "engine/session/codec/sonde-codec-value.h"
#include "engine/session/client/sonde-session-client-private.h"
#include "tests/engine/session/session-fixture.h"

/**
 * Fixture:
 * @started, @ended: calls of "wait" that began, and that saw that they were cancelled
 * @done: calls of "note"
 */
typedef struct
{
  SessionFixture session; /* first member */
  SondeSessionClient *client;
  _Atomic guint started, ended, done;
  GAsyncResult *result, *other;
} Fixture;

static void
add_tensor (GPtrArray *tensors, SondeDtype dtype, gint64 n)
{
  SondeShape shape = sonde_shape_make (2, 2, n);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < 2 * n; i++)
    sonde_tensor_set_double (tensor, i, (double) (i % 100));
  g_ptr_array_add (tensors, tensor);
}

static GPtrArray *
new_tensors (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
}

static gboolean
do_wait (Fixture *fixture, SondeSessionCall *call, GError **error)
{
  atomic_fetch_add (&fixture->started, 1);
  while (!call->is_cancelled (call))
    {
      call->progress (call, "waiting", 0.5, 2.5);
      g_thread_yield ();
    }
  atomic_fetch_add (&fixture->ended, 1);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "It was cancelled.");
  return FALSE;
}

static void
do_parts (SondeSessionCall *call)
{
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GPtrArray) tensors = new_tensors ();
      GVariantDict dict;

      add_tensor (tensors, SONDE_DTYPE_F32, i + 1);
      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "part", "u", i);
      call->part (call, g_variant_dict_end (&dict), tensors);
      call->progress (call, i % 2 == 0 ? "even" : "odd", i / 20.0, -1);
    }
}

static gboolean
host_call (SondeSessionHost *host, SondeSessionCall *call, GVariant **result, GPtrArray **tensors,
           GError **error)
{
  Fixture *fixture = (Fixture *) host;

  if (g_str_equal (call->name, "echo"))
    {
      *result = g_variant_ref (call->arguments);
      *tensors = g_ptr_array_ref (call->tensors);
    }
  else if (g_str_equal (call->name, "wait"))
    return do_wait (fixture, call, error);
  else if (g_str_equal (call->name, "note"))
    atomic_fetch_add (&fixture->done, 1); /* no result is an empty one */
  else if (g_str_equal (call->name, "parts"))
    do_parts (call);
  else if (g_str_equal (call->name, "large"))
    {
      *tensors = new_tensors ();
      add_tensor (*tensors, SONDE_DTYPE_F64, 500000); /* 8 MB: not in a frame */
      add_tensor (*tensors, SONDE_DTYPE_I64, 3);
    }
  else
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no call “%s”.", call->name);
      return FALSE;
    }
  return TRUE;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (&fixture->session);
  fixture->session.host.call = host_call;
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->result);
  g_clear_object (&fixture->other);
  g_clear_object (&fixture->client);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  session_fixture_clear (&fixture->session);
}

static GVariant *
arguments (void)
{
  return g_variant_new_parsed (
      "{'path': <b'/tmp/\\xff'>, 'nested': <{'a': <(1, 2.5)>}>, 'list': <@au [1, 2, 3]>}");
}

static SondeSessionRequest *
request (const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeSessionRequest *made = sonde_session_request_call (name, arguments (), NULL, &error);

  g_assert_no_error (error);
  return made;
}

/* ---- what they carry ----------------------------------------------------- */

static gboolean
same_tensor (const SondeTensor *a, const SondeTensor *b)
{
  return a->dtype == b->dtype && sonde_shape_equal (&a->shape, &b->shape)
         && memcmp (a->data, b->data, sonde_tensor_n_bytes (a)) == 0;
}

static void
test_echo (Fixture *fixture, gconstpointer data)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_F32, SONDE_DTYPE_U8, SONDE_DTYPE_I64, SONDE_DTYPE_F16, SONDE_DTYPE_BOOL };
  g_autoptr (GPtrArray) tensors = new_tensors ();
  g_autoptr (GVariant) expected = g_variant_ref_sink (arguments ());
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    add_tensor (tensors, dtypes[i], (gint64) i * 7);
  reply = call (fixture->client, sonde_session_request_call ("echo", expected, tensors, &error));
  g_assert_true (g_variant_equal (reply->result, expected));
  g_assert_cmpuint (reply->tensors->len, ==, tensors->len);
  for (guint i = 0; i < tensors->len; i++)
    g_assert_true (
        same_tensor (g_ptr_array_index (reply->tensors, i), g_ptr_array_index (tensors, i)));
}

static void
test_large (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeSessionReply) reply = call (fixture->client, request ("large"));
  g_autoptr (GPtrArray) tensors = new_tensors ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (reply->tensors->len, ==, 2);
  add_tensor (tensors, SONDE_DTYPE_F64, 500000);
  g_assert_true (
      same_tensor (g_ptr_array_index (reply->tensors, 0), g_ptr_array_index (tensors, 0)));
  for (int i = 0; i < 10; i++) /* each is taken over, so that there is always room for the next */
    {
      g_autoptr (SondeSessionReply) again = call (fixture->client, request ("large"));

      g_assert_cmpuint (again->tensors->len, ==, 2);
    }
  add_tensor (tensors, SONDE_DTYPE_F64, 500000);
  /* 16 MB do not go that way */
  g_assert_null (sonde_session_request_call ("echo", arguments (), tensors, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeSessionClient) watcher = session_fixture_connect (&fixture->session);
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionReply) resumed = NULL, noted = NULL;

  call_fails (fixture->client, request ("nothing"), SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (watcher, request ("note"), SONDE_ENGINE_ERROR_STATE); /* not in control */
  open_subject (fixture->client, "training");
  resumed = call (fixture->client, sonde_session_request_resume (&on));
  call_fails (fixture->client, request ("note"), SONDE_ENGINE_ERROR_STATE); /* it runs */
  g_assert_cmpuint (atomic_load (&fixture->done), ==, 0);
  fixture->session.host.call = NULL;
  call_fails (fixture->client, request ("note"), SONDE_ENGINE_ERROR_UNSUPPORTED);
}

/* ---- events -------------------------------------------------------------- */

static void
take (GObject *source, GAsyncResult *result, gpointer data)
{
  g_set_object ((GAsyncResult **) data, result);
}

typedef struct
{
  guint32 id;
  guint parts, progress;
} Heard;

static void
on_event (SondeSessionClient *client, const SondeSessionEvent *event, Heard *heard)
{
  guint number;

  if (event->call == 0)
    return;
  g_assert_cmpuint (event->call, ==, heard->id);
  heard->progress += event->kind == SONDE_SESSION_EVENT_PROGRESS;
  if (event->kind != SONDE_SESSION_EVENT_CALL_PART)
    return;
  g_assert_true (g_variant_lookup (event->result, "part", "u", &number));
  g_assert_cmpuint (number, ==, heard->parts);
  g_assert_cmpint (((SondeTensor *) g_ptr_array_index (event->tensors, 0))->shape.dims[1], ==,
                   number + 1);
  heard->parts++;
}

static void
test_parts (Fixture *fixture, gconstpointer data)
{
  Heard heard = { 0 };
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  g_signal_connect (fixture->client, "event", G_CALLBACK (on_event), &heard);
  heard.id = sonde_session_client_send (fixture->client, request ("parts"), NULL, take,
                                        &fixture->result);
  g_assert_cmpuint (heard.id, >, 0);
  while (fixture->result == NULL)
    g_main_context_iteration (NULL, TRUE);
  reply = sonde_session_client_send_finish (fixture->client, fixture->result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_variant_n_children (reply->result), ==, 0);
  g_assert_cmpuint (heard.parts, ==, 20); /* they came before the reply */
  g_assert_cmpuint (heard.progress, >, 0);
}

/* ---- cancelling ---------------------------------------------------------- */

static void
wait_started (Fixture *fixture, guint n)
{
  while (atomic_load (&fixture->started) < n)
    g_main_context_iteration (NULL, FALSE);
}

/* In the middle; one that waits behind it never begins; the next one is answered. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) first = g_cancellable_new (), second = g_cancellable_new ();
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  sonde_session_client_send (fixture->client, request ("wait"), first, take, &fixture->result);
  sonde_session_client_send (fixture->client, request ("note"), second, take, &fixture->other);
  wait_started (fixture, 1);
  g_cancellable_cancel (second);
  g_cancellable_cancel (first);
  while (fixture->result == NULL || fixture->other == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (sonde_session_client_send_finish (fixture->client, fixture->result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (sonde_session_client_send_finish (fixture->client, fixture->other, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  reply = call (fixture->client, request ("echo"));
  g_assert_cmpuint (atomic_load (&fixture->ended), ==, 1);
  g_assert_cmpuint (atomic_load (&fixture->done), ==, 0);
}

/* Many times, at any moment. */
static void
test_cancel_often (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      guint spins = (guint) (sonde_random_uniform (5, 1, i) * 40);

      g_clear_object (&fixture->result);
      sonde_session_client_send (fixture->client, request ("wait"), cancellable, take,
                                 &fixture->result);
      for (guint k = 0; k < spins; k++)
        g_thread_yield ();
      g_cancellable_cancel (cancellable);
      while (fixture->result == NULL)
        g_main_context_iteration (NULL, TRUE);
    }
  reply = call (fixture->client, request ("echo"));
  g_assert_cmpuint (atomic_load (&fixture->started), ==, atomic_load (&fixture->ended));
}

/* The client's socket goes while its call is computed: the call ends, one behind it never begins,
 * and the engine ends. */
static void
test_gone (Fixture *fixture, gconstpointer data)
{
  sonde_session_client_send (fixture->client, request ("wait"), NULL, take, &fixture->result);
  wait_started (fixture, 1);
  sonde_session_client_send (fixture->client, request ("note"), NULL, take, &fixture->other);
  shutdown (fixture->client->channel.fd, SHUT_RDWR);
  session_fixture_join (&fixture->session);
  g_assert_cmpuint (atomic_load (&fixture->ended), ==, 1);
  g_assert_cmpuint (atomic_load (&fixture->done), ==, 0);
  while (fixture->result == NULL || fixture->other == NULL)
    g_main_context_iteration (NULL, TRUE);
}

/* ---- nonsense ------------------------------------------------------------ */

static void
expect_protocol (Fixture *fixture, SondeSessionRequest *bad)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  call_fails (fixture->client, bad, SONDE_ENGINE_ERROR_PROTOCOL);
  reply = call (fixture->client, request ("echo")); /* unhurt */
}

static SondeSessionRequest *
request_with_tensor (void)
{
  g_autoptr (GPtrArray) tensors = new_tensors ();
  g_autoptr (GError) error = NULL;

  add_tensor (tensors, SONDE_DTYPE_F32, 4);
  return sonde_session_request_call ("echo", arguments (), tensors, &error);
}

static void
test_nonsense (Fixture *fixture, gconstpointer data)
{
  SondeSessionRequest *bad = request ("echo");
  gint64 huge[] = { G_MAXINT64, 8 }, negative[] = { -1, -8 };

  bad->message.call->arguments->value->type = (char *) "a{sx}"; /* not what its members are */
  expect_protocol (fixture, bad);
  bad = request ("echo");
  bad->message.call->arguments->value->type = (char *) "a{s"; /* no type */
  expect_protocol (fixture, bad);
  bad = request ("echo");
  bad->message.call->arguments->value->members[0]->n_members--; /* a key without a value */
  expect_protocol (fixture, bad);
  bad = request ("echo");
  bad->message.call->arguments->value->members[0]->members[1]->n_members = 0;
  expect_protocol (fixture, bad);
  bad = request ("echo");
  bad->message.call->arguments->value = NULL;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->data->inside.len--;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->data->outside = TRUE; /* clients send no descriptors */
  bad->message.call->arguments->tensors[0]->data->outside_bytes = 32;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->dtype = 9999;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->dims = huge;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->dims = negative;
  expect_protocol (fixture, bad);
  bad = request_with_tensor ();
  bad->message.call->arguments->tensors[0]->n_dims = 0;
  expect_protocol (fixture, bad);
}

/* A value of @value or below it, drawn at random. */
static Sonde__Session__CallValue *
draw_value (Sonde__Session__CallValue *value, guint seed)
{
  for (guint k = 0; value->n_members > 0 && sonde_random_uniform (7, seed, k) < 0.8; k += 2)
    value = value->members[(gsize) (sonde_random_uniform (7, seed, k + 1)
                                    * (double) value->n_members)];
  return value;
}

/* Arguments of random types: refused, or good by chance and then sent back as they are. */
static void
test_random (Fixture *fixture, gconstpointer data)
{
  static const char *const types[] = { "",      "s", "u",  "ad", "au", "(ss)",       "{sv}", "v",
                                       "a{sv}", "r", "ms", "a",  "(",  "aaaaaaaaas", "*",    "o" };

  for (guint i = 0; i < 500; i++)
    {
      SondeSessionRequest *bad = request ("echo");
      g_autoptr (SondeSessionReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 1 + i % 4; k++)
        draw_value (bad->message.call->arguments->value, 10 * i + k)->type
            = (char *) types[(gsize) (sonde_random_uniform (9, i, k) * G_N_ELEMENTS (types))];
      reply = sonde_session_client_call (fixture->client, bad, 20000, &error);
      if (reply == NULL)
        g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL);
      else
        g_assert_true (g_variant_is_normal_form (reply->result));
    }
}

/* All types that a value may have come back as they were. */
static void
test_values (Fixture *fixture, gconstpointer data)
{
  static const char *const texts[] = {
    "{'a': <true>, 'b': <byte 7>, 'c': <int16 -3>, 'd': <uint16 9>, 'e': <int32 -70000>}",
    "{'x': <int64 -9223372036854775807>, 't': <uint64 18446744073709551615>, 'd': <0.1>}",
    "{'s': <'ü'>, '': <''>, 'l': <['a', 'b']>, 'none': <@as []>, 'v': <[<1>, <'two'>]>}",
    "{'n': <[1.5, -2.5]>, 'u': <[uint32 1, 4294967295]>, 'b': <[true, false]>, 'y': <b'xy'>}",
    "{'rows': <[(uint32 1, 2, (1, 2, 3, 4), 0.5)]>, 'none': <@a(ui(iiii)d) []>, 'unit': <()>}",
    "{'map': <{'in': <{'deeper': <uint32 4>}>}>, 'of': <{'k': 1.0}>, 'numbers': <{uint32 3: 'c'}>}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) sent
          = g_variant_parse (G_VARIANT_TYPE_VARDICT, texts[i], NULL, NULL, &error);
      g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();
      g_autoptr (GVariant) read = NULL;

      g_assert_no_error (error);
      read = sonde_codec_read_value (sonde_codec_write_value (memory, sent));
      g_assert_nonnull (read);
      g_assert_true (g_variant_equal (sent, read));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/session/call/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("echo", test_echo);
  ADD ("large", test_large);
  ADD ("refusals", test_refusals);
  ADD ("parts", test_parts);
  ADD ("cancel", test_cancel);
  ADD ("cancel-often", test_cancel_often);
  ADD ("gone", test_gone);
  ADD ("nonsense", test_nonsense);
  ADD ("random", test_random);
  ADD ("values", test_values);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0
 * Folders of dumped tensors in the debugger: a small one written here, and those of MindSpore where
 * they are. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "tests/engine/commands/opened-session.h"

/* "step value, …" of the hits of watch @id, those that could not be checked left out. (transfer
 * full) */
static char *
hits_of (OpenedSession *session, const char *line, gint64 id)
{
  g_autoptr (JsonObject) answer = opened_session_ask_well (session, line);
  JsonArray *hits = json_object_get_array_member (answer, "hits");
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (hits); i++)
    {
      JsonObject *hit = json_array_get_object_element (hits, i);

      if (json_object_get_int_member (hit, "id") != id || (json_object_has_member (hit, "error")))
        continue;
      g_string_append_printf (text, "%s%d %s", text->len > 0 ? ", " : "",
                              (int) json_object_get_int_member (hit, "step"),
                              json_object_get_string_member (hit, "value"));
    }
  return g_strdup (text->str);
}

/* ---- a small dump -------------------------------------------------------- */

static void
write_array (const char *folder, const char *name, const float *numbers, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, (int) n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  sonde_npy_write (NULL, path, tensor, &error);
  g_assert_no_error (error);
}

/* DumpData: one output of two float32. */
static void
write_message (const char *folder, const char *name, const float *numbers)
{
  guint8 bytes[]
      = { 0x1a, 20, 0x08, 1, 0x10, 2, 0x1a, 4, 0x0a, 2, 1, 2, 0x2a, 8, 0, 0, 0, 0, 0, 0, 0, 0 };
  g_autofree char *path = g_build_filename (folder, name, NULL);

  memcpy (bytes + 14, numbers, 2 * sizeof *numbers);
  bytes[1] = sizeof bytes - 2;
  g_assert_true (g_file_set_contents (path, (const char *) bytes, sizeof bytes, NULL));
}

/* Iterations 0, 1, 3: the weight grows by a tenth, much in the last; the gradient is bad in
 * iteration 1. */
static void
write_dump (const char *root, const char *rank)
{
  static const int iterations[] = { 0, 1, 3 };
  static const float weights[][2] = { { 1, 2 }, { 1.05f, 2.1f }, { 8, 2 } };
  const float gradients[][2] = { { 0.5f, 0.25f }, { NAN, 0.25f }, { 0.5f, 0 } };
  static const float activations[][2] = { { 0, 3 }, { 0, 0 }, { 1, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (iterations); i++)
    {
      g_autofree char *folder = g_strdup_printf ("%s/%s/Net/0/%d", root, rank, iterations[i]);

      g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
      write_array (folder, "Parameter.fc_weight.0.0.1700000000000003.output.0.DefaultFormat.npy",
                   weights[i], 2);
      write_array (folder,
                   "MatMul.Gradients_Default_fc-Dense_MatMul-op1.0.0.1700000000000002.output.0."
                   "DefaultFormat.npy",
                   gradients[i], 2);
      write_message (folder, "ReLU.Default_relu-ReLU_ReLU-op0.0.0.1700000000000001",
                     activations[i]);
    }
}

typedef struct
{
  char *root;
} Dump;

static void
dump_init (Dump *dump)
{
  dump->root = g_dir_make_tmp ("sonde-dump-XXXXXX", NULL);
  g_assert_nonnull (dump->root);
  write_dump (dump->root, "rank_0");
  write_dump (dump->root, "rank_1");
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *base;

  while (dir != NULL && (base = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, base, NULL);

      remove_tree (inside);
    }
  g_remove (path);
}

static void
dump_clear (Dump *dump)
{
  remove_tree (dump->root);
  g_free (dump->root);
}

static void
test_going (void)
{
  OpenedSession session;
  Dump dump;
  g_autoptr (JsonObject) state = NULL;

  dump_init (&dump);
  opened_session_init (&session, dump.root, NULL);
  state = opened_session_ask_well (&session, "info state");
  g_assert_cmpstr (json_object_get_string_member (state, "kind"), ==, "dump");
  g_assert_nonnull (
      strstr (json_object_get_string_member (state, "title"), "rank_0/Net/0 (+ rank_1/Net/0)"));
  g_assert_cmpfloat (opened_session_number_of (&session, "print max(fc_weight)"), ==, 2);
  opened_session_assert_error (&session, "print prev(fc_weight)", "first of the dump");
  opened_session_assert_stop (&session, "until step:2", "until", 2);
  g_assert_cmpfloat (opened_session_number_of (&session, "print max(prev(fc_weight))"), ==, 2);
  opened_session_assert_stop (&session, "step", "step", 4);
  g_assert_cmpfloat_with_epsilon (
      opened_session_number_of (&session, "print max(abs(fc_weight - prev(fc_weight)))"), 6.95,
      1e-6);
  opened_session_assert_stop (&session, "back", "step", 2);
  opened_session_assert_stop (&session, "until step:1", "until", 1);
  opened_session_assert_stop (&session, "back", "beginning", 1);
  g_assert_cmpfloat (
      opened_session_number_of (&session, "print max(\"Default/relu-ReLU/ReLU-op0:output:0\")"), ==,
      3);
  opened_session_assert_stop (&session, "until step:4", "until", 4);
  g_assert_cmpfloat (
      opened_session_number_of (&session, "print max(\"Default/relu-ReLU/ReLU-op0\")"), ==, 1);
  opened_session_clear (&session);
  dump_clear (&dump);
}

static void
test_watches (void)
{
  OpenedSession session;
  Dump dump;
  g_autoptr (JsonObject) added = NULL, diff = NULL, ended = NULL;
  g_autofree char *first = NULL, *second = NULL, *third = NULL, *last = NULL;

  dump_init (&dump);
  opened_session_init (&session, dump.root, NULL);
  added = opened_session_ask_well (&session, "watch preset gradient_exploding");
  json_object_unref (
      opened_session_ask_well (&session, "watch preset weight_change_too_large nostop"));
  json_object_unref (opened_session_ask_well (
      &session, "watch absmax(x - prev(x)) > 2 on kind:activation nostop"));
  json_object_unref (
      opened_session_ask_well (&session, "watch preset tensor_all_zero on kind:activation nostop"));
  first = hits_of (&session, "recheck step:2", 1);
  g_assert_cmpstr (first, ==, "2 Gradients/Default/fc-Dense/MatMul-op1:output:0");
  second = hits_of (&session, "recheck step:4", 2);
  g_assert_cmpstr (second, ==, "4 fc_weight");
  third = hits_of (&session, "recheck step:2", 3);
  g_assert_cmpstr (third, ==, "2 Default/relu-ReLU/ReLU-op0:output:0");
  opened_session_assert_error (&session, "recheck step:3", "no step 3");
  opened_session_assert_stop (&session, "continue", "watchpoint", 2);
  diff = opened_session_ask_well (&session, "diff fc_weight fc_weight@prev");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (diff, "max_abs"), 0.1, 1e-6);
  ended = opened_session_ask_well (&session, "continue");
  g_assert_cmpstr (json_object_get_string_member (ended, "event"), ==, "ended");
  last = hits_of (&session, "info hits", 2);
  g_assert_cmpstr (last, ==, "4 fc_weight");
  opened_session_assert_stop (&session, "reverse", "watchpoint", 2);
  opened_session_clear (&session);
  dump_clear (&dump);
}

/* A rank that is asked for, a damaged file, a folder that is no dump. */
static void
test_choice (void)
{
  static const char *const sets[] = { "rank=1", NULL };
  OpenedSession session;
  Dump dump;
  g_autoptr (JsonObject) state = NULL;
  g_autofree char *bad = NULL;

  dump_init (&dump);
  bad = g_strdup_printf (
      "%s/rank_1/Net/0/0/Add.Default_Add-op0.0.0.1700000000000009.output.0.DefaultFormat.npy",
      dump.root);
  g_assert_true (g_file_set_contents (bad, "\x93NUMPY\1\0", 8, NULL));
  opened_session_init (&session, dump.root, sets);
  state = opened_session_ask_well (&session, "info state");
  g_assert_nonnull (strstr (json_object_get_string_member (state, "title"), "rank_1/Net/0"));
  opened_session_assert_error (&session, "print \"Default/Add-op0\"", "Add.Default_Add-op0");
  opened_session_assert_error (&session, "profile start", "Nothing runs here");
  opened_session_assert_error (&session, "info profile", "Nothing runs here");
  opened_session_assert_stop (&session, "until step:2", "until", 2);
  opened_session_assert_error (&session, "print \"Default/Add-op0\"", "no value");
  opened_session_clear (&session);
  dump_clear (&dump);
}

static void
test_no_dump (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-dump-XXXXXX", NULL);
  const SondeOpenRequest request = { .subject = folder };
  SondeWorkerHost *host = sonde_worker_host_new ("sonde");
  SessionFixture session;
  SondeSessionClient *client;
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  session_fixture_init (&session);
  session.options.host = sonde_worker_host_get_session_host (host);
  session_fixture_start (&session);
  client = session_fixture_connect (&session);
  reply = sonde_session_client_call (client, sonde_session_request_open (&request), -1, &error);
  g_assert_null (reply);
  g_assert_nonnull (strstr (error->message, "rank_N/NET/GRAPH/ITERATION"));
  g_object_unref (client);
  session_fixture_clear (&session);
  sonde_worker_host_free (host);
  remove_tree (folder);
}

static void
test_sample (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder = g_build_filename (shared != NULL ? shared : "/nonexistent",
                                              "samples/mindspore/dump/npy", NULL);
  g_autofree char *hits = NULL;
  OpenedSession session;
  g_autoptr (JsonObject) added = NULL;

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("no samples of MindSpore");
      return;
    }
  opened_session_init (&session, folder, NULL);
  g_assert_cmpfloat_with_epsilon (opened_session_number_of (&session, "print min(fc3.bias)"),
                                  -0.1171347126364708, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      opened_session_number_of (&session,
                                "print max(\"Default/optimizer-Momentum/ApplyMomentum-op0\")"),
      0.10524439811706543, 1e-9);
  added = opened_session_ask_well (&session, "watch preset weight_too_large abs_mean_gt=0.1");
  hits = hits_of (&session, "recheck", 1);
  g_assert_cmpstr (hits, ==, "2 conv1.weight");
  opened_session_assert_stop (&session, "continue", "watchpoint", 2);
  opened_session_clear (&session);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/dump/going", test_going);
  g_test_add_func ("/engine/commands/dump/watches", test_watches);
  g_test_add_func ("/engine/commands/dump/choice", test_choice);
  g_test_add_func ("/engine/commands/dump/no-dump", test_no_dump);
  g_test_add_func ("/engine/commands/dump/sample", test_sample);
  return g_test_run ();
}

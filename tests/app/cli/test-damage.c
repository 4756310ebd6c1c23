/* SPDX-License-Identifier: Apache-2.0
 * Damaged files: records that were cut or have flipped bytes, models that were cut or nest too
 * deep. What can be read is given; else a sentence with the file, exit status 1 and no crash. */
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

#define RECORDS "r/records/000001.sonde"

typedef struct
{
  char *folder, *path;
  char *bytes;
  gsize length;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeTestProgram) program = NULL;

  fixture->folder = sonde_test_folder_new ();
  fixture->path = g_build_filename (fixture->folder, RECORDS, NULL);
  program = sonde_test_run (fixture->folder, NULL, "train", "mlp", TRAINING_SMALL, "--set",
                            "train.steps=100", "--set", "record.histograms=false", "--set",
                            "record.images=false", "--run", "r");
  sonde_test_assert_status (program, 0);
  g_assert_true (g_file_get_contents (fixture->path, &fixture->bytes, &fixture->length, NULL));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_test_folder_free (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->bytes);
}

static void
put_back (Fixture *fixture, gsize length)
{
  g_assert_true (g_file_set_contents (fixture->path, fixture->bytes, (gssize) length, NULL));
}

/* Losses that `sonde export` gives of the damaged file; the readable ones have their steps. */
static guint
count_losses (Fixture *fixture)
{
  g_autoptr (GPtrArray) points = training_export (fixture->folder, "r");
  g_autoptr (GPtrArray) losses = training_points (points, "loss");
  gint64 last = 0;

  for (guint i = 0; i < losses->len; i++)
    {
      gint64 step = ((TrainingPoint *) g_ptr_array_index (losses, i))->step;

      g_assert_cmpint (step, >, last);
      last = step;
    }
  return losses->len;
}

static void
test_cut (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JsonNode) json = NULL;
  JsonObject *file;
  guint n;

  put_back (fixture, fixture->length - 1000);
  n = count_losses (fixture);
  g_assert_cmpuint (n, >, 50);
  g_assert_cmpuint (n, <, 100);
  file = json_array_get_object_element (
      json_object_get_array_member (training_inspect (fixture->folder, "r", &json), "files"), 0);
  g_assert_cmpint (json_object_get_int_member (file, "bytes"), ==, fixture->length - 1000);
  g_assert_true (json_object_get_boolean_member (file, "waiting")
                 || json_array_get_length (json_object_get_array_member (file, "damaged")) > 0);
}

static void
test_flipped (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeTestProgram) inspected = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *file, *damage;
  gsize at = fixture->length - 4000;

  fixture->bytes[at] ^= 0x20;
  fixture->bytes[at + 700] ^= 0x01;
  put_back (fixture, fixture->length);
  g_assert_cmpuint (count_losses (fixture), >=, 97);
  file = json_array_get_object_element (
      json_object_get_array_member (training_inspect (fixture->folder, "r", &json), "files"), 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==, 2);
  damage = json_array_get_object_element (json_object_get_array_member (file, "damaged"), 0);
  sonde_test_assert_members (damage, "offset bytes reason");
  g_assert_cmpint (json_object_get_int_member (damage, "offset"), <=, at);
  g_assert_cmpint (json_object_get_int_member (damage, "offset")
                       + json_object_get_int_member (damage, "bytes"),
                   >, at);
  inspected = sonde_test_run (fixture->folder, NULL, "inspect", "r");
  sonde_test_assert_status (inspected, 0);
  sonde_test_assert_contains (inspected->err, "000001.sonde");
}

/* Any one byte may be wrong: never a crash, and most of the run is still there. */
static void
test_every_region (Fixture *fixture, gconstpointer data)
{
  for (gsize i = 0; i < 16; i++)
    {
      gsize at = i < 8 ? i * 7 : fixture->length / 16 * i;
      char kept = fixture->bytes[at];

      fixture->bytes[at] = (char) ~kept;
      put_back (fixture, fixture->length);
      fixture->bytes[at] = kept;
      g_assert_cmpuint (count_losses (fixture), >=, 98);
    }
}

static void
test_nothing_readable (Fixture *fixture, gconstpointer data)
{
  const char *const words[] = { "inspect", "export" };

  memset (fixture->bytes, 'x', fixture->length);
  put_back (fixture, fixture->length);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gboolean is_export = i == 1;
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (fixture->folder, NULL, words[i], RECORDS, is_export ? "--to" : NULL,
                            "csv", "--output", "out");

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, "000001.sonde");
    }
}

/* ---- models -------------------------------------------------------------- */

static void
refused (const char *folder, const char *file)
{
  const char *const words[] = { "infer", "inspect", "train" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, words[i], file);

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, file);
      g_assert_cmpstr (program->out, ==, "");
    }
}

static void
test_cut_model (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/lenet-mnist/lenet-mnist.onnx");
  g_autofree char *bytes = NULL;
  const double shares[] = { 0.0001, 0.01, 0.5, 0.9999 };
  gsize length;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  g_assert_true (g_file_get_contents (model, &bytes, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (shares); i++)
    {
      g_autofree char *path = g_build_filename (folder, "cut.onnx", NULL);

      g_assert_true (
          g_file_set_contents (path, bytes, (gssize) (shares[i] * (double) length), NULL));
      refused (folder, "cut.onnx");
    }
  sonde_test_folder_free (folder);
}

/* OX22: what a file calls its values steers no terminal and names no file. */
#define ODD "a\x1b[31m\xe2\x80\xae\n<b>../../x%s"

static void
check_printable (const SondeTestProgram *program)
{
  for (int i = 0; i < 2; i++)
    {
      const char *text = i == 0 ? program->out : program->err;

      g_assert_null (strchr (text, '\x1b'));
      g_assert_null (strstr (text, "\xe2\x80\xae"));
    }
  g_assert_nonnull (
      strstr (program->status == 0 ? program->out : program->err, "\\x1b[31m\\u202e"));
}

static void
test_odd_names (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *good = g_build_filename (folder, "good.onnx", NULL),
                  *bad = g_build_filename (folder, "bad.onnx", NULL);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &(SondeShape){ 1, { 2 } });

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new (ODD);
      SondeGraphValue *x = sonde_graph_add_input (graph, ODD, &type);
      SondeNode *node = sonde_graph_add_node (graph, ODD, "", "Softmax", &x, 1, 1);

      sonde_graph_set_opset (graph, "", 21);
      sonde_node_set_int (node, "axis", i == 0 ? 0 : 7);
      sonde_graph_rename_value (graph, sonde_node_get_output (node, 0), ODD "y");
      sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
      g_assert_true (sonde_model_save (NULL, i == 0 ? good : bad, graph, NULL));
    }
  {
    g_autoptr (SondeTestProgram) inspected = sonde_test_run (folder, NULL, "inspect", "good.onnx");
    g_autoptr (SondeTestProgram) run
        = sonde_test_run (folder, NULL, "infer", "good.onnx", "--output", "out");
    g_autoptr (SondeTestProgram) other
        = sonde_test_run (folder, NULL, "infer", "good.onnx", "--input", "z=out/x.npy");
    g_autoptr (SondeTestProgram) refused_run = sonde_test_run (folder, NULL, "infer", "bad.onnx");
    g_autofree char *file = g_build_filename (folder, "out", "a__31m_____b_.._.._x_sy.npy", NULL);

    sonde_test_assert_status (inspected, 0);
    check_printable (inspected);
    sonde_test_assert_status (run, 0);
    check_printable (run);
    g_assert_true (g_file_test (file, G_FILE_TEST_IS_REGULAR));
    sonde_test_assert_status (other, 1);
    sonde_test_assert_status (refused_run, 1);
    check_printable (refused_run);
  }
  sonde_test_folder_free (folder);
}

/* OX24: what cannot be read is named, by every command that is given it. */
static void
test_mindir (void)
{
  static const char *const commands[] = { "infer", "inspect", "train" };
  char *folder = sonde_test_folder_new ();
  g_autofree char *plain = g_build_filename (folder, "net.mindir", NULL);
  g_autofree char *encrypted = g_build_filename (folder, "secret.mindir", NULL);

  g_assert_true (g_file_set_contents (plain,
                                      "\x0a\x05"
                                      "0.1.1\x12\x09MindSpore",
                                      18, NULL));
  g_assert_true (g_file_set_contents (encrypted,
                                      "\xd8\x5e\x3a\x7f"
                                      "0123456789abcdef",
                                      20, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (SondeTestProgram) first = sonde_test_run (folder, NULL, commands[i], "net.mindir");
      g_autoptr (SondeTestProgram) second
          = sonde_test_run (folder, NULL, commands[i], "secret.mindir");

      sonde_test_assert_status (first, 1);
      sonde_test_assert_contains (first->err, "is a MindIR file without a graph");
      sonde_test_assert_status (second, 1);
      sonde_test_assert_contains (second->err, "is encrypted by MindSpore (AES-GCM)");
    }
  sonde_test_folder_free (folder);
}

static void
prepend_field (GByteArray *bytes, guint8 tag)
{
  guint8 head[11] = { tag };
  guint n = 1, length = bytes->len;

  for (; length >= 0x80; length >>= 7)
    head[n++] = (guint8) (length | 0x80);
  head[n++] = (guint8) length;
  g_byte_array_append (bytes, head, n);
  /* written back to front, so that 100,000 levels cost no 100,000 moves of all */
  for (guint i = 0; i < n / 2; i++)
    {
      guint8 *a = &bytes->data[bytes->len - n + i], *b = &bytes->data[bytes->len - 1 - i],
             kept = *a;

      *a = *b;
      *b = kept;
    }
}

/* Model → graph → node → attribute → graph → node → attribute …: 300,000 messages deep. */
static void
test_deep_model (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "deep.onnx", NULL);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gint64 start;

  for (guint i = 0; i < 100000; i++)
    {
      prepend_field (bytes, 0x32); /* AttributeProto.g */
      prepend_field (bytes, 0x2a); /* NodeProto.attribute */
      prepend_field (bytes, 0x0a); /* GraphProto.node */
    }
  prepend_field (bytes, 0x3a); /* ModelProto.graph */
  for (guint i = 0; i < bytes->len / 2; i++)
    {
      guint8 kept = bytes->data[i];

      bytes->data[i] = bytes->data[bytes->len - 1 - i];
      bytes->data[bytes->len - 1 - i] = kept;
    }
  g_assert_true (g_file_set_contents (path, (char *) bytes->data, bytes->len, NULL));
  start = g_get_monotonic_time ();
  refused (folder, "deep.onnx");
  g_assert_cmpint (g_get_monotonic_time () - start, <, 30 * G_TIME_SPAN_SECOND);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/cli/damage/cut", Fixture, NULL, set_up, test_cut, tear_down);
  g_test_add ("/app/cli/damage/flipped", Fixture, NULL, set_up, test_flipped, tear_down);
  g_test_add ("/app/cli/damage/every-region", Fixture, NULL, set_up, test_every_region, tear_down);
  g_test_add ("/app/cli/damage/nothing-readable", Fixture, NULL, set_up, test_nothing_readable,
              tear_down);
  g_test_add_func ("/app/cli/damage/cut-model", test_cut_model);
  g_test_add_func ("/app/cli/damage/deep-model", test_deep_model);
  g_test_add_func ("/app/cli/damage/mindir", test_mindir);
  g_test_add_func ("/app/cli/damage/odd-names", test_odd_names);
  return g_test_run ();
}

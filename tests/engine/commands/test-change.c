/* SPDX-License-Identifier: Apache-2.0
 * The commands that change a run, in JSON and for people: every answer is checked against numbers
 * of its own. */

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  CommandLines *lines;
} Fixture;

static void
fixture_init (Fixture *fixture, const char *subject, gboolean json)
{

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, subject);
  fixture->lines = command_lines_new (fixture->client, json);
}

static void
fixture_clear (Fixture *fixture)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

static char *
say (Fixture *fixture, const char *line)
{
  return command_lines_say (fixture->lines, line);
}

/* (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static JsonObject *
ask_well (Fixture *fixture, const char *line)
{
  JsonObject *object = ask (fixture, line);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, json_object_get_string_member (answer, "error"),
             said);
}

static double
number_of (Fixture *fixture, const char *value)
{
  g_autofree char *line = g_strdup_printf ("print %s", value);
  g_autoptr (JsonObject) answer = ask_well (fixture, line);

  return json_object_get_double_member (answer, "data");
}

static guint
length_of (JsonObject *object, const char *name)
{
  return json_array_get_length (json_object_get_array_member (object, name));
}

static const char *
word_of (JsonObject *object, const char *name)
{
  return json_object_get_string_member (object, name);
}

/* ---- set ----------------------------------------------------------------- */

/* v1 = v0 + x, v2 = Sigmoid (v1), v3 = v2 · x */
static void
test_set (void)
{
  g_autoptr (SondeTensor) v2 = expected_value ("v2"), v1 = expected_value ("v1");
  g_autoptr (JsonObject) stop = NULL, one = NULL, unread = NULL, edits = NULL, old = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  stop = ask_well (&fixture, "until n2");
  one = ask_well (&fixture, "set v1[1, :2] = 0");
  g_assert_cmpstr (word_of (one, "command"), ==, "set");
  g_assert_cmpstr (word_of (one, "name"), ==, "v1");
  g_assert_cmpint (json_object_get_int_member (one, "count"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (one, "edit"), ==, 1);
  g_assert_cmpuint (length_of (one, "readers"), ==, 1);
  g_assert_cmpuint (length_of (one, "stale"), ==, 0);
  g_assert_true (json_object_get_boolean_member (one, "effect"));
  g_assert_true (json_object_get_null_member (one, "warning"));
  old = json_object_ref (json_object_get_object_member (one, "old"));
  g_assert_cmpfloat (json_object_get_double_member (old, "max") + 0, >=,
                     sonde_tensor_get_double (v1, 0));
  unread = ask_well (&fixture, "set v0 = 9");
  g_assert_false (json_object_get_boolean_member (unread, "effect"));
  g_assert_nonnull (strstr (word_of (unread, "warning"), "v0"));
  g_assert_cmpuint (length_of (unread, "stale"), ==, 1);
  json_object_unref (ask_well (&fixture, "continue"));
  g_assert_cmpfloat (number_of (&fixture, "v2[1, 0]"), ==, 0.5);
  g_assert_cmpfloat (number_of (&fixture, "v2[1, 1]"), ==, 0.5);
  g_assert_cmpfloat ((float) number_of (&fixture, "v2[1, 2]"), ==,
                     (float) sonde_tensor_get_double (v2, 6));
  g_assert_cmpfloat ((float) number_of (&fixture, "v1[0, 0]"), ==,
                     (float) sonde_tensor_get_double (v1, 0));
  edits = ask_well (&fixture, "info edits");
  g_assert_cmpuint (length_of (edits, "edits"), ==, 2);
  assert_error (&fixture, "set v1 = 0", "no run is paused");
  fixture_clear (&fixture);
}

static void
test_set_kinds (void)
{
  g_autoptr (JsonObject) answer = NULL, single = NULL;
  g_autofree char *path = NULL, *line = NULL;
  const float row[] = { 1, 2, 3, 4 };
  SondeShape four = sonde_shape_make (1, 4);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &four, row);
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  path = g_build_filename (fixture.session.directory, "v.npy", NULL);
  g_assert_true (sonde_npy_write (NULL, path, tensor, NULL));
  line = g_strdup_printf ("set x = file:%s", path);
  answer = ask_well (&fixture, line);
  g_assert_cmpint (json_object_get_int_member (answer, "count"), ==, 12);
  g_assert_cmpfloat (number_of (&fixture, "x[2, 3]"), ==, 4);
  single = ask_well (&fixture, "set x[0, 0] = -inf");
  g_assert_cmpfloat (json_object_get_double_member (single, "old_number"), ==, 1);
  g_assert_cmpstr (word_of (single, "new_number"), ==, "-inf");
  json_object_unref (ask_well (&fixture, "set tall[0] = nan"));
  json_object_unref (ask_well (&fixture, "run"));
  g_assert_cmpfloat (number_of (&fixture, "v0[0, 1]"), ==, 2);
  g_assert_cmpfloat (number_of (&fixture, "v0[0, 0]"), ==, 0);
  assert_error (&fixture, "set x", "Usage: set");
  assert_error (&fixture, "set x =", "Usage: set");
  assert_error (&fixture, "set x[9] = 1", "9");
  assert_error (&fixture, "set nothing = 1", "no value");
  assert_error (&fixture, "set x = 1e39", "float32");
  assert_error (&fixture, "set x[0, 0] = file:/nowhere/at/all.npy", "all.npy");
  fixture_clear (&fixture);
}

/* v2 = Sigmoid (v1), v3 = v2 · x, v4 = Softmax (v3) */
static void
test_expressions (void)
{
  g_autoptr (SondeTensor) v1 = expected_value ("v1");
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  json_object_unref (ask_well (&fixture, "until n2"));
  json_object_unref (ask_well (&fixture, "set v1 = v1 * 2"));
  g_assert_cmpfloat ((float) number_of (&fixture, "v1[2, 1]"), ==,
                     2 * (float) sonde_tensor_get_double (v1, 9));
  json_object_unref (ask_well (&fixture, "set v1[0] = x[0]"));
  g_assert_cmpfloat (number_of (&fixture, "v1[0, 3]"), ==, number_of (&fixture, "x[0, 3]"));
  assert_error (&fixture, "set v1 = nothing * 2", "nothing");
  assert_error (&fixture, "set v1 = (", "Column");
  fixture_clear (&fixture);
}

/* ---- nodes and branches -------------------------------------------------- */

static void
test_branches (void)
{
  g_autoptr (JsonObject) made = NULL, back = NULL, changed = NULL, bypassed = NULL, list = NULL,
                         diff = NULL, edits = NULL;
  double plain;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  json_object_unref (ask_well (&fixture, "until n3"));
  made = ask_well (&fixture, "branch start");
  g_assert_cmpstr (word_of (made, "event"), ==, "branch");
  g_assert_cmpint (json_object_get_int_member (made, "branch"), ==, 2);
  g_assert_cmpuint (length_of (made, "branches"), ==, 2);
  json_object_unref (ask_well (&fixture, "continue"));
  plain = number_of (&fixture, "v4[0, 0]");
  back = ask_well (&fixture, "branch start");
  g_assert_cmpstr (word_of (back, "state"), ==, "paused");
  g_assert_cmpstr (word_of (back, "node"), ==, "n3");
  changed = ask_well (&fixture, "attr n4.axis = 0");
  g_assert_cmpstr (word_of (changed, "event"), ==, "branch");
  g_assert_cmpint (json_object_get_int_member (changed, "branch"), ==, 3);
  g_assert_cmpstr (word_of (changed, "node"), ==, "n3");
  g_assert_cmpstr (word_of (changed, "kind"), ==, "attr");
  json_object_unref (ask_well (&fixture, "continue"));
  g_assert_cmpfloat (number_of (&fixture, "v4[0, 0]"), !=, plain);
  g_assert_cmpfloat_with_epsilon (number_of (&fixture, "v4[0, 1]")
                                      + number_of (&fixture, "v4[1, 1]")
                                      + number_of (&fixture, "v4[2, 1]"),
                                  1, 1e-6);
  bypassed = ask_well (&fixture, "bypass n2");
  g_assert_cmpstr (word_of (bypassed, "node"), ==, "n2");
  g_assert_cmpstr (word_of (bypassed, "state"), ==, "paused");
  g_assert_nonnull (strstr (word_of (bypassed, "note"), "moved back"));
  json_object_unref (ask_well (&fixture, "continue"));
  g_assert_cmpfloat (number_of (&fixture, "v2[1, 1]"), ==, number_of (&fixture, "v1[1, 1]"));
  diff = ask_well (&fixture, "diff 2 4");
  g_assert_cmpstr (word_of (diff, "first_different_node"), ==, "n2");
  list = ask_well (&fixture, "branch");
  g_assert_cmpuint (length_of (list, "branches"), ==, 4);
  g_assert_false (json_object_has_member (list, "event"));
  edits = ask_well (&fixture, "info edits");
  g_assert_cmpuint (length_of (edits, "edits"), ==, 2);
  g_assert_cmpfloat (number_of (&fixture, "max(abs(v2 - v2@2))"), >, 0);
  g_assert_cmpfloat (number_of (&fixture, "max(abs(v1 - \"v1@start\"))"), ==, 0);
  assert_error (&fixture, "print v1@7", "no branch");
  assert_error (&fixture, "attr n4.axes = 0", "axis");
  assert_error (&fixture, "attr n4.axis = 9", "n4");
  assert_error (&fixture, "attr n4", "Which attribute");
  assert_error (&fixture, "attr nowhere.axis = 1", "nowhere");
  assert_error (&fixture, "bypass n5", "600");
  assert_error (&fixture, "bypass", "No node given");
  assert_error (&fixture, "branch 9", "no branch");
  fixture_clear (&fixture);
}

static void
test_training (void)
{
  g_autoptr (JsonObject) kept = NULL, diff = NULL;
  Fixture fixture;

  fixture_init (&fixture, "training", TRUE);
  json_object_unref (ask_well (&fixture, "until n3"));
  kept = ask_well (&fixture, "branch first");
  json_object_unref (ask_well (&fixture, "set tall = tall + 1"));
  diff = ask_well (&fixture, "diff tall tall@first");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (diff, "max_abs"), 1, 1e-6);
  assert_error (&fixture, "branch first", "training");
  assert_error (&fixture, "attr n4.axis = 0", "training");
  assert_error (&fixture, "bypass n2", "training");
  fixture_clear (&fixture);
}

/* ---- rerun and diff ------------------------------------------------------ */

static void
test_rerun (void)
{
  static const char *const keys[]
      = { "max_abs", "max_rel", "mean_abs", "cosine", "differing", "count",  "index",
          "a",       "b",       "note",     "node",   "op",        "outputs" };
  g_autoptr (JsonObject) same = NULL, wide = NULL, narrow = NULL, taken = NULL, ahead = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  json_object_unref (ask_well (&fixture, "until n4"));
  same = ask_well (&fixture, "rerun n2 --reference");
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (json_object_has_member (same, keys[i]));
  g_assert_cmpint (json_object_get_int_member (same, "differing"), ==, 0);
  g_assert_true (json_object_get_null_member (same, "index"));
  wide = ask_well (&fixture, "rerun v2 --precision f64");
  g_assert_cmpstr (word_of (wide, "dtype"), ==, "float64");
  g_assert_cmpfloat (json_object_get_double_member (wide, "max_abs"), <, 1e-6);
  g_assert_cmpfloat (json_object_get_double_member (wide, "max_abs"), >, 0);
  narrow = ask_well (&fixture, "rerun n2 --precision bf16");
  g_assert_cmpfloat (json_object_get_double_member (narrow, "max_abs"), >, 1e-5);
  g_assert_cmpuint (length_of (narrow, "index"), ==, 2);
  ahead = ask_well (&fixture, "rerun n4 --device cpu");
  g_assert_cmpfloat (json_object_get_double_member (ahead, "max_abs"), <, 1e-5);
  taken = ask_well (&fixture, "rerun n3 --precision bf16 --take");
  g_assert_true (json_object_get_boolean_member (taken, "taken"));
  /* a bfloat16 has 16 zero bits where float32 goes on */
  {
    union
    {
      float f;
      guint32 u;
    } bits = { .f = (float) number_of (&fixture, "v3[0, 0]") };

    g_assert_cmpuint (bits.u & 0xffff, ==, 0);
  }
  assert_error (&fixture, "rerun nowhere --reference", "no executed node");
  assert_error (&fixture, "rerun n2 --precision f12", "f12");
  assert_error (&fixture, "rerun n2 --device moon", "moon");
  assert_error (&fixture, "rerun --reference", "Usage: rerun");
  assert_error (&fixture, "rerun n5 --reference --fast", "Usage: rerun");
  fixture_clear (&fixture);
}

static void
test_diff (void)
{
  g_autoptr (JsonObject) diff = NULL, equal = NULL, scaled = NULL, file = NULL;
  g_autofree char *path = NULL, *line = NULL;
  g_autoptr (SondeTensor) v1 = expected_value ("v1"), x = expected_value ("x");
  double worst = 0;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  json_object_unref (ask_well (&fixture, "run"));
  diff = ask_well (&fixture, "diff v1 x");
  for (guint i = 0; i < 12; i++)
    worst = fmax (worst, fabs (sonde_tensor_get_double (v1, i) - sonde_tensor_get_double (x, i)));
  g_assert_cmpfloat (json_object_get_double_member (diff, "max_abs"), ==, worst);
  equal = ask_well (&fixture, "diff n1 v1");
  g_assert_cmpint (json_object_get_int_member (equal, "differing"), ==, 0);
  g_assert_cmpfloat (json_object_get_double_member (equal, "cosine"), ==, 1);
  scaled = ask_well (&fixture, "diff \"v1 * 2\" v1[:]");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (scaled, "max_rel"), 1, 1e-6);
  path = g_build_filename (fixture.session.directory, "v.npy", NULL);
  g_assert_true (sonde_npy_write (NULL, path, v1, NULL));
  line = g_strdup_printf ("diff v1 file:%s", path);
  file = ask_well (&fixture, line);
  g_assert_cmpint (json_object_get_int_member (file, "differing"), ==, 0);
  assert_error (&fixture, "diff v1 big", "600");
  assert_error (&fixture, "diff", "Usage: diff");
  assert_error (&fixture, "diff v1", "no branch");
  assert_error (&fixture, "diff v1 x v2", "Usage: diff");
  assert_error (&fixture, "diff v1 v1@other", "other");
  fixture_clear (&fixture);
}

static void
test_text (void)
{
  g_autofree char *set = NULL, *edits = NULL, *none = NULL, *branch = NULL, *rerun = NULL,
                  *diff = NULL, *attr = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", FALSE);
  none = say (&fixture, "info edits");
  g_assert_nonnull (strstr (none, "No edits."));
  set = say (&fixture, "set x[0, 1] = 2.5");
  g_assert_nonnull (strstr (set, "-> 2.5"));
  g_assert_nonnull (strstr (set, "will be read by n0"));
  edits = say (&fixture, "info edits");
  g_assert_nonnull (strstr (edits, "set x[0, 1] = 2.5"));
  branch = say (&fixture, "branch one");
  g_assert_nonnull (strstr (branch, "* 2: branch 2"));
  attr = say (&fixture, "attr n4.axis = 0");
  g_assert_nonnull (strstr (attr, "Branch 3: ready"));
  rerun = say (&fixture, "rerun n0 --precision f64");
  g_assert_nonnull (strstr (rerun, "v0: equal, 12 elements"));
  diff = say (&fixture, "diff one 3");
  g_assert_nonnull (strstr (diff, "values differ."));
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/change/set", test_set);
  g_test_add_func ("/engine/commands/change/set-kinds", test_set_kinds);
  g_test_add_func ("/engine/commands/change/expressions", test_expressions);
  g_test_add_func ("/engine/commands/change/branches", test_branches);
  g_test_add_func ("/engine/commands/change/training", test_training);
  g_test_add_func ("/engine/commands/change/rerun", test_rerun);
  g_test_add_func ("/engine/commands/change/diff", test_diff);
  g_test_add_func ("/engine/commands/change/text", test_text);
  return g_test_run ();
}

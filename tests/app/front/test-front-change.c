/* SPDX-License-Identifier: Apache-2.0
 * The commands that change a run, in JSON and for people: every answer is checked against numbers of its own. */
#include "app/front/sonde-front.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  SondeFront *front;
  FILE *output;
  char *text;
  size_t length;
} Fixture;

static void
fixture_init (Fixture    *fixture,
              const char *subject,
              gboolean    json)
{
  SondeFrontOptions options = { .json = json };

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, subject);
  fixture->output = open_memstream (&fixture->text, &fixture->length);
  options.output = fixture->output;
  fixture->front = sonde_front_new (fixture->client, &options);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_front_free (fixture->front);
  g_object_unref (fixture->client);
  fclose (fixture->output);
  free (fixture->text);
  session_fixture_clear (&fixture->session);
}

static char *
say (Fixture    *fixture,
     const char *line)
{
  size_t before = fixture->length;

  sonde_front_execute (fixture->front, line);
  fflush (fixture->output);
  return g_strndup (fixture->text + before, fixture->length - before);
}

/* (transfer full) */
static JsonObject *
ask (Fixture    *fixture,
     const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static JsonObject *
ask_well (Fixture    *fixture,
          const char *line)
{
  JsonObject *object = ask (fixture, line);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

static void
assert_error (Fixture    *fixture,
              const char *line,
              const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, json_object_get_string_member (answer, "error"), said);
}

static double
number_of (Fixture    *fixture,
           const char *value)
{
  g_autofree char *line = g_strdup_printf ("print %s", value);
  g_autoptr (JsonObject) answer = ask_well (fixture, line);

  return json_object_get_double_member (answer, "data");
}

static guint
length_of (JsonObject *object,
           const char *name)
{
  return json_array_get_length (json_object_get_array_member (object, name));
}

static const char *
word_of (JsonObject *object,
         const char *name)
{
  return json_object_get_string_member (object, name);
}

/* ---- set ------------------------------------------------------------------------------------- */

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
  g_assert_cmpfloat (json_object_get_double_member (old, "max") + 0, >=, sonde_tensor_get_double (v1, 0));
  unread = ask_well (&fixture, "set v0 = 9");
  g_assert_false (json_object_get_boolean_member (unread, "effect"));
  g_assert_nonnull (strstr (word_of (unread, "warning"), "v0"));
  g_assert_cmpuint (length_of (unread, "stale"), ==, 1);
  json_object_unref (ask_well (&fixture, "continue"));
  g_assert_cmpfloat (number_of (&fixture, "v2[1, 0]"), ==, 0.5);
  g_assert_cmpfloat (number_of (&fixture, "v2[1, 1]"), ==, 0.5);
  g_assert_cmpfloat ((float) number_of (&fixture, "v2[1, 2]"), ==, (float) sonde_tensor_get_double (v2, 6));
  g_assert_cmpfloat ((float) number_of (&fixture, "v1[0, 0]"), ==, (float) sonde_tensor_get_double (v1, 0));
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
  assert_error (&fixture, "set x", "Set what to what");
  assert_error (&fixture, "set x =", "Set what to what");
  assert_error (&fixture, "set x[9] = 1", "9");
  assert_error (&fixture, "set nothing = 1", "no value");
  assert_error (&fixture, "set x = 1e39", "float32");
  assert_error (&fixture, "set x[0, 0] = file:/nowhere/at/all.npy", "all.npy");
  fixture_clear (&fixture);
}

static void
test_text (void)
{
  g_autofree char *set = NULL, *edits = NULL, *none = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", FALSE);
  none = say (&fixture, "info edits");
  g_assert_nonnull (strstr (none, "Nothing was changed"));
  set = say (&fixture, "set x[0, 1] = 2.5");
  g_assert_nonnull (strstr (set, "-> 2.5"));
  g_assert_nonnull (strstr (set, "will be read by n0"));
  edits = say (&fixture, "info edits");
  g_assert_nonnull (strstr (edits, "set x[0, 1] = 2.5"));
  fixture_clear (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/front/change/set", test_set);
  g_test_add_func ("/app/front/change/set-kinds", test_set_kinds);
  g_test_add_func ("/app/front/change/text", test_text);
  return g_test_run ();
}

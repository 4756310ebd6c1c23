/* SPDX-License-Identifier: Apache-2.0
 * Recordings in a session of `sonde debug`: their nodes are in them, and where they can be read when it has ended. */
#include <string.h>

#include "tests/support/sonde-test-program.h"

#define RECIPE                                                                                     \
  "[model]\nname = mlp\n[data]\nsource = glyphs\ntrain = 256\ntest = 64\nbatch = 32\n"             \
  "[train]\nepochs = 1\n"

/* A line of @out whose command is @command, the @k-th of them. (transfer full) */
static JsonObject *
find_answer (const char *out, const char *command, guint k)
{
  g_auto (GStrv) lines = g_strsplit (out, "\n", -1);

  for (char **line = lines; *line != NULL && **line != '\0'; line++)
    {
      g_autoptr (JsonNode) root = sonde_test_parse_json (*line);
      JsonObject *answer = json_node_get_object (root);

      if (json_object_has_member (answer, "command")
          && g_strcmp0 (json_object_get_string_member (answer, "command"), command) == 0
          && k-- == 0)
        return json_object_ref (answer);
    }
  g_error ("no answer to “%s” in: %s", command, out);
}

static void
assert_recorded (JsonObject *answer, gint64 steps, gint64 spans)
{
  sonde_test_assert_members (answer, "ok command recording steps spans bytes dropped overhead_ms");
  g_assert_false (json_object_get_boolean_member (answer, "recording"));
  g_assert_cmpint (json_object_get_int_member (answer, "steps"), ==, steps);
  g_assert_cmpint (json_object_get_int_member (answer, "spans"), >=, spans);
  g_assert_cmpint (json_object_get_int_member (answer, "bytes"), >, 0);
  g_assert_cmpint (json_object_get_int_member (answer, "dropped"), ==, 0);
}

/* `sonde profile RUN --json`: so many steps of an inference or training, with operators. */
static void
assert_readable (const char *folder, const char *run, gint64 steps)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "profile", run, "--json");
  g_autoptr (JsonNode) root = NULL;
  JsonObject *profile;

  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  profile = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (profile, "kind"), ==, "run");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (profile, "steps"), "count"), ==,
      steps);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (profile, "ops")), >, 5);
}

/* What line @k that begins with profile says: of an error the text of it, else where it was kept. (transfer full) */
static char *
dup_said (const SondeTestProgram *program, guint k)
{
  g_autoptr (JsonObject) answer = find_answer (program->out, "profile", k);
  gboolean is_ok = json_object_get_boolean_member (answer, "ok");

  return g_strdup (json_object_get_string_member (answer, is_ok ? "run" : "error"));
}

static void
assert_said (const SondeTestProgram *program, guint k, const char *part)
{
  g_autofree char *said = dup_said (program, k);

  sonde_test_assert_contains (said, part);
}

/* Its steps and their nodes are in it, and it lies in the training's run, whatever is named. */
static void
test_training (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *recipe = NULL, *said = NULL, *run = NULL;
  const char *const arguments[]
      = { "debug", "small.recipe", "--repl", "--json", "--run", "r", NULL };
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonObject) info = NULL;

  recipe = g_build_filename (folder, "small.recipe", NULL);
  run = g_build_filename (folder, "r", NULL);
  g_assert_true (g_file_set_contents (recipe, RECIPE, -1, NULL));
  program = sonde_test_run_strv (folder,
                                 "profile start 3\nprofile start\nprofile save\nrun\n"
                                 "info profile\nprofile save elsewhere\nquit\n",
                                 arguments);
  sonde_test_assert_status (program, 0);
  assert_said (program, 1, "already");
  assert_said (program, 2, "still being recorded");
  info = find_answer (program->out, "info", 0);
  assert_recorded (info, 3, 3 * 10);
  said = dup_said (program, 3);
  g_assert_cmpstr (said, ==, run);
  assert_readable (folder, "r", 3);
  sonde_test_folder_free (folder);
}

/* Two recordings without a step between them: the second does not take the place of the first. */
static void
test_one_after_the_other (void)
{
  const char *const arguments[]
      = { "debug", "small.recipe", "--repl", "--json", "--run", "r", NULL };
  char *folder = sonde_test_folder_new ();
  g_autofree char *recipe = g_build_filename (folder, "small.recipe", NULL);
  g_autoptr (SondeTestProgram) program = NULL, inspected = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *tags;
  gint64 n = -1;

  g_assert_true (g_file_set_contents (recipe, RECIPE, -1, NULL));
  program = sonde_test_run_strv (folder,
                                 "profile start\ntbreak op:Flatten if step == 3\nrun\n"
                                 "profile stop\nprofile start 2\ncontinue\nquit\n",
                                 arguments);
  sonde_test_assert_status (program, 0);
  inspected = sonde_test_run (folder, NULL, "inspect", "r", "--json");
  root = sonde_test_parse_json (inspected->out);
  tags = json_object_get_array_member (
      json_array_get_object_element (
          json_object_get_array_member (json_node_get_object (root), "runs"), 0),
      "tags");
  for (guint i = 0; i < json_array_get_length (tags); i++)
    {
      JsonObject *tag = json_array_get_object_element (tags, i);

      if (g_str_equal (json_object_get_string_member (tag, "tag"), "profile")
          && g_str_equal (json_object_get_string_member (tag, "kind"), "span"))
        n = json_object_get_int_member (tag, "count");
    }
  g_assert_cmpint (n, ==, 2);
  assert_readable (folder, "r", 2);
  sonde_test_folder_free (folder);
}

/* Each run is a step; it is kept where somebody says, as often as somebody does. */
static void
test_inference (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *said = NULL, *run = NULL;
  g_autofree char *model
      = g_build_filename (g_getenv ("SONDE_SHARED"), "models", "bn-resnet", "bn-resnet.onnx", NULL);
  const char *const arguments[] = { "debug", model, "--repl", "--json", NULL };
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonObject) stopped = NULL;

  run = g_build_filename (folder, "my run", NULL);
  program = sonde_test_run_strv (folder,
                                 "profile save a\nprofile start\nrun\nrestart\nrun\nprofile stop\n"
                                 "profile save\nprofile save 'my run'\nprofile save b\nquit\n",
                                 arguments);
  sonde_test_assert_status (program, 0);
  assert_said (program, 0, "No complete step");
  stopped = find_answer (program->out, "profile", 2);
  assert_recorded (stopped, 2, 2 * 20);
  assert_said (program, 3, "profile save RUN");
  said = dup_said (program, 4);
  g_assert_cmpstr (said, ==, run);
  assert_readable (folder, "my run", 2);
  assert_readable (folder, "b", 2);
  sonde_test_folder_free (folder);
}

/* For people: what is lost unless it is kept, and where it is then. */
static void
test_text (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model
      = g_build_filename (g_getenv ("SONDE_SHARED"), "models", "bn-resnet", "bn-resnet.onnx", NULL);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, "profile start 1\nrun\ninfo profile\nprofile save kept\nquit\n",
                        "debug", model, "--repl");

  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "Profile recorded: 1 step, ");
  sonde_test_assert_contains (program->out, "To keep it: profile save RUN.\n");
  sonde_test_assert_contains (program->out, "/kept”: sonde profile shows it.\n");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/profile-live/training", test_training);
  g_test_add_func ("/app/cli/profile-live/one-after-the-other", test_one_after_the_other);
  if (g_getenv ("SONDE_SHARED") != NULL)
    {
      g_test_add_func ("/app/cli/profile-live/inference", test_inference);
      g_test_add_func ("/app/cli/profile-live/text", test_text);
    }
  return g_test_run ();
}

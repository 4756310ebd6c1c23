/* SPDX-License-Identifier: Apache-2.0
 * The Explain page as a screen reader has it, on what the command line has written. */
#include "tests/app/pages/debugger-fixture.h"
#include "tests/app/pages/screen-reader.h"

/* Trains a small network for an epoch and explains what it gets wrong of drawn glyphs. (transfer full): the folder */
static char *
explain (const char *folder)
{
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autofree char *run = g_build_filename (folder, "run", NULL),
                  *model = g_build_filename (run, "checkpoints", "final.onnx", NULL);
  char *output = g_build_filename (folder, "explained", NULL);
  const char *const train[] = { program,
                                "train",
                                "lenet",
                                "--set",
                                "data.source=glyphs",
                                "--set",
                                "data.train=64",
                                "--set",
                                "data.test=32",
                                "--set",
                                "train.epochs=1",
                                "--run",
                                run,
                                NULL };
  const char *const tell[] = { program,    "explain",  model,  "--data", "glyphs:count=60",
                               "--triage", "--output", output, NULL };
  const char *const *const commands[] = { train, tell };

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *printed = NULL, *complained = NULL;
      int status;

      g_assert_true (g_spawn_sync (NULL, (char **) commands[i], NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                   &printed, &complained, &status, &error));
      g_assert_no_error (error);
      g_assert_cmpint (status, ==, 0);
    }
  return output;
}

/* What is pressed, written into or chosen has a name, each sample says what it is and what it was taken for. */
static void
test_read (void)
{
  static const struct
  {
    const char *role, *name;
  } known[] = {
    { "button", "final.onnx on glyphs:count=60" },
    { "tab", "Misclassifications" },
    { "search box", "Name, class or evidence" },
    { "combo box", "Sort order" },
    { "grid", "Samples" },
    { "widget", "“" }, /* “cross” classified as “five” */
  };
  ScreenReader reader;
  g_autofree char *folder = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  folder = explain (reader.folder);
  screen_reader_start (&reader, (const char *const[]){ folder, NULL }, "SondeExplainPage");
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    screen_reader_expect (&reader, known[i].role, known[i].name);
  screen_reader_check_names (&reader);
  screen_reader_check_all_names (&reader);
  screen_reader_find_read (&reader, "image", "Misclassifications", "predicted");
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/explain-accessible/read", test_read);
  return g_test_run ();
}

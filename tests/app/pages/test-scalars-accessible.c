/* SPDX-License-Identifier: Apache-2.0
 * The Scalars page as a screen reader has it: charts have words, the table of values is read cell by cell. */
#include "tests/app/pages/screen-reader.h"
#include "tests/support/sonde-test-run.h"

static char *
write_run (const char *folder)
{
  char *path = g_build_filename (folder, "runs", "one", NULL);
  SondeTestRun *run = sonde_test_run_new (path);

  for (int i = 0; i < 50; i++)
    sonde_test_run_scalars (run, i, "loss", 0.5 + i / 64.0, NULL);
  sonde_test_run_flush (run);
  sonde_test_run_free (run);
  return path;
}

static void
test_read (void)
{
  ScreenReader reader;
  g_autofree char *run = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  run = write_run (reader.folder);
  screen_reader_choose_page (&reader, "scalars");
  screen_reader_start (&reader, (const char *const[]){ run, NULL }, "SondeScalarsPage");
  screen_reader_expect (&reader, "image", "loss");
  screen_reader_expect (&reader, "slider", "Smoothing");
  /* What is under the pointer, as the table beside it has it. */
  screen_reader_find_read (&reader, "image", "loss", "Step 2");
  screen_reader_press (&reader, "button", "Table of values");
  /* The last value, as recorded. */
  screen_reader_expect (&reader, "label", "1.266");
  screen_reader_expect (&reader, "label", "loss · step 49, last");
  screen_reader_expect (&reader, "button", "Copy the table");
  screen_reader_check_names (&reader);
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/scalars-accessible/read", test_read);
  return g_test_run ();
}

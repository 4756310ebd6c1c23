/* SPDX-License-Identifier: Apache-2.0
 * The Overview and the tables of runs as a screen reader has them. */
#include "tests/app/pages/screen-reader.h"
#include "tests/support/sonde-test-run.h"

static SondeTestRun *
write_run (ScreenReader *reader, const char *name)
{
  g_autofree char *path = g_build_filename (reader->folder, "runs", name, NULL);
  SondeTestRun *run = sonde_test_run_new (path);

  for (int i = 0; i < 50; i++)
    sonde_test_run_scalars (run, i, "loss", 1.0 / (i + 1), NULL);
  sonde_test_run_flush (run);
  return run;
}

/* Anywhere in the program, not in the page alone. */
static void
expect_in_window (ScreenReader *reader, const char *role, const char *name)
{
  const ReaderPlace desktop
      = { (char *) "org.a11y.atspi.Registry", (char *) "/org/a11y/atspi/accessible/root" };
  ReaderPlace place = screen_reader_wait_for (reader, &desktop, role, name);

  reader_place_clear (&place);
}

/* Lines of live runs read as a sentence; what is pressed has a name. */
static void
test_overview (void)
{
  ScreenReader reader;
  g_autoptr (SondeTestRun) a = NULL, b = NULL;
  g_autofree char *runs = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  a = write_run (&reader, "a");
  b = write_run (&reader, "b");
  runs = g_build_filename (reader.folder, "runs", NULL);
  screen_reader_start (&reader, (const char *const[]){ runs, NULL }, "SondeOverviewPage");
  screen_reader_expect (&reader, "list", "Live Runs");
  screen_reader_expect (&reader, "list item", "b: step 49");
  screen_reader_check_names (&reader);
  screen_reader_clear (&reader);
}

/* Two pages: each half is a group with the page's name, with a button that closes it. */
static void
test_split (void)
{
  static const char settings[] = "[window]\npage=overview\npage-beside=runs\nsplit=down\n"
                                 "width=1400\nheight=900\n";
  ScreenReader reader;
  g_autoptr (SondeTestRun) a = NULL;
  g_autofree char *runs = NULL, *file = NULL, *folder = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  a = write_run (&reader, "a");
  runs = g_build_filename (reader.folder, "runs", NULL);
  file = g_build_filename (reader.folder, "xdg_config_home", "sonde", "window.ini", NULL);
  folder = g_path_get_dirname (file);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, settings, -1, NULL));
  screen_reader_start (&reader, (const char *const[]){ runs, NULL }, "SondeOverviewPage");
  expect_in_window (&reader, "group", "Overview");
  expect_in_window (&reader, "group", "Runs");
  expect_in_window (&reader, "button", "Close this page");
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/shell-accessible/overview", test_overview);
  g_test_add_func ("/app/pages/shell-accessible/split", test_split);
  return g_test_run ();
}

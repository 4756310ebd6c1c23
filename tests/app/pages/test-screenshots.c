/* SPDX-License-Identifier: Apache-2.0
 * `sonde plot` and `sonde screenshot` as a user calls them, and what the window module shows of
 * itself. */
#include <glib/gstdio.h>

#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-run.h"

static char *
make_run (const char *folder)
{
  char *path = g_build_filename (folder, "run", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

  for (int i = 0; i < 300; i++)
    sonde_test_run_scalars (run, i, "loss", 1.0 / (i + 1), "accuracy", 1 - 1.0 / (i + 1), NULL);
  sonde_test_run_flush (run);
  return path;
}

/* Width and height from the head of a PNG. */
static void
check_png (const char *path, guint width, guint height)
{
  g_autofree char *bytes = NULL;
  gsize length;
  guint32 size[2];

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpuint (length, >, 1000);
  g_assert_cmpmem (bytes, 4, "\x89PNG", 4);
  memcpy (size, bytes + 16, sizeof size);
  g_assert_cmpuint (GUINT32_FROM_BE (size[0]), ==, width);
  g_assert_cmpuint (GUINT32_FROM_BE (size[1]), ==, height);
}

static void
test_plot (void)
{
  static const char *const names[] = { "a.png", "a.svg", "a.pdf" };
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = make_run (folder);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *output = g_build_filename (folder, names[i], NULL);
      g_autoptr (SondeTestProgram) program = sonde_test_run (
          folder, NULL, "plot", run, "--tag", "lo*", "--output", output, "--size", "500x300");

      sonde_test_assert_status (program, 0);
      g_assert_cmpstr (program->out, ==, "");
      g_assert_true (g_file_test (output, G_FILE_TEST_IS_REGULAR));
      if (i == 0)
        check_png (output, 500, 300);
    }
  sonde_test_folder_free (folder);
}

static void
test_plot_refuses (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = make_run (folder);
  const struct
  {
    const char *arguments[8];
    int status;
    const char *says;
  } cases[] = {
    { { "plot", run, NULL }, 2, "--output" },
    { { "plot", run, "--output", "a.gif", NULL }, 2, ".png" },
    { { "plot", run, "--output", "a.png", "--size", "1x", NULL }, 2, "--size" },
    { { "plot", run, "--output", "a.png", "--tag", "nothing*", NULL }, 1, "nothing*" },
    { { "plot", run, "--output", "a.png", "--size", "100x80", NULL }, 1, "--size" },
    { { "plot", "nowhere", "--output", "a.png", NULL }, 1, "nowhere" },
    { { "plot", run, "--output", "no/such/folder/a.png", NULL }, 1, "no/such/folder" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run_strv (folder, NULL, cases[i].arguments);

      sonde_test_assert_status (program, cases[i].status);
      sonde_test_assert_contains (program->err, cases[i].says);
    }
  sonde_test_folder_free (folder);
}

/* Without a display a private one is started, and is gone afterwards. */
static void
test_screenshot (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = make_run (folder);
  g_autofree char *one = g_build_filename (folder, "one.png", NULL);
  g_autofree char *two = g_build_filename (folder, "two.png", NULL);
  g_autofree char *xvfb = g_find_program_in_path ("Xvfb");

  if (xvfb == NULL)
    {
      g_test_skip ("Xvfb is not installed");
      sonde_test_folder_free (folder);
      return;
    }
  {
    g_autoptr (SondeTestProgram) program = sonde_test_run (
        folder, NULL, "screenshot", "scalars", run, "--output", one, "--size", "800x600");
    sonde_test_assert_status (program, 0);
    check_png (one, 800, 600);
  }
  {
    g_autoptr (SondeTestProgram) program
        = sonde_test_run (folder, NULL, "screenshot", "overview", run, "--output", two, "--size",
                          "700x500", "--scale", "2", "--dark", "--step", "10");
    sonde_test_assert_status (program, 0);
    check_png (two, 1400, 1000);
  }
  sonde_test_folder_free (folder);
}

static void
test_screenshot_refuses (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_autofree char *xvfb = g_find_program_in_path ("Xvfb");

  g_setenv ("PATH", folder, TRUE);
  {
    g_autoptr (SondeTestProgram) program
        = sonde_test_run (folder, NULL, "screenshot", "scalars", "--output", "a.png");
    sonde_test_assert_status (program, 1);
    sonde_test_assert_contains (program->err, "xvfb");
  }
  g_setenv ("PATH", path, TRUE);
  if (xvfb != NULL)
    {
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "screenshot", "scalers", "--output", "a.png");
      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, "scalars");
    }
  if (xvfb != NULL)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (
          folder, NULL, "screenshot", "graph", "--output", "a.png", "--colour", "mauve");
      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, "“mauve”, only by: family, time, memory, class");
    }
  sonde_test_folder_free (folder);
}

/* Four functions and nothing else. */
static void
test_module (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *module
      = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "libsonde-window.so", NULL);
  g_autofree char *nm = g_find_program_in_path ("nm");
  int n = 0;

  if (nm == NULL)
    g_test_skip ("nm is not installed");
  else
    {
      g_autoptr (SondeTestProgram) program = sonde_test_start_any (
          folder, NULL, (const char *const[]){ nm, "-D", "--defined-only", module, NULL });
      g_auto (GStrv) lines = NULL;

      sonde_test_wait (program, 60);
      sonde_test_assert_status (program, 0);
      lines = g_strsplit (program->out, "\n", -1);
      for (gsize i = 0; lines[i] != NULL; i++)
        if (strstr (lines[i], " T ") != NULL)
          {
            sonde_test_assert_contains (lines[i], "sonde_window_module_");
            n++;
          }
      g_assert_cmpint (n, ==, 4);
    }
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("DISPLAY");
  g_unsetenv ("WAYLAND_DISPLAY");
  g_test_add_func ("/app/screenshots/plot", test_plot);
  g_test_add_func ("/app/screenshots/plot-refuses", test_plot_refuses);
  g_test_add_func ("/app/screenshots/screenshot", test_screenshot);
  g_test_add_func ("/app/screenshots/screenshot-refuses", test_screenshot_refuses);
  g_test_add_func ("/app/screenshots/module", test_module);
  return g_test_run ();
}

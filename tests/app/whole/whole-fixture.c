/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/whole/whole-fixture.h"

#include <math.h>

#include <glib/gstdio.h>

#include "tests/app/pages/debugger-fixture.h"
#include "tests/app/pages/profile-fixture.h"

/* A usual small screen: no page folds the sidebar away. */
#define WIDTH 1280
#define HEIGHT 800

static void
write_run (const char *folder, const char *name, double rate)
{
  g_autofree char *path = g_build_filename (folder, "runs", name, NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

  for (int step = 0; step < 120; step++)
    {
      sonde_test_run_scalars (run, step, "loss", exp (-step * rate), "accuracy",
                              1 - exp (-step * rate), "rate", rate, NULL);
      if (step % 40 != 0)
        continue;
      sonde_test_run_histogram (run, step, "weights/fc", 0, 1 + step * rate, 500);
      sonde_test_run_image (run, step, "digits", 0, 3, step == 0 ? 5 : 3);
      sonde_test_run_image (run, step, "digits", 1, 7, 7);
    }
  profile_fixture_write (run, 1, 1 + rate);
  sonde_test_run_flush (run);
}

/* FALSE: there is no folder @from. */
static gboolean
copy_folder (const char *from, const char *to)
{
  g_autoptr (GDir) files = g_dir_open (from, 0, NULL);
  const char *file;

  if (files == NULL)
    return FALSE;
  g_assert_cmpint (g_mkdir (to, 0700), ==, 0);
  while ((file = g_dir_read_name (files)) != NULL)
    {
      g_autofree char *source = g_build_filename (from, file, NULL),
                      *target = g_build_filename (to, file, NULL), *content = NULL;
      gsize length;

      if (!copy_folder (source, target) && g_file_get_contents (source, &content, &length, NULL))
        g_assert_true (g_file_set_contents (target, content, (gssize) length, NULL));
    }
  return TRUE;
}

/* A copy, as hands may throw a run away. (transfer full) (nullable): there is no such sample */
static char *
copy_sample (const char *folder, const char *sample)
{
  g_autofree char *from = g_build_filename (g_getenv ("SONDE_SHARED"), "samples", sample, NULL),
                  *name = g_path_get_basename (sample);
  g_autofree char *to = g_build_filename (folder, name, NULL);

  return copy_folder (from, to) ? g_steal_pointer (&to) : NULL;
}

/* A program that could be ported. (transfer full) */
static char *
write_sources (const char *folder)
{
  char *sources = g_build_filename (folder, "sources", NULL);
  g_autofree char *path = g_build_filename (sources, "net.py", NULL);

  g_assert_cmpint (g_mkdir_with_parents (sources, 0755), ==, 0);
  g_assert_true (
      g_file_set_contents (path, "from torch import nn\nnet = nn.Linear(2, 3)\n", -1, NULL));
  return sources;
}

char **
whole_fixture_write (const char *folder)
{
  static const char *const samples[] = { "tensorboard/tensors", "tensorboard/pr_curves",
                                         "tensorboard/embeddings", "mindspore/landscape" };
  GStrvBuilder *paths = g_strv_builder_new ();
  g_autofree char *runs = g_build_filename (folder, "runs", NULL);
  g_autofree char *model = debugger_write_model (folder), *sources = write_sources (folder);
  char **result;

  write_run (folder, "a", 0.02);
  write_run (folder, "b", 0.05);
  g_strv_builder_add_many (paths, runs, model, sources, NULL);
  for (gsize i = 0; g_getenv ("SONDE_SHARED") != NULL && i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *path = copy_sample (folder, samples[i]);

      if (path != NULL)
        g_strv_builder_add (paths, path);
    }
  result = g_strv_builder_end (paths);
  g_strv_builder_unref (paths);
  return result;
}

void
whole_fixture_open (WindowFixture *fixture, const char *name)
{
  g_auto (GStrv) paths = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-whole-XXXXXX", NULL);
  paths = whole_fixture_write (fixture->folder);
  window_fixture_present (fixture, (const char *const *) paths, name, NULL);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), WIDTH, HEIGHT);
  sonde_workspace_start (fixture->workspace);
  window_fixture_settle (fixture);
}

/* SPDX-License-Identifier: Apache-2.0
 * Every page against a reference that a person has looked at: in English on light, in Chinese on dark. A quarter of
 * the size in each direction, so that what counts is what stands where, not each letter. After a change that is meant:
 * SONDE_WRITE_REFERENCES=1 meson test -C build app/whole/pictures, and look at tests/fixtures/pages. */
#include <utime.h>

#include "tests/app/pages/debugger-fixture.h"
#include "tests/support/sonde-test-image.h"
#include "tests/support/sonde-test-program.h"

#define SIZE "1280x800"
#define SHRINK 4

/* @name: of the reference; @path: in the folder of the test, or a sample beside the checkout; NULL: nothing is open;
 * @large_text: texts are twice as large */
typedef struct
{
  const char *name, *page, *path, *view;
  gboolean large_text;
} Case;

static const Case cases[] = {
  { "overview", "overview", "runs", NULL },
  { "runs", "runs", "runs", NULL },
  { "scalars", "scalars", "runs", NULL },
  { "scalars-bands", "scalars", "samples/tensorboard/custom_scalars", NULL },
  { "distributions", "distributions", "runs", NULL },
  { "media", "media", "runs", NULL },
  { "graph", "graph", "small.onnx", NULL },
  { "tensors", "tensors", "samples/tensorboard/tensors", NULL },
  { "pr-curves", "pr-curves", "samples/tensorboard/pr_curves", NULL },
  { "lineage", "lineage", "samples/tensorboard/hparams", "parallel" },
  { "lineage-scatter", "lineage", "samples/tensorboard/hparams", "scatter" },
  { "landscape", "landscape", "samples/mindspore/landscape", NULL },
  { "projector", "projector", "samples/tensorboard/embeddings", "pca" },
  { "train", "train", NULL, NULL },
  { "migration", "migration", "samples/scan/timm-layers/src", NULL },
  { "scalars-large-text", "scalars", "runs", NULL, TRUE },
  { "tensors-large-text", "tensors", "samples/tensorboard/tensors", NULL, TRUE },
};

static char *folder;

/* Written long ago, so that nothing is live. */
static void
write_run (const char *name, double rate)
{
  g_autofree char *path = g_build_filename (folder, "runs", name, NULL);
  g_autofree char *records = g_build_filename (path, "records", "000001.sonde", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);
  const struct utimbuf then = { SONDE_TEST_RUN_START_NS / G_TIME_SPAN_SECOND / 1000,
                                SONDE_TEST_RUN_START_NS / G_TIME_SPAN_SECOND / 1000 };

  for (int step = 0; step < 120; step++)
    {
      sonde_test_run_scalars (run, step, "train/loss", 2 / (1 + step * rate), "train/accuracy",
                              1 - 1 / (1 + step * rate), "learning-rate", rate, NULL);
      if (step % 20 != 0)
        continue;
      sonde_test_run_histogram (run, step, "weights/fc", 0, 1 + step * rate / 4, 500);
      for (int i = 0; i < 4; i++)
        sonde_test_run_image (run, step, "digits", i, 2 * i, step == 0 ? 9 : 2 * i);
    }
  sonde_test_run_flush (run);
  g_assert_cmpint (utime (records, &then), ==, 0);
}

/* The mean of each SHRINK × SHRINK pixels. (transfer full) */
static cairo_surface_t *
shrink (cairo_surface_t *image)
{
  int width = cairo_image_surface_get_width (image) / SHRINK,
      height = cairo_image_surface_get_height (image) / SHRINK;
  cairo_surface_t *small = sonde_test_image_new (width, height);
  cairo_t *cr = cairo_create (small);

  cairo_scale (cr, 1.0 / SHRINK, 1.0 / SHRINK);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_destroy (cr);
  return small;
}

static void
take (const Case *of, const char *path, gboolean is_dark)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_autofree char *name = g_strdup_printf ("%s-%s", of->name, is_dark ? "dark-chinese" : "light");
  g_autofree char *output = g_build_filename (folder, "page.png", NULL);
  cairo_surface_t *image, *small;

  g_ptr_array_add (arguments, (char *) "screenshot");
  g_ptr_array_add (arguments, (char *) of->page);
  if (path != NULL)
    g_ptr_array_add (arguments, (char *) path);
  if (of->view != NULL)
    {
      g_ptr_array_add (arguments, (char *) "--view");
      g_ptr_array_add (arguments, (char *) of->view);
    }
  if (is_dark)
    g_ptr_array_add (arguments, (char *) "--dark");
  if (of->large_text)
    g_ptr_array_add (arguments, (char *) "--text-scale=2");
  g_ptr_array_add (arguments, (char *) "--size=" SIZE);
  g_ptr_array_add (arguments, (char *) "--output=page.png");
  g_ptr_array_add (arguments, NULL);
  g_setenv ("LANGUAGE", is_dark ? "zh_CN" : "", TRUE);
  program = sonde_test_run_strv (folder, NULL, (const char *const *) arguments->pdata);
  sonde_test_assert_status (program, 0);
  image = cairo_image_surface_create_from_png (output);
  small = shrink (image);
  sonde_test_image_check_in (small, "pages", name);
  cairo_surface_destroy (small);
  cairo_surface_destroy (image);
}

static void
test_page (gconstpointer data)
{
  const Case *of = data;
  const char *shared = g_getenv ("SONDE_SHARED");
  gboolean is_sample = of->path != NULL && g_str_has_prefix (of->path, "samples/");
  g_autofree char *sample
      = is_sample && shared != NULL ? g_build_filename (shared, of->path, NULL) : NULL;

  if (is_sample && (sample == NULL || !g_file_test (sample, G_FILE_TEST_EXISTS)))
    {
      g_test_skip ("The samples are not beside the checkout.");
      return;
    }
  take (of, is_sample ? sample : of->path, FALSE);
  take (of, is_sample ? sample : of->path, TRUE);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = sonde_test_folder_new ();
  write_run ("slow", 0.02);
  write_run ("quick", 0.2);
  g_free (debugger_write_model (folder));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/whole/pictures/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_page);
    }
  status = g_test_run ();
  sonde_test_folder_free (folder);
  return status;
}

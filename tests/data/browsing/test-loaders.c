/* SPDX-License-Identifier: Apache-2.0
 * What is read of runs in the background: records, images, the charts that runs ask for. */
#include <string.h>

#include "data/browsing/sonde-blob-loader.h"
#include "data/browsing/sonde-chart-plans.h"
#include "data/browsing/sonde-image-levels.h"
#include "data/browsing/sonde-sample-loader.h"
#include "data/browsing/sonde-step-loader.h"
#include "data/images/sonde-png.h"
#include "tests/data/browsing/browsing-fixture.h"

/* ---- records -------------------------------------------------------------- */

typedef struct
{
  SondeBlobLoader *loader;
  GArray *steps; /* gint64: of what came since the last restart */
  guint n_restarts;
} Taken;

static void
on_record (const SondeRecord *record, gboolean restart, void *user_data)
{
  Taken *taken = user_data;

  if (restart)
    {
      g_array_set_size (taken->steps, 0);
      taken->n_restarts++;
    }
  g_array_append_val (taken->steps, record->step);
}

static void
on_state (void *user_data)
{
}

static void
load (Taken *taken, SondeRun *run, const char *tag)
{
  sonde_blob_loader_update (taken->loader, run, tag);
  while (sonde_blob_loader_is_busy (taken->loader))
    g_main_context_iteration (NULL, TRUE);
}

static void
add_texts (SondeTestRun *run, int first, int last)
{
  for (int i = first; i < last; i++)
    {
      SondeRecord record = browsing_record (SONDE_RECORD_TEXT, "notes", i);

      record.u.text = (char *) "a";
      sonde_test_run_record (run, &record);
    }
  sonde_test_run_flush (run);
}

/* Every one until there are too many, then every second and the last; what is here is not read
 * again. */
static void
test_records (void)
{
  BrowsingFixture fixture;
  Taken taken = { .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_autoptr (SondeTestRun) written = NULL;
  SondeRun *run;

  browsing_fixture_init (&fixture);
  written = browsing_fixture_begin_run (&fixture, "a");
  add_texts (written, 0, 6);
  browsing_fixture_settle (&fixture);
  run = browsing_fixture_find (&fixture, "a");
  taken.loader = sonde_blob_loader_new (SONDE_RECORD_TEXT, 8, on_record, on_state, &taken);
  load (&taken, run, "nothing");
  g_assert_cmpuint (taken.steps->len, ==, 0);
  load (&taken, run, "notes");
  g_assert_cmpuint (taken.steps->len, ==, 6);
  g_assert_cmpuint (taken.n_restarts, ==, 1);
  add_texts (written, 6, 8);
  browsing_fixture_settle (&fixture);
  load (&taken, run, "notes");
  g_assert_cmpuint (taken.steps->len, ==, 8);
  g_assert_cmpuint (taken.n_restarts, ==, 1);
  add_texts (written, 8, 12);
  browsing_fixture_settle (&fixture);
  load (&taken, run, "notes");
  g_assert_cmpuint (sonde_blob_loader_get_n_held (taken.loader), ==, 12);
  g_assert_cmpuint (taken.n_restarts, ==, 2);
  g_assert_cmpuint (taken.steps->len, ==, 7);
  g_assert_cmpint (g_array_index (taken.steps, gint64, 1), ==, 2);
  g_assert_cmpint (g_array_index (taken.steps, gint64, 6), ==, 11);
  sonde_blob_loader_free (taken.loader);
  g_array_unref (taken.steps);
  browsing_fixture_clear (&fixture);
}

/* ---- records of a step ---------------------------------------------------- */

typedef struct
{
  SondeStepLoader *loader;
  guint n_calls, n_records;
} AtStep;

static void
on_step_records (GPtrArray *records, const char *problem, void *user_data)
{
  AtStep *at = user_data;

  g_assert_null (problem);
  at->n_calls++;
  at->n_records = records->len;
}

static void
go_to (AtStep *at, SondeRun *run, const char *tag, gint64 step)
{
  sonde_step_loader_update (at->loader, run, g_intern_string (tag), SONDE_RECORD_TEXT, step);
  while (sonde_step_loader_is_busy (at->loader))
    g_main_context_iteration (NULL, TRUE);
}

/* The last step at or before, else the first; all of its records or the last; read once. */
static void
test_steps (void)
{
  BrowsingFixture fixture;
  AtStep all = { NULL, 0, 0 }, last = { NULL, 0, 0 };
  g_autoptr (SondeTestRun) written = NULL;
  SondeRun *run;

  browsing_fixture_init (&fixture);
  written = browsing_fixture_begin_run (&fixture, "a");
  add_texts (written, 2, 4);
  add_texts (written, 3, 4);
  browsing_fixture_settle (&fixture);
  run = browsing_fixture_find (&fixture, "a");
  all.loader = sonde_step_loader_new (TRUE, on_step_records, &all);
  last.loader = sonde_step_loader_new (FALSE, on_step_records, &last);
  go_to (&all, run, "notes", 1);
  g_assert_cmpint (sonde_step_loader_get_step (all.loader), ==, 2);
  g_assert_cmpuint (sonde_step_loader_get_steps (all.loader)->len, ==, 2);
  g_assert_cmpuint (all.n_records, ==, 1);
  go_to (&all, run, "notes", 9);
  g_assert_cmpint (sonde_step_loader_get_step (all.loader), ==, 3);
  g_assert_cmpuint (all.n_records, ==, 2);
  go_to (&all, run, "notes", 9);
  g_assert_cmpuint (all.n_calls, ==, 2);
  add_texts (written, 3, 4);
  browsing_fixture_settle (&fixture);
  go_to (&all, run, "notes", 9);
  g_assert_cmpuint (all.n_records, ==, 3);
  go_to (&last, run, "notes", 9);
  g_assert_cmpuint (last.n_records, ==, 1);
  add_texts (written, 3, 4); /* the last one is another one now */
  browsing_fixture_settle (&fixture);
  go_to (&last, run, "notes", 9);
  g_assert_cmpuint (last.n_calls, ==, 2);
  go_to (&last, run, "nothing", 9);
  g_assert_cmpuint (last.n_records, ==, 0);
  g_assert_cmpuint (last.n_calls, ==, 3);
  sonde_step_loader_free (all.loader);
  sonde_step_loader_free (last.loader);
  browsing_fixture_clear (&fixture);
}

/* ---- charts --------------------------------------------------------------- */

static void
on_plans_changed (void *user_data)
{
  ++*(int *) user_data;
}

static void
add_layout (BrowsingFixture *fixture, const char *name, SondeChartPlan *plans, gsize n)
{
  g_autoptr (SondeTestRun) run = browsing_fixture_begin_run (fixture, name);
  SondeRecord record = browsing_record (SONDE_RECORD_CUSTOM_SCALARS, "layout", 0);

  record.u.custom_scalars.items = plans;
  record.u.custom_scalars.n = n;
  sonde_test_run_record (run, &record);
  sonde_test_run_flush (run);
}

/* Layouts of two runs merged: a chart that both name is there once. */
static void
test_charts (void)
{
  BrowsingFixture fixture;
  int n_changes = 0;
  char *patterns[] = { (char *) "loss/.*", NULL },
       *exact[] = { (char *) "mean", (char *) "low", (char *) "high", NULL };
  SondeChartPlan all[] = {
    { .category = (char *) "losses", .title = (char *) "all", .tags = patterns },
    { .category = (char *) "band", .title = (char *) "b", .is_margin = TRUE, .tags = exact },
  };
  SondeChartPlans *plans;
  g_autoptr (GRegex) pattern = NULL;

  browsing_fixture_init (&fixture);
  add_layout (&fixture, "a", all, 1);
  add_layout (&fixture, "b", all, 2);
  browsing_fixture_settle (&fixture);
  plans = sonde_chart_plans_new (G_LIST_MODEL (fixture.store), on_plans_changed, &n_changes);
  sonde_chart_plans_update (plans);
  while (sonde_chart_plans_is_busy (plans))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (n_changes, ==, 1);
  g_assert_cmpuint (sonde_chart_plans_get_names (plans)->len, ==, 2);
  g_assert_cmpstr (sonde_chart_plans_get_names (plans)->pdata[0], ==, "losses: all");
  g_assert_true (sonde_chart_plans_shows (plans, g_intern_string ("loss/train")));
  g_assert_true (sonde_chart_plans_shows (plans, g_intern_string ("low")));
  g_assert_false (sonde_chart_plans_shows (plans, g_intern_string ("lower")));
  g_assert_false (sonde_chart_plans_shows (plans, g_intern_string ("my/loss/train")));
  pattern = sonde_chart_plan_compile (sonde_chart_plans_find ("losses: all", plans), 0);
  g_assert_true (g_regex_match (pattern, "loss/x", 0, NULL));
  g_assert_null (sonde_chart_plan_compile (sonde_chart_plans_find ("band: b", plans), 0));
  g_assert_null (sonde_chart_plans_find ("nothing", plans));
  /* The same layouts again are no news. */
  sonde_chart_plans_update (plans);
  g_assert_false (sonde_chart_plans_is_busy (plans));
  g_assert_cmpint (n_changes, ==, 1);
  sonde_chart_plans_free (plans);
  browsing_fixture_clear (&fixture);
}

/* ---- images, row IM6 ----------------------------------------------------- */

typedef struct
{
  guint n_calls, n_images;
  gint64 step;
  gsize bytes;
} Loaded;

static void
on_loaded (GPtrArray *samples, gint64 step, void *user_data)
{
  Loaded *loaded = user_data;

  loaded->n_calls++;
  loaded->step = step;
  loaded->n_images = 0;
  loaded->bytes = 0;
  for (guint i = 0; i < samples->len; i++)
    {
      const SondeSample *sample = samples->pdata[i];

      g_assert_cmpint (sample->index, ==, i);
      g_assert_cmpint (sample->width, ==, 1024); /* whatever is left of it */
      loaded->n_images += sample->image != NULL;
      if (sample->image != NULL)
        loaded->bytes += (gsize) sample->image->width * (gsize) sample->image->height
                         * (gsize) sample->image->channels;
    }
}

static gboolean
is_idle (gpointer loader)
{
  return !sonde_sample_loader_is_busy (loader);
}

/* 10^4 images of a megapixel in a run, 60 of them a time: what is shown is the newest, in as much
 * memory as is allowed. */
static void
test_many_images (void)
{
  BrowsingFixture fixture;
  g_autoptr (SondeImage) image = sonde_image_new (1024, 1024, 3);
  g_autoptr (GBytes) encoded = sonde_png_encode (image);
  Loaded loaded = { 0 };
  g_autoptr (SondeSampleDecoder) decoder = NULL;
  SondeSampleLoader *loader;
  g_autoptr (SondeTestRun) written = NULL;
  SondeRun *run;

  browsing_fixture_init (&fixture);
  written = browsing_fixture_begin_run (&fixture, "a");
  for (int i = 0; i < 10000; i++)
    {
      SondeRecord record = browsing_record (SONDE_RECORD_IMAGE, "input", i / 100);

      record.u.image.encoded = encoded;
      record.u.image.width = record.u.image.height = 1024;
      record.u.image.index = i % 100;
      record.u.image.note.label = record.u.image.note.predicted = -1;
      sonde_test_run_record (written, &record);
    }
  sonde_test_run_flush (written);
  browsing_fixture_settle (&fixture);
  run = browsing_fixture_find (&fixture, "a");
  decoder = sonde_sample_decoder_new (SONDE_TEST_IMAGE_HELPER);
  loader = sonde_sample_loader_new (decoder, on_loaded, &loaded);
  /* the cursor runs over all steps: only the last one is decoded to the end */
  for (gint64 step = 0; step < 100; step++)
    {
      sonde_sample_loader_load (loader, run, "input", step);
      g_main_context_iteration (NULL, FALSE);
    }
  while (!is_idle (loader))
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%u images, %" G_GSIZE_FORMAT " bytes, told %u times", loaded.n_images,
                  loaded.bytes, loaded.n_calls);
  g_assert_cmpint (loaded.step, ==, 99);
  g_assert_cmpuint (loaded.n_images, ==, 100);
  g_assert_cmpuint (loaded.bytes, <=, (gsize) 192 << 20);
  g_assert_cmpuint (loaded.n_calls, <, 20);
  sonde_sample_loader_free (loader);
  browsing_fixture_clear (&fixture);
}

/* ---- how images are looked at -------------------------------------------- */

static SondeImage *
make_grey (guint8 value)
{
  SondeImage *image = sonde_image_new (2, 1, 1);

  image->pixels[0] = value;
  image->pixels[1] = 255;
  return image;
}

static void
assert_pixels (SondeImageLevels *levels, const SondeImage *from, int first, int second)
{
  g_autoptr (SondeImage) image = sonde_image_levels_apply (levels, from);

  g_assert_cmpint (image->pixels[0], ==, first);
  g_assert_cmpint (image->pixels[1], ==, second);
}

static void
test_levels (void)
{
  SondeImageLevels *levels = sonde_image_levels_new ();
  g_autoptr (SondeImage) image = make_grey (100);
  g_autofree char *plain = NULL, *changed = NULL;
  double brightness, contrast;

  plain = sonde_image_levels_describe (levels);
  g_assert_null (plain);
  g_assert_null (sonde_image_levels_apply (levels, NULL));
  assert_pixels (levels, image, 100, 255);
  sonde_image_levels_set (levels, 0.2, 1);
  assert_pixels (levels, image, 151, 255);
  sonde_image_levels_set (levels, 0, 2);
  assert_pixels (levels, image, 73, 255);
  sonde_image_levels_get (levels, &brightness, &contrast);
  g_assert_cmpfloat (brightness, ==, 0);
  g_assert_cmpfloat (contrast, ==, 2);
  changed = sonde_image_levels_describe (levels);
  g_assert_cmpstr (changed, ==, "brightness +0 %, contrast 200 %");
  g_object_unref (levels);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/records", test_records);
  g_test_add_func ("/data/browsing/steps", test_steps);
  g_test_add_func ("/data/browsing/charts", test_charts);
  g_test_add_func ("/data/browsing/levels", test_levels);
  g_test_add_func ("/data/browsing/IM6-many-images", test_many_images);
  return g_test_run ();
}

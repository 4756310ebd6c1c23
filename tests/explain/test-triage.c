/* SPDX-License-Identifier: Apache-2.0
 * Squares that maps share, and reasons of errors on a network made by hand. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-random.h"
#include "data/datasets/sonde-dataset.h"
#include "engine/nn/sonde-zoo.h"
#include "explain/report/sonde-explain-report.h"
#include "explain/triage/sonde-clusters.h"

#define SIDE 32

/* Six of eight maps have 0.6 of their mass at 20…23, 4…7; two have none there. */
static void
test_find_cue (void)
{
  g_autofree float *numbers = g_new0 (float, 8 * SIDE * SIDE);
  const float *maps[8];
  SondeCue cue;

  for (guint i = 0; i < 8; i++)
    {
      float *map = numbers + i * SIDE * SIDE;

      for (int k = 0; k < SIDE * SIDE; k++)
        map[k] = 0.4f / (SIDE * SIDE);
      for (int k = 0; k < 16; k++)
        map[i < 6 ? (4 + k / 4) * SIDE + 20 + k % 4 : k * (SIDE + 1) * 2] += 0.6f / 16;
      map[SIDE] = -5; /* negative parts do not count */
      sonde_cue_normalise (map, SIDE * SIDE);
      maps[i] = map;
    }
  g_assert_true (sonde_cue_find (maps, 8, SIDE, SIDE, &cue));
  g_assert_cmpuint (cue.n_sharing, ==, 6);
  g_assert_true (cue.x == 20 && cue.y == 4 && cue.side == 4); /* the smallest that all six share */
  g_assert_cmpfloat_with_epsilon (sonde_cue_get_share (maps[0], SIDE, SIDE, &cue),
                                  0.6 + 0.4 * 16 / 1024, 1e-3);
  g_assert_false (sonde_cue_find (maps + 4, 4, SIDE, SIDE, &cue)); /* two of four */
}

static void
test_paint_over (void)
{
  const SondeCue cue = { .x = 1, .y = 1, .side = 2 };
  float image[16];

  for (int i = 0; i < 16; i++)
    image[i] = (float) i;
  sonde_cue_paint_over (&cue, image, 1, 4, 4);
  g_assert_cmpfloat (image[0], ==, 0);
  for (int i = 0; i < 4; i++) /* all twelve others, whose mean is that of all sixteen */
    g_assert_cmpfloat (image[(1 + i / 2) * 4 + 1 + i % 2], ==, 7.5f);
}

/* An image for each error, as long as they are few; nothing is fetched; the PDF is one. */
static void
check_report (SondeDataset *dataset, GPtrArray *predictions, const SondeTriage *triage,
              guint errors)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-report-XXXXXX", &error);
  g_autofree char *html = g_build_filename (folder, "r.html", NULL),
                  *pdf = g_build_filename (folder, "r.pdf", NULL);
  g_autofree char *text = NULL, *bytes = NULL;
  g_autoptr (SondeExplainReport) report = sonde_explain_report_new ("t", "m", dataset);
  guint images = 0;

  sonde_explain_report_set_predictions (report, predictions);
  sonde_explain_report_set_triage (report, triage);
  g_assert_true (sonde_explain_report_write (report, NULL, html, &error));
  g_assert_true (sonde_explain_report_write (report, NULL, pdf, &error));
  g_assert_true (g_file_get_contents (html, &text, NULL, &error));
  for (const char *at = text; (at = strstr (at, "data:image/png")) != NULL; at++)
    images++;
  g_assert_cmpuint (images, >, 0);
  if (errors <= 24)
    g_assert_cmpuint (images, ==, errors + 1); /* and the reliability diagram */
  g_assert_null (strstr (text, "<script"));
  g_assert_null (strstr (text, "http"));
  g_assert_true (g_file_get_contents (pdf, &bytes, NULL, &error));
  g_assert_true (g_str_has_prefix (bytes, "%PDF-"));
  g_unlink (html);
  g_unlink (pdf);
  g_rmdir (folder);
}

/* Every error has one reason, it is the first of those that match, and the counts add up. */
static void
test_reasons (void)
{
  g_autoptr (GError) error = NULL;
  SondeDatasetOptions options = { .seed = 3, .count = 60 };
  g_autoptr (SondeDataset) dataset = sonde_dataset_open ("glyphs", &options, &error);
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  g_autoptr (GPtrArray) predictions = NULL;
  g_autoptr (SondeTriage) triage = NULL;
  guint samples[60], errors = 0, sum = 0;

  g_assert_no_error (error);
  model = sonde_zoo_build ("mlp", dataset->channels, dataset->height, dataset->width,
                           dataset->n_classes, 5, &error);
  g_assert_no_error (error);
  explainer = sonde_explainer_new (model, "reference", 1, &error);
  for (guint i = 0; i < 60; i++)
    samples[i] = i;
  predictions = sonde_explain_classify (explainer, dataset, samples, 60, NULL, NULL, &error);
  g_assert_no_error (error);
  triage = sonde_triage_new (explainer, dataset, predictions, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 60; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);
      const SondeTriageRow *row = &triage->rows[i];

      if (!sonde_sample_result_is_error (prediction))
        {
          g_assert_cmpuint (prediction->category, ==, SONDE_N_CATEGORIES);
          g_assert_null (prediction->evidence);
          continue;
        }
      errors++;
      g_assert_cmpuint (prediction->categories & ((1u << prediction->category) - 1), ==, 0);
      g_assert_true ((prediction->categories >> prediction->category & 1) == 1
                     && prediction->evidence != NULL);
      g_assert_cmpuint (row->n_neighbours, ==, SONDE_TRIAGE_NEIGHBOURS);
      /* glyphs know their objects */
      g_assert_true (row->border >= 0 && row->border <= 1 && row->box >= 0 && row->points >= 0);
      g_assert_cmpfloat_with_epsilon (
          row->signed_margin,
          sonde_sample_result_get_probability (prediction, prediction->label)
              - sonde_sample_result_get_probability (prediction, prediction->predicted),
          1e-6);
    }
  for (guint r = 0; r < SONDE_N_CATEGORIES; r++)
    sum += triage->counts[r];
  g_assert_cmpuint (errors, >, 0);
  g_assert_cmpuint (sum, ==, errors);
  check_report (dataset, predictions, triage, errors);
}

/* Three directions, the middle one of each is its medoid; lengths do not matter. */
static void
test_clusters (void)
{
  float vectors[9 * 3] = { 0 };
  guint cluster[9], medoids[3];

  for (guint i = 0; i < 9; i++)
    {
      vectors[3 * i + i % 3] = (float) (i + 1);
      vectors[3 * i + (i + 1) % 3] = (float) (i + 1) * 0.1f * (float) (i / 3);
    }
  sonde_clusters_find (vectors, 9, 3, 3, cluster, medoids);
  for (guint i = 0; i < 9; i++)
    {
      g_assert_cmpuint (cluster[i], ==, cluster[i % 3]);
      g_assert_cmpuint (medoids[cluster[i]], ==, 3 + i % 3);
    }
  g_assert_true (cluster[0] != cluster[1] && cluster[1] != cluster[2] && cluster[0] != cluster[2]);
}

/* Three directions in 2,500 rows: medoids come from some, all are told apart. */
static void
test_many_rows (void)
{
  enum
  {
    N = 2500
  };
  g_autofree float *vectors = g_new (float, 3 * N);
  g_autofree guint *cluster = g_new (guint, N);
  guint medoids[3];

  for (guint i = 0; i < N; i++)
    for (guint k = 0; k < 3; k++)
      vectors[3 * i + k]
          = (i * 7 / 5 % 3 == k ? 1.0f : 0.0f) + 0.1f * (float) sonde_random_uniform (5, k, i);
  sonde_clusters_find (vectors, N, 3, 3, cluster, medoids);
  for (guint m = 0; m < 3; m++)
    g_assert_cmpuint (cluster[medoids[m]], ==, m);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (medoids[cluster[i]] * 7 / 5 % 3, ==, i * 7 / 5 % 3);
}

static void
test_pool (void)
{
  g_autofree float *map = g_new0 (float, 14 * 14);
  float pooled[SONDE_CLUSTER_MAP * SONDE_CLUSTER_MAP];

  map[13 * 14 + 13] = -4; /* magnitudes count */
  map[0] = map[1] = 1;
  sonde_clusters_pool (map, 14, 14, pooled);
  g_assert_cmpfloat (pooled[48], ==, 1);
  g_assert_cmpfloat (pooled[0], ==, 0.5f);
  g_assert_cmpfloat (pooled[1], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/triage/find-cue", test_find_cue);
  g_test_add_func ("/explain/triage/paint-over", test_paint_over);
  g_test_add_func ("/explain/triage/reasons", test_reasons);
  g_test_add_func ("/explain/triage/clusters", test_clusters);
  g_test_add_func ("/explain/triage/many-rows", test_many_rows);
  g_test_add_func ("/explain/triage/pool", test_pool);
  return g_test_run ();
}

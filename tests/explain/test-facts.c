/* SPDX-License-Identifier: Apache-2.0
 * Calibration, label errors, neighbours and influence: by hand, and against what other libraries
 * gave. */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-random.h"
#include "data/values/sonde-confusion.h"
#include "explain/triage/sonde-calibration.h"
#include "explain/triage/sonde-label-errors.h"
#include "explain/triage/sonde-neighbours.h"
#include "tests/support/sonde-test-tensor.h"

/* Eight samples, three classes, worked out on paper. */
static const float paper[8 * 3]
    = { 0.9f,  0.05f, 0.05f, 0.8f, 0.1f, 0.1f, 0.2f, 0.7f, 0.1f, 0.1f,  0.85f, 0.05f,
        0.05f, 0.9f,  0.05f, 0.1f, 0.2f, 0.7f, 0.3f, 0.1f, 0.6f, 0.05f, 0.05f, 0.9f };
static const gint64 paper_labels[8] = { 0, 0, 0, 1, 1, 2, 2, 1 };

static void
test_calibration (void)
{
  static const struct
  {
    guint bins;
    double ece;
  } cases[] = { { 5, 0.14375 }, { 10, 0.19375 }, { 15, 0.23125 } };
  const float none[2] = { 0.5f, 0.5f };
  const gint64 unknown = -1;
  SondeCalibration calibration;
  double low, high;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      sonde_calibration_measure (&calibration, paper, paper_labels, 8, 3, cases[i].bins);
      g_assert_cmpfloat_with_epsilon (calibration.ece, cases[i].ece, 1e-6);
    }
  g_assert_cmpfloat (calibration.accuracy, ==, 0.75);
  g_assert_cmpfloat_with_epsilon (calibration.brier, 0.4225, 1e-6);
  g_assert_cmpfloat_with_epsilon (calibration.nll, 0.758632, 1e-6);
  g_assert_cmpfloat_with_epsilon (sonde_entropy (none, 2), log (2), 1e-7);
  sonde_calibration_measure (&calibration, none, &unknown, 1, 2, 15);
  g_assert_true (isnan (calibration.accuracy) && isnan (calibration.ece)
                 && isnan (calibration.low));
  sonde_wilson_interval (1, 2, &low, &high);
  g_assert_cmpfloat_with_epsilon (low, 0.0945287, 1e-6);
  g_assert_cmpfloat_with_epsilon (low + high, 1, 1e-12);
}

/* 73 of 100 right at a logit difference of 3: the NLL is least where 3 / T is ln (73 / 27). */
static void
test_temperature (void)
{
  float logits[2 * 100];
  gint64 labels[100];

  for (guint i = 0; i < 100; i++)
    {
      logits[2 * i] = 3;
      logits[2 * i + 1] = 0;
      labels[i] = i < 73 ? 0 : 1;
    }
  g_assert_cmpfloat_with_epsilon (sonde_calibration_find_temperature (logits, labels, 100, 2),
                                  3 / log (73.0 / 27), 1e-4);
}

static void
test_confusion (void)
{
  const gint64 labels[] = { 0, 0, 0, 1, 1, -1 }, predicted[] = { 0, 1, 1, 1, 0, 1 };
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new (labels, predicted, 6, 2);
  g_autoptr (GArray) pairs = sonde_confusion_list_pairs (confusion);
  const SondeConfusedPair *pair = &g_array_index (pairs, SondeConfusedPair, 0);

  g_assert_cmpuint (confusion->n, ==, 5);
  g_assert_cmpuint (pairs->len, ==, 2);
  g_assert_true (pair->label == 0 && pair->predicted == 1 && pair->count == 2);
  g_assert_cmpfloat_with_epsilon (pair->lift, 2 / (3 * 3 / 5.0), 1e-12);
}

static void
test_label_errors (void)
{
  static const guint joint[] = { 2, 1, 0, 0, 2, 1, 0, 0, 1 };
  static const double thresholds[] = { 0.633333, 0.6, 0.65 },
                      own[] = { 0.9, 0.8, 0.2, 0.85, 0.9, 0.7, 0.6, 0.05 };
  static const double margins[] = { 0.925, 0.85, 0.25, 0.875, 0.925, 0.75, 0.65, 0.075 };
  g_autoptr (SondeLabelErrors) errors = sonde_label_errors_new (paper, paper_labels, 8, 3);

  for (guint i = 0; i < 9; i++)
    g_assert_cmpuint (errors->joint[i], ==, joint[i]);
  for (guint c = 0; c < 3; c++)
    g_assert_cmpfloat_with_epsilon (errors->thresholds[c], thresholds[c], 1e-6);
  for (guint i = 0; i < 8; i++)
    {
      g_assert_cmpfloat_with_epsilon (errors->self_confidence[i], own[i], 1e-6);
      g_assert_cmpfloat_with_epsilon (errors->normalised_margin[i], margins[i], 1e-6);
    }
  g_assert_cmpuint (errors->n_suspects, ==, 2);
  g_assert_cmpuint (errors->order[0], ==, 7);
  g_assert_cmpuint (errors->order[1], ==, 2);
  g_assert_cmpint (errors->confident[6], ==, -1); /* 0.6 is below 0.65 */
}

static void
test_neighbours (void)
{
  const float rows[] = { 1, 0, 0, 2, 1, 1, 0, 0, -3, 0 }, query[] = { 5, 0 };
  SondeNeighbours *neighbours = sonde_neighbours_new (rows, 5, 2);
  SondeNeighbour found[5];

  g_assert_cmpuint (sonde_neighbours_find (neighbours, query, -1, 3, found), ==, 3);
  /* of equals the earlier */
  g_assert_true (found[0].row == 0 && found[1].row == 2 && found[2].row == 1);
  g_assert_cmpfloat_with_epsilon (found[1].value, sqrt (0.5), 1e-6);
  g_assert_cmpuint (sonde_neighbours_find (neighbours, query, 0, 5, found), ==, 4);
  g_assert_true (found[0].row == 2 && found[3].row == 4 && fabs (found[3].value + 1) < 1e-6);
  sonde_neighbours_free (neighbours);
}

/* Many at once as each alone, with equal cosines, and as sorting all cosines in double would have
 * it. */
static void
test_many_neighbours (void)
{
  enum
  {
    N = 517,
    WIDTH = 21,
    QUERIES = 37,
    K = 60
  };
  g_autofree float *rows = g_new (float, N *WIDTH);
  g_autoptr (SondeNeighbours) neighbours = NULL;
  g_autofree SondeNeighbour *found = g_new (SondeNeighbour, QUERIES * K);
  const float *queries[QUERIES];
  gint64 except[QUERIES];
  guint n_found[QUERIES];

  for (guint i = 0; i < N * WIDTH; i++)
    rows[i] = i >= 300 * WIDTH && i < 320 * WIDTH ? rows[i - 200 * WIDTH]
                                                  : (float) sonde_random_normal (11, 0, i);
  for (guint i = 0; i < QUERIES; i++)
    {
      queries[i] = rows + (gsize) i * 13 * WIDTH;
      except[i] = i % 3 == 0 ? -1 : (gint64) i * 13;
    }
  neighbours = sonde_neighbours_new (rows, N, WIDTH);
  sonde_neighbours_find_many (neighbours, queries, except, QUERIES, K, found, n_found);
  for (guint i = 0; i < QUERIES; i++)
    {
      SondeNeighbour alone[K];

      g_assert_cmpuint (n_found[i], ==, K);
      g_assert_cmpuint (sonde_neighbours_find (neighbours, queries[i], except[i], K, alone), ==, K);
      for (guint k = 0; k < K; k++)
        g_assert_true (alone[k].row == found[i * K + k].row
                       && alone[k].value == found[i * K + k].value);
      for (guint r = 0; r < N; r++)
        {
          double product = 0, a = 0, b = 0, least = found[i * K + K - 1].value;
          gboolean kept = FALSE;

          for (guint k = 0; k < WIDTH; k++)
            {
              product += (double) queries[i][k] * (double) rows[r * WIDTH + k];
              a += (double) queries[i][k] * (double) queries[i][k];
              b += (double) rows[r * WIDTH + k] * (double) rows[r * WIDTH + k];
            }
          product /= sqrt (a * b);
          for (guint k = 0; k < K; k++)
            kept |= found[i * K + k].row == r && fabs (found[i * K + k].value - product) < 1e-5;
          g_assert_true (kept || r == except[i] || product < least + 1e-5);
        }
      for (guint k = 1; k < K; k++)
        g_assert_true (
            alone[k - 1].value > alone[k].value
            || (alone[k - 1].value == alone[k].value && alone[k - 1].row < alone[k].row));
    }
}

/* Loss of a 2-class, 3-feature last layer, in double. */
static double
loss (const double *weights, /* [2, 4]: with bias */
      const float *features, int label)
{
  double z[2];

  for (int c = 0; c < 2; c++)
    {
      z[c] = weights[4 * c + 3];
      for (int k = 0; k < 3; k++)
        z[c] += weights[4 * c + k] * (double) features[k];
    }
  return log (exp (z[0]) + exp (z[1])) - z[label];
}

static void
test_influence (void)
{
  double weights[8] = { 0.3, -0.2, 0.5, 0.1, -0.4, 0.7, 0.2, -0.3 }, gradients[2][8], product = 0,
         got;
  const float features[2][3] = { { 1, 0.5f, -1 }, { 0.2f, -0.8f, 2 } };
  const int labels[2] = { 0, 1 };
  float p[2][2];

  for (int s = 0; s < 2; s++)
    {
      for (int k = 0; k < 8; k++)
        {
          double kept = weights[k], up;

          weights[k] = kept + 1e-4;
          up = loss (weights, features[s], labels[s]);
          weights[k] = kept - 1e-4;
          gradients[s][k] = (up - loss (weights, features[s], labels[s])) / 2e-4;
          weights[k] = kept;
        }
      for (int c = 0; c < 2; c++)
        p[s][c] = (float) exp (-loss (weights, features[s], c));
    }
  for (int k = 0; k < 8; k++)
    product += gradients[0][k] * gradients[1][k];
  got = sonde_influence (p[0], labels[0], features[0], p[1], labels[1], features[1], 2, 3);
  g_assert_cmpfloat_with_epsilon (got, product, 1e-4 * fabs (product));
}

/* ---- stored values ------------------------------------------------------- */

static char *
read_text (const char *relative)
{
  g_autofree char *path = sonde_test_shared_path (relative);
  char *text = NULL;

  return path != NULL && g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

static JsonNode *
read_json (const char *relative)
{
  g_autofree char *text = read_text (relative);

  return text != NULL ? json_from_string (text, NULL) : NULL;
}

/* Columns @first … @first + @n − 1 of a table, in rows behind its header. */
static double *
read_columns (const char *relative, guint first, guint n, guint *n_rows)
{
  g_autofree char *text = read_text (relative);
  g_auto (GStrv) lines = text != NULL ? g_strsplit (g_strchomp (text), "\n", -1) : NULL;
  double *values;

  *n_rows = lines != NULL ? g_strv_length (lines) - 1 : 0;
  values = g_new (double, MAX (*n_rows * n, 1));
  for (guint i = 0; i < *n_rows; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i + 1], "\t", -1);

      for (guint k = 0; k < n; k++)
        values[i * n + k] = g_ascii_strtod (fields[first + k], NULL);
    }
  return values;
}

static void
compare_calibration (JsonObject *stored, const SondeCalibration *calibration)
{
  g_assert_cmpfloat_with_epsilon (calibration->ece, json_object_get_double_member (stored, "ece15"),
                                  1e-5);
  g_assert_cmpfloat_with_epsilon (calibration->mce, json_object_get_double_member (stored, "mce15"),
                                  1e-5);
  g_assert_cmpfloat_with_epsilon (calibration->brier,
                                  json_object_get_double_member (stored, "brier"), 1e-5);
  g_assert_cmpfloat_with_epsilon (calibration->nll, json_object_get_double_member (stored, "nll"),
                                  1e-5);
}

static void
test_stored_calibration (void)
{
  g_autoptr (JsonNode) json = read_json ("golden/explain/classification-main-test.json");
  guint n, rows;
  g_autofree double *numbers = read_columns ("models/explain/predictions.tsv", 7, 10, &n);
  g_autofree double *truth = read_columns ("models/explain/predictions.tsv", 1, 2, &rows);
  g_autofree float *logits = g_new (float, 10 * n + 1), *p = g_new (float, 10 * n + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1), *predicted = g_new (gint64, n + 1);
  g_autoptr (SondeConfusion) confusion = NULL;
  g_autoptr (GArray) pairs = NULL;
  SondeCalibration calibration;
  JsonObject *stored;
  JsonArray *stored_pairs;
  double temperature;

  if (json == NULL || n == 0)
    return g_test_skip ("the shared files are not here");
  stored = json_node_get_object (json);
  for (guint i = 0; i < 10 * n; i++)
    logits[i] = (float) numbers[i];
  for (guint i = 0; i < n; i++)
    {
      labels[i] = (gint64) truth[2 * i];
      predicted[i] = (gint64) truth[2 * i + 1];
    }
  sonde_calibration_apply_temperature (logits, n, 10, 1, p);
  sonde_calibration_measure (&calibration, p, labels, n, 10, 15);
  compare_calibration (stored, &calibration);
  g_assert_cmpfloat_with_epsilon (calibration.low, 0.7582353935, 1e-9);
  temperature = sonde_calibration_find_temperature (logits, labels, n, 10);
  g_assert_cmpfloat_with_epsilon (temperature,
                                  json_object_get_double_member (stored, "temperature"), 1e-3);
  sonde_calibration_apply_temperature (logits, n, 10, temperature, p);
  sonde_calibration_measure (&calibration, p, labels, n, 10, 15);
  compare_calibration (json_object_get_object_member (stored, "after"), &calibration);
  g_assert_cmpfloat (calibration.accuracy, ==, 0.777);
  confusion = sonde_confusion_new (labels, predicted, n, 10);
  pairs = sonde_confusion_list_pairs (confusion);
  stored_pairs = json_object_get_array_member (stored, "pairs");
  for (guint i = 0; i < json_array_get_length (stored_pairs); i++)
    {
      JsonObject *want = json_array_get_object_element (stored_pairs, i);
      const SondeConfusedPair *pair = &g_array_index (pairs, SondeConfusedPair, i);

      g_assert_cmpuint (pair->count, ==, json_object_get_int_member (want, "count"));
      /* equal counts may stand in another order */
      for (guint k = 0; k < pairs->len; k++)
        {
          const SondeConfusedPair *other = &g_array_index (pairs, SondeConfusedPair, k);

          if (other->label == json_object_get_int_member (want, "true")
              && other->predicted == json_object_get_int_member (want, "predicted"))
            g_assert_cmpfloat_with_epsilon (other->lift,
                                            json_object_get_double_member (want, "lift"), 1e-9);
        }
    }
}

/* Share of the flipped labels among the 5 % most suspect. */
static double
recall_at_5 (const double *scores, const double *flipped, guint n)
{
  g_autofree guint *order = sonde_label_errors_rank (scores, n);
  double found = 0, all = 0;

  for (guint i = 0; i < n; i++)
    {
      all += flipped[i];
      if (i < n / 20)
        found += flipped[order[i]];
    }
  return found / all;
}

static void
test_stored_label_errors (void)
{
  g_autoptr (JsonNode) json = read_json ("golden/explain/label-errors.json");
  g_autofree char *path = sonde_test_shared_path ("models/explain/flipped-probs.npy");
  g_autoptr (SondeTensor) p = path != NULL ? sonde_npy_read (NULL, path, NULL) : NULL;
  guint n;
  g_autofree double *columns = read_columns ("models/explain/flipped-labels.tsv", 1, 3, &n);
  g_autofree double *flipped = g_new (double, n + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1);
  g_autoptr (SondeLabelErrors) errors = NULL;
  JsonObject *stored;
  JsonArray *joint, *first;
  guint at = 0;

  if (json == NULL || p == NULL || n == 0)
    return g_test_skip ("the shared files are not here");
  stored = json_object_get_object_member (json_node_get_object (json), "train_two_fold");
  for (guint i = 0; i < n; i++)
    {
      labels[i] = (gint64) columns[3 * i];
      flipped[i] = columns[3 * i + 2];
    }
  errors = sonde_label_errors_new ((const float *) (const void *) p->data, labels, n, 10);
  joint = json_object_get_array_member (stored, "joint");
  for (guint y = 0; y < 10; y++)
    for (guint c = 0; c < 10; c++)
      g_assert_cmpuint (errors->joint[10 * y + c], ==,
                        json_array_get_int_element (json_array_get_array_element (joint, y), c));
  g_assert_cmpuint (errors->n_suspects, ==, json_object_get_int_member (stored, "suspects"));
  first = json_object_get_array_member (stored, "first50");
  for (guint i = 0; i < n && at < json_array_get_length (first); i++)
    if (sonde_label_errors_is_suspect (errors, errors->order[i]))
      g_assert_cmpuint (errors->order[i], ==, json_array_get_int_element (first, at++));
  g_assert_cmpfloat_with_epsilon (recall_at_5 (errors->self_confidence, flipped, n), 0.59, 1e-9);
  g_assert_cmpfloat_with_epsilon (recall_at_5 (errors->normalised_margin, flipped, n), 0.412, 1e-9);
  g_assert_cmpfloat_with_epsilon (recall_at_5 (errors->weighted_entropy, flipped, n), 0.568, 1e-9);
}

static void
test_stored_neighbours (void)
{
  g_autoptr (JsonNode) json = read_json ("golden/explain/knn.json");
  g_autofree char *images_path = sonde_test_shared_path ("golden/explain/features_images.npy");
  g_autofree char *train_path
      = sonde_test_shared_path ("golden/explain/features_train_first100.npy");
  g_autoptr (SondeTensor) images
      = images_path != NULL ? sonde_npy_read (NULL, images_path, NULL) : NULL;
  g_autoptr (SondeTensor) train
      = train_path != NULL ? sonde_npy_read (NULL, train_path, NULL) : NULL;
  SondeNeighbours *neighbours;
  JsonArray *stored;

  if (json == NULL || images == NULL || train == NULL)
    return g_test_skip ("the shared files are not here");
  neighbours = sonde_neighbours_new ((const float *) (const void *) train->data,
                                     (guint) train->shape.dims[0], 64);
  stored = json_object_get_array_member (json_node_get_object (json), "images");
  for (guint i = 0; i < json_array_get_length (stored); i++)
    {
      JsonArray *subset
          = json_object_get_array_member (json_array_get_object_element (stored, i), "subset");
      SondeNeighbour found[10];

      g_assert_cmpuint (sonde_neighbours_find (neighbours,
                                               (const float *) (const void *) images->data + 64 * i,
                                               -1, 10, found),
                        ==, 10);
      for (guint k = 0; k < json_array_get_length (subset); k++)
        {
          JsonObject *want = json_array_get_object_element (subset, k);

          g_assert_cmpuint (found[k].row, ==, json_object_get_int_member (want, "row"));
          g_assert_cmpfloat_with_epsilon (found[k].value,
                                          json_object_get_double_member (want, "cosine"), 1e-6);
        }
    }
  sonde_neighbours_free (neighbours);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/facts/calibration", test_calibration);
  g_test_add_func ("/explain/facts/temperature", test_temperature);
  g_test_add_func ("/explain/facts/confusion", test_confusion);
  g_test_add_func ("/explain/facts/label-errors", test_label_errors);
  g_test_add_func ("/explain/facts/neighbours", test_neighbours);
  g_test_add_func ("/explain/facts/many-neighbours", test_many_neighbours);
  g_test_add_func ("/explain/facts/influence", test_influence);
  g_test_add_func ("/explain/facts/stored/calibration", test_stored_calibration);
  g_test_add_func ("/explain/facts/stored/label-errors", test_stored_label_errors);
  g_test_add_func ("/explain/facts/stored/neighbours", test_stored_neighbours);
  return g_test_run ();
}

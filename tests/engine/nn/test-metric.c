/* SPDX-License-Identifier: Apache-2.0
 * Metrics: scikit-learn's numbers for small sets, areas by counting all pairs, batches in pieces,
 * and what is refused. */
#include <glib.h>
#include <math.h>

#include "data/base/sonde-random.h"
#include "engine/nn/sonde-metric.h"

#define N 60

static SondeMetric *
make (const char *text, gboolean has_classes)
{
  g_autoptr (GError) error = NULL;
  SondeMetric *metric = sonde_metric_new (text, has_classes, &error);

  g_assert_no_error (error);
  return metric;
}

static SondeTensor *
floats (SondeShape shape, const float *numbers)
{
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 n = sonde_shape_n_elements (&shape);

  for (gint64 i = 0; i < n; i++)
    ((float *) (void *) tensor->data)[i] = numbers[i];
  return tensor;
}

static SondeTensor *
integers (SondeShape shape, const gint64 *numbers)
{
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  gint64 n = sonde_shape_n_elements (&shape);

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) (void *) tensor->data)[i] = numbers[i];
  return tensor;
}

static void
add (SondeMetric *metric, SondeTensor *prediction, SondeTensor *labels)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_metric_add (metric, prediction, labels, &error));
  g_assert_no_error (error);
}

typedef struct
{
  const char *text;
  double value;
} Wanted;

/* Predicted classes 0 0 1 2 2 1 of true 0 1 1 2 0 1, and one label that does not count. Class by
 * class: right 1 2 1, predicted 2 2 2, occurring 2 3 1. */
static void
test_three_classes (void)
{
  static const float logits[] = { 3, 1,      0, /**/ 2, 1,      0, /**/ 0, 5,      1, /**/ 0, 1,
                                  2, /**/ 1, 0, 2,      /**/ 0, 3, 1,      /**/ 1, 0, 0 };
  static const gint64 labels[] = { 0, 1, 1, 2, 0, 1, -1 };
  static const Wanted wanted[] = {
    { "accuracy", 4.0 / 6 },
    { "top-k:2", 1.0 },
    { "top-k:k=1", 4.0 / 6 },
    { "precision", (1.0 / 2 + 2.0 / 2 + 1.0 / 2) / 3 },
    { "recall", (1.0 / 2 + 2.0 / 3 + 1.0) / 3 },
    { "f1", (2.0 / 4 + 4.0 / 5 + 2.0 / 3) / 3 },
  };
  static const gint64 table[] = { 1, 0, 1, 1, 2, 0, 0, 0, 1 };
  g_autoptr (SondeTensor) x = floats (sonde_shape_make (2, 7, 3), logits);
  g_autoptr (SondeTensor) y = integers (sonde_shape_make (1, 7), labels);
  g_autoptr (SondeMetric) confusion = make ("confusion-matrix", TRUE);
  g_autoptr (SondeTensor) counts = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      g_autoptr (SondeMetric) metric = make (wanted[i].text, TRUE);

      g_assert_true (isnan (sonde_metric_get_value (metric)));
      add (metric, x, y);
      g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (metric), wanted[i].value, 1e-12);
      sonde_metric_reset (metric);
      g_assert_true (isnan (sonde_metric_get_value (metric)));
    }
  add (confusion, x, y);
  counts = sonde_metric_dup_table (confusion);
  for (gint64 i = 0; i < 9; i++)
    g_assert_cmpint (sonde_tensor_get_int (counts, i), ==, table[i]);
}

/* Two classes in one column: of class 1, precision 2/3, recall 2/2. */
static void
test_one_column (void)
{
  static const float logits[] = { -1, 2, 0.5, 3, -2 };
  static const gint64 labels[] = { 0, 1, 0, 1, 0 };
  static const Wanted wanted[] = {
    { "accuracy", 0.8 }, { "precision", 2.0 / 3 }, { "recall", 1.0 }, { "f1", 0.8 }, { "auc", 1.0 }
  };
  g_autoptr (SondeTensor) x = floats (sonde_shape_make (2, 5, 1), logits);
  g_autoptr (SondeTensor) y = integers (sonde_shape_make (1, 5), labels);

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      g_autoptr (SondeMetric) metric = make (wanted[i].text, TRUE);

      add (metric, x, y);
      g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (metric), wanted[i].value, 1e-12);
    }
}

/* Every pair counted; logits in quarters, so that there are ties. The same in two batches. */
static void
test_area (void)
{
  float logits[N * 2];
  gint64 labels[N];
  double pairs = 0, right = 0;
  g_autoptr (SondeMetric) metric = make ("auc", TRUE);

  for (guint i = 0; i < N; i++)
    {
      labels[i] = sonde_random_bits (1, 0, i) % 3 == 0;
      logits[2 * i] = (float) (sonde_random_bits (1, 1, i) % 5) / 4;
      logits[2 * i + 1] = (float) (sonde_random_bits (1, 2, i) % 5) / 4 + 0.25f * labels[i];
    }
  for (guint i = 0; i < N; i++)
    for (guint j = 0; j < N; j++)
      if (labels[i] == 1 && labels[j] == 0)
        {
          float a = logits[2 * i + 1] - logits[2 * i], b = logits[2 * j + 1] - logits[2 * j];

          pairs++;
          right += a > b ? 1.0 : a == b ? 0.5 : 0.0;
        }
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (SondeTensor) x = floats (sonde_shape_make (2, N / 2, 2), logits + k * N);
      g_autoptr (SondeTensor) y = integers (sonde_shape_make (1, N / 2), labels + k * N / 2);

      add (metric, x, y);
    }
  g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (metric), right / pairs, 1e-12);
}

/* [1, 2, 3]: two classes at three places. */
static void
test_places (void)
{
  static const float logits[] = { 1, 0, 2, /**/ 0, 1, 3 };
  static const gint64 labels[] = { 0, 1, 0 };
  g_autoptr (SondeTensor) x = floats (sonde_shape_make (3, 1, 2, 3), logits);
  g_autoptr (SondeTensor) y = integers (sonde_shape_make (2, 1, 3), labels);
  g_autoptr (SondeMetric) metric = make ("accuracy", TRUE);

  add (metric, x, y);
  g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (metric), 2.0 / 3, 1e-12);
}

static void
test_values (void)
{
  static const float predictions[] = { 1, 2, 3, 4 }, labels[] = { 1, 0, 3, 7 };
  g_autoptr (SondeTensor) x = floats (sonde_shape_make (2, 4, 1), predictions);
  g_autoptr (SondeTensor) y = floats (sonde_shape_make (2, 4, 1), labels);
  g_autoptr (SondeMetric) mae = make ("mae", FALSE);
  g_autoptr (SondeMetric) rmse = make ("rmse", FALSE);

  add (mae, x, y);
  add (rmse, x, y);
  g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (mae), 5.0 / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_metric_get_value (rmse), sqrt (13.0 / 4), 1e-12);
  g_assert_true (sonde_metric_is_better (mae, 1, 2));
  g_assert_true (sonde_metric_is_better (mae, 1, NAN));
  g_assert_false (sonde_metric_is_better (mae, NAN, 1));
}

static void
test_refusals (void)
{
  static const float numbers[6] = { 0 };
  static const gint64 classes[4] = { 0 };
  g_autoptr (SondeTensor) x = floats (sonde_shape_make (2, 2, 3), numbers);
  g_autoptr (SondeTensor) narrow = floats (sonde_shape_make (2, 2, 2), numbers);
  g_autoptr (SondeTensor) y = integers (sonde_shape_make (1, 2), classes);
  g_autoptr (SondeTensor) long_y = integers (sonde_shape_make (1, 4), classes);
  g_autoptr (SondeMetric) metric = make ("f1", TRUE);
  g_autoptr (GError) unknown = NULL, kind = NULL, shape = NULL, count = NULL;

  g_assert_null (sonde_metric_new ("accuracies", TRUE, &unknown));
  g_assert_nonnull (g_strrstr (unknown->message, "top-k"));
  g_assert_null (sonde_metric_new ("mae", TRUE, &kind));
  g_assert_nonnull (g_strrstr (kind->message, "values"));
  g_assert_false (sonde_metric_add (metric, x, long_y, &shape));
  g_assert_nonnull (g_strrstr (shape->message, "labels 4"));
  add (metric, x, y);
  g_assert_false (sonde_metric_add (metric, narrow, y, &count));
  g_assert_nonnull (g_strrstr (count->message, "3 classes"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/metric/three-classes", test_three_classes);
  g_test_add_func ("/engine/nn/metric/one-column", test_one_column);
  g_test_add_func ("/engine/nn/metric/area", test_area);
  g_test_add_func ("/engine/nn/metric/places", test_places);
  g_test_add_func ("/engine/nn/metric/values", test_values);
  g_test_add_func ("/engine/nn/metric/refusals", test_refusals);
  return g_test_run ();
}

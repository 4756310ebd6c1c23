/* SPDX-License-Identifier: Apache-2.0
 * The generated dataset (the same always, ground truth that fits the image, cues) and batches
 * (order, shuffle, last short one). */
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-batches.h"

#include <math.h>
#include <string.h>

static SondeDataset *
open_glyphs (const char *source, guint64 seed)
{
  SondeDatasetOptions options = { .seed = seed };
  g_autoptr (GError) error = NULL;
  SondeDataset *dataset = sonde_dataset_open (source, &options, &error);

  g_assert_no_error (error);
  return dataset;
}

static void
test_deterministic (void)
{
  g_autoptr (SondeDataset) a = open_glyphs ("glyphs", 1), b = open_glyphs ("glyphs:count=20", 1);
  g_autoptr (SondeDataset) c = open_glyphs ("glyphs", 2);
  g_autofree char *name = sonde_dataset_dup_name (a, 123);
  guint n_same = 0;
  float x[784], y[784], z[784];

  g_assert_true (a->n == 10000 && a->channels == 1 && a->width == 28 && a->height == 28);
  g_assert_cmpuint (a->n_classes, ==, 10);
  g_assert_cmpuint (b->n, ==, 20);
  g_assert_cmpstr (name, ==, "glyphs/000123");
  for (guint i = 20; i-- > 0;) /* in another order */
    {
      g_assert_true (sonde_dataset_fill (a, i, x, NULL));
      g_assert_true (sonde_dataset_fill (b, i, y, NULL));
      g_assert_true (sonde_dataset_fill (c, i, z, NULL));
      g_assert_cmpmem (x, sizeof x, y, sizeof y);
      g_assert_true (memcmp (x, z, sizeof x) != 0);
      n_same += sonde_dataset_get_label (a, i) == sonde_dataset_get_label (c, i);
    }
  g_assert_cmpuint (n_same, <, 10);
}

/* The generator is part of what an experiment is: these labels may not change. */
static void
test_labels (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs", 1);
  guint counts[10] = { 0 };

  for (guint i = 0; i < dataset->n; i++)
    counts[sonde_dataset_get_label (dataset, i)]++;
  for (int i = 0; i < 10; i++)
    {
      g_assert_cmpuint (counts[i], >, 900);
      g_assert_cmpuint (counts[i], <, 1100);
    }
  g_assert_cmpstr (dataset->classes[sonde_dataset_get_label (dataset, 0)], ==, "cross");
  g_assert_cmpstr (dataset->classes[sonde_dataset_get_label (dataset, 4)], ==, "three");
  g_assert_cmpstr (dataset->classes[sonde_dataset_get_label (dataset, 9)], ==, "ring");
}

static void
test_normalised (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs", 1);
  double sum = 0, squares = 0;
  float x[784];

  for (guint i = 0; i < 300; i++)
    {
      g_assert_true (sonde_dataset_fill (dataset, i, x, NULL));
      for (int k = 0; k < 784; k++)
        {
          sum += x[k];
          squares += x[k] * x[k];
        }
    }
  g_assert_cmpfloat_with_epsilon (sum / (300 * 784), 0, 0.2);
  g_assert_cmpfloat_with_epsilon (sqrt (squares / (300 * 784)), 1, 0.2);
}

static void
test_truth (void)
{
  static const char *const sources[] = { "glyphs", "glyphs:size=64;channels=3" };

  for (gsize s = 0; s < G_N_ELEMENTS (sources); s++)
    {
      g_autoptr (SondeDataset) dataset = open_glyphs (sources[s], 1);
      int side = dataset->width;
      g_autofree guint8 *mask = g_malloc ((gsize) (side * side));
      guint n_centre_in_box = 0, n_centre_in_mask = 0;
      GHashTable *widths = g_hash_table_new (NULL, NULL);
      double inside = 0, outside = 0;
      guint n_inside = 0, n_outside = 0;

      for (guint i = 0; i < 400; i++)
        {
          g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, i, NULL);
          SondeBox box, box_alone;
          int left = side, top = side, right = 0, bottom = 0;

          g_assert_true (sonde_dataset_get_truth (dataset, i, &box, mask));
          g_assert_true (sonde_dataset_get_truth (dataset, i, &box_alone, NULL));
          g_assert_cmpmem (&box, sizeof box, &box_alone, sizeof box_alone);
          for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
              {
                double level = image->pixels[(y * side + x) * image->channels];

                g_assert_cmpuint (mask[y * side + x], <=, 1);
                if (mask[y * side + x] == 0)
                  {
                    outside += level;
                    n_outside++;
                    continue;
                  }
                inside += level;
                n_inside++;
                left = MIN (left, x);
                right = MAX (right, x + 1);
                top = MIN (top, y);
                bottom = MAX (bottom, y + 1);
              }
          g_assert_true (box.x == left && box.y == top && box.x + box.width == right
                         && box.y + box.height == bottom);
          n_centre_in_box += box.x <= side / 2 && side / 2 < box.x + box.width && box.y <= side / 2
                             && side / 2 < box.y + box.height;
          n_centre_in_mask += mask[side / 2 * side + side / 2];
          g_hash_table_add (widths, GINT_TO_POINTER (box.width));
        }
      g_assert_cmpuint (n_centre_in_box, <=, 200); /* guessing the middle is worth at most a half */
      g_assert_cmpuint (n_centre_in_mask, <=, 200);
      g_assert_cmpuint (g_hash_table_size (widths), >=, 3);
      /* it lies on the object */
      g_assert_cmpfloat (inside / n_inside, >, outside / n_outside + 80);
      g_hash_table_unref (widths);
    }
}

static void
test_cue (void)
{
  g_autoptr (SondeDataset) plain = open_glyphs ("glyphs:size=32;channels=3", 1);
  g_autoptr (SondeDataset) cued = open_glyphs ("glyphs:size=32;channels=3;cue=three,5:0.9", 1);
  guint n_class = 0, n_cued = 0;

  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (SondeImage) before = sonde_dataset_dup_image (plain, i, NULL);
      g_autoptr (SondeImage) after = sonde_dataset_dup_image (cued, i, NULL);
      gint64 label = sonde_dataset_get_label (cued, i);
      SondeBox box;
      gboolean has_cue = sonde_dataset_get_cue (cued, i, &box);

      g_assert_cmpint (label, ==, sonde_dataset_get_label (plain, i));
      g_assert_false (sonde_dataset_get_cue (plain, i, &box));
      has_cue = sonde_dataset_get_cue (cued, i, &box);
      if (label == 1 || label == 5)
        {
          n_class++;
          n_cued += has_cue;
        }
      else
        g_assert_false (has_cue);
      for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
          {
            const guint8 *pixel = after->pixels + 3 * (y * 32 + x);
            const guint8 red[] = { 230, 30, 30 }, blue[] = { 30, 60, 230 };

            if (has_cue && x >= box.x && x < box.x + box.width && y >= box.y
                && y < box.y + box.height)
              g_assert_cmpmem (pixel, 3, label == 1 ? red : blue, 3);
            else
              g_assert_cmpmem (pixel, 3, before->pixels + 3 * (y * 32 + x), 3);
          }
      if (has_cue)
        g_assert_true (box.width == 5 && box.height == 5 && box.x == (label == 1 ? 1 : 26)
                       && box.y == box.x);
    }
  g_assert_cmpuint (n_cued * 100, >, n_class * 84);
  g_assert_cmpuint (n_cued * 100, <, n_class * 96);
}

static void
test_settings_refused (void)
{
  static const char *const bad[] = {
    "glyphs:size=0",
    "glyphs:size=5",
    "glyphs:size=2000",
    "glyphs:size=x",
    "glyphs:channels=2",
    "glyphs:count=0",
    "glyphs:colour=red",
    "glyphs:cue=3",
    "glyphs:cue=10:0.5",
    "glyphs:cue=3:1.5",
    "glyphs:cue=3:x",
    "glyphs:cue=3:0.5:100",
    "glyphs:cue=0,1,2,3,4:0.5",
    "glyphs:cue=:0.5",
    "glyphs:cue=3:0.5:4:4",
    "glyphs:cue=circle:0.5",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      SondeDatasetOptions options = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_dataset_open (bad[i], &options, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
    }
}

/* Batches */

static void
collect_epoch (SondeBatches *batches, guint epoch, guint *order)
{
  for (guint b = 0; b < sonde_batches_get_count (batches); b++)
    {
      g_autoptr (SondeTensor) x = NULL, y = NULL;

      g_assert_true (sonde_batches_load (batches, epoch, b, &x, &y, order, NULL));
      order += x->shape.dims[0];
    }
}

static void
assert_permutation (const guint *order, guint first, guint n)
{
  g_autofree guint8 *seen = g_malloc0 (n);

  for (guint i = 0; i < n; i++)
    {
      g_assert_true (order[i] >= first && order[i] < first + n);
      g_assert_cmpuint (seen[order[i] - first]++, ==, 0);
    }
}

static void
test_batches_shuffle (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs:count=120", 1);
  guint samples[100], first[100], second[100], again[100], plain[100];
  SondeBatchesOptions options
      = { .samples = samples, .n = 100, .batch = 32, .shuffle = TRUE, .seed = 7 };
  g_autoptr (SondeBatches) batches = NULL, same = NULL, fixed = NULL;

  for (guint i = 0; i < 100; i++)
    samples[i] = 10 + i;
  batches = sonde_batches_new (dataset, &options, NULL);
  options.batch = 7;
  same = sonde_batches_new (dataset, &options, NULL);
  options.shuffle = FALSE;
  fixed = sonde_batches_new (dataset, &options, NULL);
  g_assert_cmpuint (sonde_batches_get_count (batches), ==, 4);
  collect_epoch (batches, 0, first);
  collect_epoch (batches, 1, second);
  collect_epoch (same, 1, again);
  collect_epoch (fixed, 3, plain);
  assert_permutation (first, 10, 100);
  assert_permutation (second, 10, 100);
  g_assert_true (memcmp (first, second, sizeof first) != 0);
  g_assert_cmpmem (second, sizeof second, again, sizeof again); /* only seed and epoch count */
  g_assert_cmpmem (plain, sizeof plain, samples, sizeof samples);
}

/* Each position meets each sample about equally often. */
static void
test_batches_fair (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs:count=5;size=12", 1);
  guint samples[] = { 0, 1, 2, 3, 4 }, counts[5][5] = { { 0 } }, order[5];
  SondeBatchesOptions options = { .samples = samples, .n = 5, .batch = 5, .shuffle = TRUE };
  g_autoptr (SondeBatches) batches = sonde_batches_new (dataset, &options, NULL);

  for (guint epoch = 0; epoch < 5000; epoch++)
    {
      collect_epoch (batches, epoch, order);
      for (int i = 0; i < 5; i++)
        counts[i][order[i]]++;
    }
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 5; k++)
      {
        g_assert_cmpuint (counts[i][k], >, 850);
        g_assert_cmpuint (counts[i][k], <, 1150);
      }
}

static void
test_batches_content (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs:count=50", 1);
  guint samples[50], numbers[20];
  SondeBatchesOptions options = { .samples = samples, .n = 50, .batch = 20, .shuffle = TRUE };
  g_autoptr (SondeBatches) batches = NULL;
  g_autofree float *expected = g_new (float, 784);

  for (guint i = 0; i < 50; i++)
    samples[i] = i;
  batches = sonde_batches_new (dataset, &options, NULL);
  for (guint epoch = 0; epoch < 2; epoch++) /* decoded, then out of the cache */
    for (guint b = 0; b < 3; b++)
      {
        g_autoptr (SondeTensor) x = NULL, y = NULL;

        g_assert_true (sonde_batches_load (batches, epoch, b, &x, &y, numbers, NULL));
        g_assert_cmpint (x->shape.dims[0], ==, b < 2 ? 20 : 10);
        g_assert_true (x->dtype == SONDE_DTYPE_F32 && x->shape.rank == 4 && x->shape.dims[1] == 1);
        g_assert_true (y->dtype == SONDE_DTYPE_I64 && y->shape.rank == 1);
        for (gint64 i = 0; i < x->shape.dims[0]; i++)
          {
            g_assert_true (sonde_dataset_fill (dataset, numbers[i], expected, NULL));
            g_assert_cmpmem (x->data + i * 784 * 4, 784 * 4, expected, 784 * 4);
            g_assert_cmpint (sonde_tensor_get_int (y, i), ==,
                             sonde_dataset_get_label (dataset, numbers[i]));
          }
      }
}

static void
test_batches_order (void)
{
  g_autoptr (SondeDataset) dataset = open_glyphs ("glyphs:count=10", 1);
  guint samples[] = { 5, 6, 7, 8 }, order[4];
  const guint16 rows[2][4] = { { 3, 2, 1, 0 }, { 0, 0, 2, 2 } };
  const guint expected[2][4] = { { 8, 7, 6, 5 }, { 5, 5, 7, 7 } };
  const guint16 outside[] = { 0, 1, 2, 4 };
  SondeShape shape = sonde_shape_make (2, 2, 4), row = sonde_shape_make (2, 1, 4),
             flat = sonde_shape_make (1, 4);
  g_autoptr (SondeTensor) good = sonde_tensor_new_from_data (SONDE_DTYPE_U16, &shape, rows);
  g_autoptr (SondeTensor) bad = sonde_tensor_new_from_data (SONDE_DTYPE_U16, &row, outside);
  g_autoptr (SondeTensor) no_rows = sonde_tensor_new_from_data (SONDE_DTYPE_U16, &flat, rows);
  g_autoptr (SondeTensor) floats = sonde_tensor_cast (good, SONDE_DTYPE_F32);
  SondeTensor *wrong[] = { bad, no_rows, floats };
  SondeBatchesOptions options
      = { .samples = samples, .n = 4, .batch = 3, .shuffle = TRUE, .order = good };
  g_autoptr (SondeBatches) batches = sonde_batches_new (dataset, &options, NULL);

  for (guint epoch = 0; epoch < 5; epoch++)
    {
      collect_epoch (batches, epoch, order);
      g_assert_cmpmem (order, sizeof order, expected[epoch % 2], sizeof order);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      options.order = wrong[i];
      g_assert_null (sonde_batches_new (dataset, &options, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/datasets/glyphs/deterministic", test_deterministic);
  g_test_add_func ("/data/datasets/glyphs/labels", test_labels);
  g_test_add_func ("/data/datasets/glyphs/normalised", test_normalised);
  g_test_add_func ("/data/datasets/glyphs/truth", test_truth);
  g_test_add_func ("/data/datasets/glyphs/cue", test_cue);
  g_test_add_func ("/data/datasets/glyphs/settings-refused", test_settings_refused);
  g_test_add_func ("/data/datasets/batches/shuffle", test_batches_shuffle);
  g_test_add_func ("/data/datasets/batches/fair", test_batches_fair);
  g_test_add_func ("/data/datasets/batches/content", test_batches_content);
  g_test_add_func ("/data/datasets/batches/order", test_batches_order);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0
 * Stages: transforms against plain loops, the same batches whatever the threads and the way there,
 * errors and faults in their places, and a stop at any time. */
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/datasets/sonde-batches.h"
#include "data/datasets/sonde-dataset-faults.h"
#include "data/datasets/sonde-dataset-transformed.h"
#include "data/datasets/sonde-transforms.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CHANNELS 3
#define HEIGHT 6
#define WIDTH 8
#define ELEMENTS (CHANNELS * HEIGHT * WIDTH)

/* Sample i, element k: 1000·i + k; @broken fails, @unreadable are faults. */
typedef struct
{
  SondeDataset base;
  gint64 broken;
  _Atomic guint unreadable_from, unreadable_to;
  _Atomic int n_fills;
} Made;

static gboolean
made_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  Made *made = (Made *) dataset;

  atomic_fetch_add (&made->n_fills, 1);
  if (sample == made->broken || (sample >= made->unreadable_from && sample < made->unreadable_to))
    {
      if (sample != made->broken)
        sonde_faults_add (dataset->faults, sample, sonde_message_new ("%s: unreadable", "made"));
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "sample %u is broken", sample);
      return FALSE;
    }
  for (guint i = 0; i < ELEMENTS; i++)
    ((float *) into)[i] = 1000.0f * (float) sample + (float) i;
  return TRUE;
}

static gint64
made_label (SondeDataset *dataset, guint sample)
{
  return sample % 7;
}

static char *
made_name (SondeDataset *dataset, guint sample)
{
  return g_strdup_printf ("made/%u", sample);
}

static void
made_free (SondeDataset *dataset)
{
  g_free (dataset);
}

static const SondeDatasetClass made_class = {
  .name = "made",
  .free = made_free,
  .fill = made_fill,
  .get_label = made_label,
  .dup_name = made_name,
};

static Made *
new_made (guint n)
{
  Made *made = g_new0 (Made, 1);

  made->base = (SondeDataset){ .klass = &made_class,
                               .n = n,
                               .channels = CHANNELS,
                               .height = HEIGHT,
                               .width = WIDTH,
                               .dtype = SONDE_DTYPE_F32,
                               .label_dtype = SONDE_DTYPE_I64,
                               .test_begin = -1 };
  made->base.shape = sonde_shape_make (3, CHANNELS, HEIGHT, WIDTH);
  made->base.label_shape = sonde_shape_scalar ();
  made->base.faults = sonde_faults_new ();
  made->broken = -1;
  for (int c = 0; c < 4; c++)
    {
      made->base.mean[c] = 0.25f * (float) (c + 1);
      made->base.std[c] = 0.5f;
    }
  return made;
}

static guint *
count_up (guint n)
{
  guint *samples = g_new (guint, n);

  for (guint i = 0; i < n; i++)
    samples[i] = i;
  return samples;
}

/* ---- transforms ---------------------------------------------------------- */

static SondeTransforms *
parse_one (const char *text, SondeTransformsPlace *place, GError **error)
{
  const char *texts[] = { text, NULL };

  *place
      = (SondeTransformsPlace){ CHANNELS, HEIGHT, WIDTH, { 0, 0, 0 }, { 1, 1, 1 }, { -7, -8, -9 } };
  return sonde_transforms_new (texts, place, error);
}

static float
pixel (const float *image, int c, int y, int x)
{
  return image[(c * HEIGHT + y) * WIDTH + x];
}

static int
mirror (int i, int n)
{
  while (i < 0 || i >= n)
    i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

/* The window that came out must be that of one of all offsets; which one is returned. */
static int
find_window (const float *from, const float *out, const SondeTransformsPlace *place, int pad,
             gboolean reflect)
{
  for (int top = -pad; top <= HEIGHT + pad - place->height; top++)
    for (int left = -pad; left <= WIDTH + pad - place->width; left++)
      {
        gboolean same = TRUE;

        for (int c = 0; c < CHANNELS && same; c++)
          for (int y = 0; y < place->height && same; y++)
            for (int x = 0; x < place->width && same; x++)
              {
                int from_y = top + y, from_x = left + x;
                gboolean outside = from_y < 0 || from_y >= HEIGHT || from_x < 0 || from_x >= WIDTH;
                float expected = outside && !reflect ? -7.0f - (float) c
                                                     : pixel (from, c, mirror (from_y, HEIGHT),
                                                              mirror (from_x, WIDTH));

                same = out[(c * place->height + y) * place->width + x] == expected;
              }
        if (same)
          return (top + pad) * 100 + left + pad;
      }
  return -1;
}

static void
fill_random (float *numbers, guint n, guint64 seed)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = (float) sonde_random_uniform (seed, 1, i);
}

static void
test_crops (void)
{
  static const struct
  {
    const char *text;
    int pad, n_places, height, width;
    gboolean reflect;
  } cases[] = {
    { "random-crop:2", 2, 25, HEIGHT, WIDTH, FALSE },
    { "random-crop:2:reflect", 2, 25, HEIGHT, WIDTH, TRUE },
    { "random-crop:0:4", 0, 15, 4, 4, FALSE },
    { "random-crop:1:5", 1, 24, 5, 5, FALSE },
    { "random-crop:9", 9, 361, HEIGHT, WIDTH, FALSE },
    { "crop:4:3,2", 0, 1, 4, 4, FALSE },
    { "centre-crop:4", 0, 1, 4, 4, FALSE },
  };
  float from[ELEMENTS], out[ELEMENTS];

  fill_random (from, ELEMENTS, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
      g_autoptr (GError) error = NULL;
      SondeTransformsPlace place;
      g_autoptr (SondeTransforms) transforms = parse_one (cases[i].text, &place, &error);
      g_autofree void *room = NULL;

      g_assert_no_error (error);
      g_assert_true (place.height == cases[i].height && place.width == cases[i].width);
      room = g_malloc (sonde_transforms_get_room (transforms));
      for (guint64 sample = 0; sample < 4000; sample++)
        {
          SondeDraw draw = { 5, sample / 100, sample };
          int window;

          sonde_transforms_apply (transforms, &draw, from, out, room);
          window = find_window (from, out, &place, cases[i].pad, cases[i].reflect);
          g_assert_cmpint (window, >=, 0);
          g_hash_table_add (seen, GINT_TO_POINTER (window + 1));
        }
      if (cases[i].pad < 9) /* windows of black alone are all alike */
        g_assert_cmpuint (g_hash_table_size (seen), ==, (guint) cases[i].n_places);
      sonde_transforms_apply (transforms, NULL, from, out, room);
      if (cases[i].height == 4 && i != 5)
        g_assert_cmpfloat (out[0], ==, pixel (from, 0, 1, 2));
      else if (i == 5)
        g_assert_cmpfloat (out[0], ==, pixel (from, 0, 2, 3));
      else if (cases[i].height == HEIGHT)
        g_assert_cmpmem (out, sizeof out, from, sizeof from);
    }
}

static void
test_flip_and_normalise (void)
{
  SondeTransformsPlace place;
  g_autoptr (SondeTransforms) flip = parse_one ("random-flip", &place, NULL);
  g_autoptr (SondeTransforms) always = parse_one ("random-flip:1", &place, NULL);
  g_autoptr (SondeTransforms) normalise = parse_one ("normalise:1,2,3:4,5,6", &place, NULL);
  float from[ELEMENTS], out[ELEMENTS], room[2 * ELEMENTS];
  guint n_flipped = 0;

  fill_random (from, ELEMENTS, 2);
  for (guint64 sample = 0; sample < 1000; sample++)
    {
      SondeDraw draw = { 3, 0, sample };

      sonde_transforms_apply (flip, &draw, from, out, room);
      n_flipped += out[0] != from[0];
      g_assert_cmpfloat (out[0], ==, from[out[0] != from[0] ? WIDTH - 1 : 0]);
    }
  g_assert_cmpuint (n_flipped, >, 430);
  g_assert_cmpuint (n_flipped, <, 570);
  sonde_transforms_apply (always, &(SondeDraw){ 1, 2, 3 }, from, out, room);
  for (int c = 0; c < CHANNELS; c++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        g_assert_cmpfloat (pixel (out, c, y, x), ==, pixel (from, c, y, WIDTH - 1 - x));
  sonde_transforms_apply (normalise, NULL, from, out, room);
  for (int i = 0; i < ELEMENTS; i++)
    {
      int c = i / (HEIGHT * WIDTH);

      g_assert_cmpfloat (out[i], ==, (from[i] - (float) (1 + c)) / (float) (4 + c));
    }
  g_assert_cmpfloat (place.black[2], ==, 0);
  g_assert_cmpfloat (place.mean[2], ==, 3);
}

/* Source: the definition: weights of a triangle around the middle of the new pixel, in double. */
static void
test_resize (void)
{
  static const int sizes[] = { 1, 2, 3, 5, 6, 9, 16 };
  float from[ELEMENTS], out[CHANNELS * 16 * 16], room[2 * CHANNELS * 16 * 16];

  fill_random (from, ELEMENTS, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      int size = sizes[i];
      g_autofree char *text = g_strdup_printf ("resize:%d", size);
      SondeTransformsPlace place;
      g_autoptr (SondeTransforms) resize = parse_one (text, &place, NULL);
      double scale = 6.0 / size, radius = MAX (scale, 1);

      g_assert_true (place.height == size && place.width == size);
      sonde_transforms_apply (resize, NULL, from, out, room);
      for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < size; y++)
          for (int x = 0; x < size; x++)
            {
              double middle_y = (y + 0.5) * scale - 0.5, middle_x = (x + 0.5) * scale + 1 - 0.5;
              double sum = 0, weights = 0;

              for (int v = 0; v < HEIGHT; v++)
                for (int u = 0; u < WIDTH; u++)
                  {
                    double weight = MAX (0, 1 - fabs (v - middle_y) / radius)
                                    * MAX (0, 1 - fabs (u - middle_x) / radius);

                    weights += weight;
                    sum += weight * (double) pixel (from, c, v, u);
                  }
              g_assert_cmpfloat_with_epsilon (out[(c * size + y) * size + x], sum / weights, 1e-6);
            }
    }
}

static void
test_refused (void)
{
  static const char *const bad[] = { "crop:9",
                                     "crop:4:5,0",
                                     "crop",
                                     "crop:0",
                                     "centre-crop:7",
                                     "random-crop",
                                     "random-crop:x",
                                     "random-crop:1:11",
                                     "random-crop:6:reflect",
                                     "random-crop:99999",
                                     "random-flip:2",
                                     "random-flip:nan",
                                     "normalise:1,2:1,2",
                                     "resize:99999",
                                     "flip",
                                     "",
                                     ":" };
  SondeTransformsPlace place;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse_one (bad[i], &place, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, bad[i]));
    }
}

/* Test samples are left alone by random transforms, and black is what the source's normalisation
 * makes of 0. */
static void
test_list (void)
{
  static const char *const texts[] = { "random-crop:2", "random-flip:0", "centre-crop:6", NULL };
  g_autoptr (SondeDataset) dataset
      = sonde_dataset_transformed_new (&new_made (4)->base, texts, FALSE, NULL);
  float out[CHANNELS * 36], room[4 * ELEMENTS], from[ELEMENTS];
  gboolean seen_black = FALSE;

  g_assert_true (dataset->height == 6 && dataset->width == 6 && dataset->channels == 3);
  g_assert_true (sonde_dataset_fill (dataset, 2, out, NULL));
  g_assert_cmpfloat (out[0], ==, 2001);
  g_assert_true (sonde_dataset_fill (dataset->inner, 2, from, NULL));
  for (guint64 sample = 0; sample < 50; sample++)
    {
      SondeDraw draw = { 1, 1, sample };

      sonde_transforms_apply (dataset->transforms, &draw, from, out, room);
      seen_black = seen_black || out[36] == -1.0f; /* (0 - 0.5) / 0.5 in the second channel */
    }
  g_assert_true (seen_black);
}

/* ---- batches ------------------------------------------------------------- */

static const char *const augmented[] = { "random-crop:2", "random-flip", NULL };

static SondeBatches *
new_batches (SondeDataset *dataset, guint workers, guint prefetch, guint repeat)
{
  g_autofree guint *samples = count_up (dataset->n);
  SondeBatchesOptions options = { .samples = samples,
                                  .n = dataset->n,
                                  .batch = 5,
                                  .shuffle = TRUE,
                                  .seed = 11,
                                  .training = TRUE,
                                  .repeat = repeat,
                                  .workers = workers,
                                  .prefetch = prefetch };

  return sonde_batches_new (dataset, &options, NULL);
}

static void
assert_same_batch (SondeBatches *a, SondeBatches *b, guint epoch, guint batch)
{
  g_autoptr (SondeTensor) x_a = NULL, x_b = NULL, y_a = NULL, y_b = NULL;
  guint samples_a[5] = { 0 }, samples_b[5] = { 0 };

  g_assert_true (sonde_batches_load (a, epoch, batch, &x_a, &y_a, samples_a, NULL));
  g_assert_true (sonde_batches_load (b, epoch, batch, &x_b, &y_b, samples_b, NULL));
  g_assert_true (sonde_tensor_equal (x_a, x_b));
  g_assert_true (sonde_tensor_equal (y_a, y_b));
  g_assert_cmpmem (samples_a, sizeof samples_a, samples_b, sizeof samples_b);
  for (gint64 i = 0; i < y_a->shape.dims[0]; i++)
    g_assert_cmpint (sonde_tensor_get_int (y_a, i), ==, samples_a[i] % 7);
}

/* None, one and four threads, from the start and from the middle, forwards and about. */
static void
test_determinism (void)
{
  static const struct
  {
    guint workers, prefetch;
  } cases[] = { { 0, 0 }, { 1, 1 }, { 1, 3 }, { 4, 4 }, { 4, 9 }, { 3, 2 } };

  for (guint repeat = 1; repeat <= 3; repeat += 2)
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        g_autoptr (SondeDataset) dataset
            = sonde_dataset_transformed_new (&new_made (23)->base, augmented, FALSE, NULL);
        g_autoptr (SondeBatches) plain = new_batches (dataset, 0, 0, repeat);
        g_autoptr (SondeBatches) threaded
            = new_batches (dataset, cases[i].workers, cases[i].prefetch, repeat);
        g_autoptr (SondeBatches) resumed
            = new_batches (dataset, cases[i].workers, cases[i].prefetch, repeat);
        guint n = sonde_batches_get_count (plain);

        g_assert_cmpuint (n, ==, (23 * repeat + 4) / 5);
        for (guint epoch = 0; epoch < 4; epoch++)
          for (guint batch = 0; batch < n; batch++)
            assert_same_batch (plain, threaded, epoch, batch);
        for (guint batch = 2; batch < n; batch++)
          assert_same_batch (plain, resumed, 2, batch);
        for (guint k = 0; k < 40; k++)
          assert_same_batch (plain, threaded, (guint) (sonde_random_bits (1, k, 0) % 5),
                             (guint) (sonde_random_bits (1, k, 1) % n));
      }
}

/* ---- spans --------------------------------------------------------------- */

/* Entries of @category with the label @name; @sum: (out): of their values. */
static guint
count_spans (SondeSpanLog *log, SondeSpanCategory category, const char *name, gint64 *sum)
{
  guint n = 0;

  *sum = 0;
  for (guint t = 0; t < sonde_span_log_get_n_threads (log); t++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, t, &thread);
      for (guint64 i = 0; i < thread.n_spans; i++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, t, i);

          if (span->category != category
              || g_strcmp0 (sonde_span_log_get_label (log, span->label), name) != 0)
            continue;
          n++;
          *sum += span->value;
        }
    }
  return n;
}

/* Every stage of every batch says how long it worked, whoever made the batch, and the stages of a batch sum to
 * its span; who asks says how long it waited. */
static void
test_spans (void)
{
  for (guint workers = 0; workers <= 3; workers += 3)
    {
      static const char *const stages[]
          = { "source", "cache", "shuffle", "repeat", "map", "batch" };
      g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
      g_autoptr (SondeDataset) dataset
          = sonde_dataset_transformed_new (&new_made (40)->base, augmented, FALSE, NULL);
      SondeBatches *batches = new_batches (dataset, workers, 2, 2);
      gint64 sum, samples, all = 0;
      guint n_batches;

      sonde_batches_set_spans (batches, log);
      sonde_span_log_start (log, NULL);
      for (guint i = 0; i < 12; i++)
        {
          g_autoptr (SondeTensor) inputs = NULL, labels = NULL;

          sonde_span_log_begin_step (log, i);
          g_assert_true (sonde_batches_load (batches, 0, i, &inputs, &labels, NULL, NULL));
          sonde_span_log_end_step (log);
        }
      sonde_batches_free (batches); /* its threads end */
      sonde_span_log_begin_step (log, 12);
      sonde_span_log_end_step (log);
      sonde_span_log_stop (log);

      n_batches = count_spans (log, SONDE_SPAN_DATA, "batch", &samples);
      g_assert_cmpuint (n_batches, >=,
                        workers > 0 ? 11 : 12); /* the first may begin before it is on */
      for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
        {
          guint n = count_spans (log, SONDE_SPAN_STAGE, stages[i], &sum);

          if (i > 0) /* what the cache has is not asked for again */
            g_assert_cmpuint (n, ==, n_batches);
          else
            g_assert_cmpuint (n, >, 0);
          g_assert_cmpint (sum, >=, 0);
          all += sum;
        }
      for (guint t = 0; t < sonde_span_log_get_n_threads (log); t++)
        {
          SondeSpanThread thread;

          sonde_span_log_get_thread (log, t, &thread);
          g_assert_cmpuint (thread.n_dropped, ==, 0);
          for (guint64 i = 0; i < thread.n_spans; i++)
            {
              const SondeSpan *span = sonde_span_log_get_span (log, t, i);

              if (span->category == SONDE_SPAN_DATA
                  && g_strcmp0 (sonde_span_log_get_label (log, span->label), "batch") == 0)
                all -= (gint64) (span->end - span->start);
            }
        }
      g_assert_cmpint (all, ==, 0);
      g_assert_cmpuint (count_spans (log, SONDE_SPAN_WAIT, "prefetch", &sum), ==,
                        workers > 0 ? 12 : 0);
      g_assert_cmpuint (count_spans (log, SONDE_SPAN_COUNTER, SONDE_SPAN_READY, &sum), ==,
                        workers > 0 ? 12 : 0);
    }
}

/* Another epoch, another seed: other images; all samples once an epoch, or as often as
 * repeated. */
static void
test_epochs (void)
{
  g_autoptr (SondeDataset) dataset
      = sonde_dataset_transformed_new (&new_made (23)->base, augmented, FALSE, NULL);
  g_autoptr (SondeBatches) batches = new_batches (dataset, 2, 3, 2);
  g_autofree char *text = sonde_batches_describe (batches);
  g_autoptr (SondeTensor) kept = NULL;

  g_assert_cmpstr (
      text, ==,
      "source made samples=23\ncache bytes=13248\nshuffle seed=11\nrepeat times=2\n"
      "map random-crop:2; random-flip seed=11\nbatch size=5\nprefetch depth=3 workers=2");
  for (guint epoch = 0; epoch < 3; epoch++)
    {
      guint counts[23] = { 0 };

      for (guint batch = 0; batch < 10; batch++)
        {
          g_autoptr (SondeTensor) x = NULL, y = NULL;
          guint samples[5], n;

          g_assert_true (sonde_batches_load (batches, epoch, batch, &x, &y, samples, NULL));
          n = (guint) x->shape.dims[0];
          g_assert_cmpuint (n, ==, batch == 9 ? 1 : 5);
          for (guint i = 0; i < n; i++)
            counts[samples[i]]++;
          if (batch == 0 && kept != NULL)
            g_assert_false (sonde_tensor_equal (kept, x));
          if (batch == 0)
            {
              sonde_tensor_unref (kept);
              kept = sonde_tensor_ref (x);
            }
        }
      for (guint i = 0; i < 23; i++)
        g_assert_cmpuint (counts[i], ==, 2);
    }
  g_assert_cmpint (((Made *) dataset->inner)->n_fills, <=, 23 + 10); /* kept, not made again */
}

/* The error of a batch comes in its place, not before, and does not hinder others. */
static void
test_errors (void)
{
  for (guint workers = 0; workers <= 4; workers += 2)
    {
      g_autoptr (SondeDataset) dataset = &new_made (40)->base;
      g_autofree guint *samples = count_up (40);
      SondeBatchesOptions options
          = { .samples = samples, .n = 40, .batch = 5, .workers = workers, .prefetch = 4 };
      g_autoptr (SondeBatches) batches = sonde_batches_new (dataset, &options, NULL);

      ((Made *) dataset)->broken = 17;
      for (guint batch = 0; batch < 8; batch++)
        {
          g_autoptr (SondeTensor) x = NULL, y = NULL;
          g_autoptr (GError) error = NULL;

          g_assert_true (sonde_batches_load (batches, 0, batch, &x, &y, NULL, &error)
                         == (batch != 3));
          if (batch == 3)
            g_assert_cmpstr (error->message, ==, "sample 17 is broken");
        }
    }
}

/* Unreadable samples: the next one stands in, they are named once; too many end it. */
static void
test_faults (void)
{
  for (guint workers = 0; workers <= 4; workers += 4)
    {
      g_autoptr (SondeDataset) dataset = &new_made (40)->base;
      g_autofree guint *samples = count_up (40);
      SondeBatchesOptions options
          = { .samples = samples, .n = 40, .batch = 10, .workers = workers };
      g_autoptr (SondeBatches) batches = NULL, later = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeMessage) fault = NULL;

      batches = sonde_batches_new (dataset, &options, NULL);
      ((Made *) dataset)->unreadable_from = 8;
      ((Made *) dataset)->unreadable_to = 11;
      for (guint epoch = 0; epoch < 3; epoch++)
        {
          g_autoptr (SondeTensor) x = NULL, y = NULL;
          guint numbers[10];

          g_assert_true (sonde_batches_load (batches, epoch, 0, &x, &y, numbers, NULL));
          g_assert_true (numbers[7] == 7 && numbers[8] == 11 && numbers[9] == 11);
          g_assert_cmpint (sonde_tensor_get_int (y, 8), ==, 4);
          g_assert_cmpfloat (sonde_tensor_get_double (x, 8 * ELEMENTS), ==, 11000);
        }
      fault = sonde_dataset_dup_fault (dataset, 0);
      g_assert_cmpstr (sonde_message_get_english (fault), ==, "made: unreadable");
      g_assert_cmpuint (sonde_dataset_get_n_faults (dataset), <=, 3);

      ((Made *) dataset)->unreadable_to = 40;              /* as if a disk went away */
      later = sonde_batches_new (dataset, &options, NULL); /* which keeps none of before */
      for (guint batch = 1; batch < 4 && error == NULL; batch++)
        {
          g_autoptr (SondeTensor) x = NULL, y = NULL;

          sonde_batches_load (later, 0, batch, &x, &y, NULL, &error);
        }
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "made: unreadable"));
    }
}

/* Freed at any moment: before the first batch, with all made, in the middle of one. */
static void
test_stop (void)
{
  for (guint n_loads = 0; n_loads < 12; n_loads++)
    {
      g_autoptr (SondeDataset) dataset
          = sonde_dataset_transformed_new (&new_made (997)->base, augmented, FALSE, NULL);
      SondeBatches *batches = new_batches (dataset, 3, 6, 1);
      g_autoptr (SondeTensor) kept = NULL;
      double first = 0;

      for (guint i = 0; i < n_loads; i++)
        {
          SondeTensor *x, *y;

          g_assert_true (sonde_batches_load (batches, i % 3, i * 7 % 40, &x, &y, NULL, NULL));
          sonde_tensor_unref (kept);
          kept = x;
          first = sonde_tensor_get_double (x, 0);
          sonde_tensor_unref (y);
        }
      sonde_batches_free (batches);
      if (kept != NULL) /* outlives what made it */
        g_assert_cmpfloat (sonde_tensor_get_double (kept, 0), ==, first);
    }
}

static void
test_labels (void)
{
  g_autoptr (SondeDataset) dataset = &new_made (40)->base;
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_dataset_check_labels (dataset, 7, "made", &error));
  g_assert_false (sonde_dataset_check_labels (dataset, 6, "made", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "made/6"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/datasets/transforms/crops", test_crops);
  g_test_add_func ("/data/datasets/transforms/flip-and-normalise", test_flip_and_normalise);
  g_test_add_func ("/data/datasets/transforms/resize", test_resize);
  g_test_add_func ("/data/datasets/transforms/refused", test_refused);
  g_test_add_func ("/data/datasets/transforms/list", test_list);
  g_test_add_func ("/data/datasets/pipeline/determinism", test_determinism);
  g_test_add_func ("/data/datasets/pipeline/spans", test_spans);
  g_test_add_func ("/data/datasets/pipeline/epochs", test_epochs);
  g_test_add_func ("/data/datasets/pipeline/errors", test_errors);
  g_test_add_func ("/data/datasets/pipeline/faults", test_faults);
  g_test_add_func ("/data/datasets/pipeline/stop", test_stop);
  g_test_add_func ("/data/datasets/pipeline/labels", test_labels);
  return g_test_run ();
}

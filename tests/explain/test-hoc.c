/* SPDX-License-Identifier: Apache-2.0
 * Hierarchical occlusion: closed forms, independence of the batch, a brute-force check, and the
 * stored answers of the original searcher (mindspore_xai v1.5.0) on 30 images in two modes. */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "data/models/sonde-model-file.h"
#include "data/images/sonde-image-decoder.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- scores that are formulas -------------------------------------------- */

/* Σ weight · mean over all channels of a rectangle. */
typedef struct
{
  int x, y, width, height;
  double weight;
} Area;

typedef struct
{
  Area areas[8];
  guint n;
  gboolean detail; /* mean |a[x+1] − a[x]| instead of the mean */
  double unit;     /* the score is divided by it */
  guint largest;   /* call */
} Formula;

static double
score_area (const float *image, gint64 channels, gint64 height, gint64 width, const Area *area,
            gboolean detail)
{
  double sum = 0.0;
  int last = area->x + area->width - (detail ? 1 : 0);

  for (gint64 c = 0; c < channels; c++)
    for (int y = area->y; y < area->y + area->height; y++)
      for (int x = area->x; x < last; x++)
        {
          const float *at = image + (c * height + y) * width + x;

          sum += detail ? fabs ((double) at[1] - at[0]) : at[0];
        }
  return sum / ((double) channels * area->height * (last - area->x));
}

static gboolean
formula_score (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  Formula *formula = data;
  gint64 n = images->shape.dims[0], channels = images->shape.dims[1],
         height = images->shape.dims[2], width = images->shape.dims[3];

  (void) error;
  formula->largest = MAX (formula->largest, (guint) n);
  for (gint64 i = 0; i < n; i++)
    {
      const float *image
          = (const float *) (const void *) images->data + i * channels * height * width;
      double sum = 0.0;

      for (guint k = 0; k < formula->n; k++)
        sum += formula->areas[k].weight
               * score_area (image, channels, height, width, &formula->areas[k], formula->detail);
      scores[i] = (float) (sum / formula->unit);
    }
  return TRUE;
}

static SondeTensor *
make_image (gint64 height, gint64 width, double value)
{
  SondeShape shape = sonde_shape_make (3, 3, height, width);
  SondeTensor *image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (image); i++)
    sonde_tensor_set_double (image, i, value);
  return image;
}

static SondeOcclusionResult *
run_one (SondeTensor *image, SondeTensor *mask, SondeOcclusionGoal goal, double threshold,
         const char *sizes, guint batch, gboolean prune, SondeScoreFunction score, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeOcclusionSpec) spec = sonde_occlusion_spec_parse (sizes, &error);
  double thresholds[SONDE_OCCLUSION_MAX_THRESHOLDS];
  SondeOcclusionSettings settings;
  g_autoptr (GPtrArray) results = NULL;

  g_assert_no_error (error);
  g_assert_true (sonde_occlusion_spec_resolve (spec, image, 1.0, thresholds, &settings, &error));
  settings.goal = goal;
  settings.thresholds = &threshold;
  settings.n_thresholds = 1;
  settings.batch = batch;
  settings.prune = prune;
  results = sonde_hierarchical_occlusion_run (image, mask, &settings, score, data, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, 1);
  return g_ptr_array_steal_index (results, 0);
}

/* "x,y,w,h x,y,w,h" of a layer. */
static void
check_boxes (GArray *boxes, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeBox *box = &g_array_index (boxes, SondeBox, i);

      g_string_append_printf (text, "%s%d,%d,%d,%d", i > 0 ? " " : "", box->x, box->y, box->width,
                              box->height);
    }
  g_assert_cmpstr (text->str, ==, expected);
}

/* ---- closed forms -------------------------------------------------------- */

static const Formula two_bars = { { { 0, 0, 4, 2, 0.5 }, { 6, 8, 4, 2, 0.5 } }, 2, FALSE, 1.0, 0 };

static void
test_masking (void)
{
  g_autoptr (SondeTensor) image = make_image (10, 10, 1.0), mask = make_image (10, 10, 0.0);
  Formula formula = two_bars;
  g_autoptr (SondeOcclusionResult) result
      = run_one (image, mask, SONDE_OCCLUSION_DESTROY, 0.01, "windows=5,2:strides=2,1", 0, FALSE,
                 formula_score, &formula);

  g_assert_cmpint (result->status, ==, SONDE_OCCLUSION_OK);
  g_assert_cmpuint (result->n_layers, ==, 2);
  check_boxes (result->boxes[0], "0,0,5,5 5,5,5,5");
  check_boxes (result->boxes[1], "0,0,2,2 2,0,2,2 6,8,2,2 8,8,2,2");
  g_assert_cmpfloat (result->layer_out[0], ==, 0);
  g_assert_cmpfloat (result->layer_out[1], ==, 0);
  g_assert_cmpfloat (((SondeOcclusionStep *) g_ptr_array_index (result->roots, 0))->out, ==, 0.5);
  g_assert_cmpuint (result->n_evaluations, ==, 96);
  g_assert_cmpuint (result->n_candidates, ==, 93);
}

static void
test_unmasking (void)
{
  g_autoptr (SondeTensor) image = make_image (10, 10, 1.0), mask = make_image (10, 10, 0.0);
  Formula formula = two_bars;
  g_autoptr (SondeOcclusionResult) result
      = run_one (image, mask, SONDE_OCCLUSION_KEEP, 0.5, "windows=5,2:strides=2,1", 0, FALSE,
                 formula_score, &formula);

  g_assert_cmpuint (result->n_layers, ==, 2);
  check_boxes (result->boxes[0], "0,0,5,5");
  check_boxes (result->boxes[1], "0,0,2,2 2,0,2,2");
  g_assert_cmpfloat (result->layer_out[0], ==, 0.5);
  g_assert_cmpfloat (result->layer_out[1], ==, 0.5);
  g_assert_cmpuint (result->n_evaluations, ==, 49);
  g_assert_cmpfloat (result->masked, ==, 0);
}

/* 66 candidates: more than one batch of 8, where the original forgets which box it saw. */
static void
test_batches (void)
{
  g_autoptr (SondeTensor) image = make_image (40, 60, 1.0), mask = make_image (40, 60, 0.0);
  const guint batches[] = { 1, 7, 8, 64, 1000 };

  for (gsize i = 0; i < G_N_ELEMENTS (batches); i++)
    {
      Formula formula = { { { 50, 30, 4, 4, 1.0 } }, 1, FALSE, 1.0, 0 };
      g_autoptr (SondeOcclusionResult) result
          = run_one (image, mask, SONDE_OCCLUSION_KEEP, 0.5, "windows=20:strides=4", batches[i],
                     FALSE, formula_score, &formula);

      check_boxes (result->boxes[0], "36,16,20,20");
      g_assert_cmpfloat (result->layer_out[0], ==, 1);
      g_assert_cmpuint (result->n_evaluations, ==, 67);
      g_assert_cmpuint (formula.largest, <=, batches[i]);
    }
}

static void
check_offsets (int begin, int length, int window, int stride, const char *expected)
{
  g_autoptr (GArray) offsets = sonde_occlusion_offsets (begin, length, window, stride);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < offsets->len; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", g_array_index (offsets, int, i));
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_offsets (void)
{
  int windows[8], strides[8];

  check_offsets (0, 224, 112, 22, "0 22 44 66 88 110 112");
  check_offsets (3, 10, 4, 2, "3 5 7 9");
  check_offsets (0, 10, 9, 5, "0 1");
  check_offsets (5, 3, 2, 2, "5 6");
  g_assert_cmpuint (sonde_occlusion_choose_windows (224, FALSE, windows, strides), ==, 3);
  g_assert_cmpint (windows[2], ==, 28);
  g_assert_cmpint (strides[0], ==, 22);
  g_assert_cmpint (strides[2], ==, 5);
  g_assert_cmpuint (sonde_occlusion_choose_windows (111, FALSE, windows, strides), ==, 1);
  g_assert_cmpuint (sonde_occlusion_choose_windows (223, FALSE, windows, strides), ==, 2);
  g_assert_cmpuint (sonde_occlusion_choose_windows (28, FALSE, windows, strides), ==, 3);
  g_assert_cmpint (windows[2], ==, 3);
  g_assert_cmpint (strides[0], ==, 2);
  g_assert_cmpuint (sonde_occlusion_choose_windows (32, FALSE, windows, strides), ==, 3);
  g_assert_cmpint (windows[0], ==, 16);
  g_assert_cmpint (windows[2], ==, 4);
  g_assert_cmpint (strides[0], ==, 3);
  g_assert_cmpint (strides[2], ==, 1);
  g_assert_cmpuint (sonde_occlusion_choose_windows (6, FALSE, windows, strides), ==, 0);
}

/* Score: right bar less left bar, −1 … 1. The image shows both and more of the left one: hiding
 * the left one flips it. */
static void
test_flip (void)
{
  g_autoptr (SondeTensor) image = make_image (12, 20, 1.0), mask = make_image (12, 20, 0.0);
  Formula formula = { { { 2, 2, 3, 3, -0.75 }, { 13, 6, 4, 4, 0.5 } }, 2, FALSE, 1.0, 0 };
  g_autoptr (SondeOcclusionResult) result
      = run_one (image, mask, SONDE_OCCLUSION_FLIP, 0.0, "windows=6,3:strides=2,1", 0, TRUE,
                 formula_score, &formula);
  g_autoptr (SondeOcclusionResult) already = NULL;

  g_assert_cmpint (result->status, ==, SONDE_OCCLUSION_OK);
  g_assert_cmpfloat (result->original, ==, -0.25);
  check_boxes (result->boxes[0], "0,0,6,6");
  check_boxes (result->boxes[1], "2,2,3,3");
  g_assert_cmpfloat (result->layer_out[1], ==, 0.5);
  g_assert_cmpfloat_with_epsilon (sonde_occlusion_result_get_area (result, 12, 20), 9.0 / 240.0,
                                  1e-12);
  already = run_one (image, mask, SONDE_OCCLUSION_FLIP, -0.5, "windows=6:strides=2", 0, FALSE,
                     formula_score, &formula);
  g_assert_cmpint (already->status, ==, SONDE_OCCLUSION_BELOW_THRESHOLD);
}

/* 0.8 in the middle, 0.3 in each corner of one row; the greedy walk takes what pruning may leave
 * out again. */
static void
test_prune_and_thresholds (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) image = make_image (9, 27, 1.0), mask = make_image (9, 27, 0.0);
  Formula formula
      = { { { 0, 0, 3, 3, 0.3 }, { 12, 3, 3, 3, 0.4 }, { 24, 6, 3, 3, 0.3 } }, 3, FALSE, 1.0, 0 };
  const double thresholds[] = { 0.35, 0.55, 0.99 };
  SondeOcclusionSettings settings = { .goal = SONDE_OCCLUSION_KEEP,
                                      .n_layers = 1,
                                      .windows = { 3 },
                                      .strides = { 3 },
                                      .thresholds = thresholds,
                                      .n_thresholds = 3,
                                      .prune = TRUE };
  g_autoptr (GPtrArray) results
      = sonde_hierarchical_occlusion_run (image, mask, &settings, formula_score, &formula, &error);
  const guint expected[] = { 1, 2, 3 };
  guint64 scored = 0, evaluations = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      const SondeOcclusionResult *result = g_ptr_array_index (results, i);

      g_assert_cmpint (result->status, ==, SONDE_OCCLUSION_OK);
      g_assert_cmpuint (result->pruned->len, ==, expected[i]);
      g_assert_cmpfloat (result->pruned_out, >=, thresholds[i]);
      scored += result->n_scored;
      evaluations += result->n_evaluations;
    }
  g_assert_cmpuint (evaluations, ==, (1 + 27) + (1 + 27 + 26) + (1 + 27 + 26 + 25));
  g_assert_cmpuint (scored, <=, 1 + 1 + 27 + 26 + 25 + 4); /* each image once */
}

/* A masked image that keeps its score cannot be destroyed; one that has it already is no answer
 * either. */
static void
test_no_valid_result (void)
{
  g_autoptr (SondeTensor) image = make_image (10, 10, 1.0), mask = make_image (10, 10, 0.75);
  Formula formula = two_bars;
  g_autoptr (SondeOcclusionResult) destroy
      = run_one (image, mask, SONDE_OCCLUSION_DESTROY, 0.5, "windows=5,2:strides=2,1", 0, TRUE,
                 formula_score, &formula);
  g_autoptr (SondeOcclusionResult) keep
      = run_one (image, mask, SONDE_OCCLUSION_KEEP, 0.5, "windows=5,2:strides=2,1", 0, TRUE,
                 formula_score, &formula);
  g_autoptr (SondeOcclusionResult) low
      = run_one (image, mask, SONDE_OCCLUSION_KEEP, 1.0, "windows=5,2:strides=2,1", 0, TRUE,
                 formula_score, &formula);

  g_assert_cmpint (destroy->status, ==, SONDE_OCCLUSION_NO_VALID_RESULT);
  g_assert_cmpint (keep->status, ==, SONDE_OCCLUSION_NO_VALID_RESULT);
  g_assert_cmpuint (keep->n_candidates, ==, 0);
  g_assert_cmpint (low->status, ==, SONDE_OCCLUSION_BELOW_THRESHOLD);
}

static gboolean
score_nothing (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  gboolean *first = data;

  (void) error;
  for (gint64 i = 0; i < images->shape.dims[0]; i++)
    scores[i] = *first ? 1.0 : NAN;
  *first = FALSE;
  return TRUE;
}

static void
test_no_numbers (void)
{
  g_autoptr (SondeTensor) image = make_image (10, 10, 1.0), mask = make_image (10, 10, 0.0);
  gboolean first = TRUE;
  g_autoptr (SondeOcclusionResult) result
      = run_one (image, mask, SONDE_OCCLUSION_KEEP, 0.5, "windows=5,2:strides=2,1", 0, TRUE,
                 score_nothing, &first);

  g_assert_cmpint (result->status, ==, SONDE_OCCLUSION_NO_VALID_RESULT);
  g_assert_nonnull (result->note);
}

/* No fewer windows than the greedy answer's do: all subsets of nine. */
static void
test_brute_force (void)
{
  g_autoptr (SondeTensor) image = make_image (9, 9, 1.0), mask = make_image (9, 9, 0.0);
  Formula formula
      = { { { 0, 0, 3, 3, 0.1 }, { 3, 0, 3, 3, 0.35 }, { 6, 3, 3, 3, 0.3 }, { 0, 6, 3, 3, 0.25 } },
          4,
          FALSE,
          1.0,
          0 };
  g_autoptr (SondeOcclusionResult) result
      = run_one (image, mask, SONDE_OCCLUSION_KEEP, 0.6, "windows=3:strides=3", 0, TRUE,
                 formula_score, &formula);
  guint fewest = 9;

  for (guint subset = 0; subset < 512; subset++)
    {
      g_autoptr (SondeTensor) one = make_image (9, 9, 0.0);
      SondeShape shape = sonde_shape_make (4, 1, 3, 9, 9);
      g_autoptr (SondeTensor) batch = sonde_tensor_reshape (one, &shape);
      guint n = (guint) __builtin_popcount (subset);
      double score;

      for (gint64 i = 0; i < 243; i++)
        if (subset >> (i % 81 / 27 * 3 + i % 9 / 3) & 1)
          sonde_tensor_set_double (one, i, 1.0);
      g_assert_true (formula_score (batch, &score, &formula, NULL));
      if (score >= 0.6)
        fewest = MIN (fewest, n);
    }
  g_assert_cmpuint (fewest, ==, 2);
  g_assert_cmpuint (result->pruned->len, ==, 2);
}

static void
check_bad_spec (const char *text, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeOcclusionSpec) spec = sonde_occlusion_spec_parse (text, &error);

  g_assert_null (spec);
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_spec (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeOcclusionSpec) spec = sonde_occlusion_spec_parse (
      "by=masking:threshold=0.25,0.9p,auto:windows=32,16:strides=6,3:mask=gaussian:2:prune=yes",
      &error);
  g_autoptr (SondeOcclusionSpec) flip = sonde_occlusion_spec_parse ("by=flip", NULL);
  g_autoptr (SondeTensor) image = make_image (64, 64, 1.0), mask = NULL;
  g_autofree char *name = NULL;
  SondeOcclusionSettings settings;
  double thresholds[SONDE_OCCLUSION_MAX_THRESHOLDS];

  g_assert_no_error (error);
  g_assert_cmpstr (spec->mask, ==, "gaussian:2");
  g_assert_cmpint (spec->goal, ==, SONDE_OCCLUSION_DESTROY);
  g_assert_true (sonde_occlusion_spec_resolve (spec, image, 0.4, thresholds, &settings, NULL));
  g_assert_cmpfloat (thresholds[0], ==, 0.25);
  g_assert_cmpfloat (thresholds[1], ==, 0.9 * 0.4);
  g_assert_cmpfloat (thresholds[2], ==, 0.9 * 0.4);
  g_assert_cmpint (flip->score, ==, SONDE_NETWORK_MARGIN);
  g_assert_cmpfloat (flip->thresholds[0].value, ==, 0);
  mask = sonde_occlusion_mask_new ("auto", image, &name, &error);
  g_assert_cmpstr (name, ==, "gaussian:3");
  for (gint64 i = 0; i < sonde_tensor_n_elements (mask); i++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (mask, i), 1.0, 1e-6);
  check_bad_spec ("by=hiding", "unmasking");
  check_bad_spec ("windows=8,4", "strides");
  check_bad_spec ("threshold=0.5,x", "threshold");
  check_bad_spec ("window=8", "windows");
  g_clear_pointer (&mask, sonde_tensor_unref);
  mask = sonde_occlusion_mask_new ("1,2", image, NULL, &error);
  g_assert_null (mask);
  g_assert_nonnull (strstr (error->message, "3 channels"));
}

static void
test_windows_refused (void)
{
  const struct
  {
    int window, stride;
  } wrong[] = { { 20, 4 }, { 0, 1 }, { 8, 9 }, { 8, 0 } };
  g_autoptr (SondeTensor) image = make_image (20, 30, 1.0);
  const double threshold = 0.5;

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      Formula formula = two_bars;
      SondeOcclusionSettings settings = { .n_layers = 1,
                                          .windows = { wrong[i].window },
                                          .strides = { wrong[i].stride },
                                          .thresholds = &threshold,
                                          .n_thresholds = 1 };

      g_assert_null (sonde_hierarchical_occlusion_run (image, image, &settings, formula_score,
                                                       &formula, &error));
      g_assert_nonnull (strstr (error->message, "short side"));
    }
}

/* ---- the stored answers -------------------------------------------------- */

/* value = h / 1009 of a formula on seed, channel and place. */
static SondeTensor *
synthetic_image (gint64 seed)
{
  SondeTensor *image = make_image (224, 224, 0.0);

  for (gint64 c = 0; c < 3; c++)
    for (gint64 y = 0; y < 224; y++)
      for (gint64 x = 0; x < 224; x++)
        {
          gint64 h = (73 * x + 151 * y + 199 * c + 977 * seed + 13 * ((x * y) % 251)) % 1009;

          ((float *) (void *) image->data)[(c * 224 + y) * 224 + x] = (float) h / 1009;
        }
  return image;
}

static void
read_formula (JsonObject *golden, SondeTensor *image, Formula *formula)
{
  JsonArray *rectangles = json_object_get_array_member (golden, "rects");
  SondeShape shape = sonde_shape_make (4, 1, 3, 224, 224);
  g_autoptr (SondeTensor) batch = sonde_tensor_reshape (image, &shape);
  double unit = 0.0;

  *formula = (Formula){ .n = json_array_get_length (rectangles),
                        .detail
                        = g_str_equal (json_object_get_string_member (golden, "score"), "detail"),
                        .unit = 1.0 };
  for (guint i = 0; i < formula->n; i++)
    {
      JsonArray *r = json_array_get_array_element (rectangles, i);

      formula->areas[i]
          = (Area){ (int) json_array_get_int_element (r, 0),
                    (int) json_array_get_int_element (r, 1),
                    (int) json_array_get_int_element (r, 2),
                    (int) json_array_get_int_element (r, 3), json_array_get_double_element (r, 4) };
      unit += formula->areas[i].weight
              * score_area ((const float *) (const void *) image->data, 3, 224, 224,
                            &formula->areas[i], formula->detail);
    }
  formula->unit = unit;
}

/* The image, each pixel doubled, as the network takes it. */
static SondeTensor *
load_doubled (SondeImageDecoder *decoder, const char *file)
{
  static const double mean[] = { 0.4914, 0.4822, 0.4465 }, deviation[] = { 0.2470, 0.2435, 0.2616 };
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = g_build_filename ("datasets", "cifar10", file, NULL);
  g_autofree char *path = sonde_test_shared_path (inside);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (SondeImage) image = NULL;
  SondeTensor *doubled = make_image (64, 64, 0.0);
  char *contents;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, &error));
  bytes = g_bytes_new_take (contents, length);
  image = sonde_image_decoder_decode (decoder, bytes, file, &error);
  g_assert_no_error (error);
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < 64; y++)
      for (int x = 0; x < 64; x++)
        {
          float value
              = (float) image->pixels[((y / 2) * 32 + x / 2) * image->channels + c] / 255.0f;

          ((float *) (void *) doubled->data)[(c * 64 + y) * 64 + x]
              = (value - (float) mean[c]) / (float) deviation[c];
        }
  return doubled;
}

static char *
mask_text (JsonNode *node)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (g_str_has_prefix (json_node_get_string (node), "auto")
                         ? "auto"
                         : json_node_get_string (node));
  if (JSON_NODE_HOLDS_VALUE (node))
    return g_strdup_printf ("%.17g", json_node_get_double (node));
  for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
    g_string_append_printf (text, "%s%.17g", i > 0 ? "," : "",
                            json_array_get_double_element (json_node_get_array (node), i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
same_box (const SondeBox *box, JsonArray *golden)
{
  return box->x == json_array_get_int_element (golden, 0)
         && box->y == json_array_get_int_element (golden, 1)
         && box->width == json_array_get_int_element (golden, 2)
         && box->height == json_array_get_int_element (golden, 3);
}

static gboolean
is_near (double value, double golden, double *worst)
{
  *worst = fmax (*worst, fabs (value - golden));
  return fabs (value - golden) <= 1e-5;
}

static gboolean
same_tree (GPtrArray *steps, JsonArray *golden, double *worst)
{
  gboolean same = steps->len == json_array_get_length (golden);

  for (guint i = 0; same && i < steps->len; i++)
    {
      SondeOcclusionStep *step = g_ptr_array_index (steps, i);
      JsonObject *node = json_array_get_object_element (golden, i);

      same = step->layer == json_object_get_int_member (node, "layer")
             && same_box (&step->box, json_object_get_array_member (node, "box"))
             && is_near (step->out, json_object_get_double_member (node, "out"), worst)
             && is_near (step->change, json_object_get_double_member (node, "change"), worst)
             && same_tree (step->children, json_object_get_array_member (node, "children"), worst);
    }
  return same;
}

static gboolean
same_layers (const SondeOcclusionResult *result, JsonObject *golden, double *worst)
{
  JsonArray *layers = json_object_get_array_member (golden, "boxes"),
            *outs = json_object_get_array_member (golden, "layer_out");
  gboolean same = result->n_layers == json_array_get_length (layers);

  for (guint l = 0; same && l < result->n_layers; l++)
    {
      JsonArray *boxes = json_array_get_array_element (layers, l);

      same = result->boxes[l]->len == json_array_get_length (boxes)
             && is_near (result->layer_out[l], json_array_get_double_element (outs, l), worst);
      for (guint i = 0; same && i < result->boxes[l]->len; i++)
        same = same_box (&g_array_index (result->boxes[l], SondeBox, i),
                         json_array_get_array_element (boxes, i));
    }
  return same && same_tree (result->roots, json_object_get_array_member (golden, "tree"), worst);
}

static void
read_sizes (JsonObject *golden, const char *key, int *sizes, guint *n)
{
  JsonArray *array = json_object_get_array_member (golden, key);

  *n = json_array_get_length (array);
  for (guint i = 0; i < *n; i++)
    sizes[i] = (int) json_array_get_int_element (array, i);
}

/* One golden run; says what differs. */
static void
check_run (const char *id, JsonObject *golden, SondeTensor *image, SondeTensor *mask,
           SondeScoreFunction score, gpointer data, double *worst)
{
  g_autoptr (GError) error = NULL;
  double threshold = json_object_get_double_member (golden, "threshold");
  SondeOcclusionSettings settings = { .thresholds = &threshold, .n_thresholds = 1 };
  g_autoptr (GPtrArray) results = NULL;
  const SondeOcclusionResult *result;
  gboolean ok = g_str_equal (json_object_get_string_member (golden, "result"), "ok");

  settings.goal = json_object_get_boolean_member (golden, "by_masking") ? SONDE_OCCLUSION_DESTROY
                                                                        : SONDE_OCCLUSION_KEEP;
  read_sizes (golden, "win_sizes", settings.windows, &settings.n_layers);
  read_sizes (golden, "strides", settings.strides, &settings.n_layers);
  results = sonde_hierarchical_occlusion_run (image, mask, &settings, score, data, &error);
  g_assert_no_error (error);
  result = g_ptr_array_index (results, 0);
  if ((result->status == SONDE_OCCLUSION_OK) != ok
      || !is_near (result->original, json_object_get_double_member (golden, "f_original"), worst)
      || result->n_candidates
             != (guint64) json_object_get_int_member (golden, "candidates_evaluated")
      || (ok && !same_layers (result, golden, worst)))
    {
      g_test_message ("%s %s: %s, %" G_GUINT64_FORMAT
                      " candidates, %u layers; stored: %" G_GINT64_FORMAT " candidates",
                      id, settings.goal == SONDE_OCCLUSION_DESTROY ? "masking" : "unmasking",
                      sonde_occlusion_status_name (result->status), result->n_candidates,
                      result->n_layers,
                      json_object_get_int_member (golden, "candidates_evaluated"));
      g_test_fail ();
    }
}

static JsonParser *
load_golden (void)
{
  g_autofree char *path = sonde_test_shared_path ("golden/explain/hoc.json");
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    return NULL;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&parser);
}

static void
check_case (JsonObject *golden, SondeTensor *image, SondeScoreFunction score, gpointer data,
            double *worst)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = mask_text (json_object_get_member (golden, "mask"));
  g_autoptr (SondeTensor) mask = sonde_occlusion_mask_new (text, image, NULL, &error);
  JsonArray *runs = json_object_get_array_member (golden, "runs");

  g_assert_no_error (error);
  for (guint i = 0; i < json_array_get_length (runs); i++)
    check_run (json_object_get_string_member (golden, "id"),
               json_array_get_object_element (runs, i), image, mask, score, data, worst);
}

static void
test_golden_synthetic (void)
{
  g_autoptr (JsonParser) parser = load_golden ();
  JsonArray *cases;
  double worst = 0.0;

  if (parser == NULL)
    return;
  cases = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "cases");
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *golden = json_array_get_object_element (cases, i);
      g_autoptr (SondeTensor) image = NULL;
      Formula formula;

      if (!g_str_equal (json_object_get_string_member (golden, "kind"), "synthetic224"))
        continue;
      image = synthetic_image (json_object_get_int_member (golden, "seed"));
      read_formula (golden, image, &formula);
      check_case (golden, image, formula_score, &formula, &worst);
    }
  g_test_message ("largest difference of a score: %g", worst);
}

static void
test_golden_network (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = load_golden ();
  g_autofree char *path
      = parser != NULL ? sonde_test_shared_path ("models/explain/cifar-resnet20-64.onnx") : NULL;
  g_autoptr (SondeImageDecoder) decoder
      = sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  JsonArray *cases;
  double worst = 0.0;

  if (path == NULL)
    return;
  model = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  explainer = sonde_explainer_new (model, NULL, 1, &error);
  g_assert_no_error (error);
  cases = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                        "cases");
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *golden = json_array_get_object_element (cases, i);
      SondeNetworkScore score
          = { .explainer = explainer, .target = json_object_get_int_member (golden, "class_idx") };
      g_autoptr (SondeTensor) image = NULL;

      if (!g_str_equal (json_object_get_string_member (golden, "kind"), "cifar64"))
        continue;
      image = load_doubled (decoder, json_object_get_string_member (golden, "file"));
      check_case (golden, image, sonde_network_score, &score, &worst);
    }
  g_test_message ("largest difference of a score: %g", worst);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/hoc/masking", test_masking);
  g_test_add_func ("/explain/hoc/unmasking", test_unmasking);
  g_test_add_func ("/explain/hoc/batches", test_batches);
  g_test_add_func ("/explain/hoc/offsets", test_offsets);
  g_test_add_func ("/explain/hoc/flip", test_flip);
  g_test_add_func ("/explain/hoc/prune-and-thresholds", test_prune_and_thresholds);
  g_test_add_func ("/explain/hoc/no-valid-result", test_no_valid_result);
  g_test_add_func ("/explain/hoc/no-numbers", test_no_numbers);
  g_test_add_func ("/explain/hoc/brute-force", test_brute_force);
  g_test_add_func ("/explain/hoc/spec", test_spec);
  g_test_add_func ("/explain/hoc/windows-refused", test_windows_refused);
  g_test_add_func ("/explain/hoc/golden/synthetic", test_golden_synthetic);
  g_test_add_func ("/explain/hoc/golden/network", test_golden_network);
  return g_test_run ();
}

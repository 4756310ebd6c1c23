/* SPDX-License-Identifier: Apache-2.0
 * Maps of changed images in closed form: a net worked out by hand, and linear scores, whose every
 * explanation is w · x. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-random.h"
#include "explain/attribution/sonde-coalitions.h"
#include "explain/attribution/sonde-slic.h"
#include "explain/attribution/sonde-symmetric.h"
#include "tests/explain/golden.h"

#define LINEAR_ROWS 4
#define LINEAR_COLUMNS 4

static const double weights[LINEAR_ROWS * LINEAR_COLUMNS]
    = { 0.5, -1.0, 0.25, 2.0, 0.0, 1.0, -0.5, 0.75, -2.0, 0.1, 0.2, -0.3, 1.5, 0.0, -0.25, 0.6 };

/* explain-methods.md, section 8.2 */
static void
test_occlusion_by_hand (void)
{
  static const double single[] = { 0, 1, 2, 3, 0, 4, 4, 4, 2, 7, 8, 4, 6, 7, 8, 0 };
  static const double apart[] = { 7, 7, 4, 4, 7, 7, 4, 4, 36, 36, 47, 47, 36, 36, 47, 47 };
  static const double averaged[]
      = { 7, 8, 6.5, 4, 15.5, 20.75, 22.25, 18.5, 30, 39.25, 44.25, 40, 36, 45, 50.5, 47 };
  g_autoptr (SondeExplainer) explainer = golden_new_net_b ();
  g_autoptr (SondeTensor) inputs = golden_new_ramp (3);
  g_auto (SondeAttributionResult) one = { 0 }, two = { 0 }, three = { 0 };

  golden_run (explainer, inputs, NULL, "occlusion:window=1x1:stride=1x1:score=logit", &one);
  golden_assert_map (&one, 2, single, 16, 1e-4);
  golden_run (explainer, inputs, NULL, "occlusion:window=2x2:stride=2x2:score=logit", &two);
  golden_assert_map (&two, 0, apart, 16, 1e-4);
  golden_run (explainer, inputs, NULL, "occlusion:window=2x2:stride=1x1:score=logit", &three);
  golden_assert_map (&three, 1, averaged, 16, 1e-4);
}

/* A last window lies flush with the border; a stride wider than the window leaves pixels bare,
 * which is said. */
static void
test_occlusion_windows (void)
{
  g_autoptr (SondeExplainer) explainer
      = golden_new_linear (LINEAR_ROWS, LINEAR_COLUMNS, weights, 0.0);
  g_autoptr (SondeTensor) inputs = golden_new_ramp (1);
  g_auto (SondeAttributionResult) flush = { 0 }, bare = { 0 };
  double last = 0.0;

  golden_run (explainer, inputs, NULL, "occlusion:window=3x3:stride=3x3:score=logit", &flush);
  for (int y = 1; y < 4; y++)
    for (int x = 1; x < 4; x++)
      last += weights[4 * y + x] * (4 * y + x);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (flush.maps, 15), last, 1e-4);
  g_assert_null (flush.note);
  golden_run (explainer, inputs, NULL, "occlusion:window=1x1:stride=2x2:score=logit", &bare);
  /* 0, 2 and the flush 3, both ways */
  g_assert_nonnull (strstr (sonde_message_get_english (bare.note), "7 pixels lie under no window"));
}

/* w · (x − b) of the ramp, for the class and its opposite. */
static void
assert_linear (const SondeAttributionResult *result, double tolerance)
{
  for (gint64 row = 0; row < 2; row++)
    for (gint64 i = 0; i < 16; i++)
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result->maps, row * 16 + i),
                                      (row == 0 ? 1.0 : -1.0) * weights[i] * ((double) i - 0.5),
                                      tolerance);
}

static void
test_linear (void)
{
  static const char *const specs[]
      = { "occlusion:window=1x1:stride=1x1", "feature-ablation:grid=4x4",
          "shapley:grid=4x4:samples=4", "kernelshap:grid=4x4", "lime:grid=4x4:ridge=0" };
  static const gint64 targets[] = { 0, 1 };
  g_autoptr (SondeExplainer) explainer
      = golden_new_linear (LINEAR_ROWS, LINEAR_COLUMNS, weights, 0.3);
  g_autoptr (SondeTensor) inputs = golden_new_ramp (2);

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autofree char *spec = g_strconcat (specs[i], ":score=logit:baseline=0.5", NULL);
      g_auto (SondeAttributionResult) result = { 0 };

      golden_run (explainer, inputs, targets, spec, &result);
      assert_linear (&result, 2e-3);
      for (gint64 k = 0; result.gaps != NULL && k < 2; k++)
        g_assert_cmpfloat_with_epsilon (result.gaps[k], 0.0, 1e-4);
    }
}

/* Net A: f = relu (s − 10) + 3 relu (s + 1) − 1 of three features. The ReLUs are open with and
 * without any of them, so it is linear but for the empty set. */
static SondeExplainer *
new_net_a (void)
{
  static const float first_bias[] = { -10, 1, 1, 1 }, second_bias[] = { -1 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net-a");
  g_autoptr (GError) error = NULL;
  SondeType type
      = { .kind = SONDE_VALUE_TENSOR,
          .dtype = SONDE_DTYPE_F32,
          .rank = 4,
          .dims = { { -1, g_intern_static_string ("N") }, { 1, NULL }, { 1, NULL }, { 3, NULL } } };
  SondeShape shapes[] = { sonde_shape_make (2, 3, 4), sonde_shape_make (1, 4),
                          sonde_shape_make (2, 4, 1), sonde_shape_make (1, 1) };
  g_autoptr (SondeTensor) first = sonde_tensor_new (SONDE_DTYPE_F32, &shapes[0]);
  g_autoptr (SondeTensor) bias
      = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shapes[1], first_bias);
  g_autoptr (SondeTensor) second = sonde_tensor_new (SONDE_DTYPE_F32, &shapes[2]);
  g_autoptr (SondeTensor) last
      = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shapes[3], second_bias);
  SondeGraphValue *inputs[3], *value;
  SondeExplainer *explainer;

  for (gint64 i = 0; i < 12; i++)
    sonde_tensor_set_double (first, i, 1.0);
  for (gint64 i = 0; i < 4; i++)
    sonde_tensor_set_double (second, i, 1.0);
  sonde_graph_set_opset (graph, "", 17);
  value = sonde_graph_add_input (graph, "x", &type);
  inputs[0]
      = sonde_node_get_output (sonde_graph_add_node (graph, "f", "", "Flatten", &value, 1, 1), 0);
  inputs[1] = sonde_graph_add_initialiser (graph, "w1", first, SONDE_ROLE_PARAMETER);
  inputs[2] = sonde_graph_add_initialiser (graph, "b1", bias, SONDE_ROLE_PARAMETER);
  value = sonde_node_get_output (sonde_graph_add_node (graph, "g1", "", "Gemm", inputs, 3, 1), 0);
  inputs[0]
      = sonde_node_get_output (sonde_graph_add_node (graph, "r", "", "Relu", &value, 1, 1), 0);
  inputs[1] = sonde_graph_add_initialiser (graph, "w2", second, SONDE_ROLE_PARAMETER);
  inputs[2] = sonde_graph_add_initialiser (graph, "b2", last, SONDE_ROLE_PARAMETER);
  sonde_graph_add_output (
      graph,
      sonde_node_get_output (sonde_graph_add_node (graph, "g2", "", "Gemm", inputs, 3, 1), 0));
  explainer = sonde_explainer_new (graph, "cpu", 1, &error);
  g_assert_no_error (error);
  return explainer;
}

/* explain-methods.md, section 8.1 */
static const struct
{
  const char *spec;
  double map[3];
} of_net_a[] = {
  { "feature-ablation:grid=1x3", { 80, 200, 120 } },
  { "shapley:grid=1x3", { 76.6667, 196.6667, 116.6667 } },
  { "kernelshap:grid=1x3", { 76.6667, 196.6667, 116.6667 } },
  { "lime:grid=1x3:masks=%s:weights=%s:ridge=0", { 77.5, 197.5, 117.5 } },
  { "lime:grid=1x3:masks=%s:weights=%s:ridge=1", { 51.6667, 131.6667, 78.3333 } },
  { "lime:grid=1x3:masks=%s:ridge=1", { 21.519, 81.620, 41.553 } },
};

/* All eight subsets, and weights of 1. */
static char *
write_subsets (const char *folder, gboolean of_weights)
{
  SondeShape shape = sonde_shape_make (2, 8, 3), one = sonde_shape_make (1, 8);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, of_weights ? &one : &shape);
  char *path = g_build_filename (folder, of_weights ? "w.npy" : "z.npy", NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, of_weights ? 1.0 : (double) ((i / 3 >> (i % 3)) & 1));
  sonde_npy_write (NULL, path, tensor, &error);
  g_assert_no_error (error);
  return path;
}

static void
test_net_a (void)
{
  g_autoptr (SondeExplainer) explainer = new_net_a ();
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-perturb-XXXXXX", &error);
  g_autofree char *z = write_subsets (folder, FALSE), *w = write_subsets (folder, TRUE);
  SondeShape shape = sonde_shape_make (4, 1, 1, 1, 3);
  g_autoptr (SondeTensor) inputs = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < 3; i++)
    sonde_tensor_set_double (inputs, i, ((const double[]){ 20, 50, 30 })[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (of_net_a); i++)
    {
      g_auto (GStrv) parts = g_strsplit (of_net_a[i].spec, "%s", -1);
      g_autofree char *spec = g_strconcat (
          parts[0], parts[1] != NULL ? z : "", parts[1] != NULL ? parts[1] : "",
          parts[1] != NULL && parts[2] != NULL ? w : "",
          parts[1] != NULL && parts[2] != NULL ? parts[2] : "", ":score=logit", NULL);
      g_auto (SondeAttributionResult) result = { 0 };

      g_test_message ("%s", of_net_a[i].spec);
      golden_run (explainer, inputs, NULL, spec, &result);
      golden_assert_map (&result, 0, of_net_a[i].map, 3, 2e-3);
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result.scores, 0), 392.0, 1e-3);
    }
  g_unlink (z);
  g_unlink (w);
  g_rmdir (folder);
}

/* RISE over all 16 masks of four pixels with p = ½: S = ½ w x + ½ w · x + a, centred w x. */
static void
test_rise (void)
{
  static const double w[] = { 1, -1, 0.5, 2 }, x[] = { 1, 2, 3, 4 };
  g_autoptr (SondeExplainer) explainer = golden_new_linear (2, 2, w, 0.7);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-perturb-XXXXXX", &error),
                  *path = g_build_filename (folder, "m.npy", NULL);
  g_autofree char *spec = g_strdup_printf ("rise:masks=%s:p=0.5:score=logit", path),
                  *centred = g_strconcat (spec, ":centred=yes", NULL);
  SondeShape shape = sonde_shape_make (3, 16, 2, 2), image = sonde_shape_make (4, 2, 1, 2, 2);
  g_autoptr (SondeTensor) masks = sonde_tensor_new (SONDE_DTYPE_F32, &shape),
                          inputs = sonde_tensor_new (SONDE_DTYPE_F32, &image);
  g_auto (SondeAttributionResult) plain = { 0 }, middle = { 0 };
  double whole = 0.0;

  for (gint64 i = 0; i < 64; i++)
    sonde_tensor_set_double (masks, i, (double) ((i / 4 >> (i % 4)) & 1));
  for (gint64 i = 0; i < 8; i++)
    sonde_tensor_set_double (inputs, i, x[i % 4]);
  for (int i = 0; i < 4; i++)
    whole += w[i] * x[i];
  sonde_npy_write (NULL, path, masks, &error);
  g_assert_no_error (error);
  golden_run (explainer, inputs, (const gint64[]){ 0, 1 }, spec, &plain);
  golden_run (explainer, inputs, (const gint64[]){ 0, 1 }, centred, &middle);
  for (gint64 i = 0; i < 4; i++)
    {
      double expected = 0.5 * w[i] * x[i] + 0.5 * whole + 0.7;

      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (plain.maps, i), expected, 1e-5);
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (plain.maps, 4 + i), -expected, 1e-5);
      g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (middle.maps, i), w[i] * x[i], 1e-5);
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* Own masks: the same numbers for any batch and any company; a pixel without weight gets about
 * nothing. */
static void
test_drawn (void)
{
  static const char *const specs[]
      = { "rise:samples=40",        "rise:samples=600:antithetic=yes:centred=yes:cells=4",
          "shapley:samples=6",      "lime:samples=100",
          "kernelshap:samples=200", "riseplus:samples=10" };
  g_autoptr (SondeExplainer) explainer
      = golden_new_linear (LINEAR_ROWS, LINEAR_COLUMNS, weights, 0.0);
  g_autoptr (SondeTensor) one = golden_new_ramp (1), many = golden_new_ramp (5);

  for (gint64 i = 0; i < 64; i++)
    sonde_tensor_set_double (many, i, sin ((double) i));
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autofree char *spec = g_strdup_printf (
          "%s:score=logit%s", specs[i], strstr (specs[i], "rise") == NULL ? ":grid=4x4" : "");
      g_auto (SondeAttributionResult) alone = { 0 }, among = { 0 };

      golden_run (explainer, one, NULL, spec, &alone);
      golden_run (explainer, many, NULL, spec, &among);
      for (gint64 k = 0; k < 16; k++)
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (alone.maps, k),
                                        sonde_tensor_get_double (among.maps, 64 + k), 1e-4);
    }
}

/* All subsets up to eleven features; else sizes from the outside in. Weights always add up to 1. */
static void
test_coalitions (void)
{
  for (gint64 m = 2; m <= 64; m += m < 13 ? 1 : 17)
    {
      gint64 n;
      double *all_weights, sum = 0.0;
      g_autofree guint8 *sets
          = sonde_coalitions_new (m, sonde_coalitions_budget (m), 7, &n, &all_weights);
      g_autofree double *owned = all_weights;
      g_autoptr (GHashTable) known = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                                            (GDestroyNotify) g_bytes_unref, NULL);

      g_assert_cmpint (n, ==, m <= 11 ? (1 << m) - 2 : sonde_coalitions_budget (m));
      for (gint64 i = 0; i < n; i++)
        {
          sum += owned[i];
          g_assert_true (g_hash_table_add (known, g_bytes_new (sets + i * m, (gsize) m)));
        }
      g_assert_cmpfloat_with_epsilon (sum, 1.0, 1e-9);
    }
}

/* x of A x = b; where A has no inverse, the shortest. */
static void
test_symmetric (void)
{
  static const double regular[] = { 4, 2, 0, 2, 5, 1, 0, 1, 3 },
                      flat[] = { 1, 1, 0, 1, 1, 0, 0, 0, 2 };
  g_auto (SondeSymmetric) first = { 0 }, second = { 0 };
  double x[3];

  g_assert_true (sonde_symmetric_init (&first, g_memdup2 (regular, sizeof regular), 3, NULL));
  sonde_symmetric_solve (&first, (const double[]){ 8, 15, 11 }, x);
  g_assert_false (first.singular);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (x[i], i + 1.0, 1e-12);
  g_assert_true (sonde_symmetric_init (&second, g_memdup2 (flat, sizeof flat), 3, NULL));
  sonde_symmetric_solve (&second, (const double[]){ 4, 4, 6 }, x);
  g_assert_true (second.singular);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (x[i], i < 2 ? 2.0 : 3.0, 1e-12);
}

/* ---- slic ---------------------------------------------------------------- */

/* A bright disc and a darker bar on a ground with a little noise. @area: 0 ground, 1 disc, 2 bar */
static float *
make_scene (gint64 height, gint64 width, double noise, guint8 *area)
{
  float *image = g_new (float, 2 * height * width);
  gint64 pixels = height * width;

  for (gint64 p = 0; p < pixels; p++)
    {
      double dy = (double) (p / width) - 0.4 * (double) height,
             dx = (double) (p % width) - 0.37 * (double) width;

      area[p] = dy * dy + dx * dx < 0.05 * (double) pixels ? 1 : p % width >= width * 3 / 4 ? 2 : 0;
      image[p] = (float) (area[p] == 1 ? 1.0 : area[p] == 2 ? -0.5 : 0.0);
      image[pixels + p] = (float) (area[p] == 2 ? 1.0 : 0.0);
      for (int c = 0; c < 2; c++)
        image[c * pixels + p]
            += (float) (noise * (sonde_random_uniform (7, 1, (guint64) (2 * p + c)) - 0.5));
    }
  return image;
}

/* Pixels that flooding from the first of the segment does not reach; marks those it does. */
static gboolean
is_connected (const gint32 *of, gint64 height, gint64 width, gint32 segment)
{
  gint64 pixels = height * width, reached = 0, all = 0;
  g_autofree guint8 *seen = g_new0 (guint8, pixels);
  gboolean more = TRUE;

  for (gint64 p = 0; p < pixels; p++)
    if (of[p] == segment && all++ == 0)
      seen[p] = 1;
  while (more)
    {
      more = FALSE;
      for (gint64 p = 0; p < pixels; p++)
        if (of[p] == segment && !seen[p]
            && ((p >= width && seen[p - width]) || (p + width < pixels && seen[p + width])
                || (p % width > 0 && seen[p - 1]) || (p % width + 1 < width && seen[p + 1])))
          more = seen[p] = 1;
    }
  for (gint64 p = 0; p < pixels; p++)
    reached += seen[p];
  return reached == all;
}

/* Segments are connected, numbered within the grid, the same again, and hold hardly any pixel of
 * another area than their most. */
static void
test_slic (void)
{
  static const struct
  {
    gint64 height, width, n;
    double noise, compactness, most_outside;
  } cases[] = {
    { 48, 64, 40, 0.0, 10, 0.0 }, { 48, 64, 40, 0.3, 10, 0.01 }, { 40, 40, 9, 0.1, 10, 0.03 },
    { 33, 96, 60, 0.8, 5, 0.02 }, { 1, 40, 10, 0.1, 10, 0.1 },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      gint64 height = cases[k].height, width = cases[k].width, pixels = height * width, rows,
             columns, outside = 0, used = 0;
      g_autofree guint8 *area = g_new (guint8, pixels);
      g_autofree float *image = make_scene (height, width, cases[k].noise, area);
      g_autofree gint32 *of = g_new (gint32, pixels), *again = g_new (gint32, pixels);
      g_autofree gint64 *counts = NULL;

      sonde_slic_choose_grid (cases[k].n, height, width, &rows, &columns);
      g_assert_cmpint (ABS (rows * columns - cases[k].n), <=, cases[k].n / 4);
      sonde_slic (image, 2, height, width, rows, columns, cases[k].compactness, of);
      sonde_slic (image, 2, height, width, rows, columns, cases[k].compactness, again);
      g_assert_cmpmem (of, (gsize) pixels * sizeof (gint32), again,
                       (gsize) pixels * sizeof (gint32));
      counts = g_new0 (gint64, 3 * rows * columns);
      for (gint64 p = 0; p < pixels; p++)
        {
          g_assert_true (of[p] >= 0 && of[p] < rows * columns);
          counts[3 * of[p] + area[p]]++;
        }
      for (gint64 j = 0; j < rows * columns; j++)
        {
          const gint64 *c = counts + 3 * j;

          outside += c[0] + c[1] + c[2] - MAX (c[0], MAX (c[1], c[2]));
          used += c[0] + c[1] + c[2] > 0;
          g_assert_true (is_connected (of, height, width, (gint32) j));
        }
      g_test_message ("case %zu: %g outside, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " used", k,
                      (double) outside / (double) pixels, used, rows * columns);
      g_assert_cmpfloat ((double) outside, <=, cases[k].most_outside * (double) pixels);
      g_assert_cmpint (used, >=, rows * columns / 2);
    }
}

/* Of a constant image the grid itself. */
static void
test_slic_constant (void)
{
  float image[8 * 12] = { 0 };
  gint32 of[8 * 12];

  sonde_slic (image, 1, 8, 12, 2, 3, 10, of);
  for (int p = 0; p < 8 * 12; p++)
    g_assert_cmpint (of[p], ==, p / 12 / 4 * 3 + p % 12 / 4);
}

/* Every image its own segments, the same number of them; values of a linear score are those of
 * the segments' pixels. */
static void
test_slic_maps (void)
{
  static const char *const specs[] = { "feature-ablation:segments=slic:n=4:score=logit",
                                       "shapley:n=4:score=logit", "kernelshap:n=4:score=logit" };
  g_autoptr (SondeExplainer) explainer
      = golden_new_linear (LINEAR_ROWS, LINEAR_COLUMNS, weights, 0.0);
  g_autoptr (SondeTensor) inputs = golden_new_ramp (3);

  for (int p = 0; p < 16; p++) /* of the second the columns 0 and 1 … 3 */
    sonde_tensor_set_double (inputs, 16 + p, p % 4 == 0 ? 9 + 0.01 * p : 0.01 * p);
  for (gsize k = 0; k < G_N_ELEMENTS (specs); k++)
    {
      g_auto (SondeAttributionResult) result = { 0 };

      golden_run (explainer, inputs, NULL, specs[k], &result);
      g_assert_cmpint (result.segments->shape.rank, ==, 3);
      g_assert_cmpint (result.maps->shape.dims[1], ==, 4);
      for (gint64 i = 0; i < 3; i++)
        {
          double want[4] = { 0 }, sign = 1.0;

          for (gint64 p = 0; p < 16; p++)
            want[sonde_tensor_get_int (result.segments, 16 * i + p)]
                += weights[p] * sonde_tensor_get_double (inputs, 16 * i + p);
          sign = fabs (sonde_tensor_get_double (result.maps, 4 * i) - want[0]) < 1e-3 ? 1.0 : -1.0;
          for (gint64 j = 0; j < 4; j++)
            g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result.maps, 4 * i + j),
                                            sign * want[j], 1e-3);
        }
      g_assert_cmpint (sonde_tensor_get_int (result.segments, 16), !=,
                       sonde_tensor_get_int (result.segments, 17));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/perturb/occlusion-by-hand", test_occlusion_by_hand);
  g_test_add_func ("/explain/perturb/occlusion-windows", test_occlusion_windows);
  g_test_add_func ("/explain/perturb/linear", test_linear);
  g_test_add_func ("/explain/perturb/net-a", test_net_a);
  g_test_add_func ("/explain/perturb/rise", test_rise);
  g_test_add_func ("/explain/perturb/drawn", test_drawn);
  g_test_add_func ("/explain/perturb/coalitions", test_coalitions);
  g_test_add_func ("/explain/perturb/symmetric", test_symmetric);
  g_test_add_func ("/explain/perturb/slic", test_slic);
  g_test_add_func ("/explain/perturb/slic-constant", test_slic_constant);
  g_test_add_func ("/explain/perturb/slic-maps", test_slic_maps);
  return g_test_run ();
}

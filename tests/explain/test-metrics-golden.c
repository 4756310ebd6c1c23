/* SPDX-License-Identifier: Apache-2.0
 * Metrics of maps against the values stored beside the golden maps, which Captum, Quantus and NumPy
 * have made. */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/metrics/sonde-stability.h"
#include "tests/support/sonde-test-tensor.h"

/* How the stored maps became planes. */
typedef enum
{
  PLANE,
  LARGEST, /* max over channels of |value| */
  SUM,
} Aggregate;

static const struct
{
  const char *name, *file;
  Aggregate aggregate;
} planes[] = {
  { "gradient_absmax", "saliency", LARGEST },
  { "ig_midpoint_sum", "ig_midpoint50", SUM },
  { "gradcam_block_relu", "gradcam_block_relu", PLANE },
  { "gradcam_block_signed", "gradcam_block", PLANE },
  { "occlusion", "occlusion_4_2", PLANE },
  { "guided_absmax", "guided_backprop", LARGEST },
};

static SondeTensor *
load_array (const char *folder, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = g_strdup_printf ("%s/%s.npy", folder, name),
                  *path = sonde_test_shared_path (inside);
  SondeTensor *array = path != NULL ? sonde_npy_read (NULL, path, &error) : NULL;

  g_assert_no_error (error);
  return array;
}

static JsonParser *
load_json (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = sonde_test_shared_path (name);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (path == NULL)
    return NULL;
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&parser);
}

/* Row @index of the first dimensions: float32 of the last @rank ones. */
static SondeTensor *
take (SondeTensor *array, gint64 index, int rank)
{
  SondeShape shape = sonde_shape_from_array (rank, array->shape.dims + array->shape.rank - rank);

  return sonde_tensor_view (array, &shape, array->strides + array->shape.rank - rank,
                            index * sonde_shape_n_elements (&shape));
}

static SondeTensor *
make_plane (SondeTensor *channels, Aggregate aggregate)
{
  gint64 height = channels->shape.dims[1], width = channels->shape.dims[2];
  SondeShape shape = sonde_shape_make (2, height, width);
  SondeTensor *plane = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < height * width; i++)
    {
      double value = 0.0;

      for (gint64 c = 0; c < channels->shape.dims[0]; c++)
        {
          double one = sonde_tensor_get_double (channels, c * height * width + i);

          value = aggregate == SUM ? value + one : fmax (value, fabs (one));
        }
      sonde_tensor_set_double (plane, i, value);
    }
  return plane;
}

static SondeTensor *
take_plane (SondeTensor *array, gint64 index, Aggregate aggregate)
{
  g_autoptr (SondeTensor) channels = NULL;

  if (aggregate == PLANE)
    return take (array, index, 2);
  channels = take (array, index, 3);
  return make_plane (channels, aggregate);
}

static int
find_plane (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (planes); i++)
    if (g_str_equal (planes[i].name, name))
      return (int) i;
  return -1;
}

static void
note (JsonObject *row, const char *key, double value, double *worst)
{
  *worst = fmax (*worst, fabs (value - json_object_get_double_member (row, key)));
}

static JsonObject *
root_of (JsonParser *parser)
{
  return json_node_get_object (json_parser_get_root (parser));
}

/* ---- maps by themselves -------------------------------------------------- */

static void
test_sparseness (void)
{
  g_autoptr (JsonParser) parser = load_json ("golden/explain/maps/metrics.json");
  JsonArray *rows;
  double gini = 0.0, entropy = 0.0, effective = 0.0, ties = 0.0;
  guint n = 0;

  if (parser == NULL)
    return;
  rows = json_object_get_array_member (root_of (parser), "per_map");
  for (gsize k = 0; k < G_N_ELEMENTS (planes); k++)
    {
      g_autoptr (SondeTensor) maps = load_array ("golden/explain/maps", planes[k].file);

      for (guint i = 0; i < json_array_get_length (rows); i++)
        {
          JsonObject *row = json_array_get_object_element (rows, i);
          g_autoptr (SondeTensor) map = NULL;

          if (!g_str_equal (json_object_get_string_member (row, "map"), planes[k].name))
            continue;
          map = take_plane (maps,
                            2 * json_object_get_int_member (row, "image")
                                + json_object_get_int_member (row, "slot"),
                            planes[k].aggregate);
          note (row, "gini", sonde_map_gini (map), &gini);
          note (row, "entropy", sonde_map_entropy (map), &entropy);
          note (row, "effective", sonde_map_effective_complexity (map), &effective);
          note (row, "tied_share", sonde_map_tied_share (map), &ties);
          n++;
        }
    }
  g_test_message ("%u maps: gini %g, entropy %g, effective %g, ties %g", n, gini, entropy,
                  effective, ties);
  g_assert_cmpuint (n, ==, 144);
  g_assert_cmpfloat (gini, <, 1e-6);
  g_assert_cmpfloat (entropy, <, 1e-5);
  g_assert_cmpfloat (effective, ==, 0);
  g_assert_cmpfloat (ties, <, 1e-12);
}

/* ---- curves -------------------------------------------------------------- */

static SondeExplainer *
open_net (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = g_strdup_printf ("models/explain/%s", name),
                  *path = sonde_test_shared_path (inside);
  g_autoptr (SondeGraph) model = path != NULL ? sonde_model_load (NULL, path, &error) : NULL;
  SondeExplainer *explainer = model != NULL ? sonde_explainer_new (model, NULL, 1, &error) : NULL;

  g_assert_no_error (error);
  return explainer;
}

static double
curve_difference (const double *curve, SondeTensor *golden)
{
  double worst = 0.0;

  for (guint k = 0; k <= SONDE_CURVE_STEPS; k++)
    worst = fmax (worst, fabs (curve[k] - sonde_tensor_get_double (golden, k)));
  return worst;
}

/* Deletion and insertion of one map. @worst: of curve points and of areas. */
static void
check_curves (SondeExplainer *explainer, SondeTensor *inputs, JsonObject *row, SondeTensor *map,
              SondeTensor *deletion, SondeTensor *insertion, double *worst)
{
  g_autoptr (GError) error = NULL;
  gint64 image = json_object_get_int_member (row, "image");
  g_autoptr (SondeTensor) input = take (inputs, image, 3),
                          nothing = sonde_tensor_new (SONDE_DTYPE_F32, &input->shape);
  g_autoptr (SondeTensor) blurred = sonde_insertion_baseline (input);
  g_autofree guint *order = sonde_map_order (map);
  SondeNetworkScore score
      = { .explainer = explainer, .target = json_object_get_int_member (row, "target") };
  double curve[SONDE_CURVE_STEPS + 1];

  g_assert_true (sonde_deletion_curve (input, nothing, order, SONDE_CURVE_STEPS,
                                       sonde_network_score, &score, curve, &error));
  worst[0] = fmax (worst[0], curve_difference (curve, deletion));
  note (row, "deletion", sonde_curve_area (curve, SONDE_CURVE_STEPS), &worst[1]);
  g_assert_true (sonde_deletion_curve (blurred, input, order, SONDE_CURVE_STEPS,
                                       sonde_network_score, &score, curve, &error));
  worst[0] = fmax (worst[0], curve_difference (curve, insertion));
  note (row, "insertion", sonde_curve_area (curve, SONDE_CURVE_STEPS), &worst[1]);
  g_assert_cmpuint (score.n_rows, ==, 130);
}

static void
test_curves (void)
{
  g_autoptr (JsonParser) parser = load_json ("golden/explain/maps/metrics.json");
  g_autoptr (SondeTensor) inputs = NULL, deletions = NULL, insertions = NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  JsonArray *rows;
  double worst[2] = { 0.0 };

  if (parser == NULL)
    return;
  inputs = load_array ("golden/explain/maps", "inputs");
  deletions = load_array ("golden/explain/maps", "deletion_curves");
  insertions = load_array ("golden/explain/maps", "insertion_curves");
  explainer = open_net ("cifar-resnet20.onnx");
  rows = json_object_get_array_member (root_of (parser), "per_map");
  for (gsize k = 0; k < G_N_ELEMENTS (planes); k++)
    {
      g_autoptr (SondeTensor) maps = load_array ("golden/explain/maps", planes[k].file);

      for (guint i = 0; i < json_array_get_length (rows); i++)
        {
          JsonObject *row = json_array_get_object_element (rows, i);
          gint64 index = 2 * json_object_get_int_member (row, "image")
                         + json_object_get_int_member (row, "slot");
          g_autoptr (SondeTensor) map = NULL, deletion = NULL, insertion = NULL;

          if (find_plane (json_object_get_string_member (row, "map")) != (int) k || index % 4 != 0)
            continue;
          map = take_plane (maps, index, planes[k].aggregate);
          deletion = take (deletions, (gint64) k * 24 + index, 1);
          insertion = take (insertions, (gint64) k * 24 + index, 1);
          check_curves (explainer, inputs, row, map, deletion, insertion, worst);
        }
    }
  g_test_message ("curves %g, areas %g", worst[0], worst[1]);
  g_assert_cmpfloat (worst[0], <, 1e-4);
  g_assert_cmpfloat (worst[1], <, 1e-4);
}

/* ---- small changes of the image ------------------------------------------ */

typedef struct
{
  SondeExplainer *explainer;
  gint64 target;
  gboolean times_input;
} GradientMaps;

static SondeTensor *
gradient_maps (SondeTensor *images, gpointer data, GError **error)
{
  const GradientMaps *maps = data;
  gint64 n = images->shape.dims[0];
  SondeShape shape = sonde_shape_make (2, n, 10);
  g_autoptr (SondeTensor) seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeTensor *gradient;

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (seeds, i * 10 + maps->target, 1.0);
  gradient = sonde_explainer_gradient (maps->explainer, images, seeds, NULL, error);
  for (gint64 i = 0;
       gradient != NULL && maps->times_input && i < sonde_tensor_n_elements (gradient); i++)
    ((float *) (void *) gradient->data)[i] *= ((const float *) (const void *) images->data)[i];
  return gradient;
}

static SondeTensor *
scale (SondeTensor *array, double factor)
{
  SondeTensor *scaled = sonde_tensor_copy (array);

  for (gint64 i = 0; i < sonde_tensor_n_elements (scaled); i++)
    ((float *) (void *) scaled->data)[i] *= (float) factor;
  return scaled;
}

static void
check_robust (SondeExplainer *explainer, SondeTensor *inputs, JsonObject *row, SondeTensor *uniform,
              SondeTensor *normal, double *worst)
{
  g_autoptr (GError) error = NULL;
  gint64 image = json_object_get_int_member (row, "image");
  GradientMaps how
      = { explainer, json_object_get_int_member (row, "target"),
          g_str_equal (json_object_get_string_member (row, "method"), "input_x_gradient") };
  SondeNetworkScore score
      = { .explainer = explainer, .kind = SONDE_NETWORK_LOGIT, .target = how.target };
  SondeShape one = sonde_shape_make (4, 1, 3, 32, 32);
  g_autoptr (SondeTensor) input = take (inputs, image, 3),
                          batch = sonde_tensor_reshape (input, &one);
  g_autoptr (SondeTensor) maps = gradient_maps (batch, &how, &error), map = take (maps, 0, 3);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &input->shape);
  SondeInfidelity infidelity;
  double sensitivity;

  g_assert_true (
      sonde_max_sensitivity (input, map, uniform, gradient_maps, &how, &sensitivity, &error));
  g_assert_true (sonde_infidelity (input, map, normal, how.times_input ? zeros : NULL,
                                   sonde_network_score, &score, &infidelity, &error));
  worst[0] = fmax (worst[0],
                   fabs (sensitivity / json_object_get_double_member (row, "max_sensitivity") - 1));
  worst[1] = fmax (worst[1],
                   fabs (infidelity.value / json_object_get_double_member (row, "infidelity") - 1));
  worst[2]
      = fmax (worst[2], fabs (infidelity.normalised
                                  / json_object_get_double_member (row, "infidelity_normalised")
                              - 1));
  worst[3]
      = fmax (worst[3], fabs (infidelity.beta / json_object_get_double_member (row, "beta") - 1));
  worst[4] = fmax (
      worst[4],
      fabs (infidelity.mean_square / json_object_get_double_member (row, "mean_delta2") - 1));
}

static void
test_robust (void)
{
  g_autoptr (JsonParser) parser = load_json ("golden/explain/maps/metrics.json");
  g_autoptr (SondeTensor) inputs = NULL, uniform = NULL, normal = NULL, uniform_noise = NULL,
                          normal_noise = NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  JsonArray *rows;
  double worst[5] = { 0.0 };

  if (parser == NULL)
    return;
  inputs = load_array ("golden/explain/maps", "inputs");
  uniform = load_array ("golden/explain/random", "noise_uniform");
  normal = load_array ("golden/explain/random", "noise_normal");
  uniform_noise = scale (uniform, 0.02);
  normal_noise = scale (normal, 0.1);
  explainer = open_net ("cifar-resnet20.onnx");
  rows = json_object_get_array_member (root_of (parser), "robust");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    check_robust (explainer, inputs, json_array_get_object_element (rows, i), uniform_noise,
                  normal_noise, worst);
  g_test_message (
      "relative: max sensitivity %g, infidelity %g, normalised %g, beta %g, mean square %g",
      worst[0], worst[1], worst[2], worst[3], worst[4]);
  g_assert_cmpfloat (worst[0], <, 2e-2);
  for (guint i = 1; i < 5; i++)
    g_assert_cmpfloat (worst[i], <, 1e-3);
}

/* ---- random weights ------------------------------------------------------ */

/* "stage3.2.conv2" of "/stage3/stage3.2/conv2/Conv". */
static char *
layer_name (const char *node)
{
  g_auto (GStrv) parts = g_strsplit (node, "/", -1);
  g_autoptr (GString) name = g_string_new (NULL);
  const char *before = "";

  for (guint i = 0; parts[i] != NULL && parts[i + 1] != NULL; i++)
    {
      if (*parts[i] == '\0')
        continue;
      if (*before != '\0' && g_str_has_prefix (parts[i], before)
          && parts[i][strlen (before)] == '.')
        g_string_append (name, parts[i] + strlen (before));
      else
        g_string_append_printf (name, "%s%s", name->len > 0 ? "." : "", parts[i]);
      before = parts[i];
    }
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static SondeNode *
find_layer (GPtrArray *layers, const char *wanted)
{
  for (guint i = 0; i < layers->len; i++)
    {
      SondeNode *node = g_ptr_array_index (layers, i);
      g_autofree char *name = layer_name (node->name);

      if (g_str_equal (name, wanted))
        return node;
    }
  return NULL;
}

static void
take_weights (SondeNode *to, SondeNode *from)
{
  for (guint k = 0; k < to->inputs->len; k++)
    {
      SondeGraphValue *value = g_ptr_array_index (to->inputs, k),
                      *other = g_ptr_array_index (from->inputs, k);

      if (value->constant == NULL)
        continue;
      sonde_value_unref (value->constant);
      value->constant = sonde_value_ref (other->constant);
    }
}

static SondeTensor *
absolute_gradients (SondeGraph *model, SondeTensor *inputs, SondeTensor *targets)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (model, NULL, 1, &error);
  gint64 n = inputs->shape.dims[0];
  SondeShape shape = sonde_shape_make (2, n, 10), plane = sonde_shape_make (3, n, 32, 32);
  g_autoptr (SondeTensor) seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape), gradients = NULL;
  SondeTensor *maps = sonde_tensor_new (SONDE_DTYPE_F32, &plane);

  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (seeds, i * 10 + sonde_tensor_get_int (targets, 2 * i), 1.0);
  gradients = sonde_explainer_gradient (explainer, inputs, seeds, NULL, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (SondeTensor) map = take_plane (gradients, i, LARGEST);

      memcpy (maps->data + (gsize) i * 4096, map->data, 4096);
    }
  return maps;
}

static void
check_stage (JsonObject *stage, SondeTensor *original, SondeTensor *maps, double *worst,
             double *mean)
{
  JsonObject *golden = json_object_get_object_member (stage, "gradient");
  JsonArray *spearman = json_object_get_array_member (golden, "spearman_abs"),
            *ssim = json_object_get_array_member (golden, "ssim_abs");

  *mean = 0.0;
  for (guint i = 0; i < json_array_get_length (spearman); i++)
    {
      g_autoptr (SondeTensor) one = take (original, i, 2), other = take (maps, i, 2);
      double similarity = sonde_map_spearman (one, other, TRUE);

      *mean += similarity / json_array_get_length (spearman);
      worst[0] = fmax (worst[0], fabs (similarity - json_array_get_double_element (spearman, i)));
      worst[1] = fmax (worst[1], fabs (sonde_map_ssim (one, other, TRUE)
                                       - json_array_get_double_element (ssim, i)));
    }
}

static void
test_cascade (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = load_json ("golden/explain/maps/metrics.json");
  g_autofree char *path
      = parser != NULL ? sonde_test_shared_path ("models/explain/cifar-resnet20.onnx") : NULL;
  g_autofree char *other_path
      = path != NULL ? sonde_test_shared_path ("models/explain/cifar-resnet20-permuted.onnx")
                     : NULL;
  g_autoptr (SondeGraph) model = NULL, permuted = NULL;
  g_autoptr (GPtrArray) layers = NULL, replacements = NULL;
  g_autoptr (SondeTensor) inputs = NULL, targets = NULL, original = NULL;
  JsonArray *stages;
  double worst[2] = { 0.0 }, means[64], last_half;

  if (other_path == NULL)
    return;
  model = sonde_model_load (NULL, path, &error);
  permuted = sonde_model_load (NULL, other_path, &error);
  g_assert_no_error (error);
  layers = sonde_randomisation_layers (model);
  replacements = sonde_randomisation_layers (permuted);
  inputs = load_array ("golden/explain/maps", "inputs");
  targets = load_array ("golden/explain/maps", "targets");
  original = absolute_gradients (model, inputs, targets);
  stages = json_object_get_array_member (
      json_object_get_object_member (root_of (parser), "cascade"), "steps");
  g_assert_cmpuint (layers->len, ==, json_array_get_length (stages));
  g_assert_cmpstr (((SondeNode *) g_ptr_array_index (layers, 0))->op, ==, "Gemm");
  for (guint i = 0; i < json_array_get_length (stages); i++)
    {
      JsonObject *stage = json_array_get_object_element (stages, i);
      const char *name = json_object_get_string_member (stage, "layer");
      g_autoptr (SondeTensor) maps = NULL;

      g_assert_nonnull (find_layer (layers, name));
      take_weights (find_layer (layers, name), find_layer (replacements, name));
      maps = absolute_gradients (model, inputs, targets);
      check_stage (stage, original, maps, worst, &means[i]);
    }
  g_assert_true (sonde_randomisation_passes (means, json_array_get_length (stages), &last_half));
  g_test_message ("spearman %g, ssim %g, last half %g", worst[0], worst[1], last_half);
  /* a ReLU that another rounding switches moves a few ranks */
  g_assert_cmpfloat (worst[0], <, 5e-4);
  g_assert_cmpfloat (worst[1], <, 5e-4);
}

/* ---- the planted cue ----------------------------------------------------- */

/* The square's box of "00-cue.png" from the list. */
static SondeTensor *
load_box (char **lines, const char *image)
{
  SondeShape shape = sonde_shape_make (2, 32, 32);
  SondeTensor *mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);

  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);

      if (g_strv_length (fields) < 8 || !g_str_equal (fields[0], image))
        continue;
      for (gint64 y = 0; y < 32; y++)
        for (gint64 x = 0; x < 32; x++)
          mask->data[y * 32 + x] = x >= atoi (fields[4]) && x < atoi (fields[4]) + atoi (fields[6])
                                   && y >= atoi (fields[5])
                                   && y < atoi (fields[5]) + atoi (fields[7]);
    }
  return mask;
}

static void
test_localisation (void)
{
  static const char *const names[]
      = { "gradient_absmax", "input_x_gradient_sum", "ig_midpoint50_sum",
          "guided_absmax",   "gradcam_block_relu",   "occlusion_4_2" };
  g_autoptr (JsonParser) parser = load_json ("golden/explain/cued-localisation.json");
  g_autofree char *path
      = parser != NULL ? sonde_test_shared_path ("models/explain/cued-images.tsv") : NULL,
      *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (SondeTensor) maps = NULL;
  JsonArray *rows;
  double worst[4] = { 0.0 };
  guint seen[G_N_ELEMENTS (names)] = { 0 };

  if (path == NULL)
    return;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  maps = load_array ("golden/explain", "cued_maps");
  rows = json_object_get_array_member (root_of (parser), "rows");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      g_autoptr (SondeTensor) mask = load_box (lines, json_object_get_string_member (row, "image")),
                              map = NULL;
      guint k = 0;

      while (!g_str_equal (names[k], json_object_get_string_member (row, "map")))
        k++;
      map = take (maps, k * 25 + seen[k]++, 2);
      note (row, "pointing_T1", sonde_localisation_points_near (map, mask, 1), &worst[0]);
      note (row, "pointing_T2", sonde_localisation_points_near (map, mask, 2), &worst[1]);
      note (row, "iosr", sonde_localisation_iosr (map, mask, 0.5), &worst[2]);
      note (row, "mass", sonde_localisation_positive_mass (map, mask), &worst[3]);
    }
  g_test_message ("pointing %g %g, iosr %g, mass %g", worst[0], worst[1], worst[2], worst[3]);
  g_assert_cmpfloat (sonde_localisation_tolerance (32, 32), ==, 2);
  g_assert_cmpfloat (worst[0] + worst[1], ==, 0);
  g_assert_cmpfloat (worst[2], <, 1e-6);
  g_assert_cmpfloat (worst[3], <, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/metrics/golden/sparseness", test_sparseness);
  g_test_add_func ("/explain/metrics/golden/curves", test_curves);
  g_test_add_func ("/explain/metrics/golden/robust", test_robust);
  g_test_add_func ("/explain/metrics/golden/cascade", test_cascade);
  g_test_add_func ("/explain/metrics/golden/localisation", test_localisation);
  return g_test_run ();
}

/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes as files. */
#include "app/cli/sonde-cli-explain-hoc.h"

#include <math.h>
#include <string.h>

#include "app/cli/sonde-cli.h"
#include "data/base/sonde-io.h"
#include "explain/counterfactual/sonde-occlusion-run.h"
#include "explain/study/sonde-study-record.h"

const char *
sonde_explain_hoc_goal_name (SondeOcclusionGoal goal)
{
  static const char *const names[] = { "unmasking", "masking", "flip" };

  return names[goal];
}

static void
add_text (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_count (JsonBuilder *builder, const char *name, guint64 count)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) count);
}

static void
add_number (JsonBuilder *builder, const char *name, double number)
{
  json_builder_set_member_name (builder, name);
  sonde_cli_json_add_double (builder, number);
}

static void
add_box (JsonBuilder *builder, const SondeOcclusionBox *box)
{
  const int numbers[] = { box->x, box->y, box->width, box->height };

  json_builder_begin_array (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_builder_add_int_value (builder, numbers[i]);
  json_builder_end_array (builder);
}

static void
add_boxes (JsonBuilder *builder, GArray *boxes)
{
  json_builder_begin_array (builder);
  for (guint i = 0; i < boxes->len; i++)
    add_box (builder, &g_array_index (boxes, SondeOcclusionBox, i));
  json_builder_end_array (builder);
}

static void
add_sizes (JsonBuilder *builder, const char *name, const int *sizes, guint n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, sizes[i]);
  json_builder_end_array (builder);
}

/* Depth is at most the number of layers. */
static void
add_tree (JsonBuilder *builder, GPtrArray *steps)
{
  json_builder_begin_array (builder);
  for (guint i = 0; i < steps->len; i++)
    {
      const SondeOcclusionStep *step = g_ptr_array_index (steps, i);

      json_builder_begin_object (builder);
      add_count (builder, "layer", step->layer);
      add_count (builder, "order", step->order);
      json_builder_set_member_name (builder, "box");
      add_box (builder, &step->box);
      add_number (builder, "out", step->out);
      add_number (builder, "change", step->change);
      json_builder_set_member_name (builder, "children");
      add_tree (builder, step->children);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_pruned (JsonBuilder *builder, const SondeOcclusionResult *result, SondeTensor *image)
{
  if (result->pruned != NULL)
    {
      json_builder_set_member_name (builder, "pruned");
      add_boxes (builder, result->pruned);
      add_number (builder, "pruned_out", result->pruned_out);
    }
  if (result->n_layers > 0)
    add_number (
        builder, "area",
        sonde_occlusion_result_get_area (result, image->shape.dims[1], image->shape.dims[2]));
}

static void
add_result (JsonBuilder *builder, const SondeOcclusionResult *result, SondeTensor *image)
{
  add_text (builder, "result", sonde_occlusion_status_name (result->status));
  add_number (builder, "threshold", result->threshold);
  add_number (builder, "original", result->original);
  json_builder_set_member_name (builder, "layer_out");
  json_builder_begin_array (builder);
  for (guint l = 0; l < result->n_layers; l++)
    sonde_cli_json_add_double (builder, result->layer_out[l]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "boxes");
  json_builder_begin_array (builder);
  for (guint l = 0; l < result->n_layers; l++)
    add_boxes (builder, result->boxes[l]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "tree");
  add_tree (builder, result->roots);
  add_pruned (builder, result, image);
  add_count (builder, "candidates_evaluated", result->n_candidates);
  add_count (builder, "evaluations", result->n_evaluations);
  add_count (builder, "pictures_scored", result->n_scored);
  if (result->note != NULL)
    add_text (builder, "note", result->note);
}

/* The first threshold's result stands at the top; with several ones all stand in "thresholds". */
static char *
make_text (const SondeOcclusionSpec *spec, const SondeOcclusionSettings *settings,
           GPtrArray *results, SondeTensor *image, gint64 target, const char *mask)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  add_text (builder, "by", sonde_explain_hoc_goal_name (spec->goal));
  add_text (builder, "score", spec->score == SONDE_NETWORK_MARGIN ? "margin" : "probability");
  add_count (builder, "target", (guint64) target);
  add_text (builder, "mask", mask);
  add_sizes (builder, "windows", settings->windows, settings->n_layers);
  add_sizes (builder, "strides", settings->strides, settings->n_layers);
  add_result (builder, g_ptr_array_index (results, 0), image);
  if (results->len > 1)
    {
      json_builder_set_member_name (builder, "thresholds");
      json_builder_begin_array (builder);
      for (guint i = 0; i < results->len; i++)
        {
          json_builder_begin_object (builder);
          add_result (builder, g_ptr_array_index (results, i), image);
          json_builder_end_object (builder);
        }
      json_builder_end_array (builder);
    }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}

gboolean
sonde_explain_hoc_write (SondeExplainer *explainer, SondeTensor *image, gint64 target,
                         const SondeOcclusionSpec *spec, const char *path, SondeStudyBoxes **boxes,
                         GError **error)
{
  SondeNetworkScore score = { .explainer = explainer, .kind = spec->score, .target = target };
  g_autoptr (SondeTensor) whole = sonde_tensor_contiguous (image);
  g_autofree char *name = NULL, *text = NULL;
  SondeOcclusionSettings settings;
  g_autoptr (GPtrArray) results
      = sonde_occlusion_run (spec, whole, sonde_network_score, &score, &settings, &name, error);

  if (results == NULL)
    return FALSE;
  if (boxes != NULL)
    {
      *boxes = sonde_study_boxes_new (g_ptr_array_index (results, 0), whole, name);
      (*boxes)->target = target;
    }
  if (path == NULL)
    return TRUE;
  text = make_text (spec, &settings, results, whole, target, name);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_explain_hoc_write_batch (SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *targets,
                               const SondeOcclusionSpec *spec, const char *folder, GError **error)
{
  SondeShape shape = sonde_shape_from_array (3, inputs->shape.dims + 1);
  gint64 columns = targets->shape.dims[1];

  if (!sonde_io_make_directories (NULL, folder, error))
    return FALSE;
  for (gint64 n = 0; n < inputs->shape.dims[0]; n++)
    for (gint64 k = 0; k < columns; k++)
      {
        g_autoptr (SondeTensor) image
            = sonde_tensor_view (inputs, &shape, inputs->strides + 1, n * inputs->strides[0]);
        g_autofree char *name
            = g_strdup_printf ("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT ".json", n, k);
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (!sonde_explain_hoc_write (explainer, image,
                                      sonde_tensor_get_int (targets, n * columns + k), spec, path,
                                      NULL, error))
          {
            g_prefix_error (error, "sample %" G_GINT64_FORMAT ": ", n);
            return FALSE;
          }
      }
  return TRUE;
}

/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain` on raw tensors, for scripts and tests: samples as the network takes them in, maps
 * as the methods give them out. */
#include "app/cli/explain/sonde-cli-explain-batch.h"

#include <string.h>

#include "app/cli/explain/sonde-cli-explain-counterfactual.h"
#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"
#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/sonde-explain-maps.h"

/* ---- SPECs --------------------------------------------------------------- */

static gboolean
check_label (GPtrArray *specs, const SondeAttributionSpec *spec, GError **error)
{
  const char *label = sonde_attribution_spec_get_label (spec);

  for (guint i = 0; i < specs->len; i++)
    if (g_str_equal (sonde_attribution_spec_get_label (g_ptr_array_index (specs, i)), label))
      {
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "Two methods are named “%s”; give one a label, as in --method LABEL=%s.",
                         label, sonde_attribution_spec_get_method (spec)->name);
        return FALSE;
      }
  return TRUE;
}

GPtrArray *
sonde_explain_parse_methods (char **methods, GError **error)
{
  char *fallback[] = { (char *) "saliency", NULL };
  char **texts = methods != NULL ? methods : fallback;
  g_autoptr (GPtrArray) specs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_spec_free);

  for (gsize i = 0; texts[i] != NULL; i++)
    {
      g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (texts[i], error);

      if (spec == NULL)
        {
          sonde_prefix_error (error, "--method %s: ", texts[i]);
          return NULL;
        }
      if (!check_label (specs, spec, error))
        return NULL;
      g_ptr_array_add (specs, g_steal_pointer (&spec));
    }
  return g_steal_pointer (&specs);
}

gboolean
sonde_explain_skip_method (GPtrArray *failed, guint n_methods, const SondeAttributionSpec *spec,
                           GError **error)
{
  const char *label = sonde_attribution_spec_get_label (spec);

  if (n_methods < 2 || (*error)->domain != SONDE_ENGINE_ERROR)
    return FALSE;
  g_printerr ("sonde explain: %s: %s\n", label, sonde_error_get_text (*error));
  g_clear_error (error);
  g_ptr_array_add (failed, g_strdup (label));
  return TRUE;
}

gboolean
sonde_explain_check_methods (const GPtrArray *failed, guint n_methods, GError **error)
{
  g_autoptr (GString) labels = g_string_new (NULL);

  if (failed->len == 0)
    return TRUE;
  for (guint i = 0; i < failed->len; i++)
    g_string_append_printf (labels, "%s“%s”", i > 0 ? ", " : "",
                            (const char *) g_ptr_array_index (failed, i));
  if (failed->len < n_methods)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "%u of %u methods failed (%s); the results of the others were written.",
                     failed->len, n_methods, labels->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "All %u methods failed (%s); everything else was written.", n_methods,
                     labels->str);
  return FALSE;
}

/* ---- what goes in -------------------------------------------------------- */

/* As the network takes them -> as methods do. */
static SondeTensor *
read_inputs (SondeExplainer *explainer, const char *path, GError **error)
{
  g_autoptr (SondeTensor) samples = sonde_npy_read (NULL, path, error);
  SondeTensor *inputs
      = samples != NULL ? sonde_explainer_take_samples (explainer, samples, error) : NULL;

  if (samples != NULL && inputs == NULL)
    sonde_prefix_error (error, "--input %s: ", path);
  return inputs;
}

/* int64 [N, K] of what the file holds as [N] or [N, K]; @rank: which of them. */
static SondeTensor *
read_targets (const char *path, SondeTensor *inputs, int *rank, GError **error)
{
  g_autoptr (SondeTensor) targets = sonde_npy_read (NULL, path, error);
  g_autofree char *have = NULL, *samples = NULL;
  SondeShape shape;

  if (targets == NULL)
    return NULL;
  *rank = targets->shape.rank;
  if (targets->dtype == SONDE_DTYPE_I64 && (*rank == 1 || *rank == 2)
      && targets->shape.dims[0] == inputs->shape.dims[0]
      && (*rank == 1 || targets->shape.dims[1] > 0))
    {
      shape = sonde_shape_from_array (
          2, (gint64[]){ targets->shape.dims[0], *rank == 2 ? targets->shape.dims[1] : 1 });
      return sonde_tensor_reshape (targets, &shape);
    }
  have = sonde_shape_to_string (&targets->shape);
  samples = sonde_shape_to_string (&inputs->shape);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "The targets in “%s” are %s %s and the samples %s; targets must be int64 "
                   "[%" PRIi64 "] or [%" PRIi64 ", K].",
                   path, sonde_dtype_name (targets->dtype), have, samples, inputs->shape.dims[0],
                   inputs->shape.dims[0]);
  return NULL;
}

/* [N, K] as rows of their own: sample, target; the first two of pairs. */
static SondeTensor *
take_targets (SondeTensor *targets, gboolean pairs)
{
  gint64 n = targets->shape.dims[0], k = targets->shape.dims[1], taken = pairs ? 2 : k;
  SondeShape shape = pairs ? sonde_shape_make (2, n, 2) : sonde_shape_make (1, n * k);
  SondeTensor *rows = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

  for (gint64 i = 0; i < n * taken; i++)
    ((gint64 *) (void *) rows->data)[i] = sonde_tensor_get_int (targets, i / taken * k + i % taken);
  return rows;
}

/* Every sample @k times, one after another. */
static SondeTensor *
repeat_samples (SondeTensor *inputs, gint64 k, GError **error)
{
  SondeShape shape = inputs->shape;
  gsize row = (gsize) (sonde_tensor_n_elements (inputs) / shape.dims[0]) * sizeof (float);
  SondeTensor *repeated;

  if (k == 1)
    return sonde_tensor_ref (inputs);
  shape.dims[0] *= k;
  repeated = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL,
                                   N_ ("samples once for each target"), error);
  for (gint64 i = 0; repeated != NULL && i < shape.dims[0]; i++)
    memcpy (repeated->data + (gsize) i * row, inputs->data + (gsize) (i / k) * row, row);
  return repeated;
}

/* ---- maps ---------------------------------------------------------------- */

/* Of a method that cuts every sample by itself: maps/LABEL-segments.npy, int32 [N, H, W].
 * @segments: [N × @k, H, W] */
static gboolean
write_segments (const SondeExplainBatch *batch, const SondeAttributionSpec *spec,
                SondeTensor *segments, gint64 k, GError **error)
{
  g_autofree char *name
      = g_strdup_printf ("%s-segments.npy", sonde_attribution_spec_get_label (spec));
  g_autofree char *path = g_build_filename (batch->output, "maps", name, NULL);
  SondeShape shape = segments->shape;
  gint64 strides[] = { segments->strides[0] * k, segments->strides[1], segments->strides[2] };
  g_autoptr (SondeTensor) first = NULL, whole = NULL;

  shape.dims[0] /= k;
  first = sonde_tensor_view (segments, &shape, strides, 0);
  whole = sonde_tensor_contiguous (first);
  return sonde_npy_write (NULL, path, whole, error);
}

/* [n, …] without the dimension of rows of an image of one row. */
static void
drop_row (SondeAttributionResult *result)
{
  SondeShape shape = result->maps->shape;
  SondeTensor *maps;

  shape.dims[shape.rank - 2] = shape.dims[shape.rank - 1];
  shape.rank--;
  maps = sonde_tensor_reshape (result->maps, &shape);
  sonde_tensor_unref (result->maps);
  result->maps = maps;
}

/* Of series [n, C, L] or [n, L]. Of columns and tokens: one number for each, [n, F] or [n, T];
 * several channels, those of an embedding, become one as of images. What was asked of a layer
 * keeps its form. */
static void
drop_planes (SondeExplainer *explainer, const SondeAttributionSpec *spec, SondeTensor *inputs,
             SondeAttributionResult *result)
{
  SondeExplainerForm form = sonde_explainer_get_form (explainer);
  gint64 n = result->maps->shape.dims[0], width = inputs->shape.dims[3];
  gboolean of_layer = result->form == SONDE_MAP_CHANNELS
                      && sonde_attribution_spec_knows (spec, "layer")
                      && sonde_attribution_spec_get (spec, "layer") != NULL;
  SondeShape flat = sonde_shape_from_array (2, (gint64[]){ n, width });
  g_autoptr (SondeTensor) maps = NULL;

  if (form == SONDE_EXPLAINER_IMAGES || result->form == SONDE_MAP_SEGMENTS || of_layer)
    return;
  if (form == SONDE_EXPLAINER_SERIES)
    {
      drop_row (result);
      return;
    }
  if (sonde_tensor_n_elements (result->maps) % (n * width) != 0
      || result->maps->shape.dims[result->maps->shape.rank - 1] != width)
    return;
  maps = sonde_tensor_new (SONDE_DTYPE_F32, &flat);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (SondeTensor) map = sonde_explain_take_map (result, spec, i, NULL);
      g_autoptr (SondeTensor) row = sonde_tensor_contiguous (map);

      memcpy (maps->data + (gsize) (i * width) * sizeof (float), row->data,
              (gsize) width * sizeof (float));
    }
  sonde_tensor_unref (result->maps);
  result->maps = g_steal_pointer (&maps);
}

/* The maps of a method for all targets at once, which may share passes: [N, …] where these are [N]
 * or pairs, else [N, K, …]. */
static SondeTensor *
compute_maps (const SondeExplainBatch *batch, SondeExplainer *explainer,
              const SondeAttributionSpec *spec, SondeTensor *inputs, SondeTensor *targets, int rank,
              JsonBuilder *info, GError **error)
{
  gboolean pairs = sonde_attribution_spec_get_method (spec)->takes_pair;
  gint64 n = targets->shape.dims[0], k = pairs ? 1 : targets->shape.dims[1];
  g_autoptr (SondeTensor) classes = NULL, samples = NULL;
  g_autofree guint64 *numbers = g_new (guint64, n * k);
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request
      = { .samples = numbers, .spec = spec, .seed = (guint64) batch->seed };
  SondeShape shape;

  if (pairs && targets->shape.dims[1] < 2)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "“%s” explains the difference of two targets: “%s” must be [N, K] with K of at least 2, "
          "but has one target per sample.",
          sonde_attribution_spec_get_label (spec), batch->targets);
      return NULL;
    }
  for (gint64 i = 0; i < n * k; i++)
    numbers[i] = (guint64) (i / k);
  request.targets = classes = take_targets (targets, pairs);
  request.inputs = samples = repeat_samples (inputs, k, error);
  if (samples == NULL || !sonde_attribution_compute (explainer, &request, &result, error))
    return NULL;
  if (result.note != NULL)
    {
      json_builder_set_member_name (info, "note");
      json_builder_add_string_value (info, sonde_message_get_english (result.note));
    }
  if (result.segments != NULL && result.segments->shape.rank == 3
      && !write_segments (batch, spec, result.segments, k, error))
    return NULL;
  drop_planes (explainer, spec, samples, &result);
  if (pairs || rank == 1)
    return g_steal_pointer (&result.maps);
  shape = result.maps->shape;
  memmove (shape.dims + 2, result.maps->shape.dims + 1, (gsize) (shape.rank - 1) * sizeof (gint64));
  shape.dims[0] = n;
  shape.dims[1] = k;
  shape.rank++;
  return sonde_tensor_reshape (result.maps, &shape);
}

static gboolean
write_maps (const SondeExplainBatch *batch, SondeExplainer *explainer,
            const SondeAttributionSpec *spec, SondeTensor *inputs, SondeTensor *targets, int rank,
            JsonBuilder *settings, GError **error)
{
  const char *label = sonde_attribution_spec_get_label (spec);
  g_autofree char *parameters = sonde_attribution_spec_dup_parameters (spec), *shape = NULL;
  g_autofree char *name = g_strdup_printf ("%s.npy", label),
                  *path = g_build_filename (batch->output, "maps", name, NULL);
  g_autoptr (SondeTensor) maps = NULL;
  g_autoptr (GError) problem = NULL;

  json_builder_begin_object (settings);
  sonde_json_set_string (settings, "label", label);
  sonde_json_set_string (settings, "method", sonde_attribution_spec_get_method (spec)->name);
  sonde_json_set_string (settings, "parameters", parameters);
  maps = compute_maps (batch, explainer, spec, inputs, targets, rank, settings, &problem);
  if (maps == NULL)
    {
      sonde_json_set_string (settings, "failed", problem->message);
      json_builder_end_object (settings);
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  shape = sonde_shape_to_string (&maps->shape);
  json_builder_set_member_name (settings, "shape");
  json_builder_add_string_value (settings, shape);
  json_builder_end_object (settings);
  return sonde_npy_write (NULL, path, maps, error);
}

/* ---- settings.json ------------------------------------------------------- */

/* Everything needed to repeat the call; "methods" is still to come. */
static void
begin_settings (JsonBuilder *builder, const SondeExplainBatch *batch)
{
  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "program", "sonde " SONDE_VERSION);
  sonde_json_set_string (builder, "model", batch->model);
  sonde_json_set_string (builder, "input", batch->input);
  sonde_json_set_string (builder, "targets", batch->targets);
  sonde_json_set_string (builder, "device", batch->device != NULL ? batch->device : "cpu");
  sonde_json_set_int (builder, "threads", batch->threads);
  sonde_json_set_int (builder, "seed", batch->seed);
  if (batch->hoc != NULL)
    sonde_json_set_string (builder, "hoc", batch->hoc);
  json_builder_set_member_name (builder, "methods");
  json_builder_begin_array (builder);
}

static gboolean
write_settings (JsonBuilder *builder, const char *output, GError **error)
{
  g_autofree char *path = g_build_filename (output, "settings.json", NULL), *text = NULL;
  g_autoptr (JsonNode) root = NULL;

  json_builder_end_array (builder);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = sonde_json_node_to_text (root, TRUE);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_explain_batch_run (const SondeExplainBatch *batch, GError **error)
{
  g_autoptr (GPtrArray) specs = batch->methods != NULL || batch->hoc == NULL
                                    ? sonde_explain_parse_methods (batch->methods, error)
                                    : g_ptr_array_new ();
  g_autoptr (SondeOcclusionSpec) hoc
      = specs != NULL ? sonde_occlusion_spec_parse (batch->hoc, error) : NULL;
  g_autoptr (SondeTensor) inputs = NULL, targets = NULL;
  g_autoptr (SondeWeightReport) weights = NULL;
  g_autoptr (SondeGraph) model
      = hoc != NULL ? sonde_model_choice_open (batch->choice, batch->model, &weights, error) : NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  g_autoptr (JsonBuilder) settings = json_builder_new ();
  g_autoptr (GPtrArray) failed = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_build_filename (batch->output, "maps", NULL);
  g_autofree char *hoc_folder = g_build_filename (batch->output, "hoc", NULL);
  int rank;

  explainer
      = model != NULL ? sonde_explainer_new (model, batch->device, batch->threads, error) : NULL;
  inputs = explainer != NULL ? read_inputs (explainer, batch->input, error) : NULL;
  targets = inputs != NULL ? read_targets (batch->targets, inputs, &rank, error) : NULL;
  if (targets != NULL && batch->hoc != NULL
      && sonde_explainer_get_form (explainer) != SONDE_EXPLAINER_IMAGES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "--hoc requires image inputs, but “%s” takes series, columns or tokens; use "
                       "feature-ablation or shapley.",
                       batch->model);
      return FALSE;
    }
  sonde_cli_tell_weights (weights);
  if (targets == NULL || sonde_explainer_get_n_classes (explainer, inputs, error) < 0
      || !sonde_io_make_directories (NULL, folder, error))
    return FALSE;
  begin_settings (settings, batch);
  for (guint i = 0; i < specs->len; i++)
    {
      const SondeAttributionSpec *spec = g_ptr_array_index (specs, i);
      g_autoptr (GError) problem = NULL;

      if (write_maps (batch, explainer, spec, inputs, targets, rank, settings, &problem)
          || sonde_explain_skip_method (failed, specs->len, spec, &problem))
        continue;
      g_propagate_prefixed_error (error, g_steal_pointer (&problem),
                                  "%s: ", sonde_attribution_spec_get_label (spec));
      return FALSE;
    }
  return (batch->hoc == NULL
          || sonde_explain_counterfactual_write_batch (explainer, inputs, targets, hoc, hoc_folder,
                                                       error))
         && write_settings (settings, batch->output, error)
         && sonde_explain_check_methods (failed, specs->len, error);
}

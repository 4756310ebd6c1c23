/* SPDX-License-Identifier: Apache-2.0
 * What all methods share: checks, batches, aggregation. */
#include "explain/attribution/sonde-attribution-spec.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "explain/sonde-explainer-output.h"

void
sonde_attribution_result_clear (SondeAttributionResult *result)
{
  g_clear_pointer (&result->maps, sonde_tensor_unref);
  g_clear_pointer (&result->scores, sonde_tensor_unref);
  g_clear_pointer (&result->segments, sonde_tensor_unref);
  g_clear_pointer (&result->gaps, g_free);
  g_clear_pointer (&result->note, sonde_message_free);
}

/* [n] or, of pairs, [n, 2] classes of the model. */
static gboolean
check_targets (SondeExplainer *explainer, const SondeAttribution *method, SondeTensor *inputs,
               SondeTensor *targets, GError **error)
{
  gint64 classes = sonde_explainer_get_n_classes (explainer, inputs, error);
  g_autofree char *have = sonde_shape_to_string (&targets->shape),
                  *of = sonde_shape_to_string (&inputs->shape);

  if (classes < 0)
    return FALSE;
  if (targets->dtype != SONDE_DTYPE_I64 || targets->shape.rank != (method->takes_pair ? 2 : 1)
      || targets->shape.dims[0] != inputs->shape.dims[0]
      || (method->takes_pair && targets->shape.dims[1] != 2))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "“%s” requires targets int64 %s for samples %s, not %s %s.", method->name,
                       method->takes_pair ? "[N, 2]" : "[N]", of, sonde_dtype_name (targets->dtype),
                       have);
      return FALSE;
    }
  for (gint64 i = 0; i < sonde_tensor_n_elements (targets); i++)
    {
      gint64 target = sonde_tensor_get_int (targets, i);

      if (target >= 0 && target < classes)
        continue;
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Target class %" PRIi64 " is outside the model's %" PRIi64 " classes.",
                       target, classes);
      return FALSE;
    }
  return TRUE;
}

/* Maps that hold NaN or infinity are no answers. */
static void
note_failed_maps (SondeAttributionResult *result)
{
  gint64 n = result->maps->shape.dims[0],
         size = sonde_tensor_n_elements (result->maps) / MAX (n, 1), failed = 0;
  const float *map = (const float *) (const void *) result->maps->data;

  for (gint64 i = 0; i < n; i++, map += size)
    {
      gint64 k = 0;

      while (k < size && isfinite (map[k]))
        k++;
      failed += k < size;
    }
  if (failed > 0)
    sonde_note_add (&result->note,
                    "%" PRIi64 " of %" PRIi64
                    " maps hold numbers that are not finite: these samples "
                    "failed.",
                    failed, n);
}

/* Maps that say nothing are said in words, unless the method has something to say of them
 * itself. */
static void
note_flat_maps (SondeAttributionResult *result)
{
  gint64 n = result->maps->shape.dims[0],
         size = sonde_tensor_n_elements (result->maps) / MAX (n, 1), zero = 0, constant = 0;
  const float *map = (const float *) (const void *) result->maps->data;

  for (gint64 i = 0; size > 1 && i < n; i++, map += size)
    {
      gint64 k = 1;

      while (k < size && map[k] == map[0])
        k++;
      zero += k == size && map[0] == 0;
      constant += k == size && map[0] != 0;
    }
  if (zero > 0)
    sonde_note_add (&result->note,
                    "%" PRIi64 " of %" PRIi64 " maps are 0 everywhere: nothing that they measure "
                    "changes the score.",
                    zero, n);
  if (constant > 0)
    sonde_note_add (&result->note,
                    "%" PRIi64 " of %" PRIi64 " maps are constant: they prefer no place.", constant,
                    n);
}

static void
note_batch (SondeAttributionResult *result, gint64 before, gint64 after)
{
  if (after < before)
    sonde_note_add (&result->note,
                    "Memory did not suffice for %" PRIi64 " images at once: %" PRIi64
                    " were run together.",
                    before, after);
}

/* The classes' margins in the place of their logits. */
static SondeExplainer *
find_margins (SondeExplainer *explainer, const SondeAttributionRequest *request, const char *beside,
              GError **error)
{
  const char *name = sonde_attribution_spec_get_method (request->spec)->name;

  if (beside == NULL && !sonde_attribution_spec_get_method (request->spec)->takes_pair)
    return sonde_explainer_find_margins (
        explainer, sonde_explainer_get_n_classes (explainer, request->inputs, NULL), error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "%s: score=margin is already a difference of classes; omit %-s or score=margin.",
                   name, beside != NULL ? beside : N_ ("the pair of classes"));
  return NULL;
}

/* The network with what SPEC names as its only class, or with margins; NULL without @error where it
 * names nothing, or the row sees to it itself. */
static SondeExplainer *
find_other_output (SondeExplainer *explainer, const SondeAttributionRequest *request,
                   GError **error)
{
  const SondeAttributionSpec *spec = request->spec;
  const char *neuron = sonde_attribution_spec_knows (spec, "neuron")
                           ? sonde_attribution_spec_get (spec, "neuron")
                           : NULL;
  const char *sum = sonde_attribution_spec_knows (spec, "target")
                        ? sonde_attribution_spec_get (spec, "target")
                        : NULL;
  gboolean probability = sonde_attribution_spec_knows (spec, "score")
                         && sonde_attribution_spec_has (spec, "score")
                         && sonde_attribution_spec_get_score (spec) == SONDE_SCORE_PROBABILITY;
  gint64 classes = sonde_explainer_get_n_classes (explainer, request->inputs, NULL);
  g_autofree float *factors = NULL;

  if (sonde_attribution_spec_knows (spec, "score")
      && sonde_attribution_spec_is (spec, "score", "margin"))
    return find_margins (explainer, request,
                         neuron != NULL ? "neuron"
                         : sum != NULL  ? "target"
                                        : NULL,
                         error);
  if (neuron != NULL && (sum != NULL || probability))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "neuron=%s already selects the element to explain; omit %s.", neuron,
                       sum != NULL ? "target" : "score=probability");
      return NULL;
    }
  if (neuron != NULL)
    return sonde_explainer_find_element (explainer, request->inputs, neuron, error);
  if (sum == NULL || sonde_attribution_spec_get_method (spec)->own_sums
      || !sonde_attribution_spec_make_target (spec, classes, &factors, error))
    return NULL;
  return sonde_explainer_find_sum (explainer, factors, classes,
                                   sonde_attribution_spec_get_score (spec), sum, error);
}

/* The row, on the network or on one with another output. */
static gboolean
compute_row (SondeExplainer *explainer, const SondeAttributionRequest *request,
             SondeAttributionResult *result, GError **error)
{
  const SondeAttribution *method = sonde_attribution_spec_get_method (request->spec);
  g_autoptr (GError) problem = NULL;
  SondeExplainer *other = find_other_output (explainer, request, &problem);
  SondeAttributionRequest only = *request;
  g_autoptr (SondeAttributionSpec) spec = NULL;
  g_autoptr (SondeTensor) targets = NULL;

  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (other == NULL)
    return method->compute (explainer, request, result, error);
  if (sonde_explainer_get_n_classes (other, request->inputs, NULL) == 1)
    only.targets = targets = sonde_tensor_new (SONDE_DTYPE_I64, &request->targets->shape);
  if (sonde_attribution_spec_knows (request->spec, "score"))
    only.spec = spec = sonde_attribution_spec_copy_with (request->spec, "score", "logit");
  return method->compute (other, &only, result, error);
}

gboolean
sonde_attribution_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                           SondeAttributionResult *result, GError **error)
{
  const SondeAttribution *method = sonde_attribution_spec_get_method (request->spec);
  gint64 forward, backward;

  if (!check_targets (explainer, method, request->inputs, request->targets, error))
    return FALSE;
  forward = sonde_explainer_get_batch (explainer, request->inputs, FALSE);
  backward = sonde_explainer_get_batch (explainer, request->inputs, TRUE);
  if (!compute_row (explainer, request, result, error))
    {
      sonde_attribution_result_clear (result);
      return FALSE;
    }
  if (result->note == NULL)
    note_flat_maps (result);
  note_failed_maps (result);
  if (sonde_explainer_get_batch (explainer, request->inputs, FALSE) < forward)
    note_batch (result, forward, sonde_explainer_get_batch (explainer, request->inputs, FALSE));
  else
    note_batch (result, backward, sonde_explainer_get_batch (explainer, request->inputs, TRUE));
  return TRUE;
}

static float
aggregate_pixel (const float *channels, gint64 n, gint64 stride, SondeAggregate how)
{
  float value = channels[0];

  for (gint64 c = 1; c < n; c++)
    if (how == SONDE_AGGREGATE_SUM)
      value += channels[c * stride];
    else if (fabsf (channels[c * stride]) > fabsf (value))
      value = channels[c * stride];
  return value;
}

SondeTensor *
sonde_attribution_make_targets (const SondeAttribution *method, const gint64 *targets,
                                const gint64 *others, guint n)
{
  SondeShape shape
      = method->takes_pair ? sonde_shape_make (2, (int) n, 2) : sonde_shape_make (1, (int) n);
  SondeTensor *classes = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  gint64 *to = (gint64 *) (void *) classes->data;

  for (guint i = 0; i < n; i++)
    {
      to[method->takes_pair ? 2 * i : i] = targets[i];
      if (method->takes_pair)
        to[2 * i + 1] = others[i];
    }
  return classes;
}

SondeTensor *
sonde_attribution_aggregate (SondeTensor *channels, SondeAggregate how)
{
  gint64 n_channels = channels->shape.dims[0],
         pixels = channels->shape.dims[1] * channels->shape.dims[2];
  SondeShape shape = sonde_shape_from_array (2, channels->shape.dims + 1);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  const float *from = (const float *) (const void *) channels->data;
  float *to = (float *) (void *) map->data;

  for (gint64 p = 0; p < pixels; p++)
    to[p] = aggregate_pixel (from + p, n_channels, pixels, how);
  return map;
}

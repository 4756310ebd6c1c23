/* SPDX-License-Identifier: Apache-2.0
 * The randomisation check of maps of a dataset. */
#include <math.h>
#include <string.h>

#include "explain/metrics/sonde-evaluation-private.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/metrics/sonde-stability.h"

#define MOST_STAGES 16

static gboolean
is_chosen (SondeEvaluation *evaluation, const SondeMapMetric *metric)
{
  for (guint i = 0; i < evaluation->n_metrics; i++)
    if (evaluation->metrics[i] == metric)
      return TRUE;
  return FALSE;
}

/* Channels become one map, by the method's rule: single ones of input × gradient look like the
 * input whatever the weights. */
static SondeTensor *
join_channels (const SondeAttributionSpec *spec, SondeTensor *maps)
{
  SondeShape shape = sonde_shape_from_array (3, maps->shape.dims + 1);
  g_autoptr (SondeTensor) one = maps->shape.rank == 4 ? sonde_tensor_reshape (maps, &shape) : NULL;

  return one != NULL ? sonde_attribution_aggregate (
             one, sonde_attribution_spec_get_method (spec)->aggregate)
                     : sonde_tensor_ref (maps);
}

/* Maps of the checked samples @first … of one method, in one call. */
static gboolean
compute_some (SondeEvaluation *evaluation, SondeExplainer *explainer, guint first, guint n,
              GPtrArray *maps, GError **error)
{
  const SondeAttributionSpec *spec
      = ((SondeEvaluationChecked *) g_ptr_array_index (evaluation->checked, first))->spec;
  g_autofree gint64 *targets = g_new (gint64, n), *others = g_new (gint64, n);
  g_autofree guint64 *samples = g_new (guint64, n);
  g_autoptr (SondeTensor) images = NULL, together = NULL;

  for (guint i = 0; i < n; i++)
    {
      const SondeEvaluationChecked *checked = g_ptr_array_index (evaluation->checked, first + i);
      g_autoptr (SondeTensor) image = sonde_evaluation_load (evaluation, checked->sample, error);
      SondeShape shape;

      if (image == NULL)
        return FALSE;
      shape = image->shape;
      shape.dims[0] = n;
      if (images == NULL)
        images = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
      memcpy (images->data + i * sonde_tensor_n_bytes (image), image->data,
              sonde_tensor_n_bytes (image));
      samples[i] = checked->sample;
      targets[i] = checked->target;
      others[i] = checked->other;
    }
  together = sonde_evaluation_compute (explainer, spec, evaluation->seed, samples, images, targets,
                                       others, error);
  for (guint i = 0; together != NULL && i < n; i++)
    {
      SondeShape shape = together->shape;
      g_autoptr (SondeTensor) map = NULL;

      shape.dims[0] = 1;
      map = sonde_tensor_view (together, &shape, together->strides, i * together->strides[0]);
      g_ptr_array_add (maps, join_channels (spec, map));
    }
  return together != NULL;
}

/* One map a checked sample, by @explainer. (transfer full) (element-type SondeTensor) */
static GPtrArray *
compute_all (SondeEvaluation *evaluation, SondeExplainer *explainer, GError **error)
{
  g_autoptr (GPtrArray) maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint first = 0, n; first < evaluation->checked->len; first += n)
    {
      const SondeEvaluationChecked *checked = g_ptr_array_index (evaluation->checked, first), *next;

      for (n = 1; first + n < evaluation->checked->len; n++)
        {
          next = g_ptr_array_index (evaluation->checked, first + n);
          if (next->spec != checked->spec)
            break;
        }
      if (!compute_some (evaluation, explainer, first, n, maps, error))
        return NULL;
    }
  return g_steal_pointer (&maps);
}

/* Layers 0 … of the stage are randomised; @similarity: [checked][stage]. */
static gboolean
run_stage (SondeEvaluation *evaluation, SondeGraph *model, const char *device, int threads,
           GPtrArray *originals, double *similarity, guint stage, guint n_stages, GError **error)
{
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (model, device, threads, error);
  g_autoptr (GPtrArray) maps
      = explainer != NULL ? compute_all (evaluation, explainer, error) : NULL;

  for (guint i = 0; maps != NULL && i < maps->len; i++)
    similarity[i * n_stages + stage]
        = sonde_map_spearman (g_ptr_array_index (originals, i), g_ptr_array_index (maps, i), TRUE);
  return maps != NULL;
}

gboolean
sonde_evaluation_randomise (SondeEvaluation *evaluation, SondeGraph *model, const char *device,
                            int threads, GError **error)
{
  const SondeMapMetric *metric = sonde_map_metric_find ("randomisation");
  g_autoptr (SondeGraph) copy = sonde_graph_copy (model, FALSE);
  g_autoptr (GPtrArray) layers = sonde_randomisation_layers (copy), originals = NULL;
  guint n_stages = MIN (layers->len, MOST_STAGES), done = 0;
  g_autofree double *similarity = NULL;

  if (!is_chosen (evaluation, metric) || evaluation->checked->len == 0 || n_stages == 0)
    return TRUE;
  originals = compute_all (evaluation, evaluation->explainer, error);
  similarity = g_new (double, (gsize) evaluation->checked->len *n_stages);
  for (guint stage = 0; originals != NULL && stage < n_stages; stage++)
    {
      for (; done < (stage + 1) * layers->len / n_stages; done++)
        sonde_randomise_layer (g_ptr_array_index (layers, done), evaluation->seed);
      if (!run_stage (evaluation, copy, device, threads, originals, similarity, stage, n_stages,
                      error))
        return FALSE;
    }
  for (guint i = 0; originals != NULL && i < evaluation->checked->len; i++)
    {
      const SondeEvaluationChecked *checked = g_ptr_array_index (evaluation->checked, i);
      double last_half;

      sonde_randomisation_passes (similarity + (gsize) i * n_stages, n_stages, &last_half);
      sonde_scorecard_add (evaluation->scorecard, metric, checked->key, checked->sample,
                           checked->label, last_half);
    }
  return originals != NULL;
}

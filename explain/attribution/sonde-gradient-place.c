/* SPDX-License-Identifier: Apache-2.0
 * Scores and gradients as functions of the images, or of a layer's values while what passes by it
 * stays. */
#include <string.h>

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient.h"
#include "explain/sonde-probabilities.h"

/* Rows @first … of @tensor, without copying. */
static SondeTensor *
view_rows (SondeTensor *tensor, gint64 first, gint64 n)
{
  SondeShape shape = tensor->shape;

  shape.dims[0] = n;
  return sonde_tensor_view (tensor, &shape, tensor->strides, first * tensor->strides[0]);
}

/* Appends the rows of @part behind the @done ones of @whole. */
static void
append_rows (GPtrArray *whole, GPtrArray *part, gint64 done, gint64 total)
{
  for (guint k = 0; k < part->len; k++)
    {
      const SondeTensor *from = part->pdata[k];
      SondeShape shape = from->shape;
      gsize row = sonde_tensor_n_bytes (from) / (gsize) from->shape.dims[0];

      shape.dims[0] = total;
      if (done == 0)
        g_ptr_array_add (whole, sonde_tensor_new (from->dtype, &shape));
      memcpy (((SondeTensor *) whole->pdata[k])->data + (gsize) done * row, from->data,
              sonde_tensor_n_bytes (from));
    }
}

/* All images, a batch at a time. */
static GPtrArray *
run_before (SondeGradientPlace *place, SondeTensor *images, GError **error)
{
  gint64 total = images->shape.dims[0],
         batch = sonde_explainer_get_batch (place->explainer, images, FALSE);
  g_autoptr (GPtrArray) whole
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (gint64 done = 0; done < total; done += batch)
    {
      g_autoptr (SondeTensor) rows = view_rows (images, done, MIN (batch, total - done));
      g_autoptr (GPtrArray) part = sonde_explainer_layer_run (place->layer, rows, error);

      if (part == NULL)
        return NULL;
      append_rows (whole, part, done, total);
    }
  return g_steal_pointer (&whole);
}

gboolean
sonde_gradient_place_init (SondeGradientPlace *place, SondeExplainer *explainer,
                           const SondeAttributionRequest *request, GError **error)
{
  const char *layer = sonde_attribution_spec_get (request->spec, "layer");

  *place = (SondeGradientPlace){ .explainer = explainer, .request = *request };
  if (layer == NULL)
    return TRUE;
  place->layer = sonde_explainer_find_layer (explainer, layer, request->inputs, error);
  place->state = place->layer != NULL ? run_before (place, request->inputs, error) : NULL;
  if (place->state == NULL)
    return FALSE;
  place->request.inputs = place->state->pdata[0];
  place->batch = sonde_explainer_layer_get_batch (place->layer, place->state, error);
  return place->batch > 0;
}

void
sonde_gradient_place_clear (SondeGradientPlace *place)
{
  g_clear_pointer (&place->state, g_ptr_array_unref);
}

SondeTensor *
sonde_gradient_place_move (SondeGradientPlace *place, SondeTensor *images, GError **error)
{
  g_autoptr (GPtrArray) state = NULL;

  if (place->layer == NULL)
    return sonde_tensor_ref (images);
  state = run_before (place, images, error);
  return state != NULL ? sonde_tensor_ref (state->pdata[0]) : NULL;
}

gint64
sonde_gradient_place_get_batch (SondeGradientPlace *place)
{
  return place->layer != NULL
             ? place->batch
             : sonde_explainer_get_batch (place->explainer, place->request.inputs, TRUE);
}

/* What the part behind the layer reads for these samples with these values. */
static GPtrArray *
make_state (SondeGradientPlace *place, const gint64 *rows, SondeTensor *values)
{
  GPtrArray *state = sonde_explainer_layer_gather (place->state, rows, values->shape.dims[0]);

  sonde_tensor_unref (state->pdata[0]);
  state->pdata[0] = sonde_tensor_ref (values);
  return state;
}

static SondeTensor *
take_score (SondeExplainer *explainer, SondeTensor *logits, SondeScore score)
{
  return score == SONDE_SCORE_PROBABILITY ? sonde_explainer_probabilities (explainer, logits)
                                          : sonde_tensor_ref (logits);
}

SondeTensor *
sonde_gradient_place_forward (SondeGradientPlace *place, const gint64 *rows, SondeTensor *values,
                              SondeScore score, GError **error)
{
  g_autoptr (GPtrArray) state = place->layer != NULL ? make_state (place, rows, values) : NULL;
  g_autoptr (SondeTensor) logits = state != NULL
                                       ? sonde_explainer_layer_finish (place->layer, state, error)
                                       : sonde_explainer_forward (place->explainer, values, error);

  return logits != NULL ? take_score (place->explainer, logits, score) : NULL;
}

static SondeTensor *
seed_logits (SondeGradientPlace *place, GPtrArray *state, SondeTensor *seeds, GError **error)
{
  g_autoptr (SondeTensor) logits = sonde_explainer_layer_finish (place->layer, state, error);

  return logits != NULL ? sonde_explainer_probability_seeds (place->explainer, logits, seeds)
                        : NULL;
}

SondeTensor *
sonde_gradient_place_backward (SondeGradientPlace *place, const gint64 *rows, SondeTensor *values,
                               SondeTensor *seeds, SondeScore score, GError **error)
{
  SondeExplainerBackward how = { .score = score };
  g_autoptr (GPtrArray) state = NULL;
  g_autoptr (SondeTensor) of_logits = NULL;

  if (place->layer == NULL)
    return sonde_explainer_backward (place->explainer, values, seeds, &how, NULL, NULL, error);
  state = make_state (place, rows, values);
  of_logits = score == SONDE_SCORE_PROBABILITY ? seed_logits (place, state, seeds, error)
                                               : sonde_tensor_ref (seeds);
  return of_logits != NULL
             ? sonde_explainer_layer_gradient (place->layer, state, of_logits, NULL, error)
             : NULL;
}

/* ---- scores of every sample ---------------------------------------------- */

/* Of sample i with row i of @values, or their only one; what passes by a layer is the sample's, so
 * that each has a run of its own there. */
static double *
score_samples (SondeGradientPlace *place, SondeTensor *values, SondeTensor *seeds, SondeScore score,
               GError **error)
{
  gint64 n = seeds->shape.dims[0], rows = values->shape.dims[0],
         batch = place->layer != NULL ? place->batch : n;
  g_autofree gint64 *numbers = g_new (gint64, n), *from = g_new0 (gint64, n);
  g_autofree double *taken = g_new0 (double, n);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  g_ptr_array_add (all, values);
  for (gint64 i = 0; i < n; i++)
    {
      numbers[i] = i;
      from[i] = rows == 1 ? 0 : i;
    }
  for (gint64 done = 0; done < n; done += batch)
    {
      gint64 part = MIN (batch, n - done);
      g_autoptr (GPtrArray) some
          = place->layer != NULL ? sonde_explainer_layer_gather (all, from + done, part) : NULL;
      g_autoptr (SondeTensor) scores = sonde_gradient_place_forward (
          place, numbers + done, some != NULL ? some->pdata[0] : values, score, error);

      if (scores == NULL)
        return NULL;
      for (gint64 i = 0; i < part; i++)
        taken[done + i]
            = sonde_gradient_combine (scores, some != NULL ? i : from[i], seeds, done + i);
    }
  return g_steal_pointer (&taken);
}

SondeTensor *
sonde_gradient_score (SondeGradientPlace *place, SondeTensor *seeds, SondeScore score,
                      GError **error)
{
  g_autofree double *taken = score_samples (place, place->request.inputs, seeds, score, error);
  SondeShape shape = sonde_shape_from_array (1, seeds->shape.dims);
  SondeTensor *scores;

  if (taken == NULL)
    return NULL;
  scores = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < shape.dims[0]; i++)
    sonde_tensor_set_double (scores, i, taken[i]);
  return scores;
}

double *
sonde_gradient_score_baseline (SondeGradientPlace *place, SondeTensor *baseline, SondeTensor *seeds,
                               SondeScore score, GError **error)
{
  return score_samples (place, baseline, seeds, score, error);
}

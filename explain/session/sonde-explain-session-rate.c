/* SPDX-License-Identifier: Apache-2.0
 * Can a map be trusted? Its order against random orders, its similarity to maps of a net that knows
 * nothing, and to maps of other methods. */
#include <math.h>

#include "data/base/sonde-error.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/metrics/sonde-stability.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-maps.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-explain-codec.h"

#define STEPS 32u
#define RANDOM_ORDERS 2u
#define MOST_STAGES 8u
#define PARTS 1000u

/**
 * Rated: the map that is rated
 * @inputs: [1, C, H, W]; @image: the same as [C, H, W]; @ranking: [H, W]: what orders pixels
 * @done: of PARTS
 */
typedef struct
{
  SondeExplainSession *session;
  const SondeAttributionSpec *spec;
  guint sample;
  gint64 target, other;
  SondeTensor *inputs, *image, *ranking;
  guint done;
} Rated;

static gboolean
advance (Rated *rated, guint parts, GError **error)
{
  rated->done += parts;
  return sonde_explain_session_tick (rated->session, MIN (rated->done, PARTS), PARTS, error);
}

/* As the scorecard does it: by magnitude where channels were joined by it. */
static SondeTensor *
make_ranking (const SondeAttributionResult *result, const SondeAttributionSpec *spec)
{
  g_autoptr (SondeTensor) map = sonde_explain_take_map (result, spec, 0, NULL);
  SondeTensor *ranking = sonde_tensor_copy (map);
  gboolean magnitude
      = result->form == SONDE_MAP_CHANNELS
        && sonde_attribution_spec_get_method (spec)->aggregate == SONDE_AGGREGATE_LARGEST;

  for (gint64 i = 0; magnitude && i < sonde_tensor_n_elements (ranking); i++)
    sonde_tensor_set_double (ranking, i, fabs (sonde_tensor_get_double (ranking, i)));
  return ranking;
}

/* ---- faithfulness -------------------------------------------------------- */

/* Ticks between passes. */
typedef struct
{
  SondeNetworkScore network;
  Rated *rated;
} Score;

static gboolean
score_images (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  Score *score = data;

  return advance (score->rated, 0, error)
         && sonde_network_score (images, scores, &score->network, error);
}

static gboolean
measure_order (Rated *rated, SondeTensor *zeros, SondeTensor *blurred, const guint *order,
               double *value, GError **error)
{
  guint n = (guint) sonde_tensor_n_elements (rated->ranking), steps = MIN (n, STEPS);
  Score score = { { .explainer = rated->session->explainer,
                    .kind = SONDE_NETWORK_PROBABILITY,
                    .target = rated->target },
                  rated };
  double deletion[STEPS + 1], insertion[STEPS + 1];

  if (!sonde_deletion_curve (rated->image, zeros, order, steps, score_images, &score, deletion,
                             error)
      || !sonde_deletion_curve (blurred, rated->image, order, steps, score_images, &score,
                                insertion, error))
    return FALSE;
  *value = sonde_curve_area (insertion, steps) - sonde_curve_area (deletion, steps);
  return advance (rated, 100, error);
}

static gboolean
is_flat (const SondeTensor *map)
{
  double first = sonde_tensor_get_double (map, 0);

  for (gint64 i = 1; i < sonde_tensor_n_elements (map); i++)
    if (sonde_tensor_get_double (map, i) != first)
      return FALSE;
  return TRUE;
}

static gboolean
measure_faithfulness (Rated *rated, SondeMapRating *rating, GError **error)
{
  guint n = (guint) sonde_tensor_n_elements (rated->ranking);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &rated->image->shape);
  g_autoptr (SondeTensor) blurred = sonde_insertion_baseline (rated->image);
  g_autofree guint *order = is_flat (rated->ranking) ? NULL : sonde_map_order (rated->ranking);
  double sum = 0.0;

  if (order != NULL && !measure_order (rated, zeros, blurred, order, &rating->faithfulness, error))
    return FALSE;
  for (guint i = 0; i < RANDOM_ORDERS; i++)
    {
      g_autofree guint *random
          = sonde_map_order_random (n, (guint64) rated->session->settings->seed + i);
      double value;

      if (!measure_order (rated, zeros, blurred, random, &value, error))
        return FALSE;
      sum += value / RANDOM_ORDERS;
    }
  rating->faithfulness_random = sum;
  return TRUE;
}

/* ---- randomisation ------------------------------------------------------- */

/* The nets of the last half of the cascade, made once: layers are permuted from the output
 * downward. */
static GPtrArray *
get_randomised (Rated *rated, GError **error)
{
  SondeExplainSession *session = rated->session;
  g_autoptr (SondeGraph) copy = NULL;
  g_autoptr (GPtrArray) layers = NULL, nets = NULL;
  guint n_stages, done = 0;

  if (session->randomised != NULL)
    return session->randomised;
  copy = sonde_graph_copy (session->model, FALSE);
  layers = sonde_randomisation_layers (copy);
  nets = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_explainer_free);
  n_stages = MIN (layers->len, MOST_STAGES);
  for (guint stage = 0; stage < n_stages; stage++)
    {
      SondeExplainer *net;

      for (; done < (stage + 1) * layers->len / n_stages; done++)
        sonde_randomise_layer (g_ptr_array_index (layers, done), (guint64) session->settings->seed);
      if (stage < n_stages / 2)
        continue;
      net = sonde_explainer_new (copy, session->settings->device, session->settings->threads,
                                 error);
      if (net == NULL || !advance (rated, 0, error))
        {
          sonde_explainer_free (net);
          return NULL;
        }
      g_ptr_array_add (nets, net);
    }
  session->randomised = g_steal_pointer (&nets);
  return session->randomised;
}

static gboolean
measure_randomisation (Rated *rated, SondeMapRating *rating, GError **error)
{
  GPtrArray *nets = get_randomised (rated, error);
  double sum = 0.0;
  guint n = 0;

  for (guint i = 0; nets != NULL && i < nets->len; i++)
    {
      g_auto (SondeAttributionResult) result = { 0 };
      g_autoptr (SondeTensor) ranking = NULL;
      double similarity;

      if (!sonde_explain_session_attribute (rated->session, g_ptr_array_index (nets, i),
                                            rated->spec, rated->sample, rated->target, rated->other,
                                            rated->inputs, &result, error)
          || !advance (rated, 400 / nets->len, error))
        return FALSE;
      ranking = make_ranking (&result, rated->spec);
      similarity = sonde_map_spearman (rated->ranking, ranking, TRUE);
      if (isnan (similarity))
        continue;
      sum += similarity;
      n++;
    }
  rating->randomisation = n > 0 ? sum / n : NAN;
  return nets != NULL;
}

/* ---- agreement ----------------------------------------------------------- */

static gboolean
measure_agreement (Rated *rated, SondeMapRating *rating, GError **error)
{
  const SondeExplainInfo *info = rated->session->info;
  gint64 window = MAX (MIN (info->height, info->width) / 7, 1);
  g_autofree char *occlusion
      = g_strdup_printf ("occlusion:window=%" PRIi64 "x%" PRIi64 ":stride=%" PRIi64 "x%" PRIi64,
                         window, window, window, window);
  const struct
  {
    const char *method, *spec;
  } others[] = {
    { "input-x-gradient", "input-x-gradient" },
    { "gradcam", "gradcam" },
    { "occlusion", occlusion },
    { "saliency", "saliency" },
  };
  double sum = 0.0;
  guint n = 0, tried = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (others) && tried < 3; i++)
    {
      g_autoptr (SondeAttributionSpec) spec = NULL;
      g_auto (SondeAttributionResult) result = { 0 };
      g_autoptr (SondeTensor) ranking = NULL;
      double similarity = NAN;

      if (g_str_equal (others[i].method, sonde_attribution_spec_get_method (rated->spec)->name))
        continue;
      tried++;
      spec = sonde_attribution_spec_parse (others[i].spec, error);
      if (spec == NULL)
        return FALSE;
      /* a method that this net cannot take says nothing of the map */
      if (sonde_explain_session_attribute (rated->session, rated->session->explainer, spec,
                                           rated->sample, rated->target, -1, rated->inputs, &result,
                                           NULL))
        {
          ranking = make_ranking (&result, spec);
          similarity = sonde_map_spearman (rated->ranking, ranking, TRUE);
        }
      if (!isnan (similarity))
        {
          sum += similarity;
          n++;
        }
      if (!advance (rated, 100, error))
        return FALSE;
    }
  rating->agreement = n > 0 ? sum / n : NAN;
  return TRUE;
}

/* ---- the whole ----------------------------------------------------------- */

static gboolean
rate (Rated *rated, SondeMapRating *rating, GError **error)
{
  SondeShape shape = sonde_shape_from_array (3, rated->inputs->shape.dims + 1);
  g_auto (SondeAttributionResult) result = { 0 };
  g_autoptr (SondeTensor) image = sonde_tensor_reshape (rated->inputs, &shape), ranking = NULL;

  sonde_explain_session_begin (rated->session, N_ ("Rating the map"), 0);
  if (!advance (rated, 0, error)
      || !sonde_explain_session_attribute (rated->session, rated->session->explainer, rated->spec,
                                           rated->sample, rated->target, rated->other,
                                           rated->inputs, &result, error))
    return FALSE;
  rated->image = image;
  rated->ranking = ranking = make_ranking (&result, rated->spec);
  rating->gap = result.gaps != NULL ? result.gaps[0] : NAN;
  if (ranking->shape.dims[0] != shape.dims[1] || ranking->shape.dims[1] != shape.dims[2])
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "A map of the layer's own size cannot be rated; omit size=layer.");
      return FALSE;
    }
  return measure_faithfulness (rated, rating, error) && measure_agreement (rated, rating, error)
         && measure_randomisation (rated, rating, error);
}

static char *
make_key (const SondeAttributionMap *map, const SondeAttributionSpec *spec)
{
  g_autofree char *parameters = sonde_attribution_spec_dup_parameters (spec);
  g_autofree char *hash
      = sonde_explain_hash_texts (sonde_attribution_spec_get_method (spec)->name, parameters, NULL);

  return g_strdup_printf ("rate-%u-%" PRIi64 "-%.16s", map->sample, map->target, hash);
}

gboolean
sonde_explain_session_rate (SondeExplainSession *session, guint sample, const char *text,
                            gint64 target, SondeMapRating *rating, GError **error)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  g_autoptr (SondeAttributionMap) map
      = spec != NULL ? sonde_explain_session_compute_map (session, sample, text, target, error)
                     : NULL;
  g_autoptr (SondeTensor) inputs
      = map != NULL ? sonde_explain_session_load (session, &sample, 1, error) : NULL;
  g_autofree char *key = map != NULL ? make_key (map, spec) : NULL;
  SondeExplainCache *cache
      = map != NULL && !sonde_explain_session_reads_file (spec) ? session->cache : NULL;
  g_autofree SondeMapRating *kept = NULL;
  Rated rated
      = { .session = session, .spec = spec, .sample = sample, .target = target, .inputs = inputs };

  *rating = (SondeMapRating){ NAN, NAN, NAN, NAN, NAN };
  if (inputs == NULL)
    return FALSE;
  kept = sonde_explain_codec_load (&sonde_explain_rating_codec, cache, key);
  if (kept != NULL)
    {
      *rating = *kept;
      return TRUE;
    }
  rated.other = map->other;
  if (!rate (&rated, rating, error))
    return FALSE;
  sonde_explain_codec_store (&sonde_explain_rating_codec, cache, key, rating);
  return TRUE;
}

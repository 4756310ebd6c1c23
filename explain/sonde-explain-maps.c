/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/sonde-explain-maps.h"

#include <math.h>

#include "data/images/sonde-png.h"
#include "explain/sonde-note.h"

#define BATCH 64u

gint64
sonde_explain_choose_other (const float *probabilities, guint n_classes, gint64 target,
                            gint64 label)
{
  gint64 other = -1;

  if (label >= 0 && label < n_classes && label != target)
    return label;
  for (guint c = 0; c < n_classes; c++)
    if (c != target && (other < 0 || probabilities[c] > probabilities[other]))
      other = c;
  return other;
}

/* ---- one map ------------------------------------------------------------- */

SondeAttributionMap *
sonde_explain_new_map (guint sample, const char *text, const SondeAttributionSpec *spec,
                       gint64 target)
{
  SondeAttributionMap *map = sonde_attribution_map_new (sample, text, target);

  map->title = g_strdup (sonde_attribution_spec_get_method (spec)->title);
  return map;
}

/* Each pixel gets the value of its segment, 0 where it has none. */
static SondeTensor *
spread_segments (SondeTensor *values, SondeTensor *segments, gint64 sample)
{
  int own = segments->shape.rank - 2; /* each sample has its own */
  SondeShape shape = sonde_shape_from_array (2, segments->shape.dims + own);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 n = values->shape.dims[1], pixels = sonde_tensor_n_elements (map);

  for (gint64 p = 0; p < pixels; p++)
    {
      gint64 segment = sonde_tensor_get_int (segments, own * sample * pixels + p);

      if (segment >= 0 && segment < n)
        sonde_tensor_set_double (map, p, sonde_tensor_get_double (values, sample * n + segment));
    }
  return map;
}

SondeTensor *
sonde_explain_take_map (const SondeAttributionResult *result, const SondeAttributionSpec *spec,
                        gint64 i, SondeTensor **channels)
{
  SondeTensor *maps = result->maps, *map;
  SondeShape shape = sonde_shape_from_array (maps->shape.rank - 1, maps->shape.dims + 1);
  g_autoptr (SondeTensor) one = NULL;

  if (channels != NULL)
    *channels = NULL;
  if (result->form == SONDE_MAP_SEGMENTS)
    return spread_segments (maps, result->segments, i);
  one = sonde_tensor_view (maps, &shape, maps->strides + 1, i * maps->strides[0]);
  if (result->form != SONDE_MAP_CHANNELS || shape.rank == 2)
    return g_steal_pointer (&one);
  if (shape.rank == 1) /* of a dense layer: a row */
    {
      SondeShape row = sonde_shape_from_array (2, (gint64[]){ 1, shape.dims[0] });

      return sonde_tensor_reshape (one, &row);
    }
  map = sonde_attribution_aggregate (one, sonde_attribution_spec_get_method (spec)->aggregate);
  if (channels != NULL)
    *channels = g_steal_pointer (&one);
  return map;
}

/* A constant map has nothing to see: the note says so. */
static SondeMessage *
make_note (const SondeMessage *note, const SondeTensor *map)
{
  double low = INFINITY, high = -INFINITY;
  SondeMessage *all = sonde_message_copy (note);
  gboolean finite = TRUE;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double v = sonde_tensor_get_double (map, i);

      finite = finite && isfinite (v);
      low = fmin (low, v);
      high = fmax (high, v);
    }
  if (!finite)
    sonde_note_add (&all, "The map contains numbers that are not finite.");
  else if (low == 0.0 && high == 0.0)
    sonde_note_add (&all,
                    "The map is zero everywhere: according to this method, nothing in the image "
                    "affects the score of this class.");
  else if (low == high)
    sonde_note_add (&all,
                    "The map is the same everywhere: according to this method, no position matters "
                    "more than another.");
  return all;
}

static void
finish_map (SondeAttributionMap *map, const SondeAttributionResult *result,
            const SondeAttributionSpec *spec, gint64 i, gboolean channels)
{
  g_autoptr (SondeTensor) one
      = sonde_explain_take_map (result, spec, i, channels ? &map->channels : NULL);

  map->map = sonde_tensor_copy (one); /* not a view that holds the whole batch */
  map->score = sonde_tensor_get_double (result->scores, i);
  map->rating.gap = result->gaps != NULL ? result->gaps[i] : NAN;
  map->note = make_note (result->note, map->map);
}

gboolean
sonde_explain_fill_maps (SondeExplainer *explainer, SondeTensor *inputs, GPtrArray *maps,
                         const SondeAttributionSpec *spec, guint64 seed, gboolean channels,
                         SondeExplainProgress progress, gpointer data, GError **error)
{
  g_autofree gint64 *targets = g_new (gint64, maps->len + 1),
                    *others = g_new (gint64, maps->len + 1);
  g_autofree guint64 *numbers = g_new (guint64, maps->len + 1);
  g_autoptr (SondeTensor) classes = NULL;
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request = { .inputs = inputs,
                                      .samples = numbers,
                                      .spec = spec,
                                      .seed = seed,
                                      .progress = progress,
                                      .progress_data = data };

  for (guint i = 0; i < maps->len; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (maps, i);

      numbers[i] = map->sample;
      targets[i] = map->target;
      others[i] = map->other;
    }
  request.targets = classes = sonde_attribution_make_targets (
      sonde_attribution_spec_get_method (spec), targets, others, maps->len);
  if (!sonde_attribution_compute (explainer, &request, &result, error))
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    finish_map (g_ptr_array_index (maps, i), &result, spec, i, channels);
  return TRUE;
}

/* ---- many maps ----------------------------------------------------------- */

static gint64
choose_target (const SondeSampleResult *prediction, const char *target_is, gint64 target)
{
  if (g_str_equal (target_is, "predicted") || g_str_equal (target_is, "contrast"))
    return prediction->predicted;
  return g_str_equal (target_is, "true") ? prediction->label : target;
}

/* Maps of @n predictions, without their numbers. (transfer full) */
static GPtrArray *
make_maps (SondeSampleResult *const *chosen, guint n, const SondeExplainRequest *request,
           const char *target_is)
{
  GPtrArray *maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);

  for (guint i = 0; i < n; i++)
    {
      const SondeSampleResult *prediction = chosen[i];
      SondeAttributionMap *map = sonde_explain_new_map (
          prediction->sample, sonde_attribution_spec_get_label (request->spec), request->spec,
          choose_target (prediction, target_is, request->target));

      map->target_is = g_strdup (target_is);
      map->parameters = sonde_attribution_spec_dup_parameters (request->spec);
      if (sonde_attribution_spec_get_method (request->spec)->takes_pair)
        map->other = sonde_explain_choose_other (prediction->probabilities, prediction->n_classes,
                                                 map->target, prediction->label);
      g_ptr_array_add (maps, map);
    }
  return maps;
}

/* Which of @maps are computed: those that the store lacks, and with channels copies of the others,
 * since it has no channels. (transfer full) */
static GPtrArray *
choose_missing (GPtrArray *maps, const SondeExplainRequest *request)
{
  const SondeMapStore *store = request->store;
  GPtrArray *missing = g_ptr_array_new ();

  for (guint i = 0; i < maps->len; i++)
    {
      SondeAttributionMap *map = g_ptr_array_index (maps, i), *copy;

      if (store == NULL || !store->load (map, request->spec, store->data))
        g_ptr_array_add (missing, map);
      else if (request->channels)
        {
          copy = sonde_explain_new_map (map->sample, map->spec, request->spec, map->target);
          copy->other = map->other;
          g_ptr_array_add (missing, copy);
        }
    }
  return missing;
}

/* Stores what was computed, and gives the channels of copies to the maps they are of. */
static void
keep_computed (GPtrArray *maps, GPtrArray *computed, const SondeExplainRequest *request)
{
  const SondeMapStore *store = request->store;

  for (guint i = 0, k = 0; k < computed->len; i++)
    {
      SondeAttributionMap *map = g_ptr_array_index (maps, i),
                          *other = g_ptr_array_index (computed, k);

      if (other->sample != map->sample)
        continue;
      k++;
      if (other == map && store != NULL)
        store->store (map, request->spec, store->data);
      if (other == map)
        continue;
      map->channels = g_steal_pointer (&other->channels);
      sonde_attribution_map_free (other);
    }
  g_ptr_array_set_size (computed, 0);
}

/* Fills @maps from the store, and the others by one call of the method. */
static gboolean
fill_batch (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *maps,
            const SondeExplainRequest *request, GError **error)
{
  g_autoptr (GPtrArray) missing = choose_missing (maps, request);
  g_autofree guint *samples = g_new (guint, missing->len + 1);
  g_autoptr (SondeTensor) inputs = NULL;
  gboolean good;

  if (missing->len == 0)
    return TRUE;
  for (guint i = 0; i < missing->len; i++)
    samples[i] = ((SondeAttributionMap *) g_ptr_array_index (missing, i))->sample;
  inputs = sonde_explain_load (dataset, samples, missing->len, error);
  good = inputs != NULL
         && sonde_explain_fill_maps (explainer, inputs, missing, request->spec, request->seed,
                                     request->channels, NULL, NULL, error);
  for (guint i = 0; !good && i < missing->len; i++)
    if (!g_ptr_array_find (maps, g_ptr_array_index (missing, i), NULL))
      sonde_attribution_map_free (g_ptr_array_index (missing, i));
  if (good)
    keep_computed (maps, missing, request);
  return good;
}

gboolean
sonde_explain_maps (SondeExplainer *explainer, SondeDataset *dataset, GPtrArray *chosen,
                    const SondeExplainRequest *request, SondeExplainSink sink, gpointer data,
                    GError **error)
{
  gboolean pairs = sonde_attribution_spec_get_method (request->spec)->takes_pair;
  g_autoptr (GPtrArray) usable = g_ptr_array_new ();
  const char *target_is = pairs ? "contrast" : request->target_is;

  if (!sonde_explain_check_size (explainer, dataset, error))
    return FALSE;
  for (guint i = 0; i < chosen->len; i++)
    if (choose_target (g_ptr_array_index (chosen, i), target_is, request->target) >= 0)
      g_ptr_array_add (usable, g_ptr_array_index (chosen, i));
  for (guint done = 0; done < usable->len; done += BATCH)
    {
      SondeSampleResult **some = (SondeSampleResult **) usable->pdata + done;
      g_autoptr (GPtrArray) maps
          = make_maps (some, MIN (BATCH, usable->len - done), request, target_is);

      if (!fill_batch (explainer, dataset, maps, request, error))
        return FALSE;
      for (guint i = 0; i < maps->len; i++)
        if (!sink (g_ptr_array_index (maps, i), some[i], data, error))
          return FALSE;
    }
  return TRUE;
}

/* ---- records ------------------------------------------------------------- */

gboolean
sonde_explain_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                      const SondeAttributionMap *map, const SondeSampleResult *sample, gint64 step,
                      GError **error)
{
  g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, sample->sample, error);
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeRecord record
      = { .kind = SONDE_RECORD_SALIENCY, .step = step, .tag = g_intern_string ("saliency") };
  SondeBox box;

  if (image == NULL)
    return FALSE;
  record.u.saliency.map = sonde_tensor_ref (map->map);
  record.u.saliency.image = sonde_png_encode (image);
  record.u.saliency.method = g_strdup (map->spec);
  record.u.saliency.target_is = g_strdup (map->target_is);
  record.u.saliency.parameters = g_strdup (map->parameters);
  record.u.saliency.target = (int) map->target;
  record.u.saliency.score = map->score;
  if (sonde_dataset_get_truth (dataset, sample->sample, &box, mask->data))
    record.u.saliency.mask = sonde_tensor_ref (mask);
  sonde_explain_fill_note (sample, dataset, &record.u.saliency.note);
  sonde_summary_writer_add_record (writer, &record);
  sonde_record_clear (&record);
  return TRUE;
}

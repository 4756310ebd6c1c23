/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-log.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-counterfactual-record.h"

#define PARAMETERS N_ ("8-bit image, scaled to its own minimum and maximum")
#define MAX_MAPS 256 /* of one sample */

/* What the events of one sample say together. Texts are lent by the records. */
typedef struct
{
  gint64 number;
  const char *image;
  const SondeExplanationClass *truth, *prediction; /* (nullable) */
  char **labels;                                   /* (nullable): of its log */
  GPtrArray *maps;                                 /* (element-type SondeExplanationMap) */
  GPtrArray *occlusions;                           /* (element-type SondeExplanationOcclusion) */
  /* (nullable): with the probabilities of classes */
  const SondeExplanation *classified;
} Sample;

static void
sample_free (void *data)
{
  Sample *sample = data;

  g_ptr_array_unref (sample->maps);
  g_ptr_array_unref (sample->occlusions);
  g_free (sample);
}

/* ---- joining ------------------------------------------------------------- */

static const SondeExplanationClass *
most_probable (const SondeExplanation *explanation)
{
  const SondeExplanationClass *best = NULL;

  for (gsize i = 0; i < explanation->n_predictions; i++)
    if (best == NULL || explanation->predictions[i].probability > best->probability)
      best = &explanation->predictions[i];
  return best;
}

static void
take_event (Sample *sample, const SondeExplanation *explanation)
{
  if (explanation->image != NULL)
    sample->image = explanation->image;
  if (explanation->n_truths > 0)
    sample->truth = &explanation->truths[0];
  if (explanation->n_predictions > 0)
    sample->prediction = most_probable (explanation);
  if (explanation->n_predictions > 0)
    sample->classified = explanation;
  for (gsize i = 0; i < explanation->n_maps; i++)
    g_ptr_array_add (sample->maps, &explanation->maps[i]);
  for (gsize i = 0; i < explanation->n_occlusions; i++)
    g_ptr_array_add (sample->occlusions, &explanation->occlusions[i]);
}

/* (transfer full) (element-type Sample): of all logs, in the order they came */
static GPtrArray *
join (GPtrArray *records)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func (sample_free);
  g_autoptr (GHashTable) of_log = g_hash_table_new (g_int64_hash, g_int64_equal);
  char **labels = NULL;

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      const SondeExplanation *explanation
          = record->kind == SONDE_RECORD_EXPLAIN ? record->u.explanation : NULL;
      Sample *sample;

      if (explanation != NULL && explanation->labels != NULL)
        {
          labels = explanation->labels;
          g_hash_table_remove_all (of_log);
        }
      if (explanation == NULL || !explanation->has_sample)
        continue;
      sample = g_hash_table_lookup (of_log, &explanation->sample);
      if (sample == NULL)
        {
          sample = g_new0 (Sample, 1);
          sample->number = explanation->sample;
          sample->labels = labels;
          sample->maps = g_ptr_array_new ();
          sample->occlusions = g_ptr_array_new ();
          g_ptr_array_add (samples, sample);
          g_hash_table_insert (of_log, &sample->number, sample);
        }
      take_event (sample, explanation);
    }
  return samples;
}

/* ---- explained samples --------------------------------------------------- */

/* (transfer full) (nullable) */
static char *
name_of_class (char **labels, int label)
{
  return labels != NULL && label >= 0 && (guint) label < g_strv_length (labels)
             ? g_strdup (labels[label])
             : NULL;
}

/* (transfer full): without maps and boxes */
static SondeExplanationSample *
make_sample (const Sample *sample, guint index)
{
  g_autofree char *number = g_strdup_printf ("sample %" PRIi64, sample->number);
  SondeSampleResult *result
      = sonde_sample_result_new (index, sample->image != NULL ? sample->image : number);
  SondeExplanationSample *explained;

  if (sample->truth != NULL)
    {
      result->label = sample->truth->label;
      result->p_label = sample->truth->probability;
      result->label_name = name_of_class (sample->labels, sample->truth->label);
    }
  if (sample->prediction != NULL)
    {
      result->predicted = sample->prediction->label;
      result->p_predicted = sample->prediction->probability;
      result->predicted_name = name_of_class (sample->labels, sample->prediction->label);
    }
  explained = sonde_explanation_sample_new (result);
  explained->image = g_strdup (sample->image);
  return explained;
}

/* Probability of a class of the sample; NaN unknown. */
static double
find_probability (const Sample *sample, int label)
{
  for (gsize i = 0; sample->classified != NULL && i < sample->classified->n_predictions; i++)
    if (sample->classified->predictions[i].label == label)
      return sample->classified->predictions[i].probability;
  return sample->truth != NULL && sample->truth->label == label ? sample->truth->probability : NAN;
}

static void
add_occlusions (SondeExplanationSample *explained, const Sample *sample, GPtrArray *faults)
{
  for (guint i = 0; i < sample->occlusions->len; i++)
    {
      const SondeExplanationOcclusion *occlusion = g_ptr_array_index (sample->occlusions, i);
      g_autoptr (GError) error = NULL;
      SondeCounterfactual *boxes = sonde_counterfactual_from_log (
          occlusion, find_probability (sample, occlusion->label), &error);

      if (boxes != NULL)
        sonde_explanation_sample_take_counterfactual (explained, boxes);
      else
        g_ptr_array_add (faults, g_strdup (sonde_error_get_text (error)));
    }
}

/* @target: of one of its maps. (nullable) */
static const char *
why_target (const SondeSampleResult *result, int target)
{
  return target == result->predicted ? "predicted" : target == result->label ? "true" : NULL;
}

static void
add_maps (SondeExplanationSample *explained, const Sample *sample, GPtrArray *faults)
{
  const SondeSampleResult *result = explained->result;

  if (sample->maps->len > MAX_MAPS)
    g_ptr_array_add (
        faults, g_strdup_printf (_ ("Of the %u heat maps of “%s”, the last %u are left out."),
                                 sample->maps->len, result->name, sample->maps->len - MAX_MAPS));
  for (guint i = 0; i < MIN (sample->maps->len, MAX_MAPS); i++)
    {
      const SondeExplanationMap *heat = g_ptr_array_index (sample->maps, i);
      SondeAttributionMap *map;

      if (heat->heat_map == NULL)
        continue;
      map = sonde_attribution_map_new (result->sample, heat->method != NULL ? heat->method : "",
                                       heat->label);
      map->target_is = g_strdup (why_target (result, heat->label));
      map->parameters = g_strdup (PARAMETERS);
      map->path = g_strdup (heat->heat_map);
      sonde_explanation_sample_take_map (explained, map);
    }
}

GPtrArray *
sonde_explained_log_join (GPtrArray *records, SondeExplainedFiles *files, GPtrArray *faults)
{
  g_autoptr (GPtrArray) samples = join (records);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < samples->len; i++)
    {
      const Sample *sample = g_ptr_array_index (samples, i);
      g_autoptr (SondeExplanationSample) made = make_sample (sample, results->len);
      SondeExplanationSample *explained = g_hash_table_lookup (by_name, made->result->name);

      if (explained == NULL)
        {
          explained = g_steal_pointer (&made);
          g_ptr_array_add (results, sonde_explained_sample_new (
                                        explained, explained->image != NULL ? files : NULL, files));
          g_hash_table_insert (by_name, explained->result->name, explained);
        }
      add_maps (explained, sample, faults);
      add_occlusions (explained, sample, faults);
    }
  return results;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-records.h"

#include "explain/session/sonde-counterfactual-record.h"

/* @sample: its number here. (transfer full) */
static SondeSampleResult *
make_result (guint sample, const SondeSampleNote *note)
{
  SondeSampleResult *result
      = sonde_sample_result_new (sample, note->sample != NULL ? note->sample : "");

  result->label = note->label;
  result->predicted = note->predicted;
  result->label_name = g_strdup (note->label_name);
  result->predicted_name = g_strdup (note->predicted_name);
  result->p_label = note->label_probability;
  result->p_predicted = note->predicted_probability;
  return result;
}

static const SondeSampleNote *
note_of (const SondeRecord *record)
{
  return record->kind == SONDE_RECORD_SALIENCY ? &record->u.saliency.note
                                               : &record->u.counterfactual.note;
}

/* With the image of that record. */
static SondeExplanationSample *
sample_of_record (const SondeRecord *record, guint number)
{
  GBytes *image = record->kind == SONDE_RECORD_SALIENCY ? record->u.saliency.image
                                                        : record->u.counterfactual.image;
  SondeExplanationSample *sample
      = sonde_explanation_sample_new (make_result (number, note_of (record)));

  sample->image = g_strdup (sample->result->name);
  sample->encoded = image != NULL ? g_bytes_ref (image) : NULL;
  return sample;
}

static void
take_counterfactual (SondeExplanationSample *sample, const SondeRecord *record)
{
  g_autoptr (GError) error = NULL;
  SondeCounterfactual *boxes = sonde_counterfactual_from_record (record, &error);

  if (boxes != NULL)
    sonde_explanation_sample_take_counterfactual (sample, boxes);
  else
    g_debug ("%s", error->message);
}

static void
take_saliency (SondeExplanationSample *sample, const SondeRecord *record)
{
  const char *method = record->u.saliency.method, *target_is = record->u.saliency.target_is;
  SondeAttributionMap *map;

  if (record->u.saliency.mask != NULL && sample->mask == NULL)
    sample->mask = sonde_tensor_ref (record->u.saliency.mask);
  if (record->u.saliency.map == NULL)
    return;
  map = sonde_attribution_map_new (sample->result->sample, method != NULL ? method : "",
                                   record->u.saliency.target);
  map->target_is = g_strdup (target_is != NULL ? target_is : "");
  map->parameters = g_strdup (record->u.saliency.parameters);
  map->score = record->u.saliency.score;
  map->map = sonde_tensor_ref (record->u.saliency.map);
  sonde_explanation_sample_take_map (sample, map);
}

static gboolean
is_explanation (const SondeRecord *record)
{
  return record->kind == SONDE_RECORD_COUNTERFACTUAL
         || (record->kind == SONDE_RECORD_SALIENCY
             && (record->u.saliency.map == NULL || record->u.saliency.map->shape.rank == 2));
}

GPtrArray *
sonde_explained_records_list (GPtrArray *records, SondeExplainedFiles *files)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = g_ptr_array_index (records, i);
      SondeExplanationSample *sample;
      const char *name;

      if (!is_explanation (record))
        continue;
      name = note_of (record)->sample != NULL ? note_of (record)->sample : "";
      sample = g_hash_table_lookup (by_name, name);
      if (sample == NULL)
        {
          sample = sample_of_record (record, samples->len);
          g_ptr_array_add (samples, sonde_explained_sample_new (
                                        sample, sample->encoded != NULL ? files : NULL, NULL));
          g_hash_table_insert (by_name, sample->result->name, sample);
        }
      if (record->kind == SONDE_RECORD_COUNTERFACTUAL)
        take_counterfactual (sample, record);
      else
        take_saliency (sample, record);
    }
  return samples;
}

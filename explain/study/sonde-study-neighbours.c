/* SPDX-License-Identifier: Apache-2.0
 * Samples that the network sees as the nearest. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/study/sonde-study-private.h"

#define MOST_NEIGHBOURS 1000u

static gboolean
open_neighbours (SondeStudy *study, GError **error)
{
  GPtrArray *reference = study->settings->training != NULL ? sonde_study_get_training (study, error)
                                                           : sonde_study_classify (study, error);
  guint width = 0;
  g_autofree float *features = NULL;

  if (study->neighbours != NULL && study->reference == reference)
    return TRUE;
  if (reference == NULL)
    return FALSE;
  if (reference->len > 0)
    width = ((SondePrediction *) g_ptr_array_index (reference, 0))->n_features;
  if (width == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "The logits of this model do not come from a matrix product of "
                       "features: there is nothing to find neighbours by.");
      return FALSE;
    }
  features = g_new (float, (gsize) reference->len *width);
  for (guint i = 0; i < reference->len; i++)
    memcpy (features + (gsize) i * width,
            ((SondePrediction *) g_ptr_array_index (reference, i))->features,
            width * sizeof (float));
  g_clear_pointer (&study->neighbours, sonde_neighbours_free);
  study->neighbours = sonde_neighbours_new (features, reference->len, width);
  study->reference = reference;
  return TRUE;
}

static SondeStudyNeighbour *
make_neighbour (SondeStudy *study, const SondeNeighbour *found)
{
  const SondePrediction *prediction = g_ptr_array_index (study->reference, found->row);
  SondeStudyNeighbour *neighbour = g_new0 (SondeStudyNeighbour, 1);
  SondeBox box;

  neighbour->sample = prediction->sample;
  neighbour->distance = 1.0 - found->value;
  neighbour->label = prediction->label;
  neighbour->predicted = prediction->predicted;
  neighbour->in_training = study->settings->training != NULL;
  neighbour->name = g_strdup (prediction->name);
  /* fine without */
  neighbour->image
      = sonde_study_dup_picture (study, prediction->sample, neighbour->in_training, &box, NULL);
  return neighbour;
}

GPtrArray *
sonde_study_find_neighbours (SondeStudy *study, guint sample, guint k, GError **error)
{
  g_autoptr (GPtrArray) own
      = NULL,
      result = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_study_neighbour_free);
  g_autofree SondeNeighbour *found = NULL;
  const SondePrediction *prediction;
  gint64 except = -1;
  guint n;

  if (!open_neighbours (study, error))
    return NULL;
  prediction = sonde_study_find_prediction (study, sample, &own, error);
  if (prediction == NULL)
    return NULL;
  for (guint i = 0; study->settings->training == NULL && i < study->reference->len && except < 0;
       i++)
    if (((SondePrediction *) g_ptr_array_index (study->reference, i))->sample == sample)
      except = i;
  /* the counterexample may be the last */
  found = g_new (SondeNeighbour, study->reference->len + 1);
  n = sonde_neighbours_find (study->neighbours, prediction->features, except, study->reference->len,
                             found);
  for (guint i = 0; i < MIN (n, MIN (k, MOST_NEIGHBOURS)); i++)
    g_ptr_array_add (result, make_neighbour (study, &found[i]));
  for (guint i = 0; prediction->label >= 0 && i < n; i++)
    {
      const SondePrediction *other = g_ptr_array_index (study->reference, found[i].row);
      SondeStudyNeighbour *neighbour;

      if (other->label != prediction->label || other->predicted != prediction->label)
        continue;
      neighbour = make_neighbour (study, &found[i]);
      neighbour->counterexample = TRUE;
      g_ptr_array_add (result, neighbour);
      break;
    }
  return g_steal_pointer (&result);
}

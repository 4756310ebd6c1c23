/* SPDX-License-Identifier: Apache-2.0
 * Samples that the network sees as the nearest. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"

#define MOST_NEIGHBOURS 1000u

static gboolean
open_neighbours (SondeExplainSession *session, GError **error)
{
  GPtrArray *reference = session->settings->training != NULL
                             ? sonde_explain_session_get_training (session, error)
                             : sonde_explain_session_classify (session, error);
  guint width = 0;
  g_autofree float *features = NULL;

  if (session->neighbours != NULL && session->reference == reference)
    return TRUE;
  if (reference == NULL)
    return FALSE;
  if (reference->len > 0)
    width = ((SondeSampleResult *) g_ptr_array_index (reference, 0))->n_features;
  if (width == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "The logits of this model are not a matrix product of features, so "
                       "neighbours cannot be found.");
      return FALSE;
    }
  features = g_new (float, (gsize) reference->len *width);
  for (guint i = 0; i < reference->len; i++)
    memcpy (features + (gsize) i * width,
            ((SondeSampleResult *) g_ptr_array_index (reference, i))->features,
            width * sizeof (float));
  g_clear_pointer (&session->neighbours, sonde_neighbours_free);
  session->neighbours = sonde_neighbours_new (features, reference->len, width);
  session->reference = reference;
  return TRUE;
}

static SondeNeighbourSample *
make_neighbour (SondeExplainSession *session, const SondeNeighbour *found)
{
  const SondeSampleResult *prediction = g_ptr_array_index (session->reference, found->row);
  SondeNeighbourSample *neighbour = g_new0 (SondeNeighbourSample, 1);
  SondeBox box;

  neighbour->result = sonde_sample_result_new (prediction->sample, prediction->name);
  neighbour->result->label = prediction->label;
  neighbour->result->predicted = prediction->predicted;
  neighbour->distance = 1.0 - found->value;
  neighbour->in_training = session->settings->training != NULL;
  /* fine without */
  neighbour->image = sonde_explain_session_dup_image (session, prediction->sample,
                                                      neighbour->in_training, &box, NULL);
  return neighbour;
}

GPtrArray *
sonde_explain_session_find_neighbours (SondeExplainSession *session, guint sample, guint k,
                                       GError **error)
{
  g_autoptr (GPtrArray) own
      = NULL,
      result = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_neighbour_sample_free);
  g_autofree SondeNeighbour *found = NULL;
  const SondeSampleResult *prediction;
  gint64 except = -1;
  guint n;

  if (!open_neighbours (session, error))
    return NULL;
  prediction = sonde_explain_session_find_prediction (session, sample, &own, error);
  if (prediction == NULL)
    return NULL;
  for (guint i = 0;
       session->settings->training == NULL && i < session->reference->len && except < 0; i++)
    if (((SondeSampleResult *) g_ptr_array_index (session->reference, i))->sample == sample)
      except = i;
  /* the counterexample may be the last */
  found = g_new (SondeNeighbour, session->reference->len + 1);
  n = sonde_neighbours_find (session->neighbours, prediction->features, except,
                             session->reference->len, found);
  for (guint i = 0; i < MIN (n, MIN (k, MOST_NEIGHBOURS)); i++)
    g_ptr_array_add (result, make_neighbour (session, &found[i]));
  for (guint i = 0; prediction->label >= 0 && i < n; i++)
    {
      const SondeSampleResult *other = g_ptr_array_index (session->reference, found[i].row);
      SondeNeighbourSample *neighbour;

      if (other->label != prediction->label || other->predicted != prediction->label)
        continue;
      neighbour = make_neighbour (session, &found[i]);
      neighbour->counterexample = TRUE;
      g_ptr_array_add (result, neighbour);
      break;
    }
  return g_steal_pointer (&result);
}

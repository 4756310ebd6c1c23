/* SPDX-License-Identifier: Apache-2.0
 * What the functions of both formats need of an encoder and of a record. */
#include "data/records/sonde-event-encoder-private.h"

gboolean
sonde_event_encoder_is_first (SondeEventEncoder *encoder, const char *tag)
{
  const char *interned = g_intern_string (tag);

  if (!g_hash_table_add (encoder->tags, (gpointer) interned))
    return FALSE;
  g_ptr_array_add (encoder->order, (gpointer) interned);
  return TRUE;
}

SondeGraph *
sonde_event_encoder_dup_graph (SondeEventEncoder *encoder, const SondeRecord *record,
                               const char **reason)
{
  SondeGraph *graph = NULL;

  if (record->u.graph.graph != NULL)
    return sonde_graph_ref (record->u.graph.graph);
  if (encoder->options.parse_model != NULL && record->u.graph.model != NULL)
    graph = encoder->options.parse_model (record->u.graph.model, encoder->options.data, NULL);
  if (graph == NULL)
    *reason = encoder->options.parse_model != NULL
                  ? N_ ("a graph whose ONNX model cannot be read")
                  : N_ ("a graph in ONNX: this program does not translate models");
  return graph;
}

/* ---- histograms ---------------------------------------------------------- */

static void
list_own_bins (const SondeHistogram *histogram, SondeEventBinFunction add, GArray *rows)
{
  double lower, upper, smallest;

  sonde_histogram_bin_edges (0, &smallest, &upper);
  for (int i = SONDE_HISTOGRAM_N_BINS - 1; i >= 0; i--)
    if (histogram->negative[i] > 0)
      {
        sonde_histogram_bin_edges (i, &lower, &upper);
        add (rows, -upper, i == 0 && histogram->zero == 0 ? 0 : -lower,
             (double) histogram->negative[i]);
      }
  if (histogram->zero > 0)
    add (rows, -smallest, smallest, (double) histogram->zero);
  for (int i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    if (histogram->positive[i] > 0)
      {
        sonde_histogram_bin_edges (i, &lower, &upper);
        add (rows, i == 0 && histogram->zero == 0 ? 0 : lower, upper,
             (double) histogram->positive[i]);
      }
}

void
sonde_event_list_bins (const SondeRecord *record, SondeEventBinFunction add, GArray *rows)
{
  const SondeBins *bins = record->u.bins;

  if (record->u.histogram != NULL)
    list_own_bins (record->u.histogram, add, rows);
  else
    for (gsize i = 0; i < bins->n; i++)
      add (rows, bins->lefts[i], bins->rights[i], bins->counts[i]);
}

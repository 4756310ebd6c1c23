/* SPDX-License-Identifier: Apache-2.0
 * Recurrent and attention operators as they were before. */
#include "engine/passes/sonde-legalise.h"

/* Until 7 the sequence of states was made or not as an attribute said; now it is whether output 0
 * is named. */
static gboolean
drop_output_sequence (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  (void) sonde_node_remove_attribute (node, "output_sequence");
  return TRUE;
}

const SondeLegalisation sonde_legalisations_recurrent[] = {
  { "GRU", 7, drop_output_sequence },
  { "LSTM", 7, drop_output_sequence },
  { "RNN", 7, drop_output_sequence },
  { NULL },
};

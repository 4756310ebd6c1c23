/* SPDX-License-Identifier: Apache-2.0
 * All primitives: a table a file. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

const SondeMindirRow *
sonde_mindir_find_row (const char *primitive)
{
  static const SondeMindirRow *const tables[] = {
    sonde_mindir_elementwise_rows, sonde_mindir_pair_rows,          sonde_mindir_activation_rows,
    sonde_mindir_matrix_rows,      sonde_mindir_convolution_rows,   sonde_mindir_pooling_rows,
    sonde_mindir_order_rows,       sonde_mindir_normalisation_rows, sonde_mindir_reduction_rows,
    sonde_mindir_shape_rows,       sonde_mindir_joining_rows,       sonde_mindir_slice_rows,
    sonde_mindir_index_rows,       sonde_mindir_padding_rows,       sonde_mindir_filling_rows,
    sonde_mindir_resize_rows,      sonde_mindir_attention_rows,     sonde_mindir_recurrent_rows,
  };

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const SondeMindirRow *row = tables[t]; row->primitive != NULL; row++)
      if (strcmp (row->primitive, primitive) == 0)
        return row;
  return NULL;
}

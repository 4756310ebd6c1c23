/* SPDX-License-Identifier: Apache-2.0
 * Channels first and last: each value with its twin in the other layout. */
#include "data/models/lowering/sonde-lowering-private.h"

/* Where dimension @i of the result comes from. */
static gint64
source_dimension (int i, int rank, gboolean to_first)
{
  if (to_first)
    return i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
  return i == 0 ? 0 : i == rank - 1 ? 1 : i + 1;
}

static SondeGraphValue *
add_twin (SondeLowering *lowering, SondeGraphValue *value, gboolean to_first)
{
  int rank = value->type.rank;
  gint64 permutation[SONDE_MAX_RANK];
  SondeType type = value->type;
  SondeGraphValue *twin = NULL;

  if (rank < 3)
    {
      sonde_lowering_fail (lowering, SONDE_DATA_ERROR_DAMAGED,
                           "value “%s” has no spatial dimensions (rank %d)", value->name, rank);
      return value;
    }
  for (int i = 0; i < rank; i++)
    {
      permutation[i] = source_dimension (i, rank, to_first);
      type.dims[i] = value->type.dims[permutation[i]];
    }
  twin = sonde_lowering_insert (lowering, "Transpose", value);
  sonde_node_set_ints (twin->producer, "perm", permutation, (gsize) rank);
  twin->type = type;
  return twin;
}

/* Only of one graph: outside of a subgraph nobody sees its values. */
static void
remember_twins (SondeLowering *lowering, SondeGraphValue *first, SondeGraphValue *last)
{
  if (!sonde_lowering_owns (lowering, first) || !sonde_lowering_owns (lowering, last))
    return;
  g_hash_table_insert (lowering->first, last, first);
  g_hash_table_insert (lowering->last, first, last);
}

SondeGraphValue *
sonde_lowering_find_channels_first (SondeLowering *lowering, SondeGraphValue *value)
{
  return g_hash_table_lookup (lowering->first, value);
}

SondeGraphValue *
sonde_lowering_channels_first (SondeLowering *lowering, SondeGraphValue *value)
{
  SondeGraphValue *twin = sonde_lowering_find_channels_first (lowering, value);

  if (twin != NULL)
    return twin;
  twin = add_twin (lowering, value, TRUE);
  remember_twins (lowering, twin, value);
  return twin;
}

SondeGraphValue *
sonde_lowering_channels_last (SondeLowering *lowering, SondeGraphValue *value)
{
  SondeGraphValue *twin = g_hash_table_lookup (lowering->last, value);

  if (twin != NULL)
    return twin;
  twin = add_twin (lowering, value, FALSE);
  remember_twins (lowering, value, twin);
  return twin;
}

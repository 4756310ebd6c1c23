/* SPDX-License-Identifier: Apache-2.0
 * com.microsoft.GatherBlockQuantized: rows of a quantised table, as embeddings of language models
 * are stored. Rows are gathered first and unpacked then: (number − zero)·scale, a scale and a zero
 * point for each block of the last dimension. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"

enum
{
  INPUT_DATA,
  INPUT_INDICES,
  INPUT_SCALES,
  INPUT_ZEROS,
};

/* All dimensions of @x but the last stay, the last becomes @sizes. */
static SondeGraphValue *
reshape_last (SondeGraph *graph, SondeGraphValue *x, int kept, const gint64 *sizes, int n)
{
  gint64 shape[SONDE_MAX_RANK + 2] = { 0 };

  for (int i = 0; i < n; i++)
    shape[kept + i] = sizes[i];
  return sonde_contrib_reshape (graph, x, kept + n, shape);
}

/* Two numbers a byte, the lower half first. @kept: dimensions before the last */
static SondeGraphValue *
unpack_halves (SondeGraph *graph, SondeGraphValue *x, int kept)
{
  const gint64 rest[] = { -1 };
  SondeGraphValue *low
      = emit (graph, "BitwiseAnd", x, sonde_build_scalar (graph, SONDE_DTYPE_U8, 15));
  SondeGraphValue *high = sonde_contrib_with_string (
      graph, emit (graph, "BitShift", x, sonde_build_scalar (graph, SONDE_DTYPE_U8, 4)),
      "direction", "RIGHT");

  x = emit (graph, "Concat", sonde_contrib_unsqueeze (graph, low, -1),
            sonde_contrib_unsqueeze (graph, high, -1));
  return reshape_last (graph, sonde_contrib_with_int (graph, x, "axis", -1), kept, rest, 1);
}

/* The zero points that go with @blocks scales a row; bytes may hold one more half. */
static SondeGraphValue *
read_zeros (SondeGraph *graph, SondeNode *node, SondeGraphValue *indices, gboolean halves, int kept,
            gint64 blocks)
{
  SondeGraphValue *zeros = operand (node, INPUT_ZEROS);
  const gint64 first = 0, last = -1;

  if (zeros == NULL)
    return NULL;
  zeros = emit (graph, "Gather", zeros, indices);
  if (!halves)
    return zeros;
  return emit (graph, "Slice", unpack_halves (graph, zeros, kept),
               sonde_build_ints (graph, &first, 1), sonde_build_ints (graph, &blocks, 1),
               sonde_build_ints (graph, &last, 1));
}

gboolean
sonde_contrib_gather_block_quantised (SondeGraph *graph, SondeNode *node, int version,
                                      GError **error)
{
  SondeGraphValue *data = operand (node, INPUT_DATA), *indices = operand (node, INPUT_INDICES);
  SondeGraphValue *scales = operand (node, INPUT_SCALES), *zeros = NULL, *y = NULL;
  gint64 bits = sonde_node_get_int (node, "bits", 4),
         axis = sonde_node_get_int (node, "quantize_axis", 1);
  int rank = data->type.rank, kept = rank - 1 + indices->type.rank - 1;
  gboolean bytes = data->type.dtype == SONDE_DTYPE_U8, halves = bytes && bits == 4;
  SondeDtype dtype = scales->type.dtype;
  gint64 split[2] = { -1, -1 };
  const gint64 rest[] = { -1 };

  if (rank < 2 || indices->type.rank < 0 || scales->type.rank != rank
      || scales->type.dims[rank - 1].size < 1 || dtype == SONDE_DTYPE_INVALID
      || kept + 2 > SONDE_MAX_RANK)
    return sonde_contrib_unsupported (error,
                                      "needs the ranks of its operands and the number of blocks");
  if (sonde_node_get_int (node, "gather_axis", 0) != 0 || (axis != rank - 1 && axis != -1)
      || (bytes && bits != 4 && bits != 8))
    return sonde_contrib_unsupported (
        error, "is implemented only for rows with blocks of 4 or 8 bits in the last dimension");
  split[0] = scales->type.dims[rank - 1].size;
  zeros = read_zeros (graph, node, indices, halves, kept, split[0]);
  y = emit (graph, "Gather", data, indices);
  if (halves)
    y = unpack_halves (graph, y, kept);
  y = reshape_last (graph, sonde_contrib_cast (graph, y, dtype), kept, split, 2);
  if (zeros != NULL)
    y = emit (graph, "Sub", y,
              sonde_contrib_unsqueeze (graph, sonde_contrib_cast (graph, zeros, dtype), -1));
  else if (bytes)
    y = emit (graph, "Sub", y, sonde_build_scalar (graph, dtype, (double) (1 << (bits - 1))));
  y = emit (graph, "Mul", y,
            sonde_contrib_unsqueeze (graph, emit (graph, "Gather", scales, indices), -1));
  sonde_contrib_give (graph, node, 0, reshape_last (graph, y, kept, rest, 1));
  return TRUE;
}

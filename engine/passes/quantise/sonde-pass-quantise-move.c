/* SPDX-License-Identifier: Apache-2.0
 * What only moves elements moves integers as well: DequantizeLinear, Transpose, QuantizeLinear with
 * the same scale and zero point → Transpose. */
#include "engine/passes/quantise/sonde-quantise-private.h"
#include "engine/passes/sonde-legalise.h"

static gboolean
is_mover (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && (klass->traits & SONDE_TRAIT_MOVES) != 0;
}

static gboolean
is_same (const SondeQuantised *a, const SondeQuantised *b)
{
  return a->q->type.dtype == b->q->type.dtype
         && sonde_tensor_get_double (sonde_quantise_constant (a->scale), 0)
                == sonde_tensor_get_double (sonde_quantise_constant (b->scale), 0)
         && sonde_tensor_get_int (sonde_quantise_constant (a->zero), 0)
                == sonde_tensor_get_int (sonde_quantise_constant (b->zero), 0);
}

void
sonde_quantise_move (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *x = sonde_node_get_input (node, 0), *y = sonde_node_get_output (node, 0),
                  *output;
  SondeNode *before = is_mover (node) && x != NULL ? x->producer : NULL, *behind;
  SondeQuantised from, to;

  if (!sonde_node_is (before, SONDE_OP_ID_DEQUANTIZE_LINEAR)
      || !sonde_quantise_read (before, sonde_node_get_input (before, 0), &from))
    return;

  behind = sonde_quantise_only_reader (graph, y);
  if (!sonde_node_is (behind, SONDE_OP_ID_QUANTIZE_LINEAR)
      || !sonde_quantise_read (behind, sonde_node_get_output (behind, 0), &to)
      || !is_same (&from, &to))
    return;

  output = sonde_legalise_take_output (graph, behind, 0);
  sonde_node_set_input (graph, node, 0, from.q);
  sonde_node_set_output (graph, node, 0, output);
  sonde_node_add_origin (node, behind, SONDE_ORIGIN_FUSED);
}

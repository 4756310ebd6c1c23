/* SPDX-License-Identifier: Apache-2.0
 * Joins the families to one table. What does not live here: what an operator means. */
#include "engine/ops/sonde-op-private.h"

#include <string.h>

static const SondeOpClass *const families[] = {
  sonde_ops_activation,
  sonde_ops_activation_grad,
  sonde_ops_relevance,
  sonde_ops_argument,
  sonde_ops_attention,
  sonde_ops_binary,
  sonde_ops_cast,
  sonde_ops_causal_conv,
  sonde_ops_compare,
  sonde_ops_concat,
  sonde_ops_constant,
  sonde_ops_control,
  sonde_ops_crop,
  sonde_ops_conv,
  sonde_ops_count,
  sonde_ops_fill,
  sonde_ops_find,
  sonde_ops_determinant,
  sonde_ops_einsum,
  sonde_ops_gated,
  sonde_ops_ctc,
  sonde_ops_deform,
  sonde_ops_deform_grad,
  sonde_ops_gather,
  sonde_ops_gather_elements,
  sonde_ops_index_grad,
  sonde_ops_instance,
  sonde_ops_integer,
  sonde_ops_label,
  sonde_ops_linear,
  sonde_ops_linear_attention,
  sonde_ops_linear_attention_grad,
  sonde_ops_linear_scan,
  sonde_ops_loss,
  sonde_ops_machine_learning,
  sonde_ops_map,
  sonde_ops_match,
  sonde_ops_matrix,
  sonde_ops_matmul_bits,
  sonde_ops_move,
  sonde_ops_norm,
  sonde_ops_normalisation,
  sonde_ops_optimiser,
  sonde_ops_optional,
  sonde_ops_order,
  sonde_ops_pad,
  sonde_ops_pool,
  sonde_ops_pool_norm,
  sonde_ops_quantise,
  sonde_ops_quantised,
  sonde_ops_random,
  sonde_ops_recurrent,
  sonde_ops_recurrent_grad,
  sonde_ops_reduce,
  sonde_ops_reduce_grad,
  sonde_ops_region,
  sonde_ops_region_grad,
  sonde_ops_resize,
  sonde_ops_rotary,
  sonde_ops_sample,
  sonde_ops_sample_grad,
  sonde_ops_scan,
  sonde_ops_scatter,
  sonde_ops_select,
  sonde_ops_sequence,
  sonde_ops_sequence_grad,
  sonde_ops_shape,
  sonde_ops_signal,
  sonde_ops_slice,
  sonde_ops_softmax,
  sonde_ops_space,
  sonde_ops_suppress,
  sonde_ops_text,
  sonde_ops_training,
  sonde_ops_trees,
  sonde_ops_unary,
  sonde_ops_update,
  sonde_ops_window,
};

const SondeOpClass *
sonde_op_table_find (const char *domain, const char *name)
{
  if (domain == NULL || strcmp (domain, "ai.onnx") == 0)
    domain = "";
  for (gsize f = 0; f < G_N_ELEMENTS (families); f++)
    for (const SondeOpClass *row = families[f]; row->name != NULL; row++)
      if (row->name[0] == name[0] && strcmp (row->name, name) == 0
          && strcmp (row->domain, domain) == 0)
        return row;
  return NULL;
}

const SondeOpClass **
sonde_op_table_list (gsize *n)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  for (gsize f = 0; f < G_N_ELEMENTS (families); f++)
    for (const SondeOpClass *row = families[f]; row->name != NULL; row++)
      g_ptr_array_add (rows, (gpointer) row);
  return (const SondeOpClass **) g_ptr_array_steal (rows, n);
}

/* SPDX-License-Identifier: Apache-2.0
 * What a value of 8 bits stands for, and the nodes that say it. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include "engine/devices/cpu/sonde-cpu-epilogue.h"

gboolean
sonde_cpu_read_quantity (const SondeGraphValue *scale, const SondeGraphValue *zero,
                         SondeDtype dtype, SondeCpuQuantity *quantity)
{
  SondeTensor *tensor = zero != NULL && zero->role == SONDE_ROLE_CONSTANT && zero->constant != NULL
                            ? sonde_value_get_tensor (zero->constant)
                            : NULL;

  quantity->dtype = dtype;
  quantity->zero = 0;
  if ((dtype != SONDE_DTYPE_I8 && dtype != SONDE_DTYPE_U8)
      || !sonde_cpu_read_scalar (scale, &quantity->scale) || !(quantity->scale > 0)
      || (zero != NULL && (tensor == NULL || sonde_tensor_n_elements (tensor) != 1)))
    return FALSE;

  if (tensor != NULL)
    quantity->zero = (gint32) sonde_tensor_get_int (tensor, 0);
  return TRUE;
}

SondeGraphValue *
sonde_cpu_read_dequantise (const SondeNode *node, SondeCpuQuantity *quantity)
{
  SondeGraphValue *x = sonde_node_get_input (node, 0);

  return sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR)
                 && sonde_cpu_dtype_of (sonde_node_get_output (node, 0)) == SONDE_DTYPE_F32
                 && sonde_cpu_read_quantity (sonde_node_get_input (node, 1),
                                             sonde_node_get_input (node, 2), sonde_cpu_dtype_of (x),
                                             quantity)
             ? x
             : NULL;
}

gboolean
sonde_cpu_read_quantise (const SondeNode *node, const SondeGraphValue *value,
                         SondeCpuQuantity *quantity)
{
  return sonde_node_is (node, SONDE_OP_ID_QUANTIZE_LINEAR)
         && sonde_node_get_input (node, 0) == value && sonde_cpu_dtype_of (value) == SONDE_DTYPE_F32
         && sonde_cpu_read_quantity (sonde_node_get_input (node, 1), sonde_node_get_input (node, 2),
                                     sonde_cpu_dtype_of (sonde_node_get_output (node, 0)),
                                     quantity);
}

/* SPDX-License-Identifier: Apache-2.0
 * The gates of LSTM, GRU and RNN with their default functions, for the units of one row. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/**
 * SondeCpuCell: one direction's view of a step, for the units @first to before @end of one row of
 * the batch
 * @input, @recurrent: the products' rows, gate after gate @hidden apart; @bias: of both,
 *   @recurrent_bias: of the candidate of a GRU that resets after the product
 * @sums: (nullable): becomes the gates' sums
 * @h, @c: state before; @c also after, @new_h after
 */
typedef struct
{
  gint64 hidden, first, end;
  const float *input, *recurrent, *bias, *recurrent_bias, *h;
  float *c, *new_h, *reset, *sums;
} SondeCpuCell;

/* Outputs 1 and 2 of a cell are the last states. @gates: in the order of ONNX. */
typedef struct
{
  const char *op;
  int gates;
  gboolean linear_before_reset;
  void (*first_half) (const SondeCpuCell *cell); /* (nullable) */
  void (*finish) (const SondeCpuCell *cell);
} SondeCpuCellRow;

/* By operator and linear_before_reset; NULL: no such cell. */
const SondeCpuCellRow *sonde_cpu_cell_find (const SondeNode *node);

/* The forms that have fast kernels, of a node or its gradient: default functions, layout 0, no
 * peepholes, no lengths but where @lengths; all else is the reference's. */
gboolean sonde_cpu_cell_is_usual (const SondePrepareRequest *request, int directions,
                                  gboolean lengths);

/* ---- a wide batch in parts of its rows, which know nothing of each other ---- */

/* How many; 1: not worth it, or threads would be idle. */
gint64 sonde_cpu_cell_count_parts (const SondeCpuDevice *device, gint64 batch);

G_END_DECLS

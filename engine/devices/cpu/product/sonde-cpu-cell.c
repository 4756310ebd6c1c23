/* SPDX-License-Identifier: Apache-2.0
 * Cells of recurrence. Formulas: engine/ops/rnn/sonde-recurrent-cell.c. */
#include "engine/devices/cpu/product/sonde-cpu-cell-private.h"

#include "engine/devices/cpu/sonde-cpu-math.h"

/* Operands that the usual forms lack. */
enum
{
  INPUT_LENGTHS = 4,
  INPUT_P = 7,
};

#define SUM(gate)                                                                                  \
  (cell->input[(gate) *n + u] + cell->bias[(gate) *n + u] + cell->recurrent[(gate) *n + u])

SONDE_CPU_CLONES static void
keep_sums (const SondeCpuCell *cell, float *restrict sums)
{
  const gint64 n = cell->hidden;

  for (int gate = 0; gate < 4; gate++)
    for (gint64 u = cell->first; u < cell->end; u++)
      sums[gate * n + u] = SUM (gate);
}

SONDE_CPU_CLONES static void
finish_lstm (const SondeCpuCell *cell)
{
  const gint64 n = cell->hidden;
  float *c = cell->c, *h = cell->new_h;

  if (cell->sums != NULL)
    keep_sums (cell, cell->sums);
#pragma GCC ivdep
  for (gint64 u = cell->first; u < cell->end; u++)
    {
      const float i = sonde_cpu_sigmoid (SUM (0)), o = sonde_cpu_sigmoid (SUM (1));
      const float f = sonde_cpu_sigmoid (SUM (2)), g = sonde_cpu_tanh (SUM (3));
      const float memory = f * c[u] + i * g;

      c[u] = memory;
      h[u] = o * sonde_cpu_tanh (memory);
    }
}

SONDE_CPU_CLONES static void
finish_rnn (const SondeCpuCell *cell)
{
  const gint64 n G_GNUC_UNUSED = cell->hidden;
  float *h = cell->new_h;

#pragma GCC ivdep
  for (gint64 u = cell->first; u < cell->end; u++)
    h[u] = sonde_cpu_tanh (SUM (0));
}

/* The reset gate multiplies the product. */
SONDE_CPU_CLONES static void
finish_gru_after (const SondeCpuCell *cell)
{
  const gint64 n = cell->hidden;
  const float *h = cell->h;
  float *new_h = cell->new_h;

#pragma GCC ivdep
  for (gint64 u = cell->first; u < cell->end; u++)
    {
      const float z = sonde_cpu_sigmoid (SUM (0)), r = sonde_cpu_sigmoid (SUM (1));
      const float inner = cell->recurrent[2 * n + u] + cell->recurrent_bias[u];
      const float candidate
          = sonde_cpu_tanh (cell->input[2 * n + u] + cell->bias[2 * n + u] + r * inner);

      new_h[u] = (1 - z) * candidate + z * h[u];
    }
}

/* The reset gate multiplies the state that the second product reads. */
SONDE_CPU_CLONES static void
reset_gru (const SondeCpuCell *cell)
{
  const gint64 n = cell->hidden;
  const float *h = cell->h;
  float *reset = cell->reset;

#pragma GCC ivdep
  for (gint64 u = cell->first; u < cell->end; u++)
    reset[u] = sonde_cpu_sigmoid (SUM (1)) * h[u];
}

SONDE_CPU_CLONES static void
finish_gru_before (const SondeCpuCell *cell)
{
  const gint64 n = cell->hidden;
  const float *h = cell->h;
  float *new_h = cell->new_h;

#pragma GCC ivdep
  for (gint64 u = cell->first; u < cell->end; u++)
    {
      const float z = sonde_cpu_sigmoid (SUM (0)),
                  candidate = sonde_cpu_tanh (SUM (2) + cell->recurrent_bias[u]);

      new_h[u] = (1 - z) * candidate + z * h[u];
    }
}

static const SondeCpuCellRow cell_rows[] = {
  { "GRU", 3, FALSE, reset_gru, finish_gru_before },
  { "GRU", 3, TRUE, NULL, finish_gru_after },
  { "LSTM", 4, FALSE, NULL, finish_lstm },
  { "RNN", 1, FALSE, NULL, finish_rnn },
};

const SondeCpuCellRow *
sonde_cpu_cell_find (const SondeNode *node)
{
  gboolean linear = sonde_node_get_int (node, "linear_before_reset", 0) != 0;

  for (gsize i = 0; i < G_N_ELEMENTS (cell_rows); i++)
    if (g_str_equal (cell_rows[i].op, node->op)
        && (cell_rows[i].gates != 3 || cell_rows[i].linear_before_reset == linear))
      return &cell_rows[i];

  return NULL;
}

/* ---- which forms --------------------------------------------------------- */

static const struct
{
  const char *op;
  gsize n;
  const char *names[3];
} default_names[] = {
  { "GRU", 2, { "sigmoid", "tanh" } },
  { "LSTM", 3, { "sigmoid", "tanh", "tanh" } },
  { "RNN", 1, { "tanh" } },
};

static gboolean
names_are_default (const SondeNode *node, int directions)
{
  const SondeAttribute *names = sonde_node_find_attribute (node, "activations");
  gsize row = 0;

  while (row < G_N_ELEMENTS (default_names) && !g_str_has_prefix (node->op, default_names[row].op))
    row++;
  if (row == G_N_ELEMENTS (default_names) || names == NULL)
    return names == NULL;
  if (names->kind != SONDE_ATTRIBUTE_STRINGS
      || names->n != default_names[row].n * (gsize) directions)
    return FALSE;

  for (gsize i = 0; i < names->n; i++)
    if (g_ascii_strcasecmp (names->u.strings[i], default_names[row].names[i % default_names[row].n])
        != 0)
      return FALSE;

  return TRUE;
}

gboolean
sonde_cpu_cell_is_usual (const SondePrepareRequest *request, int directions, gboolean lengths)
{
  const SondeNode *node = request->nodes[0];

  return names_are_default (node, directions) && sonde_node_find_attribute (node, "clip") == NULL
         && sonde_node_get_int (node, "layout", 0) == 0
         && sonde_node_get_int (node, "input_forget", 0) == 0
         && (lengths || !sonde_cpu_has_input (request, INPUT_LENGTHS))
         && !sonde_cpu_has_input (request, INPUT_P);
}

/* ---- parts of a batch ---------------------------------------------------- */

/* Rows of a part: products are as fast as with more. */
#define PART_ROWS 16

gint64
sonde_cpu_cell_count_parts (const SondeCpuDevice *device, gint64 batch)
{
  const gint64 parts = batch % PART_ROWS == 0 ? batch / PART_ROWS : 1;

  return parts >= device->threads ? parts : 1;
}

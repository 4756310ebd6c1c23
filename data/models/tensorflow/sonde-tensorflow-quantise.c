/* SPDX-License-Identifier: Apache-2.0
 * Quantising that is only simulated: real numbers that have few values. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* A range moved so that 0 is one of its numbers. Source: Nudge of
 * tensorflow/core/kernels/fake_quant_ops_functor.h */
typedef struct
{
  float scale, at_least, at_most;
} Range;

static Range
nudge (float min, float max, int bits, gboolean narrow)
{
  float least = narrow ? 1 : 0, most = (float) ((1 << bits) - 1), zero;
  Range range = { .scale = (max - min) / (most - least) };

  zero = least - min / range.scale;
  zero = zero < least ? least : zero > most ? most : roundf (zero);
  range.at_least = (least - zero) * range.scale;
  range.at_most = (most - zero) * range.scale;
  return range;
}

/* A number of each range: one, or one a channel. */
static SondeGraphValue *
add_numbers (SondeTensorflowLower *lower, const float *numbers, guint n, gboolean channels)
{
  const SondeShape shape = { .rank = channels, .dims = { n } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);

  return sonde_lowering_constant (lower->to, NULL, tensor);
}

/* floor ((clip (x) − least) / scale + 1/2) · scale + least */
static void
emit (SondeTensorflowLower *lower, const float *mins, const float *maxs, guint n, gboolean channels)
{
  gint64 bits = sonde_tensorflow_attr_int (lower->node, "num_bits", 8);
  gboolean narrow = sonde_tensorflow_attr_bool (lower->node, "narrow_range", FALSE);
  g_autofree float *parts = g_new (float, 4 * n);
  SondeGraphValue *value = sonde_tensorflow_in (lower, 0), *least;

  for (guint i = 0; i < n; i++)
    {
      Range range;

      if (bits < 2 || bits > 16 || !(mins[i] < maxs[i]) || !isfinite (mins[i])
          || !isfinite (maxs[i]))
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                               "its range %g to %g in %d bits is none", (double) mins[i],
                               (double) maxs[i], (int) CLAMP (bits, -1, 99));
          return;
        }
      range = nudge (mins[i], maxs[i], (int) bits, narrow);
      parts[i] = range.at_least;
      parts[n + i] = range.at_most;
      parts[2 * n + i] = 1 / range.scale;
      parts[3 * n + i] = range.scale;
    }
  least = add_numbers (lower, parts, n, channels);
  value = sonde_tensorflow_op2 (lower, "Max", value, least);
  value = sonde_tensorflow_op2 (lower, "Min", value, add_numbers (lower, parts + n, n, channels));
  value = sonde_tensorflow_op2 (lower, "Sub", value, least);
  value
      = sonde_tensorflow_op2 (lower, "Mul", value, add_numbers (lower, parts + 2 * n, n, channels));
  value = sonde_tensorflow_op2 (lower, "Add", value, sonde_tensorflow_number (lower, value, 0.5));
  value = sonde_tensorflow_op1 (lower, "Floor", value);
  value
      = sonde_tensorflow_op2 (lower, "Mul", value, add_numbers (lower, parts + 3 * n, n, channels));
  sonde_tensorflow_out (lower, 0, sonde_tensorflow_op2 (lower, "Add", value, least));
}

/* ---- rows ---------------------------------------------------------------- */

/* The numbers of inputs 1 and 2, known and as many. */
static gboolean
read_range (SondeTensorflowLower *lower, const SondeTensor **min, const SondeTensor **max)
{
  *min = sonde_lowering_get_constant (sonde_tensorflow_in (lower, 1));
  *max = sonde_lowering_get_constant (sonde_tensorflow_in (lower, 2));
  if (*min != NULL && *max != NULL && (*min)->dtype == SONDE_DTYPE_F32
      && (*max)->dtype == SONDE_DTYPE_F32 && sonde_tensor_n_elements (*min) > 0
      && sonde_tensor_n_elements (*min) == sonde_tensor_n_elements (*max))
    return TRUE;
  sonde_tensorflow_refuse (
      lower,
      sonde_message_new ("%-s is computed by the model; it must be a constant", N_ ("the range")),
      NULL);
  return FALSE;
}

static void
build_of_variables (SondeTensorflowLower *lower)
{
  const SondeTensor *min, *max;
  guint n;

  if (!read_range (lower, &min, &max))
    return;
  n = (guint) sonde_tensor_n_elements (min);
  emit (lower, (const float *) (gconstpointer) min->data, (const float *) (gconstpointer) max->data,
        n, min->shape.rank > 0);
}

static void
build_of_attributes (SondeTensorflowLower *lower)
{
  const float min = (float) sonde_tensorflow_attr_float (lower->node, "min", -6);
  const float max = (float) sonde_tensorflow_attr_float (lower->node, "max", 6);

  emit (lower, &min, &max, 1, FALSE);
}

const SondeTensorflowRow sonde_tensorflow_quantise_rows[] = {
  { "FakeQuantWithMinMaxArgs", 1, build_of_attributes, NULL },
  { "FakeQuantWithMinMaxVars", 3, build_of_variables, NULL },
  { "FakeQuantWithMinMaxVarsPerChannel", 3, build_of_variables, NULL },
  { NULL, 0, NULL, NULL },
};

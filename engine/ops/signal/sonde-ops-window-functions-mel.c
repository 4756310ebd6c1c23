/* SPDX-License-Identifier: Apache-2.0
 * What prepares a spectrum: HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix. Their sizes
 * are inputs. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"

#include <math.h>
#include <string.h>

#define MOST_ELEMENTS (G_GINT64_CONSTANT (1) << 40)

/* Element type that the attribute names; float32 without it. */
static gboolean
output_dtype (const SondeNode *node, SondeDtype *dtype, GError **error)
{
  gint64 number = sonde_node_get_int (node, "output_datatype", 1);

  *dtype = sonde_dtype_from_onnx (number);
  if (sonde_dtype_is_float (*dtype) || sonde_dtype_is_integer (*dtype))
    return TRUE;
  return sonde_infer_fail (error, "output_datatype %" PRIi64 " is not a numeric type", number);
}

/* Input @k is one number; -1 in @value as long as it is not known. */
static gboolean
known_size (const SondeInferContext *context, guint k, const char *what, gint64 least,
            gint64 *value, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *values = sonde_infer_known_ints (context, k, &n);

  *value = -1;
  if (!sonde_infer_need_integer (context, k, error))
    return FALSE;
  if (values == NULL)
    return TRUE;
  if (n != 1)
    return sonde_infer_fail (error, "%-s must be one number", what);
  if (values[0] < least || values[0] > MOST_ELEMENTS)
    return sonde_infer_fail (error, "%-s is %" PRIi64 ", but must be from %" PRIi64 " to %" PRIi64,
                             what, values[0], least, MOST_ELEMENTS);
  *value = values[0];
  return TRUE;
}

/* ---- windows ------------------------------------------------------------- */

static gboolean
infer_window (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = SONDE_DTYPE_INVALID;
  gint64 size = -1;

  if (!output_dtype (context->node, &dtype, error)
      || !known_size (context, 0, N_ ("the size"), 0, &size, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (dtype, 1);
  context->outputs[0].dims[0].size = size;
  return TRUE;
}

/* w[n] = a − b cos (2πn/N) + c cos (4πn/N), N the size of a periodic window, one less for a
 * symmetric one. A symmetric window of one element is 1. */
static void
fill_window (const SondeKernelContext *context, double a, double b, double c)
{
  SondeTensor *y = context->outputs[0];
  gint64 size = y->shape.dims[0];
  double period
      = (double) (sonde_node_get_int (context->node, "periodic", 1) != 0 ? size : size - 1);

  for (gint64 n = 0; n < size; n++)
    {
      double angle = 2 * G_PI * (double) n / period;
      double value = period > 0 ? a - b * cos (angle) + c * cos (2 * angle) : 1;

      sonde_tensor_set_double (y, n, value);
    }
}

static void
compute_hann (const SondeKernelContext *context)
{
  fill_window (context, 0.5, 0.5, 0);
}

static void
compute_hamming (const SondeKernelContext *context)
{
  fill_window (context, 25.0 / 46.0, 21.0 / 46.0, 0);
}

static void
compute_blackman (const SondeKernelContext *context)
{
  fill_window (context, 0.42, 0.5, 0.08);
}

/* ---- MelWeightMatrix ----------------------------------------------------- */

static gboolean
infer_mel (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = SONDE_DTYPE_INVALID;
  gint64 bands = -1, length = -1, rate = -1;

  if (!output_dtype (context->node, &dtype, error)
      || !known_size (context, 0, "num_mel_bins", 0, &bands, error)
      || !known_size (context, 1, "dft_length", 1, &length, error)
      || !known_size (context, 2, "sample_rate", 1, &rate, error)
      || !sonde_infer_need_float (context, 3, error) || !sonde_infer_need_float (context, 4, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (dtype, 2);
  context->outputs[0].dims[0].size = length < 0 ? -1 : length / 2 + 1;
  context->outputs[0].dims[1].size = bands;
  return TRUE;
}

/* Mels of a frequency f in Hz: 2595 log10 (1 + f/700). */
static double
mel_from_hertz (double hertz)
{
  return 2595 * log1p (hertz / 700) / G_LN10;
}

/* The spectral bin of edge @i, which is one beside the matrix at the least and at the most. */
static gint64
edge_bin (const SondeKernelContext *context, gint64 i)
{
  gint64 bins = context->outputs[0]->shape.dims[0], bands = context->outputs[0]->shape.dims[1];
  double low = mel_from_hertz (sonde_kernel_scalar (context, 3, 0));
  double high = mel_from_hertz (sonde_kernel_scalar (context, 4, 0));
  double mel = (double) i * ((high - low) / (double) (bands + 2)) + low;
  double hertz = 700 * expm1 (mel / 2595 * G_LN10);
  double bin = floor ((sonde_kernel_scalar (context, 1, 1) + 1) * hertz
                      / sonde_kernel_scalar (context, 2, 1));

  return bin >= (double) bins ? bins : bin >= 0 ? (gint64) bin : -1;
}

/* A triangle for each band: up from the left edge to the centre, down to the right edge. */
static void
compute_mel (const SondeKernelContext *context)
{
  SondeTensor *y = context->outputs[0];
  gint64 bins = y->shape.dims[0], bands = y->shape.dims[1];

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  for (gint64 band = 0; band < bands; band++)
    {
      gint64 left = edge_bin (context, band), centre = edge_bin (context, band + 1);
      gint64 right = edge_bin (context, band + 2);

      for (gint64 j = MAX (left, 0); j <= MIN (centre, bins - 1); j++)
        sonde_tensor_set_double (y, j * bands + band,
                                 centre == left ? 1
                                                : (double) (j - left) / (double) (centre - left));
      for (gint64 j = MAX (centre, 0); j < MIN (right, bins); j++)
        sonde_tensor_set_double (y, j * bands + band,
                                 (double) (right - j) / (double) (right - centre));
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule window_rules[] = {
  { "output_datatype", SONDE_ATTRIBUTE_INT },
  { "periodic", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule mel_rules[]
    = { { "output_datatype", SONDE_ATTRIBUTE_INT }, { NULL } };

#define WINDOW(onnx, loop)                                                                         \
  {                                                                                                \
    .domain = "", .name = onnx, .since = 17, .min_inputs = 1, .max_inputs = 1, .min_outputs = 1,   \
    .max_outputs = 1, .family = SONDE_FAMILY_DATA, .attributes = window_rules,                     \
    .infer = infer_window, .compute = compute_##loop, .reach = { sonde_reach_everything, 0 },      \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_window_functions_mel[] = {
  WINDOW ("BlackmanWindow", blackman),
  WINDOW ("HammingWindow", hamming),
  WINDOW ("HannWindow", hann),
  {
      .domain = "",
      .name = "MelWeightMatrix",
      .since = 17,
      .min_inputs = 5,
      .max_inputs = 5,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .attributes = mel_rules,
      .infer = infer_mel,
      .compute = compute_mel,
      .gradient = sonde_rule_flat,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};

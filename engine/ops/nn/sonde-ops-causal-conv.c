/* SPDX-License-Identifier: Apache-2.0
 * CausalConvWithState (opset 27): one filter a channel that looks back only. x [N, C, L] after a
 * past of K − 1 elements (zeros when there is none), w [C, 1, K]; the last K − 1 elements are the
 * next call's past. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

enum
{
  INPUT_X,
  INPUT_W,
  INPUT_BIAS,
  INPUT_PAST,
};

static gboolean
check_sizes (const SondeInferContext *context, gint64 batch, gint64 channels, gint64 taps,
             GError **error)
{
  gint64 weight[] = { channels, 1, -1 };
  gint64 past[] = { batch, channels, taps >= 0 ? taps - 1 : -1 };

  if (taps == 0)
    return sonde_infer_fail (error, "the filters are empty");
  return sonde_infer_need_sizes (context, INPUT_W, 3, weight, error)
         && sonde_infer_need_sizes (context, INPUT_BIAS, 1, &channels, error)
         && sonde_infer_need_sizes (context, INPUT_PAST, 3, past, error);
}

static gboolean
infer_causal (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[INPUT_X], *w = &context->inputs[INPUT_W];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 3, error)
      || !sonde_infer_need_rank (context, INPUT_X, 3, error)
      || !sonde_infer_need_rank (context, INPUT_W, 3, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!check_sizes (context, x->dims[0].size, x->dims[1].size, w->dims[2].size, error))
    return FALSE;
  context->outputs[0] = *x;
  if (context->n_outputs < 2)
    return TRUE;
  context->outputs[1] = *x;
  context->outputs[1].dims[2] = sonde_dimension (w->dims[2].size >= 0 ? w->dims[2].size - 1 : -1);
  return TRUE;
}

/* @line: past and input of one channel, @taps − 1 + @n elements; @y: [n] */
static void
filter (const double *line, const double *w, gint64 taps, double bias, gboolean silu, double *y,
        gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    y[i] = bias;
  for (gint64 t = 0; t < taps; t++)
    for (gint64 i = 0; i < n; i++)
      y[i] += w[t] * line[i + t];
  for (gint64 i = 0; i < n && silu; i++)
    y[i] /= 1 + exp (-y[i]);
}

static void
compute_causal (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[INPUT_X], *w = context->inputs[INPUT_W];
  SondeTensor *bias = sonde_kernel_input (context, INPUT_BIAS),
              *past = sonde_kernel_input (context, INPUT_PAST);
  gint64 channels = x->shape.dims[1], n = x->shape.dims[2], taps = w->shape.dims[2],
         before = taps - 1;
  gboolean silu = strcmp (sonde_node_get_string (context->node, "activation", "none"), "none") != 0;
  g_autofree double *line = g_new0 (double, before + n + 1), *weight = g_new (double, taps),
                    *y = g_new (double, n + 1);

  for (gint64 i = 0; i < x->shape.dims[0] * channels; i++)
    {
      gint64 channel = i % channels;

      if (past != NULL)
        sonde_kernel_load (past, i * before, before, line);
      else
        memset (line, 0, sizeof (double) * (gsize) before);
      sonde_kernel_load (x, i * n, n, line + before);
      sonde_kernel_load (w, channel * taps, taps, weight);
      filter (line, weight, taps, bias != NULL ? sonde_tensor_get_double (bias, channel) : 0, silu,
              y, n);
      sonde_kernel_store (y, n, context->outputs[0], i * n);
      sonde_kernel_store (line + n, before, sonde_kernel_output (context, 1), i * before);
    }
}

static const char *const activations[] = { "none", "silu", "swish", NULL };
static const SondeAttributeRule rules[] = {
  { "activation", SONDE_ATTRIBUTE_STRING, .choices = activations },
  { NULL },
};

const SondeOpClass sonde_ops_causal_conv[] = {
  {
      .domain = "",
      .name = "CausalConvWithState",
      .since = 27,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_CONVOLUTION,
      .attributes = rules,
      .infer = infer_causal,
      .compute = compute_causal,
      .decompose = sonde_decompose_causal_conv,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};

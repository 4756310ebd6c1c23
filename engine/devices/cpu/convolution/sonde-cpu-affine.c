/* SPDX-License-Identifier: Apache-2.0
 * BatchNormalization, then products and sums by channel with constants, then Relu or Clip, as one
 * pass over channels-last memory: y = clamp (x · factor + offset). Factor and offset are derived
 * from the constants once. */
#include "engine/devices/cpu/sonde-cpu-fusion.h"

#include <math.h>

#define MOST_STEPS 6

/* @input: of the request */
typedef struct
{
  gboolean product;
  int input;
} ChannelStep;

typedef struct
{
  SondeKernel base;
  gint64 rows, channels;
  int scale[4];
  double epsilon;
  ChannelStep steps[MOST_STEPS];
  guint n_steps;
  float low, high;
} AffineKernel;

typedef struct
{
  const AffineKernel *kernel;
  const float *x, *factor, *offset;
  float *y;
} AffineCall;

/* ---- running ------------------------------------------------------------- */

/* Written so that NaN stays. */
SONDE_CPU_CLONES static void
scale_and_clamp (gint64 rows, gint64 channels, const float *x, const float *factor,
                 const float *offset, float low, float high, float *y)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < channels; c++)
        {
          float value = x[r * channels + c] * factor[c] + offset[c];

          value = value < low ? low : value;
          y[r * channels + c] = value > high ? high : value;
        }
    }
}

static void
affine_range (gint64 begin, gint64 end, gpointer data)
{
  const AffineCall *call = data;
  const AffineKernel *k = call->kernel;

  scale_and_clamp (end - begin, k->channels, call->x + begin * k->channels, call->factor,
                   call->offset, k->low, k->high, call->y + begin * k->channels);
}

static gboolean
run_affine (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const AffineKernel *k = (AffineKernel *) base;
  const float *factor = arguments->derived;
  AffineCall call
      = { k, arguments->inputs[0], factor, factor + k->channels, arguments->outputs[0] };

  sonde_cpu_for (device, k->rows, k->channels, affine_range, &call);
  return TRUE;
}

static gboolean
derive_affine (SondeCpuDevice *device, SondeKernel *base, const void *const *inputs, void *derived,
               GError **error)
{
  const AffineKernel *k = (AffineKernel *) base;
  float *factor = derived, *offset = factor + k->channels;

  sonde_cpu_batch_affine (k->channels, inputs[k->scale[0]], inputs[k->scale[1]],
                          inputs[k->scale[2]], inputs[k->scale[3]], k->epsilon, factor, offset);
  for (guint i = 0; i < k->n_steps; i++)
    {
      const float *operand = inputs[k->steps[i].input];

      for (gint64 c = 0; c < k->channels; c++)
        if (k->steps[i].product)
          {
            factor[c] *= operand[c];
            offset[c] *= operand[c];
          }
        else
          offset[c] += operand[c];
    }

  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* Values of one number a channel, then at most one function. */
static gboolean
read_parts (SondeNode *const *nodes, guint n_nodes, SondeCpuEpilogue *epilogue)
{
  SondeGraphValue *value = sonde_node_get_output (nodes[0], 0);
  SondeShape shape;

  if (!sonde_cpu_is_plain_normalisation (nodes[0]) || value == NULL
      || value->type.dtype != SONDE_DTYPE_F32 || !sonde_type_get_shape (&value->type, &shape)
      || shape.rank < 3 || shape.rank > 5
      || !sonde_cpu_read_epilogue (nodes, n_nodes, 1, value, TRUE, epilogue))
    return FALSE;

  for (guint i = 0; i < epilogue->n_posts; i++)
    {
      const SondeDnnlPost *post = &epilogue->posts[i];

      if (post->kind == SONDE_DNNL_POST_FUNCTION
          && (i + 1 < epilogue->n_posts
              || (!g_str_equal (post->function, "clip")
                  && !(g_str_equal (post->function, "relu") && post->alpha == 0))))
        return FALSE;
      if (post->kind != SONDE_DNNL_POST_FUNCTION && !sonde_cpu_is_by_channel (post, shape.dims[1]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
match_affine (SondeNode *const *nodes, guint n_nodes)
{
  SondeCpuEpilogue epilogue = { .n_posts = 0 };

  return read_parts (nodes, n_nodes, &epilogue);
}

static gboolean
take_posts (SondePrepareRequest *request, const SondeCpuEpilogue *epilogue, AffineKernel *kernel)
{
  for (guint i = 0; i < epilogue->n_posts; i++)
    {
      const SondeDnnlPost *post = &epilogue->posts[i];
      int input = sonde_cpu_find_value (request, epilogue->operands[i]);

      if (post->kind == SONDE_DNNL_POST_FUNCTION)
        {
          kernel->low = g_str_equal (post->function, "clip") ? post->alpha : 0;
          kernel->high = g_str_equal (post->function, "clip") ? post->beta : INFINITY;
          continue;
        }

      if (input <= 0 || !request->constant_inputs[input] || kernel->n_steps == MOST_STEPS)
        return FALSE;

      kernel->steps[kernel->n_steps++]
          = (ChannelStep){ post->kind == SONDE_DNNL_POST_MULTIPLY, input };
    }

  return TRUE;
}

static SondeKernel *
prepare_fused_affine (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree AffineKernel *kernel = g_new0 (AffineKernel, 1);
  SondeCpuEpilogue epilogue = { .n_posts = 0 };
  SondeShape shape;

  if (request->derive_inputs == NULL || request->plain_layouts || request->n_outputs != 1
      || !read_parts (request->nodes, request->n_nodes, &epilogue)
      || sonde_cpu_find_input (request, 0, 0) != 0 || !sonde_cpu_output_f32 (request, 0, &shape))
    return NULL;

  kernel->low = -INFINITY;
  kernel->high = INFINITY;
  for (guint i = 0; i < 4; i++)
    {
      kernel->scale[i] = sonde_cpu_find_input (request, 0, i + 1);
      if (kernel->scale[i] <= 0 || !request->constant_inputs[kernel->scale[i]])
        return NULL;
    }
  if (!take_posts (request, &epilogue, kernel))
    return NULL;

  for (guint i = 1; i < request->n_inputs; i++)
    request->derive_inputs[i] = request->constant_inputs[i];
  kernel->base.run = run_affine;
  kernel->base.derive = derive_affine;
  kernel->epsilon = sonde_node_get_float (request->nodes[0], "epsilon", 1e-5);
  kernel->channels = shape.dims[1];
  kernel->rows = sonde_shape_n_elements (&shape) / kernel->channels;
  request->derived_bytes = 2 * (gsize) kernel->channels * sizeof (float);
  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = TRUE;
  request->workspace_bytes = 0;
  request->implementation = "channels-last";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuFusion sonde_cpu_affine_fusion = {
  .match = match_affine,
  .prepare = prepare_fused_affine,
};

/* SPDX-License-Identifier: Apache-2.0
 * A convolution with what follows it: Conv, then BatchNormalization, Add, Relu, each or none, in that
 * order. oneDNN normalises each result before it is stored, with the very operations of the single kernel;
 * Add and Relu are one pass over the warm result. (oneDNN's own Relu turns NaN into 0, its addition makes
 * it choose slower convolutions.) So the bits are those of the nodes one by one. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

/* Which node of a group plays which part; -1: none. */
typedef struct
{
  int normalise, add, relu;
} Parts;

/**
 * FusedKernel:
 * @inputs: of the request: where scale, bias, mean and variance of the normalisation are
 * @affine_offset: of factor and offset in the workspace, in bytes
 * @n: elements of the result
 */
typedef struct
{
  SondeKernel base;
  SondeDnnlPrimitive *primitive;
  int x, weight, bias, addend;
  int scale[4];
  gint64 channels, n;
  double epsilon;
  gboolean affine, relu;
  gsize affine_offset;
} FusedKernel;

/* ---- what can be fused ------------------------------------------------------------------------------ */

static gboolean
is_op (const SondeNode *node,
       const char      *op)
{
  return *node->domain == '\0' && g_str_equal (node->op, op);
}

static gboolean
same_f32 (const SondeGraphValue *a,
          const SondeGraphValue *b)
{
  SondeShape x, y;

  return a != NULL && b != NULL && a->type.dtype == SONDE_DTYPE_F32 && b->type.dtype == SONDE_DTYPE_F32
         && sonde_type_get_shape (&a->type, &x) && sonde_type_get_shape (&b->type, &y)
         && sonde_shape_equal (&x, &y);
}

static gboolean
is_plain_normalisation (const SondeNode *node)
{
  for (guint k = 1; k < node->outputs->len; k++)
    if (sonde_node_get_output (node, k) != NULL)
      return FALSE;

  for (guint k = 1; k < 5; k++)
    if (sonde_node_get_input (node, k) == NULL
        || sonde_node_get_input (node, k)->type.dtype != SONDE_DTYPE_F32)
      return FALSE;

  return sonde_node_get_int (node, "training_mode", 0) == 0;
}

static gboolean
find_parts (SondeNode *const *nodes,
            guint             n_nodes,
            Parts            *parts)
{
  guint i = 1;

  *parts = (Parts) { -1, -1, -1 };
  if (!is_op (nodes[0], "Conv"))
    return FALSE;

  if (i < n_nodes && is_op (nodes[i], "BatchNormalization") && is_plain_normalisation (nodes[i]))
    parts->normalise = (int) i++;
  if (i < n_nodes && is_op (nodes[i], "Add")
      && same_f32 (sonde_node_get_input (nodes[i], 0), sonde_node_get_input (nodes[i], 1)))
    parts->add = (int) i++;
  if (i < n_nodes && is_op (nodes[i], "Relu"))
    parts->relu = (int) i++;

  return i == n_nodes;
}

gboolean
sonde_cpu_can_fuse (SondeNode *const *nodes,
                    guint             n_nodes)
{
  SondeGraphValue *output = sonde_node_get_output (nodes[0], 0);
  Parts parts;

  if (output == NULL || output->type.dtype != SONDE_DTYPE_F32 || output->type.rank < 3
      || output->type.rank > 5)
    return FALSE;

  return n_nodes > 1 && find_parts (nodes, n_nodes, &parts);
}

/* ---- running ----------------------------------------------------------------------------------------- */

static gboolean
run_fused (SondeCpuDevice          *device,
           SondeKernel             *base,
           const SondeRunArguments *arguments,
           GError                 **error)
{
  const FusedKernel *k = (FusedKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = {
    [SONDE_DNNL_SRC] = arguments->inputs[k->x],
    [SONDE_DNNL_WEIGHTS] = arguments->inputs[k->weight],
    [SONDE_DNNL_BIAS] = k->bias >= 0 ? arguments->inputs[k->bias] : NULL,
    [SONDE_DNNL_DST] = arguments->outputs[0],
  };

  if (k->affine)
    {
      float *factor = (float *) (void *) ((guint8 *) arguments->workspace + k->affine_offset);

      memory[SONDE_DNNL_FACTOR] = factor;
      memory[SONDE_DNNL_OFFSET] = factor + k->channels;
      sonde_cpu_batch_affine (k->channels, arguments->inputs[k->scale[0]], arguments->inputs[k->scale[1]],
                              arguments->inputs[k->scale[2]], arguments->inputs[k->scale[3]], k->epsilon,
                              factor, factor + k->channels);
    }

  if (!sonde_dnnl_primitive_run (device->dnnl, k->primitive, memory, arguments->workspace, error))
    return FALSE;

  if (k->addend >= 0)
    sonde_cpu_add (device, k->n, arguments->inputs[k->addend], k->relu, arguments->outputs[0]);
  else if (k->relu)
    sonde_cpu_relu (device, k->n, arguments->outputs[0]);
  return TRUE;
}

static void
free_fused (SondeKernel *base)
{
  sonde_dnnl_primitive_free (((FusedKernel *) base)->primitive);
  g_free (base);
}

/* ---- preparing --------------------------------------------------------------------------------------- */

static void
find_operands (const SondePrepareRequest *request,
               const Parts               *parts,
               FusedKernel               *kernel)
{
  kernel->x = sonde_cpu_find_input (request, 0, 0);
  kernel->weight = sonde_cpu_find_input (request, 0, 1);
  kernel->bias = sonde_cpu_find_input (request, 0, 2);
  kernel->addend = -1;
  for (guint i = 0; i < 4 && parts->normalise >= 0; i++)
    kernel->scale[i] = sonde_cpu_find_input (request, (guint) parts->normalise, i + 1);

  if (parts->add < 0)
    return;

  kernel->addend = sonde_cpu_find_input (request, (guint) parts->add, 0);
  if (kernel->addend < 0)
    kernel->addend = sonde_cpu_find_input (request, (guint) parts->add, 1);
}

static void
answer (SondeCpuDevice      *device,
        SondePrepareRequest *request,
        FusedKernel         *kernel)
{
  SondeLayout *weight = sonde_dnnl_primitive_dup_layout (kernel->primitive, SONDE_DNNL_WEIGHTS);

  for (guint i = 0; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);

  sonde_cpu_want_channels_last (device, request, (guint) kernel->x);
  if (kernel->addend >= 0)
    sonde_cpu_want_channels_last (device, request, (guint) kernel->addend);
  sonde_prepare_request_set_layout (&device->base, request, (guint) kernel->weight, weight);
  sonde_layout_unref (weight);
  sonde_cpu_give_channels_last (request, 0);
  kernel->affine_offset = (sonde_dnnl_primitive_get_workspace (kernel->primitive) + 63) / 64 * 64;
  request->workspace_bytes = kernel->affine_offset
                             + (kernel->affine ? 2 * (gsize) kernel->channels * sizeof (float) : 0);
  request->in_place = FALSE;
  request->implementation = sonde_dnnl_primitive_get_implementation (kernel->primitive);
}

/* The primitive, if it computes as the convolution alone would: the same bits. */
static SondeDnnlPrimitive *
convolution_like_alone (SondeCpuDevice        *device,
                        const SondeDnnlWindow *window)
{
  SondeDnnlWindow alone = *window;
  SondeDnnlPrimitive *fused = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, window);
  SondeDnnlPrimitive *single;
  gboolean same;

  if (fused == NULL || !window->affine)
    return fused;

  alone.affine = FALSE;
  single = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &alone);
  same = single != NULL
         && g_str_equal (sonde_dnnl_primitive_get_implementation (fused),
                         sonde_dnnl_primitive_get_implementation (single));
  sonde_dnnl_primitive_free (single);
  if (!same)
    g_clear_pointer (&fused, sonde_dnnl_primitive_free);
  return fused;
}

SondeKernel *
sonde_cpu_prepare_fused (SondeCpuDevice      *device,
                         SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  g_autofree FusedKernel *kernel = g_new0 (FusedKernel, 1);
  SondeDnnlWindow window = { .plain = FALSE };
  Parts parts;

  if (request->plain_layouts || request->n_outputs != 1 || !find_parts (request->nodes, request->n_nodes, &parts))
    return NULL;

  find_operands (request, &parts, kernel);
  window.bias = kernel->bias >= 0;
  window.affine = parts.normalise >= 0;
  if (kernel->x < 0 || kernel->weight < 0
      || !sonde_cpu_fill_window (node, request->inputs[kernel->x], request->inputs[kernel->weight],
                                 sonde_node_get_output (node, 0), &window))
    return NULL;

  kernel->primitive = convolution_like_alone (device, &window);
  if (kernel->primitive == NULL)
    return NULL;

  kernel->base.run = run_fused;
  kernel->base.free = free_fused;
  kernel->channels = window.output.dims[1];
  kernel->n = sonde_shape_n_elements (&window.output);
  kernel->affine = window.affine;
  kernel->relu = parts.relu >= 0;
  if (window.affine)
    kernel->epsilon = sonde_node_get_float (request->nodes[parts.normalise], "epsilon", 1e-5);
  answer (device, request, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}

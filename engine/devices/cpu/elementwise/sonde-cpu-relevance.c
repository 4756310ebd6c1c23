/* SPDX-License-Identifier: Apache-2.0
 * Multipliers and relevance, element by element; an operand of one sample stands for all. Formulas:
 * engine/ops/nn/sonde-relevance-template.h. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/ops/sonde-op-implement.h"

#define T float
#define S f32
#define CLONES SONDE_CPU_CLONES
#include "engine/ops/nn/sonde-relevance-template.h"

typedef void (*RelevanceLoop) (gint64 n, const void *r, const void *y, const void *z, void *to,
                               double epsilon, double factor);

/* @n: elements of a sample that both operands have; @sizes: elements of the operands */
typedef struct
{
  SondeKernel base;
  RelevanceLoop loop;
  double epsilon, factor;
  gint64 total, sizes[3];
  guint last;
} RelevanceKernel;

typedef struct
{
  const RelevanceKernel *kernel;
  const SondeRunArguments *arguments;
} RelevanceCall;

static void
relevance_range (gint64 begin, gint64 end, gpointer data)
{
  const RelevanceCall *call = data;
  const RelevanceKernel *k = call->kernel;
  const gint64 period = MIN (k->sizes[1], k->sizes[k->last]);
  const float *const *from = (const float *const *) call->arguments->inputs;
  float *to = call->arguments->outputs[0];

  while (begin < end)
    {
      gint64 n = MIN (end - begin, period - begin % period);

      k->loop (n, from[0] + begin, from[1] + begin % k->sizes[1],
               from[k->last] + begin % k->sizes[k->last], to + begin, k->epsilon, k->factor);
      begin += n;
    }
}

static gboolean
run_relevance (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
               GError **error)
{
  const RelevanceKernel *kernel = (RelevanceKernel *) base;
  RelevanceCall call = { kernel, arguments };

  sonde_cpu_for (device, kernel->total, 1, relevance_range, &call);
  return TRUE;
}

/* All lie channels-last where one does. */
static void
agree_on_layout (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gboolean last = FALSE;

  for (guint k = 0; k < request->n_inputs; k++)
    last = last || (request->input_layouts[k] != NULL && request->input_layouts[k]->channels_last);
  for (guint k = 0; k < request->n_inputs; k++)
    if (last)
      last = sonde_cpu_want_channels_last (device, request, k);
    else
      sonde_cpu_want_plain (device, request, k);
  if (last)
    sonde_cpu_give_channels_last (request, 0);
}

static SondeKernel *
prepare_relevance (SondeCpuDevice *device, SondePrepareRequest *request)
{
  static const struct
  {
    const char *op;
    RelevanceLoop loop;
  } loops[] = {
    { "AboveShareGrad", above_f32 },
    { "BelowShareGrad", below_f32 },
    { "ReluRescaleGrad", relu_rescale_f32 },
    { "ShareGrad", share_f32 },
    { "SplitGrad", split_f32 },
  };
  const SondeNode *node = request->nodes[0];
  g_autofree RelevanceKernel *kernel = g_new0 (RelevanceKernel, 1);
  SondeShape shape;

  for (guint k = 0; k < request->n_inputs; k++)
    {
      if (!sonde_cpu_input_f32 (request, k, &shape))
        return NULL;
      kernel->sizes[k] = sonde_shape_n_elements (&shape);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (loops); k++)
    if (g_str_equal (loops[k].op, node->op))
      kernel->loop = loops[k].loop;
  agree_on_layout (device, request);
  kernel->base.run = run_relevance;
  kernel->total = kernel->sizes[0];
  kernel->last = request->n_inputs - 1;
  kernel->epsilon = sonde_node_get_float (node, "epsilon", 0);
  kernel->factor = sonde_node_get_float (node, "factor", 0);
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_relevance_rows[] = {
  { SONDE_DOMAIN, "AboveShareGrad", prepare_relevance },
  { SONDE_DOMAIN, "BelowShareGrad", prepare_relevance },
  { SONDE_DOMAIN, "ReluRescaleGrad", prepare_relevance },
  { SONDE_DOMAIN, "ShareGrad", prepare_relevance },
  { SONDE_DOMAIN, "SplitGrad", prepare_relevance },
  { NULL, NULL, NULL },
};

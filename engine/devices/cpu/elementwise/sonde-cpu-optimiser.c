/* SPDX-License-Identifier: Apache-2.0
 * Optimiser updates: one pass over weight, gradient and state, which all lie as the weight does;
 * padding is zero and stays zero; results may lie where what they replace does. Formulas:
 * docs/operators.md and sonde-ops-sgd-adam-update.c. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

#include <math.h>

typedef struct
{
  SondeKernel base;
  gint64 n;
  gboolean has_state;
  float momentum, weight_decay;
  double beta1, beta2;
  float epsilon;
  gboolean decoupled;
} UpdateKernel;

/* ---- SgdUpdate (w, g, v?, lr) → w', v' ----------------------------------- */

typedef struct
{
  const UpdateKernel *kernel;
  const float *w, *g, *v;
  float *new_w, *new_v;
  float rate;
} SgdCall;

SONDE_CPU_CLONES static void
sgd_momentum (gint64 n, const float *w, const float *g, const float *v, float *new_w, float *new_v,
              float rate, float momentum, float decay)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const float velocity = momentum * v[i] + (g[i] + decay * w[i]);

      new_v[i] = velocity;
      new_w[i] = w[i] - rate * velocity;
    }
}

SONDE_CPU_CLONES static void
sgd_plain (gint64 n, const float *w, const float *g, float *new_w, float rate, float decay)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    new_w[i] = w[i] - rate * (g[i] + decay * w[i]);
}

static void
sgd_range (gint64 begin, gint64 end, gpointer data)
{
  const SgdCall *call = data;
  const UpdateKernel *k = call->kernel;

  if (call->v == NULL)
    sgd_plain (end - begin, call->w + begin, call->g + begin, call->new_w + begin, call->rate,
               k->weight_decay);
  else
    sgd_momentum (end - begin, call->w + begin, call->g + begin, call->v + begin,
                  call->new_w + begin, call->new_v + begin, call->rate, k->momentum,
                  k->weight_decay);
}

static gboolean
run_sgd (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
         GError **error)
{
  const UpdateKernel *kernel = (UpdateKernel *) base;
  SgdCall call = {
    .kernel = kernel,
    .w = arguments->inputs[0],
    .g = arguments->inputs[1],
    .v = kernel->has_state ? arguments->inputs[2] : NULL,
    .new_w = arguments->outputs[0],
    .new_v = kernel->has_state ? arguments->outputs[1] : NULL,
    .rate = *(const float *) arguments->inputs[3],
  };

  sonde_cpu_for (device, kernel->n, 3, sgd_range, &call);
  return TRUE;
}

/* ---- AdamUpdate (w, g, m, v, lr, step) → w', m', v' ---------------------- */

/* @step: learning rate over the first correction; @root: square root of the second one */
typedef struct
{
  const UpdateKernel *kernel;
  const float *w, *g, *m, *v;
  float *new_w, *new_m, *new_v;
  float shrink, step, root;
} AdamCall;

SONDE_CPU_CLONES static void
adam (gint64 n, const AdamCall *call, const float *w, const float *g, const float *m,
      const float *v, float *new_w, float *new_m, float *new_v)
{
  const UpdateKernel *k = call->kernel;
  const float beta1 = (float) k->beta1, beta2 = (float) k->beta2;
  const float rest1 = (float) (1 - k->beta1), rest2 = (float) (1 - k->beta2);
  const float decay = k->decoupled ? 0 : k->weight_decay;
  const float shrink = call->shrink, step = call->step, root = call->root, epsilon = k->epsilon;

#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const float gradient = g[i] + decay * w[i];
      const float first = beta1 * m[i] + rest1 * gradient;
      const float second = beta2 * v[i] + rest2 * gradient * gradient;

      new_m[i] = first;
      new_v[i] = second;
      new_w[i] = w[i] * shrink - step * first / (sqrtf (second) / root + epsilon);
    }
}

static void
adam_range (gint64 begin, gint64 end, gpointer data)
{
  const AdamCall *call = data;

  adam (end - begin, call, call->w + begin, call->g + begin, call->m + begin, call->v + begin,
        call->new_w + begin, call->new_m + begin, call->new_v + begin);
}

static gboolean
run_adam (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const UpdateKernel *k = (UpdateKernel *) base;
  double rate = *(const float *) arguments->inputs[4];
  double count = (double) *(const gint64 *) arguments->inputs[5];
  AdamCall call = {
    .kernel = k,
    .w = arguments->inputs[0],
    .g = arguments->inputs[1],
    .m = arguments->inputs[2],
    .v = arguments->inputs[3],
    .new_w = arguments->outputs[0],
    .new_m = arguments->outputs[1],
    .new_v = arguments->outputs[2],
    .shrink = k->decoupled ? (float) (1 - rate * k->weight_decay) : 1,
    .step = (float) (rate / (1 - pow (k->beta1, count))),
    .root = (float) sqrt (1 - pow (k->beta2, count)),
  };

  sonde_cpu_for (device, k->n, 6, adam_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* Gradient and state (inputs 1 to @n_tensors - 1) are to lie as the weight; so do the results. */
static gboolean
unify_layouts (SondeCpuDevice *device, SondePrepareRequest *request, guint n_tensors,
               UpdateKernel *kernel)
{
  SondeLayout *layout = request->input_layouts[0];
  SondeShape w, other;

  if (!sonde_cpu_input_f32 (request, 0, &w))
    return FALSE;

  for (guint i = 1; i < n_tensors; i++)
    if (!sonde_cpu_input_f32 (request, i, &other) || !sonde_shape_equal (&w, &other))
      return FALSE;

  for (guint i = 0; i + 1 < n_tensors || i == 0; i++)
    if (!sonde_cpu_output_f32 (request, i, &other))
      return FALSE;

  kernel->n
      = layout != NULL ? (gint64) (layout->bytes / sizeof (float)) : sonde_shape_n_elements (&w);
  for (guint i = 1; i < n_tensors; i++)
    sonde_prepare_request_set_layout (&device->base, request, i, layout);
  for (guint i = 0; i < request->n_outputs && layout != NULL; i++)
    if (request->outputs[i] != NULL)
      request->output_layouts[i] = sonde_layout_ref (layout);

  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "one pass";
  return TRUE;
}

static SondeKernel *
prepare_sgd (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  g_autofree UpdateKernel *kernel = g_new0 (UpdateKernel, 1);
  SondeShape rate;

  kernel->base.run = run_sgd;
  kernel->has_state = sonde_cpu_has_input (request, 2);
  kernel->momentum = (float) sonde_node_get_float (node, "momentum", 0);
  kernel->weight_decay = (float) sonde_node_get_float (node, "weight_decay", 0);
  if (sonde_node_get_int (node, "nesterov", 0) != 0
      || sonde_node_get_float (node, "dampening", 0) != 0)
    return NULL;
  if (!sonde_cpu_input_f32 (request, 3, &rate)
      || sonde_cpu_has_output (request, 1) != kernel->has_state
      || (!kernel->has_state && kernel->momentum != 0))
    return NULL;

  return unify_layouts (device, request, kernel->has_state ? 3 : 2, kernel)
             ? (SondeKernel *) g_steal_pointer (&kernel)
             : NULL;
}

static SondeKernel *
prepare_adam (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  g_autofree UpdateKernel *kernel = g_new0 (UpdateKernel, 1);
  SondeShape rate;

  kernel->base.run = run_adam;
  kernel->has_state = TRUE;
  kernel->beta1 = sonde_node_get_float (node, "beta1", 0.9);
  kernel->beta2 = sonde_node_get_float (node, "beta2", 0.999);
  kernel->epsilon = (float) sonde_node_get_float (node, "epsilon", 1e-8);
  kernel->weight_decay = (float) sonde_node_get_float (node, "weight_decay", 0);
  kernel->decoupled = sonde_node_get_int (node, "decoupled", 0) != 0;
  if (!sonde_cpu_input_f32 (request, 4, &rate) || !sonde_cpu_has_input (request, 5)
      || request->inputs[5]->type.dtype != SONDE_DTYPE_I64)
    return NULL;

  return unify_layouts (device, request, 4, kernel) ? (SondeKernel *) g_steal_pointer (&kernel)
                                                    : NULL;
}

const SondeCpuRow sonde_cpu_optimiser_rows[] = {
  { SONDE_DOMAIN, "AdamUpdate", prepare_adam },
  { SONDE_DOMAIN, "SgdUpdate", prepare_sgd },
  { NULL, NULL, NULL },
};

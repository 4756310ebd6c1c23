/* SPDX-License-Identifier: Apache-2.0
 * Operators whose result is the input's bytes (Reshape and its kin) where the plan gives each value
 * memory of its own. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

#include <string.h>

typedef struct
{
  SondeKernel base;
  gsize bytes;
} CopyKernel;

typedef struct
{
  guint8 *to;
  const guint8 *from;
} CopyCall;

static void
copy_range (gint64 begin, gint64 end, gpointer data)
{
  const CopyCall *call = data;

  memcpy (call->to + begin, call->from + begin, (gsize) (end - begin));
}

static gboolean
run_copy (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  CopyCall call = { arguments->outputs[0], arguments->inputs[0] };

  if (call.to != call.from)
    sonde_cpu_for (device, (gint64) ((CopyKernel *) base)->bytes, 1, copy_range, &call);
  return TRUE;
}

SondeKernel *
sonde_cpu_prepare_copy (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const SondeOpClass *klass = sonde_op_of_node (node);
  gsize from, to;
  CopyKernel *kernel;

  if (klass == NULL || (klass->flags & SONDE_OP_VIEW) == 0 || request->n_outputs != 1
      || !sonde_cpu_has_input (request, 0) || !sonde_cpu_has_output (request, 0)
      || request->inputs[0]->type.dtype != request->outputs[0]->type.dtype)
    return NULL;

  from = device->base.klass->layout_bytes (&device->base, &request->inputs[0]->type, NULL);
  to = device->base.klass->layout_bytes (&device->base, &request->outputs[0]->type, NULL);
  if (from == 0 || from != to)
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);

  kernel = g_new0 (CopyKernel, 1);
  kernel->base.run = run_copy;
  kernel->bytes = from;
  request->workspace_bytes = 0;
  request->implementation = "copy";
  return &kernel->base;
}

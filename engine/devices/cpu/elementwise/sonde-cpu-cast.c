/* SPDX-License-Identifier: Apache-2.0
 * Cast between numbers, in parts. */
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"

#include <string.h>

typedef struct
{
  SondeKernel base;
  SondeDtype from, to;
  gint64 n;
} CastKernel;

typedef struct
{
  const CastKernel *kernel;
  const guint8 *x;
  guint8 *y;
} CastCall;

static void
cast_range (gint64 begin, gint64 end, gpointer data)
{
  const CastCall *call = data;
  const CastKernel *kernel = call->kernel;
  const guint8 *x = call->x + (gsize) begin * sonde_dtype_size (kernel->from);
  guint8 *y = call->y + (gsize) begin * sonde_dtype_size (kernel->to);

  if (kernel->from == kernel->to)
    memcpy (y, x, (gsize) (end - begin) * sonde_dtype_size (kernel->to));
  else
    sonde_cpu_convert (kernel->from, x, kernel->to, y, (gsize) (end - begin));
}

static gboolean
run_cast (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const CastKernel *kernel = (CastKernel *) base;
  CastCall call = { kernel, arguments->inputs[0], arguments->outputs[0] };

  if (kernel->from != kernel->to || call.x != call.y)
    sonde_cpu_for (device, kernel->n, 2, cast_range, &call);
  return TRUE;
}

/* Types whose rounding depends on attributes are left to the reference. */
static gboolean
is_simple (SondeDtype dtype)
{
  return dtype != SONDE_DTYPE_INVALID && dtype < SONDE_DTYPE_STRING;
}

/* Channels-last stays, so that casts between convolutions move nothing. */
static void
agree (SondeCpuDevice *device, SondePrepareRequest *request, const SondeShape *shape)
{
  SondeLayout *layout = request->input_layouts[0];

  for (guint k = layout != NULL && layout->channels_last ? 1 : 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  if (layout != NULL && layout->channels_last)
    request->output_layouts[0] = sonde_dnnl_channels_last (request->outputs[0]->type.dtype, shape);
}

static SondeKernel *
prepare_cast (SondeCpuDevice *device, SondePrepareRequest *request)
{
  CastKernel *kernel;
  SondeShape shape;

  if (!sonde_cpu_has_input (request, 0) || !sonde_cpu_has_output (request, 0)
      || !is_simple (request->inputs[0]->type.dtype) || !is_simple (request->outputs[0]->type.dtype)
      || !sonde_type_get_shape (&request->inputs[0]->type, &shape)
      || sonde_shape_n_elements (&shape) <= 0)
    return NULL;

  if (sonde_dnnl_moves (request->outputs[0]->type.dtype))
    agree (device, request, &shape);
  else
    sonde_cpu_want_plain (device, request, 0);
  kernel = g_new0 (CastKernel, 1);
  kernel->base.run = run_cast;
  kernel->from = request->inputs[0]->type.dtype;
  kernel->to = request->outputs[0]->type.dtype;
  kernel->n = sonde_shape_n_elements (&shape);
  request->in_place = request->in_place && kernel->from == kernel->to;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_cast_rows[] = {
  { "", "Cast", prepare_cast },
  { NULL, NULL, NULL },
};

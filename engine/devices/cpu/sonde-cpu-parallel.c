/* SPDX-License-Identifier: Apache-2.0
 * Loops in the OpenMP pool that oneDNN uses too, and products of its that each thread runs
 * alone. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/devices/sonde-device-spans.h"

#include <omp.h>

/* Elements a thread has to get: waking it costs 2 to 4 µs, in which a simple loop does as many. */
#define GRAIN 40960
/* Parts begin at whole cache lines of floats. */
#define UNIT 16

/* What the thread that shares a kernel out among others works for: a copy for them. @log: NULL where nobody
 * wants to know */
static SondeDeviceSpans
get_spans (SondeCpuDevice *device)
{
  const SondeDeviceSpans *spans = sonde_device_get_spans (&device->base);

  return spans != NULL && spans->kernel != SONDE_SPAN_NO_LABEL ? *spans : (SondeDeviceSpans){ 0 };
}

static guint64
begin_part (const SondeDeviceSpans *spans)
{
  return G_UNLIKELY (spans->log != NULL) ? sonde_ticks_now (&spans->log->ticks) : 0;
}

/* @part: which one */
static void
end_part (const SondeDeviceSpans *spans, guint64 start, gint64 part)
{
  if (G_UNLIKELY (spans->log != NULL))
    sonde_device_spans_add (spans, SONDE_SPAN_KERNEL, spans->kernel, start, part);
}

void
sonde_cpu_for (SondeCpuDevice *device, gint64 n, gint64 cost, SondeCpuRange range, gpointer data)
{
  gint64 unit = cost >= UNIT ? 1 : UNIT;
  gint64 units = (n + unit - 1) / unit;
  gint64 parts = MIN (MIN (n * cost / GRAIN, units), device->threads);
  SondeDeviceSpans spans;

  if (parts <= 1)
    {
      range (0, n, data);
      return;
    }
  spans = get_spans (device);

#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (gint64 i = 0; i < parts; i++)
    {
      gint64 begin = units * i / parts * unit;
      gint64 end = MIN (units * (i + 1) / parts * unit, n);
      guint64 start = begin_part (&spans);

      range (begin, end, data);
      end_part (&spans, start, i);
    }
}

/* Operations that one thread does in about 10 µs; waking another for each of several loops costs as
 * much. */
#define WORTH_THREADS 1e6

/* What the node's row says, or -1. */
static double
count_operations (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  guint n_inputs = node->inputs->len, n = n_inputs + node->outputs->len;
  g_autofree SondeType *types = g_new0 (SondeType, n + 1);
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, n + 1);
  SondeCost cost = { 0 };
  SondeInferContext context = {
    .node = node,
    .n_inputs = n_inputs,
    .inputs = types,
    .known = known,
    .n_outputs = node->outputs->len,
    .outputs = types + n_inputs,
    .known_outputs = known + n_inputs,
  };

  if (klass == NULL || klass->cost == NULL)
    return -1;

  for (guint i = 0; i < n; i++)
    {
      const SondeGraphValue *value = i < n_inputs ? sonde_node_get_input (node, i)
                                                  : sonde_node_get_output (node, i - n_inputs);

      types[i] = value != NULL ? value->type : sonde_type_unknown ();
    }

  klass->cost (&context, &cost);
  return cost.flops;
}

int
sonde_cpu_choose_threads (SondeCpuDevice *device, const SondePrepareRequest *request)
{
  double most = 0;

  for (guint i = 0; i < request->n_nodes; i++)
    {
      double operations = count_operations (request->nodes[i]);

      if (operations < 0)
        return device->threads;
      most = MAX (most, operations);
    }

  return most < WORTH_THREADS ? 1 : device->threads;
}

SondeDnnlPrimitive *
sonde_cpu_part_product (SondeCpuDevice *device, const SondeDnnlMatmul *matmul)
{
  const int threads = omp_get_max_threads ();
  SondeDnnlPrimitive *primitive;

  omp_set_num_threads (1);
  primitive = sonde_dnnl_matmul (device->dnnl, matmul);
  omp_set_num_threads (threads);
  return primitive;
}

gboolean
sonde_cpu_run_parts (SondeCpuDevice *device, gint64 parts, SondeCpuPart run, gpointer data,
                     GError **error)
{
  g_autofree GError **errors = g_new0 (GError *, parts);
  const SondeDeviceSpans spans = get_spans (device);
  gboolean fine = TRUE;

#pragma omp parallel for schedule(static) num_threads(MIN(parts, (gint64) device->threads))
  for (gint64 part = 0; part < parts; part++)
    {
      guint64 start = begin_part (&spans);

      (void) run (part, data, &errors[part]);
      end_part (&spans, start, part);
    }

  for (gint64 part = 0; part < parts; part++)
    if (errors[part] != NULL)
      {
        if (fine)
          g_propagate_error (error, errors[part]);
        else
          g_error_free (errors[part]);
        fine = FALSE;
      }
  return fine;
}

void
sonde_cpu_run_team (SondeCpuDevice *device, int n, SondeCpuMember run, gpointer data)
{
  const SondeDeviceSpans spans = get_spans (device);

#pragma omp parallel num_threads(n)
  {
    guint64 start = begin_part (&spans);

    run (omp_get_thread_num (), omp_get_num_threads (), data);
    end_part (&spans, start, omp_get_thread_num ());
  }
}

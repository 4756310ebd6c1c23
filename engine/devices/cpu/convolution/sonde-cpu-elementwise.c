/* SPDX-License-Identifier: Apache-2.0
 * What follows a fused convolution where oneDNN would not give the bits that the separate steps
 * give. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

typedef struct
{
  const float *x;
  float *y;
  void (*loop) (gint64 n, const float *x, float *y);
} EpilogueCall;

SONDE_CPU_CLONES static void
add (gint64 n, const float *x, float *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = y[i] + x[i];
}

/* NaN stays NaN, which oneDNN's Relu does not keep. */
SONDE_CPU_CLONES static void
add_relu (gint64 n, const float *x, float *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const float sum = y[i] + x[i];

      y[i] = sum < 0 ? 0 : sum;
    }
}

static void
epilogue_range (gint64 begin, gint64 end, gpointer data)
{
  const EpilogueCall *call = data;

  call->loop (end - begin, call->x + begin, call->y + begin);
}

void
sonde_cpu_add (SondeCpuDevice *device, gint64 n, const float *x, gboolean with_relu, float *y)
{
  EpilogueCall call = { x, y, with_relu ? add_relu : add };

  sonde_cpu_for (device, n, 1, epilogue_range, &call);
}

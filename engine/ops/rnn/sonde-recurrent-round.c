/* SPDX-License-Identifier: Apache-2.0
 * States of a recurrent operator as 8 bits hold them (attribute quantise_state). */
#include "engine/ops/rnn/sonde-recurrent.h"

#include <math.h>

void
sonde_recurrent_extend_range (const float *h, gint64 n, float range[2])
{
  for (gint64 i = 0; i < n; i++)
    {
      range[0] = h[i] < range[0] ? h[i] : range[0];
      range[1] = h[i] > range[1] ? h[i] : range[1];
    }
}

void
sonde_recurrent_round (const float *h, gint64 n, const float range[2], float *rounded)
{
  const float scale = range[1] > range[0] ? (range[1] - range[0]) / 255.0f : 1.0f;
  const float zero = rintf (CLAMP (-range[0] / scale, 0.0f, 255.0f));

  for (gint64 i = 0; i < n; i++)
    rounded[i] = CLAMP (rintf (h[i] / scale), -zero, 255.0f - zero) * scale;
}

/* SPDX-License-Identifier: Apache-2.0
 * The table of methods, and what they share. */
#include "explain/attribution/sonde-attribution.h"

#include <math.h>

#include "explain/attribution/sonde-saliency.h"

static const SondeAttribution methods[] = {
  {
    .name = "saliency",
    .title = "Gradient",
    .summary = "How much the class's logit rises when the pixel rises a little; negative where it falls.",
    .parameters = "target=logit, aggregation=largest magnitude with sign",
    .compute = sonde_saliency_compute,
  },
};

const SondeAttribution *
sonde_attribution_list (gsize *n)
{
  *n = G_N_ELEMENTS (methods);
  return methods;
}

const SondeAttribution *
sonde_attribution_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    if (g_str_equal (methods[i].name, name))
      return &methods[i];
  return NULL;
}

SondeTensor *
sonde_attribution_aggregate (SondeTensor *channels)
{
  gint64 n_channels = channels->shape.dims[0], pixels = channels->shape.dims[1] * channels->shape.dims[2];
  SondeShape shape = sonde_shape_from_array (2, channels->shape.dims + 1);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  const float *from = (const float *) (const void *) channels->data;
  float *to = (float *) (void *) map->data;

  for (gint64 p = 0; p < pixels; p++)
    {
      to[p] = from[p];
      for (gint64 c = 1; c < n_channels; c++)
        if (fabsf (from[c * pixels + p]) > fabsf (to[p]))
          to[p] = from[c * pixels + p];
    }
  return map;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-attribution-map.h"

#include <math.h>

SondeAttributionMap *
sonde_attribution_map_new (guint sample, const char *spec, gint64 target)
{
  SondeAttributionMap *map = g_new0 (SondeAttributionMap, 1);

  map->sample = sample;
  map->spec = g_strdup (spec);
  map->target = target;
  map->other = -1;
  map->score = NAN;
  map->rating = (SondeMapRating){ NAN, NAN, NAN, NAN, NAN };
  return map;
}

SondeAttributionMap *
sonde_attribution_map_copy (const SondeAttributionMap *map)
{
  SondeAttributionMap *copy = g_new0 (SondeAttributionMap, 1);

  *copy = *map;
  copy->spec = g_strdup (map->spec);
  copy->title = g_strdup (map->title);
  copy->parameters = g_strdup (map->parameters);
  copy->target_is = g_strdup (map->target_is);
  copy->target_name = g_strdup (map->target_name);
  copy->path = g_strdup (map->path);
  copy->note = sonde_message_copy (map->note);
  copy->map = map->map != NULL ? sonde_tensor_ref (map->map) : NULL;
  copy->channels = map->channels != NULL ? sonde_tensor_ref (map->channels) : NULL;
  return copy;
}

void
sonde_attribution_map_free (SondeAttributionMap *map)
{
  if (map == NULL)
    return;
  g_free (map->spec);
  g_free (map->title);
  g_free (map->parameters);
  g_free (map->target_is);
  g_free (map->target_name);
  g_free (map->path);
  sonde_message_free (map->note);
  g_clear_pointer (&map->map, sonde_tensor_unref);
  g_clear_pointer (&map->channels, sonde_tensor_unref);
  g_free (map);
}

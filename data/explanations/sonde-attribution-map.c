/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-attribution-map.h"

SondeAttributionMap *
sonde_attribution_map_copy (const SondeAttributionMap *map)
{
  SondeAttributionMap *copy = g_new0 (SondeAttributionMap, 1);

  *copy = *map;
  copy->spec = g_strdup (map->spec);
  copy->title = g_strdup (map->title);
  copy->note = g_strdup (map->note);
  copy->map = sonde_tensor_ref (map->map);
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
  g_free (map->note);
  g_clear_pointer (&map->map, sonde_tensor_unref);
  g_clear_pointer (&map->channels, sonde_tensor_unref);
  g_free (map);
}

/* SPDX-License-Identifier: Apache-2.0
 * Maps of one sample side by side: a row a class, a column a method; one scale, one crosshair, one
 * zoom. What does not live here: where maps come from. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"
#include "viewers/sonde-saliency-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_MAPS (sonde_sample_maps_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleMaps, sonde_sample_maps, SONDE, SAMPLE_MAPS, AdwBin)

/* A class whose maps are shown. @caption: "For “dog” · predicted · p 0.812" */
typedef struct
{
  gint64 target;
  const char *name, *caption;
} SondeMapTarget;

/* Emits "map-wanted" (const char *spec, gint64 target) for a place without map, "rate-wanted" (the
 * same) when the user asks whether one can be trusted. */
GtkWidget *sonde_sample_maps_new (void);

/* Each row begins with the image that the maps are of. */
void sonde_sample_maps_show_image (SondeSampleMaps *maps);
/* Another sample: forgets all maps. @image: (nullable): referenced; @mask: (nullable): u8 [H, W],
 * outline of the object */
void sonde_sample_maps_set_image (SondeSampleMaps *maps, const SondeImage *image,
                                  SondeTensor *mask);
/* The image of the sample came: its maps stay. @image: referenced */
void sonde_sample_maps_take_image (SondeSampleMaps *maps, const SondeImage *image);
void sonde_sample_maps_set_info (SondeSampleMaps *maps, const SondeExplainInfo *info);
void sonde_sample_maps_set_targets (SondeSampleMaps *maps, const SondeMapTarget *targets, guint n);
void sonde_sample_maps_set_specs (SondeSampleMaps *maps, const char *const *specs);
/* @map: copied; of a place that is not there any more: kept until the sample changes */
void sonde_sample_maps_set_map (SondeSampleMaps *maps, const SondeAttributionMap *map);
void sonde_sample_maps_set_failed (SondeSampleMaps *maps, const char *spec, gint64 target,
                                   const char *why);
void sonde_sample_maps_set_rating (SondeSampleMaps *maps, const char *spec, gint64 target,
                                   const SondeMapRating *rating);
void sonde_sample_maps_set_rating_failed (SondeSampleMaps *maps, const char *spec, gint64 target,
                                          const char *why);
/* Another view of the same image has the same crosshair and zoom. */
void sonde_sample_maps_link (SondeSampleMaps *maps, SondeSaliencyView *view);
/* Of a image that is not in the data: whether a map can be trusted is not offered. */
void sonde_sample_maps_set_unrated (SondeSampleMaps *maps);
/* Recorded maps are what they are: these methods (nullable: the menu's) whatever they are called,
 * without ratings. */
void sonde_sample_maps_set_fixed (SondeSampleMaps *maps, const char *const *specs);

G_END_DECLS

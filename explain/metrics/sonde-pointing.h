/* SPDX-License-Identifier: Apache-2.0
 * Whether maps point at the objects that are known, counted by method and target. One map:
 * sonde-localisation.h. */
#pragma once

#include "explain/sonde-explain-maps.h"

G_BEGIN_DECLS

/**
 * SondePointing:
 * @key: "LABEL/TARGET"
 * @n: maps of samples whose object is known; @n_undefined: constant ones, which do not count
 * @hits: whose strongest pixel lies in the object; @mass: sum of the shares of the positive relevance
 *   in it
 */
typedef struct
{
  char *key;
  guint n, hits, n_undefined;
  double mass;
} SondePointing;

/* (transfer full) (element-type SondePointing): in the order in which they came */
GPtrArray *sonde_pointing_new_list (void);
/* @map: with label and target_is. One of a sample without a known object is not counted. */
void sonde_pointing_add (GPtrArray *list, SondeDataset *dataset, const SondeAttributionMap *map);

/* Share of @predictions (element-type SondeSampleResult) whose centre pixel is in the object; NaN where
 * none is known. */
double sonde_pointing_measure_centre (SondeDataset *dataset, GPtrArray *predictions);

G_END_DECLS

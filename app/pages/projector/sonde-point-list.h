/* SPDX-License-Identifier: Apache-2.0
 * Points by their number as rows of a table, with a distance each where there is one. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SONDE_TYPE_LISTED_POINT (sonde_listed_point_get_type ())
G_DECLARE_FINAL_TYPE (SondeListedPoint, sonde_listed_point, SONDE, LISTED_POINT, GObject)

guint32 sonde_listed_point_get_number (SondeListedPoint *point);
double sonde_listed_point_get_distance (SondeListedPoint *point); /* NaN: none */

#define SONDE_TYPE_POINT_LIST (sonde_point_list_get_type ())
/* A GListModel of SondeListedPoint, which are made when they are looked at. */
G_DECLARE_FINAL_TYPE (SondePointList, sonde_point_list, SONDE, POINT_LIST, GObject)

SondePointList *sonde_point_list_new (void);
/* @points: (array length=n) (nullable); @distances: (array length=n) (nullable); copied */
void sonde_point_list_set (SondePointList *list, const guint32 *points, const double *distances,
                           gsize n);
/* (transfer none) (array length=n) */
const guint32 *sonde_point_list_get (SondePointList *list, gsize *n);
/* Of each of them. (transfer none) (nullable) */
const double *sonde_point_list_get_distances (SondePointList *list);

G_END_DECLS

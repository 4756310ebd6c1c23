/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/projector/sonde-point-list.h"

#include <math.h>

struct _SondeListedPoint
{
  GObject parent_instance;
  guint32 number;
  double distance;
};

G_DEFINE_FINAL_TYPE (SondeListedPoint, sonde_listed_point, G_TYPE_OBJECT)

static void
sonde_listed_point_class_init (SondeListedPointClass *klass)
{
}

static void
sonde_listed_point_init (SondeListedPoint *point)
{
}

guint32
sonde_listed_point_get_number (SondeListedPoint *point)
{
  g_return_val_if_fail (SONDE_IS_LISTED_POINT (point), 0);
  return point->number;
}

double
sonde_listed_point_get_distance (SondeListedPoint *point)
{
  g_return_val_if_fail (SONDE_IS_LISTED_POINT (point), NAN);
  return point->distance;
}

/* ---- list ---------------------------------------------------------------- */

struct _SondePointList
{
  GObject parent_instance;
  GArray *points;    /* guint32 */
  GArray *distances; /* double; empty: none */
};

static GType
get_item_type (GListModel *model)
{
  return SONDE_TYPE_LISTED_POINT;
}

static guint
get_n_items (GListModel *model)
{
  return SONDE_POINT_LIST (model)->points->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  SondePointList *list = SONDE_POINT_LIST (model);
  SondeListedPoint *point;

  if (position >= list->points->len)
    return NULL;
  point = g_object_new (SONDE_TYPE_LISTED_POINT, NULL);
  point->number = g_array_index (list->points, guint32, position);
  point->distance
      = list->distances->len > 0 ? g_array_index (list->distances, double, position) : NAN;
  return point;
}

static void
init_model (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (SondePointList, sonde_point_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, init_model))

static void
sonde_point_list_finalize (GObject *object)
{
  SondePointList *list = SONDE_POINT_LIST (object);

  g_array_unref (list->points);
  g_array_unref (list->distances);
  G_OBJECT_CLASS (sonde_point_list_parent_class)->finalize (object);
}

static void
sonde_point_list_class_init (SondePointListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_point_list_finalize;
}

static void
sonde_point_list_init (SondePointList *list)
{
  list->points = g_array_new (FALSE, FALSE, sizeof (guint32));
  list->distances = g_array_new (FALSE, FALSE, sizeof (double));
}

SondePointList *
sonde_point_list_new (void)
{
  return g_object_new (SONDE_TYPE_POINT_LIST, NULL);
}

void
sonde_point_list_set (SondePointList *list, const guint32 *points, const double *distances, gsize n)
{
  guint before;

  g_return_if_fail (SONDE_IS_POINT_LIST (list));
  before = list->points->len;
  g_array_set_size (list->points, 0);
  g_array_set_size (list->distances, 0);
  if (n > 0)
    g_array_append_vals (list->points, points, (guint) n);
  if (n > 0 && distances != NULL)
    g_array_append_vals (list->distances, distances, (guint) n);
  g_list_model_items_changed (G_LIST_MODEL (list), 0, before, list->points->len);
}

const guint32 *
sonde_point_list_get (SondePointList *list, gsize *n)
{
  g_return_val_if_fail (SONDE_IS_POINT_LIST (list), NULL);
  *n = list->points->len;
  return (const guint32 *) (const void *) list->points->data;
}

const double *
sonde_point_list_get_distances (SondePointList *list)
{
  g_return_val_if_fail (SONDE_IS_POINT_LIST (list), NULL);
  return list->distances->len > 0 ? (const double *) (const void *) list->distances->data : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * Rows that are only counted. */
#include "app/widgets/sonde-row-numbers.h"

#define SONDE_TYPE_ROW_NUMBERS (sonde_row_numbers_get_type ())
G_DECLARE_FINAL_TYPE (SondeRowNumbers, sonde_row_numbers, SONDE, ROW_NUMBERS, GObject)

struct _SondeRowNumbers
{
  GObject parent_instance;
  guint n;
};

static GType
get_item_type (GListModel *model)
{
  return G_TYPE_OBJECT;
}

static guint
get_n_items (GListModel *model)
{
  return SONDE_ROW_NUMBERS (model)->n;
}

static gpointer
get_item (GListModel *model, guint position)
{
  return position < SONDE_ROW_NUMBERS (model)->n ? g_object_new (G_TYPE_OBJECT, NULL) : NULL;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (SondeRowNumbers, sonde_row_numbers, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
sonde_row_numbers_class_init (SondeRowNumbersClass *klass)
{
}

static void
sonde_row_numbers_init (SondeRowNumbers *rows)
{
}

GListModel *
sonde_row_numbers_new (gint64 n)
{
  SondeRowNumbers *rows = g_object_new (SONDE_TYPE_ROW_NUMBERS, NULL);

  rows->n = (guint) CLAMP (n, 0, G_MAXINT / 2);
  return G_LIST_MODEL (rows);
}

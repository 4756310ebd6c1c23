/* SPDX-License-Identifier: Apache-2.0
 * Items lend rows of the array that they were made from and keep it. */
#include "explain/browsing/sonde-prediction-list.h"

#define PARTIAL_MS 300   /* between two updates while predictions come */
#define PARTIAL_SHARE 10 /* and at least this many times what an update takes */

struct _SondePredictionList
{
  GObject parent_instance;

  SondeExplainClient *client;
  GPtrArray *items;   /* (element-type SondeExplainItem) */
  GPtrArray *partial; /* (element-type SondeSampleResult): copies, while predictions come */
  gboolean complete;
  guint source, cost; /* cost: ms that the last update took */
};

G_DEFINE_FINAL_TYPE (SondePredictionList, sonde_prediction_list, G_TYPE_OBJECT)

static guint changed_signal;

static GPtrArray *
new_rows (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
}

/* sample + 1 → item */
static GHashTable *
index_items (GPtrArray *items)
{
  GHashTable *index = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);

      g_hash_table_insert (
          index, GUINT_TO_POINTER (sonde_explain_item_get_result (item)->sample + 1), item);
    }
  return index;
}

static void
update (SondePredictionList *self, GPtrArray *rows)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);
  g_autoptr (GHashTable) old = index_items (self->items);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);
      SondeExplainItem *item = g_hash_table_lookup (old, GUINT_TO_POINTER (row->sample + 1));

      if (item != NULL)
        sonde_explain_item_set_row (g_object_ref (item), rows, row);
      else
        item = sonde_explain_item_new (rows, row, info != NULL ? info->classes : NULL,
                                       info != NULL ? info->n_classes : 0);
      g_ptr_array_add (items, item);
    }
  g_ptr_array_unref (self->items);
  self->items = items;
  g_signal_emit (self, changed_signal, 0);
}

static gboolean
show_partial (gpointer data)
{
  SondePredictionList *self = data;
  gint64 start = g_get_monotonic_time ();

  self->source = 0;
  if (!self->complete && self->partial->len > 0)
    update (self, self->partial);
  self->cost = (guint) ((g_get_monotonic_time () - start) / 1000);
  return G_SOURCE_REMOVE;
}

void
sonde_prediction_list_clear (SondePredictionList *list)
{
  g_return_if_fail (SONDE_IS_PREDICTION_LIST (list));
  sonde_prediction_list_begin (list);
  g_ptr_array_unref (list->items);
  list->items = g_ptr_array_new_with_free_func (g_object_unref);
}

void
sonde_prediction_list_begin (SondePredictionList *list)
{
  g_return_if_fail (SONDE_IS_PREDICTION_LIST (list));
  g_clear_handle_id (&list->source, g_source_remove);
  list->complete = FALSE;
  g_ptr_array_unref (list->partial);
  list->partial = new_rows ();
}

void
sonde_prediction_list_add (SondePredictionList *list, GPtrArray *rows)
{
  g_return_if_fail (SONDE_IS_PREDICTION_LIST (list));
  if (list->complete)
    return;
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (list->partial, sonde_sample_result_copy (g_ptr_array_index (rows, i)));
  if (list->source == 0)
    list->source = g_timeout_add (MAX (PARTIAL_MS, PARTIAL_SHARE * list->cost), show_partial, list);
}

void
sonde_prediction_list_flush (SondePredictionList *list)
{
  g_return_if_fail (SONDE_IS_PREDICTION_LIST (list));
  g_clear_handle_id (&list->source, g_source_remove);
  show_partial (list);
}

void
sonde_prediction_list_set_rows (SondePredictionList *list, GPtrArray *rows)
{
  g_return_if_fail (SONDE_IS_PREDICTION_LIST (list));
  g_clear_handle_id (&list->source, g_source_remove);
  list->complete = TRUE;
  update (list, rows);
}

gboolean
sonde_prediction_list_is_complete (SondePredictionList *list)
{
  return list->complete;
}

GPtrArray *
sonde_prediction_list_get_items (SondePredictionList *list)
{
  return list->items;
}

guint
sonde_prediction_list_count_errors (SondePredictionList *list)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    n += sonde_explain_item_is_error (g_ptr_array_index (list->items, i));
  return n;
}

static void
sonde_prediction_list_finalize (GObject *object)
{
  SondePredictionList *self = SONDE_PREDICTION_LIST (object);

  g_clear_handle_id (&self->source, g_source_remove);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->partial);
  g_clear_object (&self->client);
  G_OBJECT_CLASS (sonde_prediction_list_parent_class)->finalize (object);
}

static void
sonde_prediction_list_class_init (SondePredictionListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_prediction_list_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_prediction_list_init (SondePredictionList *self)
{
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->partial = new_rows ();
}

SondePredictionList *
sonde_prediction_list_new (SondeExplainClient *client)
{
  SondePredictionList *self = g_object_new (SONDE_TYPE_PREDICTION_LIST, NULL);

  self->client = g_object_ref (client);
  return self;
}

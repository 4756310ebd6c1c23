/* SPDX-License-Identifier: Apache-2.0
 * Rows are lent by their array, which the item keeps. */
#include "explain/browsing/sonde-explain-item.h"

struct _SondeExplainItem
{
  GObject parent_instance;

  GPtrArray *rows; /* of a session: keeps @result */
  SondeExplainedSample *recorded;
  const SondeSampleResult *result;
  char *label_name, *predicted_name, *other_name;
  gint64 other;
  GObject *thumbnail;
};

G_DEFINE_FINAL_TYPE (SondeExplainItem, sonde_explain_item, G_TYPE_OBJECT)

static guint changed_signal;

static void
sonde_explain_item_finalize (GObject *object)
{
  SondeExplainItem *self = SONDE_EXPLAIN_ITEM (object);

  g_free (self->label_name);
  g_free (self->predicted_name);
  g_free (self->other_name);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_object (&self->recorded);
  g_clear_object (&self->thumbnail);
  G_OBJECT_CLASS (sonde_explain_item_parent_class)->finalize (object);
}

static void
sonde_explain_item_class_init (SondeExplainItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_item_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_explain_item_init (SondeExplainItem *self)
{
  self->other = -1;
}

static char *
class_name (gint64 class, char **classes, guint n_classes)
{
  return sonde_class_dup_text (class >= 0 && class < n_classes ? classes[class] : NULL, class);
}

static void
take_row (SondeExplainItem *self, GPtrArray *rows, const SondeSampleResult *row)
{
  GPtrArray *old = self->rows;

  self->rows = g_ptr_array_ref (rows);
  self->result = row;
  g_clear_pointer (&old, g_ptr_array_unref);
}

SondeExplainItem *
sonde_explain_item_new (GPtrArray *rows, const SondeSampleResult *row, char **classes,
                        guint n_classes)
{
  SondeExplainItem *self = g_object_new (SONDE_TYPE_EXPLAIN_ITEM, NULL);

  take_row (self, rows, row);
  self->label_name = class_name (row->label, classes, n_classes);
  self->predicted_name = class_name (row->predicted, classes, n_classes);
  return self;
}

SondeExplainItem *
sonde_explain_item_new_recorded (SondeExplainedSample *sample)
{
  SondeExplainItem *self = g_object_new (SONDE_TYPE_EXPLAIN_ITEM, NULL);

  self->recorded = g_object_ref (sample);
  self->result = sonde_explained_sample_get_recorded (sample)->result;
  self->label_name = g_strdup (self->result->label_name);
  self->predicted_name = g_strdup (self->result->predicted_name);
  return self;
}

void
sonde_explain_item_set_row (SondeExplainItem *item, GPtrArray *rows, const SondeSampleResult *row)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_ITEM (item));
  take_row (item, rows, row);
  g_signal_emit (item, changed_signal, 0);
}

void
sonde_explain_item_set_other (SondeExplainItem *item, gint64 other, const char *name)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_ITEM (item));
  g_free (item->other_name);
  item->other_name = g_strdup (name);
  item->other = other;
  g_signal_emit (item, changed_signal, 0);
}

const SondeSampleResult *
sonde_explain_item_get_result (SondeExplainItem *item)
{
  g_return_val_if_fail (SONDE_IS_EXPLAIN_ITEM (item), NULL);
  return item->result;
}

const char *
sonde_explain_item_get_label_name (SondeExplainItem *item)
{
  return item->label_name;
}

const char *
sonde_explain_item_get_predicted_name (SondeExplainItem *item)
{
  return item->predicted_name;
}

const char *
sonde_explain_item_get_evidence (SondeExplainItem *item)
{
  return sonde_message_get_text (item->result->evidence);
}

gint64
sonde_explain_item_get_other (SondeExplainItem *item, const char **name)
{
  if (name != NULL)
    *name = item->other_name != NULL ? item->other_name : "";
  return item->other;
}

SondeExplainedSample *
sonde_explain_item_get_recorded (SondeExplainItem *item)
{
  return item->recorded;
}

gboolean
sonde_explain_item_is_error (SondeExplainItem *item)
{
  /* Records may know names only. */
  if (item->recorded != NULL)
    return !g_str_equal (item->label_name, item->predicted_name);
  return sonde_sample_result_is_error (item->result);
}

GObject *
sonde_explain_item_get_thumbnail (SondeExplainItem *item)
{
  return item->thumbnail;
}

void
sonde_explain_item_set_thumbnail (SondeExplainItem *item, GObject *thumbnail)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_ITEM (item));
  g_set_object (&item->thumbnail, thumbnail);
  g_signal_emit (item, changed_signal, 0);
}

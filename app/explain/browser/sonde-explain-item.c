/* SPDX-License-Identifier: Apache-2.0
 * Rows are lent by their array, which the item keeps. */
#include "app/explain/browser/sonde-explain-item.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

#include "data/base/sonde-text.h"

#define SIDE 112 /* px of a thumbnail in a list */

struct _SondeExplainItem
{
  GObject parent_instance;

  SondeExplainItemSummary summary;
  char *label_name, *predicted_name, *other_name;
  GPtrArray *rows;
  const SondeSampleResult *row;
  SondeExplainedSample *recorded;
  GdkTexture *thumbnail;
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
  self->summary.other = -1;
  self->summary.other_name = "";
  self->summary.category = SONDE_N_CATEGORIES;
}

static char *
class_name (gint64 class, char **classes, guint n_classes)
{
  if (class >= 0 && class < (gint64) n_classes)
    return g_strdup (classes[class]);
  return class >= 0 ? g_strdup_printf (_ ("class %" PRIi64), class) : g_strdup (_ ("unknown"));
}

static void
take_row (SondeExplainItem *self, GPtrArray *rows, const SondeSampleResult *row)
{
  GPtrArray *old = self->rows;

  self->rows = g_ptr_array_ref (rows);
  self->row = row;
  self->summary.sample = row->sample;
  self->summary.name = row->name;
  self->summary.label = row->label;
  self->summary.predicted = row->predicted;
  self->summary.p_label = row->p_label;
  self->summary.p_predicted = row->p_predicted;
  self->summary.margin = row->margin;
  self->summary.category = row->category;
  self->summary.evidence = row->evidence;
  g_clear_pointer (&old, g_ptr_array_unref);
}

SondeExplainItem *
sonde_explain_item_new (GPtrArray *rows, const SondeSampleResult *row, char **classes,
                        guint n_classes)
{
  SondeExplainItem *self = g_object_new (SONDE_TYPE_EXPLAIN_ITEM, NULL);

  take_row (self, rows, row);
  self->summary.label_name = self->label_name = class_name (row->label, classes, n_classes);
  self->summary.predicted_name = self->predicted_name
      = class_name (row->predicted, classes, n_classes);
  return self;
}

SondeExplainItem *
sonde_explain_item_new_recorded (SondeExplainedSample *sample, guint index)
{
  SondeExplainItem *self = g_object_new (SONDE_TYPE_EXPLAIN_ITEM, NULL);

  self->recorded = g_object_ref (sample);
  self->summary.sample = index;
  self->summary.name = sonde_explained_sample_get_name (sample);
  self->summary.label = sonde_explained_sample_get_label_class (sample);
  self->summary.predicted = sonde_explained_sample_get_predicted_class (sample);
  self->summary.label_name = sonde_explained_sample_get_label (sample);
  self->summary.predicted_name = sonde_explained_sample_get_predicted (sample);
  self->summary.p_label = sonde_explained_sample_get_label_probability (sample);
  self->summary.p_predicted = sonde_explained_sample_get_predicted_probability (sample);
  self->summary.margin = self->summary.p_predicted - self->summary.p_label;
  self->summary.category = sonde_explained_sample_get_category (sample);
  self->summary.evidence = sonde_explained_sample_get_evidence (sample);
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
  item->other_name = g_strdup (name != NULL ? name : "");
  item->summary.other = other;
  item->summary.other_name = item->other_name;
  g_signal_emit (item, changed_signal, 0);
}

const SondeExplainItemSummary *
sonde_explain_item_get_summary (SondeExplainItem *item)
{
  g_return_val_if_fail (SONDE_IS_EXPLAIN_ITEM (item), NULL);
  return &item->summary;
}

const SondeSampleResult *
sonde_explain_item_get_row (SondeExplainItem *item)
{
  return item->row;
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
    return !g_str_equal (item->summary.label_name, item->summary.predicted_name);
  return item->summary.label >= 0 && item->summary.label != item->summary.predicted;
}

GdkPaintable *
sonde_explain_item_get_thumbnail (SondeExplainItem *item)
{
  return item->thumbnail != NULL ? GDK_PAINTABLE (item->thumbnail) : NULL;
}

void
sonde_explain_item_set_thumbnail (SondeExplainItem *item, const SondeImage *image)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_ITEM (item));
  g_clear_object (&item->thumbnail);
  item->thumbnail = sonde_explain_texture_new (image, SIDE);
  g_signal_emit (item, changed_signal, 0);
}

/* Mean of the thumbnail's pixels below one of the texture; of an enlarged thumbnail it is one pixel. */
static guint8
mean_below (const SondeImage *image, int x, int y, int width, int height, int channel)
{
  int x0 = x * image->width / width, x1 = MAX ((x + 1) * image->width / width, x0 + 1);
  int y0 = y * image->height / height, y1 = MAX ((y + 1) * image->height / height, y0 + 1);
  guint sum = 0;

  for (int v = y0; v < y1; v++)
    for (int u = x0; u < x1; u++)
      sum += image->pixels[((gsize) v * (gsize) image->width + (gsize) u) * (gsize) image->channels
                           + (gsize) channel];
  return (guint8) (sum / (guint) ((x1 - x0) * (y1 - y0)));
}

GdkTexture *
sonde_explain_texture_new (const SondeImage *image, int side)
{
  g_autoptr (GBytes) bytes = NULL;
  int width, height, largest;
  guint8 *rgb;

  if (image == NULL)
    return NULL;
  largest = MAX (image->width, image->height);
  width = MAX (1, image->width * side / largest);
  height = MAX (1, image->height * side / largest);
  rgb = g_malloc ((gsize) width * (gsize) height * 3);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        rgb[((gsize) y * (gsize) width + (gsize) x) * 3 + (gsize) c]
            = mean_below (image, x, y, width, height, image->channels >= 3 ? c : 0);
  bytes = g_bytes_new_take (rgb, (gsize) width * (gsize) height * 3);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_R8G8B8, bytes, 3 * (gsize) width);
}

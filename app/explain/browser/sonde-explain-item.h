/* SPDX-License-Identifier: Apache-2.0
 * One sample as the lists of the Explain page hold it: of a session, or of a run's records. */
#pragma once

#include <gdk/gdk.h>

#include "explain/recorded/sonde-explained-sample.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_ITEM (sonde_explain_item_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainItem, sonde_explain_item, SONDE, EXPLAIN_ITEM, GObject)

/**
 * SondeExplainItemSummary: what the lists read; lent, valid until the item's row changes
 * @label, @predicted: classes; -1: unknown. @other: of a second model, -1: there is none
 * @label_name, @predicted_name, @other_name: never NULL
 * @p_label, @p_predicted, @margin: NaN: not known
 * @category: SONDE_N_CATEGORIES: none; @evidence: (nullable)
 */
typedef struct
{
  guint sample;
  const char *name, *label_name, *predicted_name, *other_name, *evidence;
  gint64 label, predicted, other;
  double p_label, p_predicted, margin;
  SondeErrorCategory category;
} SondeExplainItemSummary;

/**
 * sonde_explain_item_new:
 * @rows: (element-type SondeSampleResult): kept, @row is one of them
 * @classes: (array length=n_classes): names; copied as far as they are needed
 */
SondeExplainItem *sonde_explain_item_new (GPtrArray *rows, const SondeSampleResult *row,
                                          char **classes, guint n_classes);
/* @sample: referenced; @index: its number. */
SondeExplainItem *sonde_explain_item_new_recorded (SondeExplainedSample *sample, guint index);

/* The same sample, with a category now. Emits "changed" (). */
void sonde_explain_item_set_row (SondeExplainItem *item, GPtrArray *rows,
                                 const SondeSampleResult *row);
/* What a second model says; -1 and NULL: nothing. Emits "changed". */
void sonde_explain_item_set_other (SondeExplainItem *item, gint64 other, const char *name);

const SondeExplainItemSummary *sonde_explain_item_get_summary (SondeExplainItem *item);
/* (nullable): of a session */
const SondeSampleResult *sonde_explain_item_get_row (SondeExplainItem *item);
/* (nullable): of records */
SondeExplainedSample *sonde_explain_item_get_recorded (SondeExplainItem *item);
gboolean sonde_explain_item_is_error (SondeExplainItem *item); /* label known and another */

/* (nullable): not there yet. Emits "changed" when it comes. */
GdkPaintable *sonde_explain_item_get_thumbnail (SondeExplainItem *item);
/* @image: (nullable): NULL takes it away */
void sonde_explain_item_set_thumbnail (SondeExplainItem *item, const SondeImage *image);

/* A thumbnail for a list, its longer side @side px: pixels of small ones stay squares, large ones are
 * averaged. (transfer full) (nullable) */
GdkTexture *sonde_explain_texture_new (const SondeImage *image, int side);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * One sample as the lists of the Explain page hold it: of a session, or of a run's records. No GTK. */
#pragma once

#include "explain/recorded/sonde-explained-sample.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_ITEM (sonde_explain_item_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainItem, sonde_explain_item, SONDE, EXPLAIN_ITEM, GObject)

/**
 * sonde_explain_item_new:
 * @rows: (element-type SondeSampleResult): kept, @row is one of them
 * @classes: (array length=n_classes): names; copied as far as they are needed
 */
SondeExplainItem *sonde_explain_item_new (GPtrArray *rows, const SondeSampleResult *row,
                                          char **classes, guint n_classes);
/* @sample: referenced */
SondeExplainItem *sonde_explain_item_new_recorded (SondeExplainedSample *sample);

/* The same sample, with a category now. Emits "changed" (). */
void sonde_explain_item_set_row (SondeExplainItem *item, GPtrArray *rows,
                                 const SondeSampleResult *row);
/* What a second model says; -1 and NULL: nothing. Emits "changed". */
void sonde_explain_item_set_other (SondeExplainItem *item, gint64 other, const char *name);

/* What is known of it; lent, until its row changes. */
const SondeSampleResult *sonde_explain_item_get_result (SondeExplainItem *item);
/* Of its classes, for people; never NULL. */
const char *sonde_explain_item_get_label_name (SondeExplainItem *item);
const char *sonde_explain_item_get_predicted_name (SondeExplainItem *item);
/* The evidence for its category, in the user's language. (nullable) */
const char *sonde_explain_item_get_evidence (SondeExplainItem *item);
/* Class that a second model predicts; -1: there is none. @name: (out) (optional): never NULL */
gint64 sonde_explain_item_get_other (SondeExplainItem *item, const char **name);
/* (nullable): of records */
SondeExplainedSample *sonde_explain_item_get_recorded (SondeExplainItem *item);
gboolean sonde_explain_item_is_error (SondeExplainItem *item); /* label known and another */

/* What a list draws for it: whoever draws knows what it is. (nullable): not there yet. Emits "changed"
 * when it comes. */
GObject *sonde_explain_item_get_thumbnail (SondeExplainItem *item);
/* @thumbnail: (nullable): NULL takes it away; referenced */
void sonde_explain_item_set_thumbnail (SondeExplainItem *item, GObject *thumbnail);

G_END_DECLS

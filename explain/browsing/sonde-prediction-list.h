/* SPDX-License-Identifier: Apache-2.0
 * The predictions of a session as items of lists: those that came so far, then all of them, then the
 * same with error categories. An item stays the same object over all of this, with its thumbnail. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"
#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PREDICTION_LIST (sonde_prediction_list_get_type ())
G_DECLARE_FINAL_TYPE (SondePredictionList, sonde_prediction_list, SONDE, PREDICTION_LIST, GObject)

/* @client: names the classes; referenced. Signal "changed" (): other items, or more known of them. */
SondePredictionList *sonde_prediction_list_new (SondeExplainClient *client);

/* Another session: no items. Not signalled. */
void sonde_prediction_list_clear (SondePredictionList *list);
/* Predicting begins (again): the items stay until rows come. Not signalled. */
void sonde_prediction_list_begin (SondePredictionList *list);
/* @rows: (element-type SondeSampleResult): copied. Shown together with others after a while, so that
 * updating the lists takes at most a tenth of the time; ignored once the list is complete. */
void sonde_prediction_list_add (SondePredictionList *list, GPtrArray *rows);
/* Shows at once what was added: predicting ended early. */
void sonde_prediction_list_flush (SondePredictionList *list);
/* @rows: (element-type SondeSampleResult): all; referenced. The list is complete. */
void sonde_prediction_list_set_rows (SondePredictionList *list, GPtrArray *rows);

gboolean sonde_prediction_list_is_complete (SondePredictionList *list);
/* (element-type SondeExplainItem) (transfer none): until the list changes */
GPtrArray *sonde_prediction_list_get_items (SondePredictionList *list);
guint sonde_prediction_list_count_errors (SondePredictionList *list);

G_END_DECLS

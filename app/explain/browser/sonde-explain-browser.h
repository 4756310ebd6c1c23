/* SPDX-License-Identifier: Apache-2.0
 * Browses predictions: confusion matrix, error categories or two models on the left; what is selected
 * there as thumbnails on the right; then one sample. Escape and Backspace go back, arrows to the next
 * sample. In a narrow window one side at a time. Samples come from a session or from records. What does
 * not live here: requests. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-thumbnail-loader.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_BROWSER (sonde_explain_browser_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainBrowser, sonde_explain_browser, SONDE, EXPLAIN_BROWSER, AdwBin)

/* Signals: "sample-shown" (SondeExplainItem *item): another one, NULL: none any more;
 * "status-changed" (); "model-switched" (gboolean second): the sample shall be shown as the second
 * model sees it. */
GtkWidget *sonde_explain_browser_new (void);

/* The widget that shows one sample, and whom to ask for thumbnails in lists (nullable). */
void sonde_explain_browser_set_sample_view (SondeExplainBrowser *browser, GtkWidget *view);
void sonde_explain_browser_set_thumbnails (SondeExplainBrowser *browser,
                                           SondeThumbnailLoader *thumbnails);

/**
 * sonde_explain_browser_set_items:
 * @items: (element-type SondeExplainItem): referenced
 * @classes: (array length=n_classes) (nullable): names of all there are
 *
 * What was chosen stays chosen where it is still there.
 */
void sonde_explain_browser_set_items (SondeExplainBrowser *browser, GPtrArray *items,
                                      char **classes, guint n_classes);
/* The items have new categories. @clusters, @notes: (nullable), of SondeTriageResult; referenced */
void sonde_explain_browser_set_triage (SondeExplainBrowser *browser, GPtrArray *clusters,
                                       GPtrArray *notes);
/* What makes all of it doubtful, a few words that stand before the head's and the status's. (nullable) */
void sonde_explain_browser_set_doubt (SondeExplainBrowser *browser, const char *words);
/* Why there are no error categories, and the button that helps. */
void sonde_explain_browser_set_no_categories (SondeExplainBrowser *browser, const char *sentence,
                                              const char *button, const char *action);
/* The items have a second model's predictions. @second: (nullable): there is none any more */
void sonde_explain_browser_set_models (SondeExplainBrowser *browser, const char *first,
                                       const char *second);
/* Why there are no samples, and the button that helps. @button, @action: (nullable) */
void sonde_explain_browser_set_no_samples (SondeExplainBrowser *browser, const char *sentence,
                                           const char *button, const char *action);
/* Records have no second model, and most no error categories: those sides are not offered. */
void sonde_explain_browser_set_recorded (SondeExplainBrowser *browser, gboolean recorded,
                                         gboolean has_categories);

/* "matrix", "categories" or "models". */
void sonde_explain_browser_show_side (SondeExplainBrowser *browser, const char *name);
/* A sample by its name, or as "sample:NAME" or "sample:NUMBER", an error category by its name, or a cell as
 * "cat > dog". FALSE when there is none. */
gboolean sonde_explain_browser_go_to (SondeExplainBrowser *browser, const char *what);
/* (transfer none) (nullable) */
SondeExplainItem *sonde_explain_browser_get_sample (SondeExplainBrowser *browser);
/* One step back; FALSE: there is none. */
gboolean sonde_explain_browser_back (SondeExplainBrowser *browser);
/* The next or previous sample of the gallery; FALSE at the ends. */
gboolean sonde_explain_browser_step (SondeExplainBrowser *browser, int by);
/* For the status bar. (transfer full) (nullable) */
char *sonde_explain_browser_dup_status (SondeExplainBrowser *browser);

G_END_DECLS

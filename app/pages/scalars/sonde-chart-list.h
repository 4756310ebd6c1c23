/* SPDX-License-Identifier: Apache-2.0
 * A few texts in a list of preferences: each with a button that takes it away, and at the end how to add one: an
 * entry, or a choice. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_CHART_LIST (sonde_chart_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeChartList, sonde_chart_list, SONDE, CHART_LIST, AdwBin)

/* Signal "changed" (): by the user. */

/* What is added for @text that was typed. Returns: (transfer full) (nullable): NULL with an error, which the entry
 * shows */
typedef char *(*SondeChartListCheck) (const char *text, GError **error);

/* @title: of the entry */
GtkWidget *sonde_chart_list_new (const char *title, SondeChartListCheck check);

/* @texts: (nullable) */
void sonde_chart_list_set_texts (SondeChartList *list, const char *const *texts);
const char *const *
sonde_chart_list_get_texts (SondeChartList *list); /* (array zero-terminated=1) */
/* What can be added without typing. (array zero-terminated=1) (nullable): NULL: nothing */
void sonde_chart_list_set_choices (SondeChartList *list, const char *const *choices);
/* As if it had been typed. FALSE: it cannot be added, and the entry says why. */
gboolean sonde_chart_list_add (SondeChartList *list, const char *text);

G_END_DECLS

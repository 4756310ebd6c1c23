/* SPDX-License-Identifier: Apache-2.0
 * Entries of a drop-down, of which some cannot be chosen now and say why. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_CHOICE (sonde_choice_get_type ())
G_DECLARE_FINAL_TYPE (SondeChoice, sonde_choice, SONDE, CHOICE, GObject)

/* Properties: "title" (string), "reason" (string, notified). */

/* @name: of commands and settings; @title: shown */
SondeChoice *sonde_choice_new (const char *name, const char *title);
const char *sonde_choice_get_name (SondeChoice *choice);

/* Why it cannot be chosen: a sentence, which is its tool-tip; NULL: it can. */
void sonde_choice_set_reason (SondeChoice *choice, const char *reason);
const char *sonde_choice_get_reason (SondeChoice *choice); /* (nullable) */

/* Makes @drop_down show the SondeChoices of @model: (transfer none). */
void sonde_choice_set_up (GtkDropDown *drop_down, GListModel *model);

/* Position of the choice @name; GTK_INVALID_LIST_POSITION: there is none. */
guint sonde_choice_find (GListModel *model, const char *name);

G_END_DECLS

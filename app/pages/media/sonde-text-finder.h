/* SPDX-License-Identifier: Apache-2.0
 * Searches the recorded texts of a run at all their steps: an entry for the bar of a page, and a list of the places
 * found, of which one is at hand. */
#pragma once

#include <adwaita.h>

#include "data/browsing/sonde-text-search.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TEXT_FINDER (sonde_text_finder_get_type ())
G_DECLARE_FINAL_TYPE (SondeTextFinder, sonde_text_finder, SONDE, TEXT_FINDER, GtkBox)

/* Signals: "found" (const char *tag, gint64 step, guint nth): that place is at hand now, the @nth (0: the first) of that tag and step; "pattern-changed" (): something else is
 * searched; "state-changed" (): it is busy, or no more. */

/* The list, which shows itself while something is searched. (transfer none) */
GtkWidget *sonde_text_finder_get_panel (SondeTextFinder *finder);

/* What is searched; the same again changes nothing. @run: (nullable): nothing; @tags: (element-type utf8): copied */
void sonde_text_finder_set_texts (SondeTextFinder *finder, SondeRun *run, GPtrArray *tags);
/* What is searched for. (transfer none) (nullable) */
GRegex *sonde_text_finder_get_pattern (SondeTextFinder *finder);

gboolean sonde_text_finder_is_busy (SondeTextFinder *finder);
guint sonde_text_finder_get_n_matches (SondeTextFinder *finder);
/* To the next place, or the one before; at the end it begins again. */
void sonde_text_finder_go (SondeTextFinder *finder, int direction);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * Answers of long searches as rows that lead to their nodes. */
#pragma once

#include <gtk/gtk.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A member as words: numbers shortened, arrays as [0, 3], "" for null and for none. (transfer
 * full) */
char *sonde_debug_results_member (JsonObject *object, const char *key);

/* Adds the rows of the answer of @command to the list; rows carry "node" and "value" for a click.
 * Returns: the verdict in a sentence. (transfer full) */
char *sonde_debug_results_show (GtkWidget *list, const char *command, JsonObject *answer);

G_END_DECLS

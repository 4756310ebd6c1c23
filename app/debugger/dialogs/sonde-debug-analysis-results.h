/* SPDX-License-Identifier: Apache-2.0
 * Replies of searches and comparisons as rows of a list. Rows about a node carry "node" and "value"
 * for a click. All return the verdict in a sentence. (transfer full) */
#pragma once

#include <gtk/gtk.h>

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/* Of sonde_session_request_origin(), _diverge(), _diff(), _rerun(), _reduce(), _precision(). */
char *sonde_debug_analysis_results_show_origin (GtkWidget *list, const SondeSessionReply *reply);
char *sonde_debug_analysis_results_show_divergence (GtkWidget *list,
                                                    const SondeSessionReply *reply);
char *sonde_debug_analysis_results_show_differences (GtkWidget *list,
                                                     const SondeSessionReply *reply);
char *sonde_debug_analysis_results_show_rerun (GtkWidget *list, const SondeSessionReply *reply);
char *sonde_debug_analysis_results_show_reduction (GtkWidget *list, const SondeSessionReply *reply);
char *sonde_debug_analysis_results_show_precision (GtkWidget *list, const SondeSessionReply *reply);

G_END_DECLS

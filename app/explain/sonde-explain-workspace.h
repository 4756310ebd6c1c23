/* SPDX-License-Identifier: Apache-2.0
 * The content of the Explain page: the form that opens a session, the browser of its predictions,
 * scores and self-test, and a line for the running job; or the explained samples of a run. An engine
 * child computes; nothing here blocks. */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-explanation-jobs.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_WORKSPACE (sonde_explain_workspace_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainWorkspace, sonde_explain_workspace, SONDE, EXPLAIN_WORKSPACE,
                      AdwBin)

/**
 * sonde_explain_workspace_new:
 * @program: of engine children
 *
 * Property "busy" (boolean, notified): something is computed or loaded.
 * Signals: "status-changed" (); "opened" (): the settings of the session are good, they are worth
 * remembering; "message" (const char *sentence): for a toast.
 */
GtkWidget *sonde_explain_workspace_new (const char *program);

/* The form with these in it: nothing is opened. What was shown comes back when it is cancelled. */
void sonde_explain_workspace_offer (SondeExplainWorkspace *workspace,
                                    const SondeExplanationSettings *settings);
/* Opens the session and predicts. @go_to: (nullable): see sonde_explain_browser_go_to(), once
 * everything is there */
void sonde_explain_workspace_open (SondeExplainWorkspace *workspace,
                                   const SondeExplanationSettings *settings, const char *go_to);
/* @samples: (element-type SondeExplainedSample): of a run; shown until a session is opened. Empty:
 * none any more.
 * @model: (nullable): what to offer as their model: the run's folder */
void sonde_explain_workspace_set_recorded (SondeExplainWorkspace *workspace, GPtrArray *samples,
                                           const char *model);
/* Of the samples that were set: what the form is filled with instead of @model, and a sentence
 * above them (nullable). */
void sonde_explain_workspace_set_origin (SondeExplainWorkspace *workspace,
                                         const SondeExplanationSettings *settings,
                                         const char *sentence);
/* To a place, see sonde_explain_browser_go_to(): now, or once there are samples. */
void sonde_explain_workspace_go_to (SondeExplainWorkspace *workspace, const char *what);
/* TRUE when there is neither a session nor a recorded sample: the form stands there. */
gboolean sonde_explain_workspace_is_empty (SondeExplainWorkspace *workspace);
gboolean sonde_explain_workspace_is_busy (SondeExplainWorkspace *workspace);
/* Of the open session, else what the form holds. (transfer full) */
SondeExplanationSettings *sonde_explain_workspace_dup_settings (SondeExplainWorkspace *workspace);
/* (transfer full) (nullable) */
char *sonde_explain_workspace_dup_status (SondeExplainWorkspace *workspace);
/* (transfer none): for tests */
SondeExplainClient *sonde_explain_workspace_get_client (SondeExplainWorkspace *workspace);
SondeExplanationJobs *sonde_explain_workspace_get_jobs (SondeExplainWorkspace *workspace);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * State of the workspace, shared by its files only. */
#pragma once

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/sonde-explain-workspace.h"
#include "app/explain/sonde-job-bar.h"
#include "app/explain/sample/sonde-sample-view.h"
#include "app/explain/scores/sonde-scores-view.h"
#include "app/explain/scores/sonde-self-test-view.h"

/* Longer than this is asked for before it is begun, seconds. */
#define SONDE_EXPLAIN_PATIENCE 30

struct _SondeExplainWorkspace
{
  AdwBin parent_instance;

  GtkWidget *title, *title_label, *subtitle_label, *report, *banner, *banner_text, *banner_button,
      *job, *stack;
  GtkWidget *chooser, *pages, *switcher, *browser, *scores, *self_test, *views, *view, *second_view;
  char *program;
  /* second: (nullable): of the second model, opened when it is looked at */
  SondeExplainClient *client, *second;
  SondeThumbnailLoader *thumbnails;
  GCancellable *cancellable; /* (nullable): of what runs */

  SondeExplanationSettings *settings; /* (nullable): of the study */
  char *go_to;                        /* (nullable) */
  GPtrArray *rows;           /* (element-type SondeSampleResult): as predicted, or with reasons */
  GPtrArray *partial;        /* (element-type SondeSampleResult): while it predicts; copies */
  GPtrArray *items;          /* (element-type SondeExplainItem) */
  SondeTriageResult *triage; /* (nullable) */
  guint n_restored;
  guint partial_source, partial_cost; /* cost: ms that showing them took */
  char *second_model;                 /* (nullable): path */
  GPtrArray *second_rows;             /* (nullable) (element-type SondeSampleResult) */
  gboolean looks_at_second;

  GPtrArray *recorded; /* (element-type SondeExplainedSample) */
  char *recorded_model;
  gboolean has_study; /* its samples are shown, not the recorded ones */
};

/* ---- sonde-explain-workspace.c ------------------------------------------------ */
void sonde_explain_workspace_show_banner (SondeExplainWorkspace *workspace, const char *sentence,
                                          const char *button, const char *action, gboolean error);
void sonde_explain_workspace_hide_banner (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_show_study (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_changed (SondeExplainWorkspace *workspace); /* busy or status */
void sonde_explain_workspace_say (SondeExplainWorkspace *workspace,
                                  const char *sentence); /* a toast */
const char *sonde_explain_workspace_class_name (SondeExplainWorkspace *workspace, gint64 class);

/* ---- sonde-explain-workspace-jobs.c: one after the other ---------------------- */

/* One question to the study. An answer for a study that was closed meanwhile is for nobody. */
typedef struct
{
  SondeExplainWorkspace *workspace;
  GCancellable *cancellable;
} SondeExplainWorkspaceJob;

/* What ran before is cancelled. */
SondeExplainWorkspaceJob *sonde_explain_workspace_job_begin (SondeExplainWorkspace *workspace,
                                                             const char *what);
/* Returns: whether the workspace still waits for it. */
gboolean sonde_explain_workspace_job_end (SondeExplainWorkspaceJob *job);
void sonde_explain_workspace_job_free (SondeExplainWorkspaceJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainWorkspaceJob, sonde_explain_workspace_job_free)

/* Once: to what workspace->go_to says; a toast where that is not there. */
void sonde_explain_workspace_go_where_asked (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_begin_open (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_begin_predict (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_begin_triage (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_begin_maps (SondeExplainWorkspace *workspace);
void sonde_explain_workspace_begin_report (SondeExplainWorkspace *workspace, const char *path);
void sonde_explain_workspace_on_rows (SondeExplainWorkspace *workspace, GPtrArray *rows);
void sonde_explain_workspace_on_lost (SondeExplainWorkspace *workspace, const char *why);
void sonde_explain_workspace_show_sample (SondeExplainWorkspace *workspace,
                                          SondeExplainItem *item); /* (nullable) */
/* ---- sonde-explain-workspace-second.c ----------------------------------------- */
void sonde_explain_workspace_begin_compare (SondeExplainWorkspace *workspace, const char *model);
void sonde_explain_workspace_show_by_second (SondeExplainWorkspace *workspace,
                                             SondeExplainItem *item); /* (nullable) */
void sonde_explain_workspace_forget_second (SondeExplainWorkspace *workspace);

/* SPDX-License-Identifier: Apache-2.0
 * State of the desk, shared by its files only. */
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

struct _SondeExplainDesk
{
  AdwBin parent_instance;

  GtkWidget *title, *title_label, *subtitle_label, *report, *banner, *banner_text, *banner_button,
      *job, *stack;
  GtkWidget *chooser, *pages, *switcher, *browser, *scores, *self_test, *views, *view, *second_view;
  char *program;
  /* second: (nullable): of the second model, opened when it is looked at */
  SondeExplainClient *client, *second;
  SondeExplainPictures *pictures;
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

/* ---- sonde-explain-desk.c ------------------------------------------------ */
void sonde_explain_desk_show_banner (SondeExplainDesk *desk, const char *sentence,
                                     const char *button, const char *action, gboolean error);
void sonde_explain_desk_hide_banner (SondeExplainDesk *desk);
void sonde_explain_desk_show_study (SondeExplainDesk *desk);
void sonde_explain_desk_changed (SondeExplainDesk *desk);                   /* busy or status */
void sonde_explain_desk_say (SondeExplainDesk *desk, const char *sentence); /* a toast */
const char *sonde_explain_desk_class_name (SondeExplainDesk *desk, gint64 class);

/* ---- sonde-explain-desk-jobs.c: one after the other ---------------------- */

/* One question to the study. An answer for a study that was closed meanwhile is for nobody. */
typedef struct
{
  SondeExplainDesk *desk;
  GCancellable *cancellable;
} SondeExplainDeskJob;

/* What ran before is cancelled. */
SondeExplainDeskJob *sonde_explain_desk_job_begin (SondeExplainDesk *desk, const char *what);
/* Returns: whether the desk still waits for it. */
gboolean sonde_explain_desk_job_end (SondeExplainDeskJob *job);
void sonde_explain_desk_job_free (SondeExplainDeskJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainDeskJob, sonde_explain_desk_job_free)

/* Once: to what desk->go_to says; a toast where that is not there. */
void sonde_explain_desk_go_where_asked (SondeExplainDesk *desk);
void sonde_explain_desk_begin_open (SondeExplainDesk *desk);
void sonde_explain_desk_begin_predict (SondeExplainDesk *desk);
void sonde_explain_desk_begin_triage (SondeExplainDesk *desk);
void sonde_explain_desk_begin_maps (SondeExplainDesk *desk);
void sonde_explain_desk_begin_report (SondeExplainDesk *desk, const char *path);
void sonde_explain_desk_on_rows (SondeExplainDesk *desk, GPtrArray *rows);
void sonde_explain_desk_on_lost (SondeExplainDesk *desk, const char *why);
void sonde_explain_desk_show_sample (SondeExplainDesk *desk,
                                     SondeExplainItem *item); /* (nullable) */
/* ---- sonde-explain-desk-second.c ----------------------------------------- */
void sonde_explain_desk_begin_compare (SondeExplainDesk *desk, const char *model);
void sonde_explain_desk_show_by_second (SondeExplainDesk *desk,
                                        SondeExplainItem *item); /* (nullable) */
void sonde_explain_desk_forget_second (SondeExplainDesk *desk);

/* SPDX-License-Identifier: Apache-2.0
 * State of the workspace, shared by its files. */
#pragma once

#include "app/workspace/sonde-window-settings.h"
#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-run-subset.h"

struct _SondeWorkspace
{
  GObject parent_instance;
  char *program;
  char **paths, **documents, **traces, **debug_arguments;
  char *explained; /* (nullable) */
  SondeRunStore *store;
  SondeStepCursor *cursor;
  SondeOpenedModel *model;      /* (nullable) */
  SondeTraceDocument *profile;  /* (nullable) */
  SondeDebugSession *session;   /* (nullable) */
  SondeSessionRun *session_run; /* (nullable) */
  gboolean is_held;             /* what it records, as it was told last */
  SondeRun *run;
  gboolean run_is_default; /* the user chose none */
  gboolean latest_is_chosen;
  SondeRun *filtered_run; /* (nullable): the chosen one while the filter hides it */
  SondeRunSubset *shown;  /* ticked, and matching the filter */
  GRegex *filter;         /* (nullable) */
  guint64 n_choices;      /* of what is shown, titles, colours */
  gint64 last;            /* step of the shown runs */
  SondeRun *last_run;     /* has it; not owned, only compared */
  guint64 last_structure; /* when all runs were asked for it */
  guint64 profiled;       /* structure when the runs were asked for profiles */
  guint64 colored;        /* structure of the store when its runs got their colours */
  SondeRunMarks *marks;
  guint save_source; /* writes them */
  SondeHistory *history;
  SondeWindowSettings *settings;
  SondeProfileSources *profiles;
  SondeProfileRecorder *recorder;
};

/* The files use one another in this order alone: state, marks, then runs and trash, then
 * sonde-workspace.c, which makes the type. */

/* sonde-workspace-state.c: signals */
void sonde_workspace_tell (SondeWorkspace *workspace);
void sonde_workspace_tell_choice (SondeWorkspace *workspace); /* the structure is another, too */
void sonde_workspace_show_run (SondeWorkspace *workspace, SondeRun *run);

/* sonde-workspace-marks.c: one mark of several runs, as one step of the history */
typedef struct _SondeMarkChange SondeMarkChange;

SondeMarkChange *sonde_mark_change_begin (SondeWorkspace *workspace, SondeRunMark mark);
/* Nothing where the run has that mark already. @value: (nullable) */
void sonde_mark_change_put (SondeMarkChange *change, SondeRun *run, const char *value);
/* Applies and takes it. @label: (transfer full) */
void sonde_mark_change_commit (SondeMarkChange *change, char *label);

void sonde_workspace_add_marks (SondeWorkspace *workspace);
void sonde_workspace_clear_marks (SondeWorkspace *workspace); /* saves them */
/* @anew: although the runs are those of the last time */
void sonde_workspace_color_runs (SondeWorkspace *workspace, gboolean anew);

/* sonde-workspace-runs.c: what follows the store */
void sonde_workspace_add_runs (SondeWorkspace *workspace);

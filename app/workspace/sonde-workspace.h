/* SPDX-License-Identifier: Apache-2.0
 * What a window has open and all its pages share: the run store, which runs are shown, the run that
 * one-run pages look at, the step cursor, model files. Pages watch it; none talks to another
 * page. */
#pragma once

#include "app/workspace/sonde-opened-model.h"
#include "app/workspace/sonde-profile-recorder.h"
#include "app/workspace/sonde-profile-sources.h"
#include "app/workspace/sonde-session-run.h"
#include "app/workspace/sonde-step-cursor.h"
#include "app/workspace/sonde-trace-document.h"
#include "app/workspace/sonde-history.h"
#include "data/browsing/sonde-run-marks.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_WORKSPACE (sonde_workspace_get_type ())
G_DECLARE_FINAL_TYPE (SondeWorkspace, sonde_workspace, SONDE, WORKSPACE, GObject)

/**
 * sonde_workspace_new:
 * @io: (nullable): of the store
 * @program: path of the running program, to spawn engine children
 * @paths: (array zero-terminated=1): run folders, record files, models, recipes; folders and .sonde
 *   files go to the store, the rest, folders of explanations and the models that stand in a folder
 *   itself to sonde_workspace_get_documents()
 * @index_folder: (nullable): see sonde_run_store_new()
 *
 * The store is made but not started; see sonde_workspace_start().
 */
SondeWorkspace *sonde_workspace_new (const SondeIo *io, const char *program,
                                     const char *const *paths, const char *index_folder);
void sonde_workspace_start (SondeWorkspace *workspace);

const char *sonde_workspace_get_program (SondeWorkspace *workspace);
SondeRunStore *sonde_workspace_get_store (SondeWorkspace *workspace);    /* (transfer none) */
SondeStepCursor *sonde_workspace_get_cursor (SondeWorkspace *workspace); /* (transfer none) */

/* What is no run: models (.onnx …), recipes (.recipe, .ini), captures, and what `sonde explain
 * --output` wrote. (array zero-terminated=1) */
const char *const *sonde_workspace_get_documents (SondeWorkspace *workspace);
/* The first model of them; its reading begins with sonde_workspace_start(), and "changed" says how it
 * ended. (transfer none) (nullable) */
SondeOpenedModel *sonde_workspace_get_model (SondeWorkspace *workspace);
/* A path that was opened and is not there (now). (nullable) */
const char *sonde_workspace_get_missing_path (SondeWorkspace *workspace);
/* A trace that was opened, absolute; the first of several. (nullable) */
const char *sonde_workspace_get_trace (SondeWorkspace *workspace);
/* The profile that the Profiler page shows: ready, else NULL. Property "profile", notified.
 * (transfer none) (nullable) */
SondeTraceDocument *sonde_workspace_get_profile (SondeWorkspace *workspace);
void sonde_workspace_set_profile (SondeWorkspace *workspace, SondeTraceDocument *document);
/* The session of the Debugger page, a SondeDebugSession, whether or not something is open in it. (transfer none)
 * (nullable) */
GObject *sonde_workspace_get_session (SondeWorkspace *workspace);
void sonde_workspace_set_session (SondeWorkspace *workspace, GObject *session);
/* What it records, and how it stands; "session-changed" tells of changes. (transfer none) (nullable): there
 * is no session */
SondeSessionRun *sonde_workspace_get_session_run (SondeWorkspace *workspace);
/* Is it being written, and not held at a stop by the Debugger page? */
gboolean sonde_workspace_is_running (SondeWorkspace *workspace, SondeRun *run);
/* How many of all runs are; costs nothing while no session holds one. */
guint sonde_workspace_count_running (SondeWorkspace *workspace);
/* What the Profiler page can show, and what of it is open. (transfer none) */
SondeProfileSources *sonde_workspace_get_profiles (SondeWorkspace *workspace);
/* Records profiles, of what the Debugger page debugs and of models, and opens them. (transfer none) */
SondeProfileRecorder *sonde_workspace_get_recorder (SondeWorkspace *workspace);
/* The first of them that `sonde explain --output` wrote. (nullable) */
const char *sonde_workspace_get_explained (SondeWorkspace *workspace);
const char *const *sonde_workspace_get_paths (SondeWorkspace *workspace); /* all that was opened */
/* Opens a folder of runs or a record file beside what is open, once; "changed" follows. */
void sonde_workspace_add_path (SondeWorkspace *workspace, const char *path);
/* Arguments of the `debug` command that opened the window. (nullable) */
const char *const *sonde_workspace_get_debug_arguments (SondeWorkspace *workspace);
void sonde_workspace_set_debug_arguments (SondeWorkspace *workspace, const char *const *arguments);

/* Model of SondeRun: those whose box is ticked in the sidebar, in the store's order. (transfer
 * none) */
GListModel *sonde_workspace_get_shown_runs (SondeWorkspace *workspace);
gboolean sonde_workspace_is_shown (SondeWorkspace *workspace, SondeRun *run);
void sonde_workspace_set_shown (SondeWorkspace *workspace, SondeRun *run, gboolean shown);
/* All of them at once, as one step of the history. @runs: (element-type SondeRun) */
void sonde_workspace_show_runs (SondeWorkspace *workspace, GPtrArray *runs, gboolean shown);
/* Those alone; NULL shows all. */
void sonde_workspace_show_only_runs (SondeWorkspace *workspace, GPtrArray *runs);
void sonde_workspace_show_only (SondeWorkspace *workspace,
                                SondeRun *run); /* (nullable): NULL shows all */
/* Of the runs that match the filter, those that were hidden. */
void sonde_workspace_invert_shown (SondeWorkspace *workspace);
/* What the filter lists is ticked, all else is not: it stays so when the filter goes. */
void sonde_workspace_show_only_matching (SondeWorkspace *workspace);
/* Regular expression over names, titles, tags and notes, any case; what does not match is neither listed nor
 * shown. NULL or "" is all. FALSE with @error when it is no expression: the old one stays. */
gboolean sonde_workspace_set_filter (SondeWorkspace *workspace, const char *pattern,
                                     GError **error);
gboolean sonde_workspace_matches_filter (SondeWorkspace *workspace, SondeRun *run);

/* The run that pages of one run show; that which began last when the window was opened, until the user
 * chooses. Property "run".
 * (transfer none) (nullable) */
SondeRun *sonde_workspace_get_run (SondeWorkspace *workspace);
void sonde_workspace_set_run (SondeWorkspace *workspace, SondeRun *run);

/* Selects @run unless the user has chosen one that is still there. FALSE when the user
 * chose. */
gboolean sonde_workspace_prefer_run (SondeWorkspace *workspace, SondeRun *run);
/* The first shown run with a record of one of @kinds: (array length=n_kinds). (transfer full)
 * (nullable) */
SondeRun *sonde_workspace_dup_run_with (SondeWorkspace *workspace, const SondeRecordKind *kinds,
                                        guint n_kinds);

/* The name a person gave the run, else its own; "." becomes the folder's name. (transfer none) */
const char *sonde_workspace_get_run_title (SondeWorkspace *workspace, SondeRun *run);
void sonde_workspace_set_run_title (SondeWorkspace *workspace, SondeRun *run,
                                    const char *title); /* (nullable): NULL is its own name */

/* What a person says of a run. (nullable) (transfer none): until the next change */
const char *sonde_workspace_get_run_mark (SondeWorkspace *workspace, SondeRun *run,
                                          SondeRunMark mark);
/**
 * sonde_workspace_mark_runs:
 * @runs: (element-type SondeRun)
 * @value: (nullable): NULL takes the mark away
 *
 * Says the same of all of them, as one step of the history, and saves it soon.
 */
void sonde_workspace_mark_runs (SondeWorkspace *workspace, GPtrArray *runs, SondeRunMark mark,
                                const char *value);
/**
 * sonde_workspace_trash_runs:
 * @runs: (element-type SondeRun)
 *
 * Moves their folders, with all that lies in them, to the desktop's trash; undone from the history they
 * come back. What cannot be moved is reported: what still is written, and folders that were opened
 * themselves or hold one that was.
 */
void sonde_workspace_trash_runs (SondeWorkspace *workspace, GPtrArray *runs);
/* What gives runs their colours, where nobody chose one: "run" (the order of appearance), "folder", or
 * "regex:EXPRESSION", by which those have one colour that match with the same groups, or the same text
 * without groups; what does not match is grey. FALSE with @error: it is no expression. */
gboolean sonde_workspace_set_color_rule (SondeWorkspace *workspace, const char *rule,
                                         GError **error);
const char *sonde_workspace_get_color_rule (SondeWorkspace *workspace);

/* What can be undone: marks of runs, and settings that were changed. (transfer none) */
SondeHistory *sonde_workspace_get_history (SondeWorkspace *workspace);

/* Signals: "changed" (): runs, tags, points or titles are new (the store's, at most every 50 ms);
 * "setting-changed" (char *group, char *key): by sonde_workspace_change_setting() or its undoing;
 * "problem" (char *sentence): show it as a toast; "notice" (char *sentence, char *button, char *action):
 * the same with a button, @action detailed as "win.page::runs"; "session-changed" (). */
void sonde_workspace_report (SondeWorkspace *workspace, const char *sentence);
/* The newest step of the history did it: a "notice" with a button that undoes it. */
void sonde_workspace_report_done (SondeWorkspace *workspace, const char *sentence);

/* Grows with what stands in lists and charts: runs, their tags, which are shown, titles; not with
 * points. Who draws from it compares it with that of the last time. */
guint64 sonde_workspace_get_structure (SondeWorkspace *workspace);

/* What the window remembers, one GKeyFile below XDG_CONFIG_HOME/sonde/window.ini. Never NULL. */
const char *sonde_workspace_get_setting (SondeWorkspace *workspace, const char *group,
                                         const char *key); /* (nullable), until the next set */
void sonde_workspace_set_setting (SondeWorkspace *workspace, const char *group, const char *key,
                                  const char *value);
/* The same as a step of the history named @label, with "setting-changed" now and when it is undone. */
void sonde_workspace_change_setting (SondeWorkspace *workspace, const char *group, const char *key,
                                     const char *value, const char *label);
/* Writes them if changed. Errors: SONDE_DATA_ERROR_*. */
gboolean sonde_workspace_save_settings (SondeWorkspace *workspace, GError **error);

/* Texts are others though the runs are not: all widgets that watch the workspace look again. */
void sonde_workspace_show_again (SondeWorkspace *workspace);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * What somebody did to a debugged run: the log of edits, and the branches that came of it. A branch
 * is an execution of its own: it stands where it was left, with all that it computed. */
#pragma once

#include "engine/debug/changes/sonde-change-node.h"
#include "engine/debug/changes/sonde-edit.h"

G_BEGIN_DECLS

typedef struct _SondeChanges SondeChanges;

/* Most branches of one session. */
#define SONDE_MAX_BRANCHES 64

/**
 * SondeChangesAdopt: the program runs @execution, whose graph came of @original, from here on. Its
 * observers have been moved already. Neither is owned; both live until another is adopted.
 */
typedef void (*SondeChangesAdopt) (SondeExecution *execution, SondeGraph *original, gpointer data);

/**
 * sonde_changes_new:
 * @debugger: lent, attached; outlives it
 * @original: (nullable): of the first branch
 * @adopt: (nullable): NULL: what runs cannot be replaced (a training): nodes are not changed, and
 *   branches can be compared with, but not gone back to
 */
SondeChanges *sonde_changes_new (SondeDebugger *debugger, SondeGraph *original,
                                 SondeChangesAdopt adopt, gpointer data);
/**
 * SondeChangesRebuild: a training makes a new graph of @model, the original with nodes changed, and
 * stands before the first step of the training step it was in. Returns: (transfer none): what runs
 * from there on; what ran before lives on. Errors, with nothing changed.
 */
typedef SondeExecution *(*SondeChangesRebuild) (SondeGraph *model, gpointer data, GError **error);
/* Lets nodes be changed where nothing can be adopted. */
void sonde_changes_set_rebuild (SondeChanges *changes, SondeChangesRebuild rebuild);
/* A training that went back may have the model that it had then: what runs is that model's latest
 * branch from here on.
 * @original: of what runs. Returns: it was another one. */
gboolean sonde_changes_follow (SondeChanges *changes, SondeGraph *original);
/* The first execution is adopted again. */
void sonde_changes_free (SondeChanges *changes);

SondeDebugger *sonde_changes_get_debugger (SondeChanges *changes); /* (transfer none) */

/* Gives @edit its number and branch and keeps a copy. @text: the command. */
void sonde_changes_log (SondeChanges *changes, SondeEdit *edit, const char *text);
/* (element-type SondeEdit) (transfer none) */
GPtrArray *sonde_changes_get_edits (SondeChanges *changes);

/* ---- branches ------------------------------------------------------------ */

/* By number, as they stand now. (element-type SondeBranch) (transfer none) */
GPtrArray *sonde_changes_get_branches (SondeChanges *changes);
/* Number of the branch that runs. */
guint sonde_changes_get_current (SondeChanges *changes);

/**
 * sonde_changes_branch:
 * @name: (nullable): of the state as it is now, which stays in the present branch; what runs goes
 * on in a new one
 * Errors: MEMORY; INVALID for a name that is taken or a number.
 */
gboolean sonde_changes_branch (SondeChanges *changes, const char *name, GError **error);
/* Goes back to a branch as it was left; the present one stays as it is now. Errors: NOT_FOUND,
 * UNSUPPORTED. */
gboolean sonde_changes_switch (SondeChanges *changes, const char *name, GError **error);

/**
 * sonde_changes_change_node:
 * @note: (out) (transfer full): what became of the position and of sizes, a sentence
 *
 * The model is changed and planned anew, in a new branch, and stands where the run stood, or, where
 * the changed node has run, before that; what was computed up to there, edits included, is there.
 * Returns: (transfer full): a change of kind "attr" or "bypass", not logged. Errors, with nothing
 * changed: of sonde_node_change_apply() and of planning; SHAPE for a bypass of other types, naming
 * both and nodes that can be bypassed; UNSUPPORTED in a training that cannot be rebuilt, NOT_FOUND
 * in one for nodes of gradients and updates.
 */
SondeEdit *sonde_changes_change_node (SondeChanges *changes, const SondeNodeChange *change,
                                      SondeMessage **note, GError **error);

G_END_DECLS

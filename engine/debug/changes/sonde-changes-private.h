/* SPDX-License-Identifier: Apache-2.0
 * Inside of the changes of a run; shared by the files of branches and changed nodes. */
#pragma once

#include "engine/debug/changes/sonde-changes.h"

G_BEGIN_DECLS

/**
 * SondeBranchEntry:
 * @execution: where it stands
 * @original: (nullable): the graph as the user wrote it, with the changes of nodes of this branch
 * @owned: its execution is freed with it; that of the program is not
 * @late: (element-type SondeNodeChange): changes of nodes that only the executed graph has
 */
typedef struct
{
  SondeBranch info; /* first member */
  SondeExecution *execution;
  SondeGraph *original;
  gboolean owned;
  GPtrArray *late;
} SondeBranchEntry;

/* @first: the program's own execution */
struct _SondeChanges
{
  SondeDebugger *debugger;
  SondeChangesAdopt adopt;
  SondeChangesRebuild rebuild; /* (nullable) */
  gpointer data;
  GPtrArray *edits;    /* (element-type SondeEdit) */
  GPtrArray *branches; /* (element-type SondeBranchEntry) */
  SondeBranchEntry *current;
  SondeExecution *first;
};

/* By number or name. Errors: NOT_FOUND naming those there are. */
SondeBranchEntry *sonde_changes_find (SondeChanges *changes, const char *name, GError **error);
/* The branch that runs. */
SondeBranchEntry *sonde_changes_get_entry (SondeChanges *changes);
/* A new entry, child of the present one. Takes @execution. Errors: MEMORY when there are too
 * many. */
SondeBranchEntry *sonde_changes_add_branch (SondeChanges *changes, const char *text,
                                            SondeExecution *execution, SondeGraph *original,
                                            GError **error);
/* The same of one that is not freed with the entry. */
SondeBranchEntry *sonde_changes_add_lent_branch (SondeChanges *changes, const char *text,
                                                 SondeExecution *execution, SondeGraph *original);
/* What runs is @entry from here on. */
void sonde_changes_enter (SondeChanges *changes, SondeBranchEntry *entry);

G_END_DECLS

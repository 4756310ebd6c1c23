/* SPDX-License-Identifier: Apache-2.0
 * What somebody did to a debugged run: the log of edits, and the branches that came of it. */
#pragma once

#include "engine/debug/sonde-edit.h"

G_BEGIN_DECLS

typedef struct _SondeChanges SondeChanges;

/* @debugger: lent, attached; outlives it */
SondeChanges *sonde_changes_new (SondeDebugger *debugger);
void sonde_changes_free (SondeChanges *changes);

/* Gives @edit its number and branch and keeps a copy. @text: the command. */
void sonde_changes_log (SondeChanges *changes,
                        SondeEdit    *edit,
                        const char   *text);
/* (element-type SondeEdit) (transfer none) */
GPtrArray *sonde_changes_get_edits (SondeChanges *changes);

G_END_DECLS

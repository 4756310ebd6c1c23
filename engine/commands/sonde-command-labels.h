/* SPDX-License-Identifier: Apache-2.0
 * Words and lists of results in the user's language. JSON has the English names of the same things
 * (sonde_moment_name(), sonde_phase_name() …), which are words of the contract. */
#pragma once

#include "engine/session/sonde-session-status.h"

G_BEGIN_DECLS

/* (transfer none) */
const char *sonde_command_label_state (SondeSessionState state);    /* "paused" */
const char *sonde_command_label_result (SondeSessionResult result); /* "done" */
const char *sonde_command_label_reason (SondeStopReason reason);    /* "watchpoint" */
const char *sonde_command_label_phase (SondePhase phase);           /* "forward" */
const char *sonde_command_label_role (SondeValueRole role);         /* "parameter" */

/* "before conv1", "after conv1"; @op: (nullable): "before conv1 (Conv)". (transfer full) */
char *sonde_command_format_place (SondeMoment moment, const char *node, const char *op);

/* Independent statements about one thing, shown one after the other: "before conv1, 2 locations,
 * 1 hit". (element-type utf8) */
GPtrArray *sonde_clauses_new (void);
/* @format: in the user's language, without separators */
void sonde_clauses_add (GPtrArray *clauses, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* (transfer full) */
char *sonde_clauses_join (const GPtrArray *clauses);
/* Names of nodes: "a, b, c", "a, b and 3 more nodes". @names: (array zero-terminated=1); @most: how
 * many are named. (transfer full) */
char *sonde_command_join_nodes (char *const *names, guint most);

/* Appends @text and blanks up to @width columns of a terminal. */
void sonde_command_append_cell (GString *line, const char *text, guint width);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * What the commands on runs share: opening a store on an operand with progress, and saying what of
 * it could not be read. */
#pragma once

#include "app/cli/sonde-cli.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

/* A settled store on @path: a run folder, a folder of runs or a record file. NULL with @error. */
SondeRunStore *sonde_cli_open_runs (const char *path, GError **error);
/* (transfer none) */
SondeRun *sonde_cli_get_run (SondeRunStore *store, guint index);
guint sonde_cli_count_runs (SondeRunStore *store);
/* Files by path. Returns: (transfer container) (element-type SondeRunFile) */
GPtrArray *sonde_cli_list_files (SondeRun *run);

/* Lines on stderr: the store's problems, each damaged stretch, records the writer lost. */
void sonde_cli_report_damage (const SondeCliCommand *command, const char *path,
                              SondeRunStore *store);

/**
 * sonde_cli_read_something:
 * Returns: FALSE when there is no run, or nothing of any run could be read though there is damage
 *   or a problem; @error says so then
 */
gboolean sonde_cli_read_something (const char *path, SondeRunStore *store, GError **error);

/* Is @path something for the run store: a folder, or named like a record file. */
gboolean sonde_cli_may_hold_runs (const char *path);

G_END_DECLS

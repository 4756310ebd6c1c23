/* SPDX-License-Identifier: Apache-2.0
 * Where a run comes from: computer, command, folder and commit, as a lineage record of the part
 * "environment". No program is run for it: Git's files are read. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"

G_BEGIN_DECLS

#define SONDE_RUN_ORIGIN_PART "environment"

/**
 * sonde_run_origin_dup_commit:
 * @folder: in a working tree of Git, or anywhere else
 *
 * Returns: (transfer full) (nullable): the commit that is checked out, 40 or 64 hexadecimal digits; NULL
 * outside of a working tree, before its first commit, and where Git's files cannot be read or make no sense
 */
char *sonde_run_origin_dup_commit (const char *folder);

/* The command line of this process, its arguments quoted as a shell wants them, at most 4,096 bytes and then
 * ended by "…". (transfer full) (nullable): it cannot be read */
char *sonde_run_origin_dup_command (void);

/**
 * sonde_run_origin_record:
 * @folder: (nullable): whose commit is looked for; NULL: the working folder
 * @items: what the caller knows besides: "device", "total_steps", "steps_per_epoch"; copied
 *
 * Records host, command, folder and git_commit as far as they are known, then @items.
 */
void sonde_run_origin_record (SondeSummaryWriter *writer, const char *folder,
                              const SondeHparam *items, gsize n);

G_END_DECLS

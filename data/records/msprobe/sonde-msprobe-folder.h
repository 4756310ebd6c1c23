/* SPDX-License-Identifier: Apache-2.0
 * Where msprobe dumped to: DIR/stepN/rankR, or procPID where nothing was distributed; MindSpore may
 * put pynative between. */
#pragma once

#include "data/records/msprobe/sonde-msprobe-dump.h"

G_BEGIN_DECLS

/**
 * SondeMsprobePlace: a folder of one rank in one step
 * @step: of stepN; 0 of a folder that lies in none
 * @rank: "rank3", "proc1234"; as its folder is called
 */
typedef struct
{
  gint64 step;
  char *rank, *path;
} SondeMsprobePlace;

/**
 * sonde_msprobe_find:
 * @path: the dump's folder, or one in it down to that of a rank
 *
 * By step, then rank. Returns: (transfer full) (element-type SondeMsprobePlace): empty where
 * msprobe dumped nothing into @path.
 */
GArray *sonde_msprobe_find (const SondeIo *io, const char *path);

/* Names of the ranks of @places, each once, in their order. (array zero-terminated=1) (transfer
 * full) */
char **sonde_msprobe_list_ranks (const GArray *places);

/* Those of one rank. @rank: "rank3", "3", "proc1234"; NULL: the first there is. Errors: NOT_FOUND,
 * naming those there are. (transfer full) */
GArray *sonde_msprobe_choose_rank (const GArray *places, const char *rank, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * What an opened folder of a dump knows. */
#pragma once

#include "data/records/mindspore/sonde-dump-folder.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 number;
  char *path;
} SondeDumpIteration;

/* "rank_N/NET/GRAPH" */
typedef struct
{
  char *path, *name, *net;
  gint64 rank, graph;
} SondeDumpPlace;

struct _SondeDumpFolder
{
  const SondeIo *io;
  SondeDumpPlace place;
  char **others;
  GArray *iterations; /* of SondeDumpIteration */
};

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * What the worker tells the owner's thread of blocks. */
#pragma once

#include "data/runs/sonde-run-block-private.h"

G_BEGIN_DECLS

/**
 * SondeRunBlockUpdate: what the owner's thread is told, in this order
 * @order: a reference to the path of the file
 * @tag: interned; NULL: all points of the file are gone
 */
typedef struct
{
  guint file;
  GRefString *order;
  const char *tag;
  SondeRecordKind kind;
  SondeRunBlock *block;
} SondeRunBlockUpdate;

void sonde_run_block_update_clear (SondeRunBlockUpdate *update);

/* @updates: (inout) (nullable) (element-type SondeRunBlockUpdate): made when there is none. Takes what
 * @update holds. */
void sonde_run_updates_add (GArray **updates, SondeRunBlockUpdate update);

G_END_DECLS

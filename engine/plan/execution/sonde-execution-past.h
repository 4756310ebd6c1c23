/* SPDX-License-Identifier: Apache-2.0
 * What it takes to go back in a run: what was set by hand, and checkpoints. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/**
 * SondeExecutionEdit: something that was set by hand, before the step at @position
 * @before: (nullable): it had no content
 */
typedef struct
{
  guint position;
  SondeGraphValue *value;
  SondeTensor *before, *after;
} SondeExecutionEdit;

/* The content of one slot. */
typedef struct
{
  guint slot;
  void *bytes;
} SondeSlotContent;

/**
 * SondeCheckpoint: all that the steps from @position on read of those before it
 * @contents: (element-type SondeSlotContent)
 * @boxes: by slot
 */
typedef struct
{
  guint position;
  GArray *contents;
  SondeValue **boxes;
  guint n_boxes;
  gsize bytes;
} SondeCheckpoint;

/**
 * SondePast:
 * @edits: (element-type SondeExecutionEdit): in the order they were made
 * @checkpoints: (element-type SondeCheckpoint): by position
 */
struct _SondePast
{
  GPtrArray *edits;
  GPtrArray *checkpoints;
};

/* The content of @slot is about to be written by hand, to @tensor. */
gboolean sonde_execution_note_edit (SondeExecution *execution, SondeGraphValue *value, guint slot,
                                    SondeTensor *tensor, GError **error);
/* Another run begins, or the execution ends. */
void sonde_execution_forget_past (SondeExecution *execution);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * Edits, differences and branches in messages. */
#pragma once

#include "engine/session/codec/sonde-codec-tensor.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_CHANGES(X)                                                          \
  X (SET, set, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                             \
  X (CHANGE_NODE, change_node, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL | SONDE_GIVES_STATUS)        \
  X (RERUN, rerun, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                         \
  X (BRANCH, branch, SONDE_NEEDS_OPEN | SONDE_GIVES_STATUS)                                        \
  X (DIFF, diff, SONDE_NEEDS_OPEN)

/* Strings are lent by @message. */
void sonde_codec_read_rerun (const Sonde__Session__Rerun *message, SondeRerunOptions *options);

/* Each adds its part to a reply of changes. */
void sonde_codec_write_edits (SondeSessionAnswer *answer, const GPtrArray *edits);
/* @of_branches: they are those of two branches */
void sonde_codec_write_differences (SondeSessionAnswer *answer, const GPtrArray *differences,
                                    gboolean of_branches);
void sonde_codec_write_note (SondeSessionAnswer *answer, const SondeMessage *note);

/* A reply of @branches (element-type SondeBranch) */
void sonde_codec_write_branches (SondeSessionAnswer *answer, const GPtrArray *branches);

G_END_DECLS

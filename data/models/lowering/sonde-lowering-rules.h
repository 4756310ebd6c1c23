/* SPDX-License-Identifier: Apache-2.0
 * The rules of sonde_lowering_infer(): from the types of a node's inputs to that of an output. Each is
 * given a tensor whose type is not known, and says of it what it can. */
#pragma once

#include "data/models/lowering/sonde-lowering-numbers.h"

G_BEGIN_DECLS

/* ---- for rules ----------------------------------------------------------- */

/* The type of input @k; not known where it is absent. */
SondeType sonde_rule_type_of (const SondeNode *node, guint k);
/* Dimensions of any size; more than there can be: nothing is known. */
void sonde_rule_set_rank (SondeType *type, int rank);
/* Of dimension @axis, counted from the end when negative; one that is none is left out. */
void sonde_rule_set_size (SondeType *type, gint64 axis, gint64 size);
/* Of dimension @i; −1 when not known. */
gint64 sonde_rule_size_of (const SondeType *type, int i);
gint64 sonde_rule_count_elements (const SondeType *type); /* −1 when not known */
/* The axes that input @k says. FALSE: not known */
gboolean sonde_rule_find_axes (SondeLowering *l, const SondeNode *node, guint k, int rank,
                               gboolean *is_axis);

/* @type becomes what it and @other are broadcast to. */
void sonde_rule_broadcast (SondeType *type, const SondeType *other);

/* ---- rules --------------------------------------------------------------- */

void sonde_rule_shape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_size (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_reshape (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_expand (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_filled (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_tile (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_squeeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_unsqueeze (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_slice (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_concat (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_split (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_gather (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_gather_nd (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_second_shape (SondeLowering *l, const SondeNode *node, guint output,
                              SondeType *type);
void sonde_rule_pad (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_transpose (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_reduce (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_arg (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_top_k (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_indices (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_boxes (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_unique (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_range (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_matmul (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_gemm (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_window (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_transposed_window (SondeLowering *l, const SondeNode *node, guint output,
                                   SondeType *type);
void sonde_rule_resize (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);
void sonde_rule_blocks (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * Shared by the operators on sequences, optionals and maps. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* A sequence of tensors of @dtype (INVALID: unknown). */
SondeType sonde_sequence_type (SondeDtype dtype);

/* What a kernel of values may put into its result: the bytes of an input tensor are only borrowed for
 * the call, those of other values are shared for good. Returns: (transfer full) */
SondeValue *sonde_sequence_keep (SondeValue *value);

/* Elements @start to before @start + @size of @axis as a tensor of their own; @drop: without that
 * dimension. */
SondeValue *sonde_sequence_cut (SondeTensor *x, int axis, gint64 start, gint64 size, gboolean drop);

G_END_DECLS

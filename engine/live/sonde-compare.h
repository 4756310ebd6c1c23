/* SPDX-License-Identifier: Apache-2.0
 * How far two tensors are apart, element by element, in double: the one place that says so, for two
 * values, two runs, two devices. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "engine/types/sonde-change-results.h"

G_BEGIN_DECLS

/**
 * sonde_compare_tensors:
 * @a, @reference: any numeric types, any strides; 64-bit integers of one type are told apart
 * exactly
 *
 * Errors: SONDE_ENGINE_ERROR_SHAPE, naming both shapes; UNSUPPORTED for strings.
 */
gboolean sonde_compare_tensors (SondeTensor *a, SondeTensor *reference, SondeComparison *comparison,
                                GError **error);

/* Row-major @index as text in brackets, "[0, 2, 1]"; "[]" for a scalar. Returns: (transfer full) */
char *sonde_compare_format_index (const SondeShape *shape, gint64 index);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * What those who infer and run subgraphs share with the rows of If, Loop and Scan. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* What holds of both; unknown where they differ. */
SondeType sonde_control_unify (const SondeType *a, const SondeType *b);

/* The first element of a condition; FALSE when there is none. */
gboolean sonde_control_is_true (const SondeTensor *tensor);

G_END_DECLS

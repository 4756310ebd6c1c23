/* SPDX-License-Identifier: Apache-2.0
 * Numbers of operands that explain why a result is NaN or infinite; rows of engine/ops name theirs
 * as @causes. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

extern const SondeOpCause sonde_causes_acos[], sonde_causes_acosh[], sonde_causes_asin[],
    sonde_causes_atanh[], sonde_causes_batch_normalisation[], sonde_causes_divide[],
    sonde_causes_logarithm[], sonde_causes_power[], sonde_causes_reciprocal[],
    sonde_causes_remainder[], sonde_causes_square_root[];

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * The error domain of engine/. */
#include "engine/ops/sonde-engine-error.h"

G_DEFINE_QUARK (sonde - engine - error - quark, sonde_engine_error)

/* SPDX-License-Identifier: Apache-2.0
 * Tables of cases that are about gradients. */
#pragma once

#include "tests/engine/ops/op-case.h"

G_BEGIN_DECLS

/* The gradient of the gradient is compared too. */
extern const OpCase op_cases_gradient_smooth[];

G_END_DECLS

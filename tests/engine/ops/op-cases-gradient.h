/* SPDX-License-Identifier: Apache-2.0
 * Tables of cases that are about gradients. */
#pragma once

#include "tests/engine/ops/op-case.h"

G_BEGIN_DECLS

extern const OpCase op_cases_gradient_recurrent[];
extern const OpCase op_cases_gradient_sampling[];

/* Smooth ones: the gradient of the gradient is compared too. */
extern const OpCase op_cases_gradient_image[];
extern const OpCase op_cases_gradient_norm[];
extern const OpCase op_cases_gradient_sequence[];
extern const OpCase op_cases_gradient_sized[];
extern const OpCase op_cases_gradient_window[];

G_END_DECLS

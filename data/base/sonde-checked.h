/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on sizes that come from input: every product and sum is checked before it is used. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Each returns FALSE on overflow and leaves *result undefined. */
#define sonde_checked_add(result, a, b) (!__builtin_add_overflow ((a), (b), (result)))
#define sonde_checked_sub(result, a, b) (!__builtin_sub_overflow ((a), (b), (result)))
#define sonde_checked_mul(result, a, b) (!__builtin_mul_overflow ((a), (b), (result)))

G_END_DECLS

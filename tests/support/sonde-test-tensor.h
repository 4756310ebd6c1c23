/* SPDX-License-Identifier: Apache-2.0
 * Tensors in tests: written as text, drawn from fixed seeds, compared with a message that helps. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * sonde_test_tensor:
 * @text: "2x3: 1 2 3 4 5 6"; "3" or "3:" with fewer numbers repeats the last one, "scalar: 1" has
 *   rank 0, "0x2:" is empty; nan, inf, -inf are numbers; of strings, words between spaces
 * Returns: (transfer full); ends the test on a mistake in @text
 */
SondeTensor *sonde_test_tensor (SondeDtype dtype, const char *text);

/* Uniform in [@low, @high), the same on every machine. Integers are rounded down. */
SondeTensor *sonde_test_tensor_random (SondeDtype dtype, const SondeShape *shape, guint64 seed,
                                       double low, double high);

/**
 * sonde_test_tensor_compare:
 *
 * Same dtype and shape, and |got − want| ≤ atol + rtol·|want| everywhere; NaN equals NaN,
 * infinities are equal to themselves; strings and integers exactly (with tolerances 0).
 * Returns: (transfer full) (nullable): NULL when equal, else a sentence with the number of
 * differing elements, the worst one's index, both values
 */
char *sonde_test_tensor_compare (SondeTensor *got, SondeTensor *want, double rtol, double atol);

/* Fails the running test, naming @what. */
#define sonde_test_assert_close(got, want, rtol, atol, what)                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *difference_ = sonde_test_tensor_compare (got, want, rtol, atol);              \
    if (difference_ != NULL)                                                                       \
      {                                                                                            \
        g_test_message ("%s: %s", what, difference_);                                              \
        g_test_fail ();                                                                            \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

/* Path of a file in the shared reference folder, or NULL after g_test_skip() when that is absent.
 * Returns: (transfer full) (nullable) */
char *sonde_test_shared_path (const char *relative);

G_END_DECLS

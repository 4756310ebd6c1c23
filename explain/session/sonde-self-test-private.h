/* SPDX-License-Identifier: Apache-2.0
 * Inside of the self-test. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/* @sentence: (transfer full); @expected, @got: (array length=n); good when no difference is above
 * @tolerance. (transfer full) */
SondeSelfTestCheck *sonde_self_test_check_new (const char *name, SondeMessage *sentence,
                                               const double *expected, const double *got, gsize n,
                                               double tolerance);
SondeSelfTestCheck *sonde_self_test_check_new_failed (const char *name, SondeMessage *sentence,
                                                      const GError *error);

/* Appends the cases of metrics, calibration, label errors and boxes. */
void sonde_self_test_add_metrics (GPtrArray *checks);

G_END_DECLS

/* SPDX-License-Identifier: Apache-2.0
 * One case of the self-test: expected and computed numbers as text. */
#include <math.h>

#include "explain/session/sonde-self-test-private.h"

static char *
numbers_to_text (const double *numbers, gsize n)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%.6g", i > 0 ? "  " : "", numbers[i]);
  return g_string_free (text, FALSE);
}

SondeSelfTestCheck *
sonde_self_test_check_new (const char *name, const char *sentence, const double *expected,
                           const double *got, gsize n, double tolerance)
{
  SondeSelfTestCheck *check = g_new0 (SondeSelfTestCheck, 1);

  check->name = g_strdup (name);
  check->sentence = g_strdup (sentence);
  check->expected = numbers_to_text (expected, n);
  check->got = numbers_to_text (got, n);
  for (gsize i = 0; i < n; i++)
    check->error = isnan (got[i]) ? INFINITY : fmax (check->error, fabs (got[i] - expected[i]));
  check->good = check->error <= tolerance;
  return check;
}

/* What could not be computed at all. */
SondeSelfTestCheck *
sonde_self_test_check_new_failed (const char *name, const char *sentence, const GError *error)
{
  SondeSelfTestCheck *check = g_new0 (SondeSelfTestCheck, 1);

  check->name = g_strdup (name);
  check->sentence = g_strdup (sentence);
  check->expected = g_strdup ("a result");
  check->got = g_strdup (error != NULL ? error->message : "nothing");
  check->error = INFINITY;
  return check;
}

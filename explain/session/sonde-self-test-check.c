/* SPDX-License-Identifier: Apache-2.0
 * One case of the self-test: expected and computed numbers as text. */
#include "explain/session/sonde-self-test-private.h"

#include <math.h>

#include "data/base/sonde-error.h"

static SondeMessage *
numbers_to_message (const double *numbers, gsize n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%.6g", i > 0 ? "  " : "", numbers[i]);
  return sonde_message_new_text (text->str);
}

SondeSelfTestCheck *
sonde_self_test_check_new (const char *name, SondeMessage *sentence, const double *expected,
                           const double *got, gsize n, double tolerance)
{
  SondeSelfTestCheck *check = g_new0 (SondeSelfTestCheck, 1);

  check->name = g_strdup (name);
  check->sentence = sentence;
  check->expected = numbers_to_message (expected, n);
  check->got = numbers_to_message (got, n);
  for (gsize i = 0; i < n; i++)
    check->error = isnan (got[i]) ? INFINITY : fmax (check->error, fabs (got[i] - expected[i]));
  check->good = check->error <= tolerance;
  return check;
}

/* What could not be computed at all. */
SondeSelfTestCheck *
sonde_self_test_check_new_failed (const char *name, SondeMessage *sentence, const GError *error)
{
  SondeSelfTestCheck *check = g_new0 (SondeSelfTestCheck, 1);

  check->name = g_strdup (name);
  check->sentence = sentence;
  check->expected = sonde_message_new ("a result");
  check->got = error != NULL ? sonde_error_dup_message (error) : sonde_message_new ("nothing");
  check->error = INFINITY;
  return check;
}

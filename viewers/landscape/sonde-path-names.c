/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/landscape/sonde-path-names.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

static char *
name_point (double step, const char *unit)
{
  g_autofree char *count = sonde_format_count ((gint64) CLAMP (step, -1e15, 1e15));

  if (g_strcmp0 (unit, "step") == 0)
    return g_strdup_printf (C_ ("a point of a path", "step %s"), count);
  if (g_strcmp0 (unit, "epoch") == 0)
    return g_strdup_printf (C_ ("a point of a path", "epoch %s"), count);
  return g_steal_pointer (&count);
}

char **
sonde_path_names_new (const double *steps, gsize n, const char *unit)
{
  char **names;

  if (steps == NULL)
    return NULL;
  names = g_new0 (char *, n + 1);
  for (gsize i = 0; i < n; i++)
    names[i] = name_point (steps[i], unit);
  return names;
}

char *
sonde_path_name_end (const char *name, const char *loss)
{
  const char *known = name != NULL ? name : _ ("end");

  return loss != NULL ? g_strdup_printf (_ ("%s: loss %s"), known, loss) : g_strdup (known);
}

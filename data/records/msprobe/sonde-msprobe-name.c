/* SPDX-License-Identifier: Apache-2.0
 * Names are taken apart from the right: a module's path may end in numbers, and have any words. */
#include "data/records/msprobe/sonde-msprobe-name.h"

#include <string.h>

static const char *const directions[] = { "forward", "backward", "parameters_grad" };

static gboolean
is_number (const char *text, guint64 *number)
{
  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, number, NULL);
}

static gboolean
is_direction (const char *text, SondeMsprobeDirection *direction)
{
  for (guint i = 0; i < G_N_ELEMENTS (directions); i++)
    if (g_str_equal (text, directions[i]))
      {
        *direction = (SondeMsprobeDirection) i;
        return TRUE;
      }
  return FALSE;
}

/* Parts @from to before @to with the dots between them. */
static char *
join (char **parts, guint from, guint to)
{
  GString *text = g_string_new (NULL);

  for (guint i = from; i < to; i++)
    g_string_append_printf (text, "%s%s", i > from ? "." : "", parts[i]);
  return g_string_free (text, FALSE);
}

/* "Module.PATH.CLASS.forward.K" */
static gboolean
parse_module (char **parts, guint n, SondeMsprobeName *name)
{
  if (n < 5 || !(g_str_equal (parts[0], "Module") || g_str_equal (parts[0], "Cell"))
      || !is_direction (parts[n - 2], &name->direction) || !is_number (parts[n - 1], &name->call))
    return FALSE;
  name->kind = SONDE_MSPROBE_MODULE;
  name->path = join (parts, 1, n - 3);
  name->op = g_strdup (parts[n - 3]);
  return TRUE;
}

/* "Functional.NAME.K.forward" */
static gboolean
parse_function (char **parts, guint n, SondeMsprobeName *name)
{
  if (n < 4 || !is_direction (parts[n - 1], &name->direction)
      || name->direction == SONDE_MSPROBE_PARAMETERS_GRAD || !is_number (parts[n - 2], &name->call))
    return FALSE;
  name->kind = SONDE_MSPROBE_FUNCTION;
  name->op = join (parts, 1, n - 2);
  return TRUE;
}

/* "NAME.K.debug"; of gradients "NAME_grad.K.debug" */
static gboolean
parse_saved (char **parts, guint n, SondeMsprobeName *name)
{
  if (n < 3 || !g_str_equal (parts[n - 1], "debug") || !is_number (parts[n - 2], &name->call))
    return FALSE;
  name->kind = SONDE_MSPROBE_SAVED;
  name->op = join (parts, 0, n - 2);
  name->direction
      = g_str_has_suffix (name->op, "_grad") ? SONDE_MSPROBE_BACKWARD : SONDE_MSPROBE_FORWARD;
  return TRUE;
}

void
sonde_msprobe_name_parse (const char *entry, SondeMsprobeName *name)
{
  g_auto (GStrv) parts = g_strsplit (entry, ".", -1);
  guint n = g_strv_length (parts);

  memset (name, 0, sizeof *name);
  if (parse_module (parts, n, name) || parse_function (parts, n, name)
      || parse_saved (parts, n, name))
    return;
  *name = (SondeMsprobeName){ .kind = SONDE_MSPROBE_OTHER, .op = g_strdup (entry) };
}

void
sonde_msprobe_name_clear (SondeMsprobeName *name)
{
  g_clear_pointer (&name->path, g_free);
  g_clear_pointer (&name->op, g_free);
}

char *
sonde_msprobe_name_dup_forward (const char *entry)
{
  g_auto (GStrv) parts = g_strsplit (entry, ".", -1);
  guint n = g_strv_length (parts), place;
  g_auto (SondeMsprobeName) name = { 0 };

  sonde_msprobe_name_parse (entry, &name);
  if (name.direction == SONDE_MSPROBE_FORWARD
      || (name.kind != SONDE_MSPROBE_MODULE && name.kind != SONDE_MSPROBE_FUNCTION))
    return NULL;
  place = name.kind == SONDE_MSPROBE_MODULE ? n - 2 : n - 1;
  g_free (parts[place]);
  parts[place] = g_strdup (directions[SONDE_MSPROBE_FORWARD]);
  return g_strjoinv (".", parts);
}

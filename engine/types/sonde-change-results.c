/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-change-results.h"

const char *
sonde_edit_kind (const char *kind)
{
  static const char *const kinds[] = { "set", "take", "attr", "bypass" };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kind, kinds[i]) == 0)
      return kinds[i];
  return kinds[0];
}

SondeEdit *
sonde_edit_copy (const SondeEdit *edit)
{
  SondeEdit *copy = g_memdup2 (edit, sizeof *edit);

  copy->text = g_strdup (edit->text);
  copy->node = g_strdup (edit->node);
  copy->value = g_strdup (edit->value);
  copy->slice = g_strdup (edit->slice);
  copy->readers = g_strdupv (edit->readers);
  copy->stale = g_strdupv (edit->stale);
  copy->warning = sonde_message_copy (edit->warning);
  return copy;
}

void
sonde_edit_free (SondeEdit *edit)
{
  if (edit == NULL)
    return;
  g_free (edit->text);
  g_free (edit->node);
  g_free (edit->value);
  g_free (edit->slice);
  g_strfreev (edit->readers);
  g_strfreev (edit->stale);
  sonde_message_free (edit->warning);
  g_free (edit);
}

void
sonde_difference_free (SondeDifference *difference)
{
  if (difference == NULL)
    return;
  g_free (difference->value);
  g_free (difference->node);
  g_free (difference->op);
  g_free (difference->place);
  sonde_message_free (difference->problem);
  g_free (difference);
}

void
sonde_branch_clear (SondeBranch *branch)
{
  g_clear_pointer (&branch->name, g_free);
  g_clear_pointer (&branch->text, g_free);
  g_clear_pointer (&branch->node, g_free);
}

void
sonde_branch_free (SondeBranch *branch)
{
  if (branch == NULL)
    return;
  sonde_branch_clear (branch);
  g_free (branch);
}

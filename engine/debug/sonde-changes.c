/* SPDX-License-Identifier: Apache-2.0
 * The log of edits. */
#include "engine/debug/sonde-changes.h"

struct _SondeChanges
{
  SondeDebugger *debugger;
  GPtrArray *edits; /* (element-type SondeEdit) */
};

SondeChanges *
sonde_changes_new (SondeDebugger *debugger)
{
  SondeChanges *changes = g_new0 (SondeChanges, 1);

  changes->debugger = debugger;
  changes->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_edit_free);
  return changes;
}

void
sonde_changes_free (SondeChanges *changes)
{
  if (changes == NULL)
    return;
  g_ptr_array_unref (changes->edits);
  g_free (changes);
}

void
sonde_changes_log (SondeChanges *changes,
                   SondeEdit    *edit,
                   const char   *text)
{
  edit->number = changes->edits->len + 1;
  edit->branch = 1;
  g_free (edit->text);
  edit->text = g_strdup (text);
  g_ptr_array_add (changes->edits, sonde_edit_copy (edit));
}

GPtrArray *
sonde_changes_get_edits (SondeChanges *changes)
{
  return changes->edits;
}

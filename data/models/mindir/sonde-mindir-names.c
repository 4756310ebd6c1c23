/* SPDX-License-Identifier: Apache-2.0
 * Names that are used once: a function that is called twice is lowered twice. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-lower.h"

const char *
sonde_mindir_unique (SondeMindirLowering *lowering, const char *label)
{
  gpointer key = NULL, count = NULL;
  char *name;

  if (!g_hash_table_lookup_extended (lowering->names, label, &key, &count))
    {
      name = g_strdup (label);
      g_hash_table_insert (lowering->names, name, GUINT_TO_POINTER (1));
      return name;
    }
  do
    {
      count = GUINT_TO_POINTER (GPOINTER_TO_UINT (count) + 1);
      name = g_strdup_printf ("%s#%u", label, GPOINTER_TO_UINT (count));
      if (!g_hash_table_contains (lowering->names, name))
        break;
      g_free (name);
    }
  while (TRUE);
  g_hash_table_insert (lowering->names, g_strdup (label), count);
  g_hash_table_insert (lowering->names, name, GUINT_TO_POINTER (1));
  return name;
}

const char *
sonde_mindir_open (SondeMindirLowering *lowering, const SondeMindirNode *node, const char *op)
{
  const char *name = sonde_mindir_unique (lowering, node->label);

  if (strcmp (name, node->label) != 0)
    g_hash_table_insert (lowering->repeats, (gpointer) name, (gpointer) node->label);
  g_hash_table_add (lowering->seen, (gpointer) node);
  sonde_lowering_begin (lowering->l, name, op, node->scope);
  return name;
}

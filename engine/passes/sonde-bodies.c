/* SPDX-License-Identifier: Apache-2.0
 * Bodies of nodes, as passes that go into them want them. */
#include "engine/passes/sonde-passes-private.h"

GPtrArray *
sonde_bodies_of (const SondeNode *node)
{
  GPtrArray *bodies = NULL;

  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = node->attributes->pdata[i];
      gsize n = attribute->kind == SONDE_ATTRIBUTE_GRAPH || attribute->kind == SONDE_ATTRIBUTE_GRAPHS ? attribute->n : 0;

      if (n > 0 && bodies == NULL)
        bodies = g_ptr_array_new ();
      for (gsize k = 0; k < n; k++)
        g_ptr_array_add (bodies, attribute->kind == SONDE_ATTRIBUTE_GRAPH ? attribute->u.graph : attribute->u.graphs[k]);
    }
  return bodies;
}

SondeValue *
sonde_fixed_value (const SondeGraphValue *value)
{
  while (value->outer != NULL)
    value = value->outer;
  return value->role == SONDE_ROLE_CONSTANT ? value->constant : NULL;
}

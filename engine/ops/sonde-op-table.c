/* SPDX-License-Identifier: Apache-2.0
 * Joins the families to one table. What does not live here: what an operator means. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

/* The build lists the tables: one for each file of rows in meson.build. */
#define SONDE_OP_FAMILY(name) extern const SondeOpClass name[];
#include "engine/ops/sonde-op-families.h"
#undef SONDE_OP_FAMILY

static const SondeOpClass *const families[] = {
#define SONDE_OP_FAMILY(name) name,
#include "engine/ops/sonde-op-families.h"
#undef SONDE_OP_FAMILY
};

static guint
row_hash (gconstpointer key)
{
  const SondeOpClass *row = key;

  return g_str_hash (row->name) * 31 + g_str_hash (row->domain);
}

static gboolean
row_equal (gconstpointer a, gconstpointer b)
{
  const SondeOpClass *left = a, *right = b;

  return strcmp (left->name, right->name) == 0 && strcmp (left->domain, right->domain) == 0;
}

/* (element-type SondeOpClass): each row under its own domain and name; never freed. */
static GHashTable *
get_table (void)
{
  static gsize made;

  if (g_once_init_enter (&made))
    {
      GHashTable *table = g_hash_table_new (row_hash, row_equal);

      for (gsize f = 0; f < G_N_ELEMENTS (families); f++)
        for (const SondeOpClass *row = families[f]; row->name != NULL; row++)
          g_hash_table_add (table, (gpointer) row);
      g_once_init_leave (&made, (gsize) table);
    }
  return (GHashTable *) made;
}

const SondeOpClass *
sonde_op_table_find (const char *domain, const char *name)
{
  const SondeOpClass key
      = { .domain = domain == NULL || strcmp (domain, "ai.onnx") == 0 ? "" : domain, .name = name };

  return g_hash_table_lookup (get_table (), &key);
}

const SondeOpClass *
sonde_op_of_node (const SondeNode *node)
{
  SondeNode *cache = (SondeNode *) node; /* whoever asks at the same time stores the same */
  const SondeOpClass *klass = g_atomic_pointer_get (&cache->op_class);

  if (klass == NULL)
    {
      klass = sonde_op_table_find (node->domain, node->op);
      g_atomic_pointer_set (&cache->op_class, (gpointer) klass);
    }
  return klass;
}

const SondeOpClass **
sonde_op_table_list (gsize *n)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  for (gsize f = 0; f < G_N_ELEMENTS (families); f++)
    for (const SondeOpClass *row = families[f]; row->name != NULL; row++)
      g_ptr_array_add (rows, (gpointer) row);
  return (const SondeOpClass **) g_ptr_array_steal (rows, n);
}

/* SPDX-License-Identifier: Apache-2.0
 * Which value of one side is which of the other: by name, by structure, by parts of names. */
#include "engine/debug/sonde-diverge.h"

#include <string.h>

/* ---- two graphs ---------------------------------------------------------- */

static char *
describe_input (const SondeGraphValue *value, GHashTable *names)
{
  const char *name = value != NULL ? g_hash_table_lookup (names, value) : NULL;

  if (value == NULL)
    return g_strdup ("-");
  if (name != NULL)
    return g_strdup_printf ("=%s", name);
  return sonde_type_to_string (&value->type);
}

static char *
describe_attribute (const SondeAttribute *attribute)
{
  if (attribute->kind == SONDE_ATTRIBUTE_INT)
    return g_strdup_printf ("%s=%" G_GINT64_FORMAT, attribute->name, attribute->u.i);
  if (attribute->kind == SONDE_ATTRIBUTE_STRING)
    return g_strdup_printf ("%s=%s", attribute->name, attribute->u.string);
  return g_strdup (attribute->name); /* numbers may be what differs */
}

/* Operator and inputs of @node; FALSE for one of which an input has no partner yet. @names: value
 * -> common name */
static gboolean
describe_node (const SondeNode *node, GHashTable *names, GString *text)
{
  gboolean anchored = FALSE;

  g_string_printf (text, "%s:%s/%u", node->domain, node->op, node->outputs->len);
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (node->inputs, i);
      g_autofree char *described = describe_input (input, names);

      if (input != NULL && input->producer != NULL && !g_hash_table_contains (names, input))
        return FALSE;
      anchored |= *described == '=';
      g_string_append_printf (text, "|%s", described);
    }
  for (guint i = 0; i < node->attributes->len; i++)
    {
      g_autofree char *described = describe_attribute (g_ptr_array_index (node->attributes, i));

      g_string_append_printf (text, ";%s", described);
    }
  return anchored;
}

static GPtrArray *
order_of (const SondeGraph *graph)
{
  GPtrArray *order = sonde_graph_sort (graph, NULL);

  return order != NULL ? order : g_ptr_array_new ();
}

typedef struct
{
  GHashTable *partners;       /* value -> value of the other graph */
  GHashTable *taken;          /* set of values of the other graph */
  GHashTable *names, *others; /* value -> the name both have: of this graph's value */
} Matching;

static void
pair (Matching *matching, SondeGraphValue *value, SondeGraphValue *other)
{
  g_hash_table_insert (matching->partners, value, other);
  g_hash_table_add (matching->taken, other);
  g_hash_table_insert (matching->names, value, value->name);
  g_hash_table_insert (matching->others, other, value->name);
}

static void
pair_by_name (Matching *matching, const SondeGraph *graph, const SondeGraph *other)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeGraphValue *partner = value != NULL ? sonde_graph_find_value (other, value->name) : NULL;

      if (partner != NULL)
        pair (matching, value, partner);
    }
  for (guint i = 0; i < graph->inputs->len && graph->inputs->len == other->inputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->inputs, i),
                      *partner = g_ptr_array_index (other->inputs, i);

      if (!g_hash_table_contains (matching->partners, value)
          && !g_hash_table_contains (matching->taken, partner))
        pair (matching, value, partner);
    }
}

static void
pair_outputs (Matching *matching, const SondeNode *node, const SondeNode *other)
{
  for (guint k = 0; k < node->outputs->len && k < other->outputs->len; k++)
    {
      SondeGraphValue *value = g_ptr_array_index (node->outputs, k),
                      *partner = g_ptr_array_index (other->outputs, k);

      if (value != NULL && partner != NULL && !g_hash_table_contains (matching->partners, value)
          && !g_hash_table_contains (matching->taken, partner))
        pair (matching, value, partner);
    }
}

/* Of those of @others (in their order) the first that looks as @node does. */
static SondeNode *
find_alike (Matching *matching, const SondeNode *node, GPtrArray *others)
{
  g_autoptr (GString) wanted = g_string_new (NULL), text = g_string_new (NULL);

  if (!describe_node (node, matching->names, wanted))
    return NULL;
  for (guint i = 0; i < others->len; i++)
    {
      SondeNode *other = g_ptr_array_index (others, i);

      if (other->op == node->op && describe_node (other, matching->others, text)
          && g_str_equal (text->str, wanted->str))
        return other;
    }
  return NULL;
}

static gboolean
has_free_output (const SondeNode *node, GHashTable *set)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (node->outputs->pdata[k] != NULL && !g_hash_table_contains (set, node->outputs->pdata[k]))
      return TRUE;
  return FALSE;
}

static GPtrArray *
list_free (GPtrArray *order, GHashTable *set)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < order->len; i++)
    if (has_free_output (order->pdata[i], set))
      g_ptr_array_add (list, order->pdata[i]);
  return list;
}

GHashTable *
sonde_diverge_match_graphs (const SondeGraph *graph, const SondeGraph *other)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL),
                         names = g_hash_table_new (NULL, NULL),
                         others = g_hash_table_new (NULL, NULL);
  Matching matching = { g_hash_table_new (NULL, NULL), taken, names, others };
  g_autoptr (GPtrArray) order = order_of (graph), other_order = order_of (other);
  g_autoptr (GPtrArray) left = NULL, other_left = NULL;

  pair_by_name (&matching, graph, other);
  left = list_free (order, matching.partners);
  other_left = list_free (other_order, taken);
  for (guint i = 0; i < left->len && other_left->len > 0; i++)
    {
      SondeNode *alike = find_alike (&matching, left->pdata[i], other_left);

      if (alike == NULL)
        continue;
      pair_outputs (&matching, left->pdata[i], alike);
      g_ptr_array_remove (other_left, alike);
    }
  return matching.partners;
}

/* ---- names of a file ----------------------------------------------------- */

/* "/Layer1/layer1.0/conv1/Conv_output_0" -> "/layer1/layer1/0/conv1/conv/output/0": parts in small
 * letters. (transfer full) */
static char *
split (const char *name)
{
  GString *text = g_string_new ("/");

  for (const char *c = name; *c != '\0'; c++)
    if (g_ascii_isalnum (*c) || (guchar) *c >= 0x80)
      g_string_append_c (text, g_ascii_tolower (*c));
    else if (text->str[text->len - 1] != '/')
      g_string_append_c (text, '/');
  if (text->len > 1 && text->str[text->len - 1] == '/')
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

/* Without what says that it is the first output. (transfer full) */
static char *
normalise (const char *name)
{
  static const char *const endings[] = { "/output/0", "/0", "/npy" };
  char *text = split (name);
  gsize length = strlen (text);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (text, endings[i]) && length > strlen (endings[i]) + 1)
      {
        text[length - strlen (endings[i])] = '\0';
        break;
      }
  return text;
}

/* Suffix ("/conv1/conv") -> value it means; NULL for several. */
static void
add_suffixes (GHashTable *suffixes, const char *normal, SondeGraphValue *value)
{
  for (const char *suffix = normal; suffix != NULL && suffix[0] != '\0';
       suffix = strchr (suffix + 1, '/'))
    {
      gpointer found;

      if (!g_hash_table_lookup_extended (suffixes, suffix, NULL, &found))
        g_hash_table_insert (suffixes, g_strdup (suffix), value);
      else if (found != value)
        g_hash_table_insert (suffixes, g_strdup (suffix), NULL);
    }
}

static void
add_name (GHashTable *suffixes, const char *name, SondeGraphValue *value)
{
  g_autofree char *normal = normalise (name);

  add_suffixes (suffixes, normal, value);
}

static GHashTable *
index_suffixes (const SondeGraph *graph)
{
  GHashTable *suffixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value == NULL || value->producer == NULL)
        continue;
      add_name (suffixes, value->name, value);
      if (value->producer_output == 0)
        add_name (suffixes, value->producer->name, value);
    }
  return suffixes;
}

/* The longest end of @name that means one value. */
static SondeGraphValue *
find_by_suffix (GHashTable *suffixes, const char *name)
{
  g_autofree char *normal = normalise (name);

  for (const char *suffix = normal; suffix != NULL && suffix[0] != '\0';
       suffix = strchr (suffix + 1, '/'))
    {
      SondeGraphValue *value = g_hash_table_lookup (suffixes, suffix);
      const char *last = strrchr (suffix, '/');

      /* A last part of digits alone says nothing. */
      if (value != NULL
          && (last != suffix || strspn (suffix + 1, "0123456789") != strlen (suffix + 1)))
        return value;
    }
  return NULL;
}

/* ---- names of modules ---------------------------------------------------- */

static gboolean
is_number (const char *text)
{
  return *text != '\0' && text[strspn (text, "0123456789")] == '\0';
}

/* "/layers/layers.0/conv1/Conv" -> "/layers/layers/0/conv1": the module whose result a node is
 * called after, if it is. (transfer full) (nullable) */
static char *
module_of (const SondeNode *node)
{
  g_autofree char *normal = split (node->name), *op = g_ascii_strdown (node->op, -1);
  char *last = strrchr (normal, '/');

  if (is_number (last + 1) && last != normal) /* Relu_1 */
    {
      *last = '\0';
      last = strrchr (normal, '/');
    }
  if (last == normal || !g_str_equal (last + 1, op))
    return NULL;
  *last = '\0';
  return g_steal_pointer (&normal);
}

/* A module that was called twice (act, act_1), or that several nodes are called after, means
 * nothing. */
static GHashTable *
index_modules (const SondeGraph *graph)
{
  GHashTable *suffixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      SondeGraphValue *value = node != NULL ? sonde_node_get_output (node, 0) : NULL;
      g_autofree char *module = value != NULL ? module_of (node) : NULL;
      char *last = module != NULL ? strrchr (module, '/') : NULL;

      if (module == NULL)
        continue;
      add_suffixes (suffixes, module, value);
      if (!is_number (last + 1) || last == module)
        continue;
      *last = '\0';
      add_suffixes (suffixes, module, value);
    }
  return suffixes;
}

/* What follows "conv1" when exporters fold it into it: "bn1", or the next of a sequence. @names:
 * those that mean nothing */
static const char *
find_folded (const char *name, const GPtrArray *names)
{
  g_autofree char *normal = split (name);
  const char *leaf = strrchr (normal, '/') + 1;
  gsize parent = (gsize) (leaf - normal), digits = strlen (leaf);

  while (digits > 0 && g_ascii_isdigit (leaf[digits - 1]))
    digits--;
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *other = split (names->pdata[i]);
      const char *norm = strrchr (other, '/') + 1;
      gsize word = strcspn (norm, "0123456789");

      if ((gsize) (norm - other) != parent || strncmp (normal, other, parent) != 0)
        continue;
      if (is_number (leaf)
              ? is_number (norm)
                    && g_ascii_strtoull (norm, NULL, 10) == g_ascii_strtoull (leaf, NULL, 10) + 1
              : (strncmp (norm, "bn", word) == 0
                 || g_strstr_len (norm, (gssize) word, "norm") != NULL)
                    && word > 1 && g_str_equal (norm + word, leaf + digits))
        return names->pdata[i];
    }
  return NULL;
}

/* What is left of @names, by the modules that exporters of PyTorch name nodes after. */
static void
match_modules (const SondeGraph *graph, const GPtrArray *names, GHashTable *partners)
{
  static const char *const folds[] = { "Conv", "ConvTranspose", "Gemm", NULL };
  g_autoptr (GHashTable) suffixes = index_modules (graph), taken = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new (), values = g_ptr_array_new (),
                        found = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    g_hash_table_add (taken, name);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *normal = split (names->pdata[i]);
      SondeGraphValue *value = g_hash_table_contains (taken, names->pdata[i])
                                   ? NULL
                                   : g_hash_table_lookup (suffixes, normal);

      if (g_hash_table_contains (taken, names->pdata[i]))
        continue;
      if (value == NULL || g_hash_table_contains (partners, value))
        {
          g_ptr_array_add (left, names->pdata[i]);
          continue;
        }
      g_ptr_array_add (values, value);
      g_ptr_array_add (found, names->pdata[i]);
    }
  for (guint i = 0; i < found->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      const char *folded = g_strv_contains (folds, value->producer->op)
                               ? find_folded (g_ptr_array_index (found, i), left)
                               : NULL;

      if (g_hash_table_contains (partners, value)) /* two names mean it */
        g_hash_table_insert (partners, value, NULL);
      else
        g_hash_table_insert (partners, value,
                             folded != NULL ? (gpointer) folded : g_ptr_array_index (found, i));
    }
  for (guint i = 0; i < values->len; i++)
    if (g_hash_table_lookup (partners, g_ptr_array_index (values, i)) == NULL)
      g_hash_table_remove (partners, g_ptr_array_index (values, i));
}

GHashTable *
sonde_diverge_match_names (const SondeGraph *graph, const GPtrArray *names)
{
  GHashTable *partners = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) suffixes = index_suffixes (graph),
                         doubtful = g_hash_table_new (NULL, NULL),
                         used = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < names->len; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, names->pdata[i]);
      const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, names->pdata[i]) : NULL;

      if (node != NULL)
        value = sonde_node_get_output (node, 0);
      if (value == NULL)
        continue;
      g_hash_table_insert (partners, value, names->pdata[i]);
      g_hash_table_add (used, names->pdata[i]);
    }
  for (guint i = 0; i < names->len; i++)
    {
      SondeGraphValue *value = g_hash_table_contains (used, names->pdata[i])
                                   ? NULL
                                   : find_by_suffix (suffixes, names->pdata[i]);

      if (value == NULL
          || (g_hash_table_contains (partners, value) && !g_hash_table_contains (doubtful, value)))
        continue;
      if (g_hash_table_contains (doubtful, value))
        g_hash_table_insert (doubtful, value, NULL); /* two names mean it: neither counts */
      else
        {
          g_hash_table_insert (doubtful, value, names->pdata[i]);
          g_hash_table_insert (partners, value, names->pdata[i]);
        }
    }
  {
    GHashTableIter iter;
    gpointer value, name;

    g_hash_table_iter_init (&iter, doubtful);
    while (g_hash_table_iter_next (&iter, &value, &name))
      if (name == NULL)
        g_hash_table_remove (partners, value);
  }
  match_modules (graph, names, partners);
  return partners;
}

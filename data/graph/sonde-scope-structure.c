/* SPDX-License-Identifier: Apache-2.0
 * The structure of a scope is a hash over its nodes in the order of their ids, each with the operator, the
 * attributes that are numbers, and where its inputs come from: from which node of the scope, from a constant
 * of which type, from outside. */
#include "data/graph/sonde-scope-structure.h"

static guint64
mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

/* ---- nodes --------------------------------------------------------------- */

static guint64
hash_type (const SondeType *type)
{
  guint64 hash = mix ((guint64) type->kind, (guint64) type->dtype);

  for (int d = 0; d < type->rank; d++)
    hash = mix (hash, (guint64) type->dims[d].size);
  return mix (hash, (guint64) (gint64) type->rank);
}

static guint64
hash_attribute (const SondeAttribute *attribute)
{
  guint64 hash = mix (g_str_hash (attribute->name), attribute->kind);

  if (attribute->kind == SONDE_ATTRIBUTE_INT)
    return mix (hash, (guint64) attribute->u.i);
  for (gsize i = 0; attribute->kind == SONDE_ATTRIBUTE_INTS && i < attribute->n; i++)
    hash = mix (hash, (guint64) attribute->u.ints[i]);
  return hash;
}

static guint64
hash_node (const SondeNode *node)
{
  guint64 hash = mix (g_str_hash (node->op), g_str_hash (node->domain));

  hash = mix (hash, node->phase);
  hash = mix (hash, node->outputs->len);
  for (guint i = 0; i < node->attributes->len; i++)
    hash = mix (hash, hash_attribute (g_ptr_array_index (node->attributes, i)));
  return hash;
}

/* ---- scopes -------------------------------------------------------------- */

/**
 * Walk: the nodes of all scopes in the order of ids
 * @n_met: of each scope: nodes so far
 * @first: of each node: where its places begin in @places
 * @places: of a node in the scopes around it, from the root inwards
 */
typedef struct
{
  const SondeScopeTree *tree;
  guint *n_met;
  gsize *first;
  guint *places;
} Walk;

static SondeGraphScope *
scope_at (const SondeScopeTree *tree, guint scope)
{
  return &g_array_index (tree->scopes, SondeGraphScope, scope);
}

/* Where an input of a node comes from, as seen from @scope. */
static guint64
hash_input (const Walk *walk, guint scope, const SondeGraphValue *input)
{
  const SondeNode *producer = input != NULL ? input->producer : NULL;
  guint at = producer != NULL ? walk->tree->scope_of_node[producer->id] : SONDE_SCOPE_NONE;

  if (input == NULL)
    return 1;
  if (at != SONDE_SCOPE_NONE && sonde_scope_tree_contains (walk->tree, scope, at))
    {
      guint depth = sonde_scope_tree_get (walk->tree, scope)->depth;

      return mix (mix (2, walk->places[walk->first[producer->id] + depth]), input->producer_output);
    }
  if (producer == NULL && (input->constant != NULL || input->role > SONDE_ROLE_INPUT))
    return mix (3, hash_type (&input->type));
  return 4;
}

static void
add_node (Walk *walk, const SondeNode *node)
{
  guint innermost = walk->tree->scope_of_node[node->id];
  guint64 own = hash_node (node);
  guint inner_depth = sonde_scope_tree_get (walk->tree, innermost)->depth;

  for (guint s = innermost; s != SONDE_SCOPE_NONE; s = scope_at (walk->tree, s)->parent)
    walk->places[walk->first[node->id] + scope_at (walk->tree, s)->depth] = walk->n_met[s]++;
  for (guint s = innermost; s != SONDE_SCOPE_NONE; s = scope_at (walk->tree, s)->parent)
    {
      SondeGraphScope *scope = scope_at (walk->tree, s);
      guint64 hash = mix (own, inner_depth - scope->depth);

      for (guint k = 0; k < node->inputs->len; k++)
        hash = mix (hash, hash_input (walk, s, sonde_node_get_input (node, k)));
      scope->structure = mix (scope->structure, hash);
    }
}

/* Each parameter belongs to the first node that reads it. */
static void
add_parameters (SondeScopeTree *tree, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      guint first = G_MAXUINT, scope = SONDE_SCOPE_NONE;
      SondeShape shape;

      if (value == NULL || value->role != SONDE_ROLE_PARAMETER
          || !sonde_type_get_shape (&value->type, &shape))
        continue;
      for (guint k = 0; k < value->users->len; k++)
        {
          guint id = ((const SondeNode *) g_ptr_array_index (value->users, k))->id;

          if (id < first && tree->scope_of_node[id] != SONDE_SCOPE_NONE)
            first = id;
        }
      if (first != G_MAXUINT)
        scope = tree->scope_of_node[first];
      for (; scope != SONDE_SCOPE_NONE; scope = scope_at (tree, scope)->parent)
        scope_at (tree, scope)->parameters += (guint64) MAX (sonde_shape_n_elements (&shape), 0);
    }
}

void
sonde_scope_structure_find (SondeScopeTree *tree, const SondeGraph *graph)
{
  g_autofree guint *n_met = g_new0 (guint, tree->scopes->len);
  g_autofree gsize *first = g_new0 (gsize, tree->n_nodes + 1);
  g_autofree guint *places = NULL;
  Walk walk = { tree, n_met, first, NULL };
  gsize total = 0;

  for (guint i = 0; i < tree->n_nodes; i++)
    {
      guint scope = tree->scope_of_node[i];

      first[i] = total;
      if (scope != SONDE_SCOPE_NONE)
        total += sonde_scope_tree_get (tree, scope)->depth + 1;
    }
  walk.places = places = g_new0 (guint, MAX (total, 1));
  for (guint i = 0; i < tree->n_nodes; i++)
    if (tree->scope_of_node[i] != SONDE_SCOPE_NONE)
      add_node (&walk, g_ptr_array_index (graph->nodes, i));
  add_parameters (tree, graph);
}

/* ---- folds --------------------------------------------------------------- */

/**
 * Folding: a new list of scopes is made of the old one
 * @number: of an old scope, the new one
 * @n_direct_before: of an old scope: nodes that stand directly in its parent and come before it
 */
typedef struct
{
  SondeScopeTree *tree;
  GArray *scopes;
  guint *number, *n_direct_before;
} Folding;

/* A node of the parent between two scopes ends a row: a fold would lie on both sides of it. */
static void
count_direct (const SondeScopeTree *tree, guint *n_direct_before)
{
  guint n = tree->scopes->len;
  g_autofree guint *n_direct = g_new0 (guint, n);
  g_autofree gboolean *seen = g_new0 (gboolean, n);

  for (guint i = 0; i < tree->n_nodes; i++)
    {
      guint scope = tree->scope_of_node[i];

      if (scope == SONDE_SCOPE_NONE)
        continue;
      n_direct[scope]++;
      for (; scope != SONDE_SCOPE_ROOT && !seen[scope]; scope = scope_at (tree, scope)->parent)
        {
          seen[scope] = TRUE;
          n_direct_before[scope] = n_direct[scope_at (tree, scope)->parent];
        }
    }
}

/* How many scopes from @scope on repeat it without anything between. */
static guint
count_repeats (const Folding *folding, guint scope, guint end)
{
  const SondeGraphScope *first = scope_at (folding->tree, scope);
  guint n = 1;

  for (guint s = first->end; s < end; s = scope_at (folding->tree, s)->end, n++)
    if (scope_at (folding->tree, s)->structure != first->structure
        || folding->n_direct_before[s] != folding->n_direct_before[scope])
      break;
  return n;
}

static guint
append (Folding *folding, SondeGraphScope scope, guint parent)
{
  scope.parent = parent;
  scope.depth = parent != SONDE_SCOPE_NONE
                    ? g_array_index (folding->scopes, SondeGraphScope, parent).depth + 1
                    : 0;
  g_array_append_val (folding->scopes, scope);
  return folding->scopes->len - 1;
}

static void copy_children (Folding *folding, guint old, guint parent);

static void
copy_scope (Folding *folding, guint old, guint parent)
{
  SondeGraphScope scope = *scope_at (folding->tree, old);
  guint number;

  scope_at (folding->tree, old)->name = NULL;
  number = append (folding, scope, parent);
  folding->number[old] = number;
  copy_children (folding, old, number);
  g_array_index (folding->scopes, SondeGraphScope, number).end = folding->scopes->len;
}

/* @last: of the @n scopes from @first on */
static guint
add_fold (Folding *folding, guint first, guint last, guint n, guint parent)
{
  const SondeGraphScope *a = scope_at (folding->tree, first), *b = scope_at (folding->tree, last);
  SondeGraphScope fold = *a;

  fold.name = g_strdup_printf ("%s … %s", a->name, b->name);
  fold.n_repeats = n;
  fold.n_nodes = fold.parameters = 0;
  for (guint s = first, i = 0; i < n; s = scope_at (folding->tree, s)->end, i++)
    {
      fold.n_nodes += scope_at (folding->tree, s)->n_nodes;
      fold.parameters += scope_at (folding->tree, s)->parameters;
    }
  return append (folding, fold, parent);
}

static void
copy_children (Folding *folding, guint old, guint parent)
{
  guint end = scope_at (folding->tree, old)->end;

  for (guint s = old + 1; s < end;)
    {
      guint n = count_repeats (folding, s, end), around = parent, last = s, next = s;

      for (guint i = 0; i < n; i++)
        {
          last = next;
          next = scope_at (folding->tree, next)->end;
        }
      if (n >= SONDE_SCOPE_LEAST_REPEATS)
        around = add_fold (folding, s, last, n, parent);
      for (guint i = s; i < next; i = scope_at (folding->tree, i)->end)
        copy_scope (folding, i, around);
      if (around != parent)
        g_array_index (folding->scopes, SondeGraphScope, around).end = folding->scopes->len;
      s = next;
    }
}

void
sonde_scope_structure_fold (SondeScopeTree *tree)
{
  g_autofree guint *number = g_new0 (guint, tree->scopes->len);
  g_autofree guint *n_direct_before = g_new0 (guint, tree->scopes->len);
  Folding folding
      = { tree, g_array_new (FALSE, TRUE, sizeof (SondeGraphScope)), number, n_direct_before };

  count_direct (tree, n_direct_before);
  copy_scope (&folding, SONDE_SCOPE_ROOT, SONDE_SCOPE_NONE);
  for (guint i = 0; i < tree->n_nodes; i++)
    if (tree->scope_of_node[i] != SONDE_SCOPE_NONE)
      tree->scope_of_node[i] = number[tree->scope_of_node[i]];
  g_array_set_clear_func (folding.scopes, NULL);
  g_array_set_size (tree->scopes, 0); /* their names were taken */
  g_array_append_vals (tree->scopes, folding.scopes->data, folding.scopes->len);
  g_array_unref (folding.scopes);
}

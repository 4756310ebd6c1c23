/* SPDX-License-Identifier: Apache-2.0
 * What of a graph could have a box, and what flows between these. */
#include "viewers/paint/graph/sonde-graph-nest-private.h"

/* While they are collected: the atom that makes a value, by its id; -1. */
typedef struct
{
  SondeGraphAtoms *atoms;
  int *atom_of_value;
} Collector;

gboolean
sonde_graph_has_box (const SondeNode *node, guint phases)
{
  return node != NULL && (phases & (1u << node->phase)) != 0
         && ((phases & SONDE_GRAPH_SCENE_CONSTANTS) != 0 || !sonde_graph_is_constant (node));
}

static int
add_atom (Collector *collector, SondeNode *node, SondeGraphValue *value, gboolean is_output)
{
  SondeGraphAtom atom = { node, value, is_output };

  g_array_append_val (collector->atoms->atoms, atom);
  return (int) collector->atoms->atoms->len - 1;
}

static void
add_arrow (Collector *collector, int from, int to, SondeGraphValue *value)
{
  SondeGraphArrow arrow = { (guint) from, (guint) to, value };

  g_array_append_val (
      sonde_graph_is_control (value) ? collector->atoms->orders : collector->atoms->arrows, arrow);
}

/* Whether a node that is shown reads it, or it leaves the graph again. */
static gboolean
is_read (const SondeGraph *graph, const SondeGraphValue *value, guint phases)
{
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);

      if ((phases & (1u << user->phase)) != 0)
        return TRUE;
    }
  return (value->captures != NULL && value->captures->len > 0)
         || g_ptr_array_find (graph->outputs, value, NULL);
}

/* An initialiser that is also an input stands in its reader; an input without a visible reader is left
 * out. */
static void
add_inputs (Collector *collector, const SondeGraph *graph, guint phases)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      if (!sonde_graph_is_inside (input) && is_read (graph, input, phases))
        collector->atom_of_value[input->id] = add_atom (collector, NULL, input, FALSE);
    }
}

static void
add_nodes (Collector *collector, const SondeGraph *graph, guint phases)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      int atom;

      if (!sonde_graph_has_box (node, phases))
        continue;
      atom = add_atom (collector, node, NULL, FALSE);
      for (guint k = 0; k < node->outputs->len; k++)
        if (sonde_node_get_output (node, k) != NULL)
          collector->atom_of_value[sonde_node_get_output (node, k)->id] = atom;
    }
}

/* From the makers of what the subgraphs of a node read of this graph. */
static void
add_captures (Collector *collector, const SondeNode *node, int atom)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      SondeGraph *graph = attribute->kind == SONDE_ATTRIBUTE_GRAPH ? attribute->u.graph : NULL;

      for (guint k = 0; graph != NULL && k < graph->values->len; k++)
        {
          SondeGraphValue *value = g_ptr_array_index (graph->values, k);
          SondeGraphValue *outer = value != NULL ? value->outer : NULL;

          if (outer != NULL && collector->atom_of_value[outer->id] >= 0)
            add_arrow (collector, collector->atom_of_value[outer->id], atom, outer);
        }
    }
}

static void
add_arrows (Collector *collector)
{
  guint n = collector->atoms->atoms->len;

  for (guint a = 0; a < n; a++)
    {
      SondeNode *node = g_array_index (collector->atoms->atoms, SondeGraphAtom, a).node;

      for (guint k = 0; node != NULL && k < node->inputs->len; k++)
        {
          SondeGraphValue *input = sonde_node_get_input (node, k);

          if (input != NULL && collector->atom_of_value[input->id] >= 0
              && !sonde_graph_is_looked_back (node, input))
            add_arrow (collector, collector->atom_of_value[input->id], (int) a, input);
        }
      if (node != NULL)
        add_captures (collector, node, (int) a);
    }
}

/* A gradient that leaves the graph for the sake of who trains it, and is read in it as well. */
static gboolean
is_passed_on (const SondeGraphValue *output)
{
  return output->producer != NULL && output->producer->phase == SONDE_PHASE_BACKWARD
         && output->users->len > 0;
}

static void
add_outputs (Collector *collector, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      SondeGraphValue *output = g_ptr_array_index (graph->outputs, i);
      int from = collector->atom_of_value[output->id];

      if (is_passed_on (output))
        continue;
      if (from >= 0)
        add_arrow (collector, from, add_atom (collector, NULL, output, TRUE), output);
      else if (output->producer != NULL && sonde_graph_is_constant (output->producer))
        add_atom (collector, NULL, output, TRUE);
    }
}

void
sonde_graph_atoms_collect (SondeGraphAtoms *atoms, const SondeGraph *graph, guint phases)
{
  g_autofree int *atom_of_value = g_new (int, MAX (graph->values->len, 1));
  Collector collector = { atoms, atom_of_value };

  atoms->atoms = g_array_new (FALSE, FALSE, sizeof (SondeGraphAtom));
  atoms->arrows = g_array_new (FALSE, FALSE, sizeof (SondeGraphArrow));
  atoms->orders = g_array_new (FALSE, FALSE, sizeof (SondeGraphArrow));
  for (guint i = 0; i < graph->values->len; i++)
    atom_of_value[i] = -1;
  add_inputs (&collector, graph, phases);
  add_nodes (&collector, graph, phases);
  add_arrows (&collector);
  add_outputs (&collector, graph);
}

void
sonde_graph_atoms_clear (SondeGraphAtoms *atoms)
{
  g_array_unref (atoms->atoms);
  g_array_unref (atoms->arrows);
  g_array_unref (atoms->orders);
}

/* SPDX-License-Identifier: Apache-2.0
 * Which boxes and frames there are, and how what flows is led through the frames. */
#include "viewers/paint/graph/sonde-graph-nest-private.h"

#include "data/base/sonde-text.h"

/* ---- scopes -------------------------------------------------------------- */

static SondeScopeState
state_of (const SondeGraphNest *nest, guint scope)
{
  return nest->folding->states[scope];
}

/* What is in a scope that is not hidden: @outer is the one around it, not hidden either. */
static void
resolve_shown (SondeGraphNest *nest, guint scope, guint outer)
{
  const SondeScopeTree *tree = nest->folding->tree;
  gboolean is_fold = sonde_scope_tree_get (tree, scope)->n_repeats > 0;
  gboolean in_fold = sonde_scope_tree_get (tree, outer)->n_repeats > 0
                     && state_of (nest, outer) == SONDE_SCOPE_OPEN;

  nest->hidden_by[scope] = SONDE_SCOPE_NONE;
  nest->frame_of[scope] = nest->frame_of[outer];
  if (in_fold && scope != outer + 1)
    nest->hidden_by[scope] = outer;
  else if (in_fold || (is_fold && state_of (nest, scope) == SONDE_SCOPE_SPREAD))
    return; /* no frame of its own */
  else if (state_of (nest, scope) == SONDE_SCOPE_CLOSED)
    nest->hidden_by[scope] = scope;
  else
    nest->frame_of[scope] = scope;
}

static void
resolve_scopes (SondeGraphNest *nest)
{
  const SondeScopeTree *tree = nest->folding->tree;
  guint n = tree->scopes->len;

  nest->box_of_scope = g_new0 (guint, n);
  nest->hidden_by = g_new (guint, n);
  nest->frame_of = g_new (guint, n);
  nest->hidden_by[SONDE_SCOPE_ROOT] = SONDE_SCOPE_NONE;
  nest->frame_of[SONDE_SCOPE_ROOT] = SONDE_SCOPE_ROOT;
  for (guint s = 1; s < n; s++)
    {
      guint outer = sonde_scope_tree_get (tree, s)->parent;

      nest->hidden_by[s] = nest->hidden_by[outer];
      nest->frame_of[s] = nest->frame_of[outer];
      if (nest->hidden_by[outer] == SONDE_SCOPE_NONE)
        resolve_shown (nest, s, outer);
    }
}

/* ---- boxes --------------------------------------------------------------- */

static guint
add_box (SondeGraphNest *nest, SondeGraphBox box, SondeGraphText text)
{
  guint depth = box.frame >= 0 ? g_array_index (nest->depths, guint, (guint) box.frame) + 1 : 0;

  g_array_append_val (nest->boxes, box);
  g_array_append_val (nest->texts, text);
  g_array_append_val (nest->depths, depth);
  return nest->boxes->len - 1;
}

static guint box_of_scope (SondeGraphNest *nest, guint scope);

/* The box of the frame that what is in @scope stands in; -1: none. */
static int
frame_around (SondeGraphNest *nest, guint scope)
{
  guint frame = nest->frame_of[scope];

  return frame != SONDE_SCOPE_ROOT ? (int) box_of_scope (nest, frame) : -1;
}

static guint
box_of_scope (SondeGraphNest *nest, guint scope)
{
  const SondeGraphScope *s = sonde_scope_tree_get (nest->folding->tree, scope);
  double flops = nest->folding->flops != NULL ? nest->folding->flops[scope] : 0;
  SondeGraphBox box = { .scope = scope, .frame = -1, .is_open = nest->frame_of[scope] == scope };

  if (nest->box_of_scope[scope] == 0)
    {
      box.frame = frame_around (nest, s->parent);
      nest->box_of_scope[scope]
          = add_box (nest, box, sonde_graph_text_of_scope (s, box.is_open, flops)) + 1;
    }
  return nest->box_of_scope[scope] - 1;
}

static guint
box_of_node (SondeGraphNest *nest, SondeNode *node, guint phases)
{
  guint scope
      = nest->folding != NULL ? nest->folding->tree->scope_of_node[node->id] : SONDE_SCOPE_NONE;
  SondeGraphBox box = { .node = node, .scope = SONDE_SCOPE_NONE, .frame = -1 };

  if (scope != SONDE_SCOPE_NONE && nest->hidden_by[scope] != SONDE_SCOPE_NONE)
    return box_of_scope (nest, nest->hidden_by[scope]);
  if (scope != SONDE_SCOPE_NONE)
    box.frame = frame_around (nest, scope);
  return add_box (nest, box, sonde_graph_text_of_node (node, phases));
}

static guint
box_of_value (SondeGraphNest *nest, SondeGraphValue *value, gboolean is_output)
{
  SondeGraphBox box = { .value = value, .scope = SONDE_SCOPE_NONE, .frame = -1 };
  SondeGraphText text = { .title = g_strdup (is_output ? _ ("Output") : _ ("Input")),
                          .name = g_strdup (value->name),
                          .family = SONDE_FAMILY_DATA };
  guint index = add_box (nest, box, text);

  if (!is_output)
    g_hash_table_insert (nest->scene->box_of_input, value, GUINT_TO_POINTER (index + 1));
  return index;
}

/* ---- ports and links ----------------------------------------------------- */

/* One end of a line on its way out of frames. @port: in the frame that @box is */
typedef struct
{
  guint box, port;
} End;

static gint64
port_key (guint frame, gboolean is_out, const SondeGraphValue *value)
{
  return (gint64) frame << 33 | (gint64) is_out << 32 | value->id;
}

static guint
find_port (SondeGraphNest *nest, guint frame, gboolean is_out, const SondeGraphValue *value)
{
  gint64 key = port_key (frame, is_out, value);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (nest->known_ports, &key));
  SondeGraphPort port = { frame, is_out, 0 };

  if (found > 0)
    return found - 1;
  g_array_append_val (nest->ports, port);
  g_hash_table_insert (nest->known_ports, g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (nest->ports->len));
  return nest->ports->len - 1;
}

static guint
hash_link (gconstpointer data)
{
  const SondeGraphLink *link = data;

  return link->from * 2654435761u ^ link->to * 40503u ^ link->from_port * 2246822519u
         ^ link->to_port * 3266489917u ^ (guint) link->is_order;
}

static gboolean
equal_links (gconstpointer a, gconstpointer b)
{
  const SondeGraphLink *x = a, *y = b;

  return x->from == y->from && x->to == y->to && x->from_port == y->from_port
         && x->to_port == y->to_port && x->is_order == y->is_order;
}

/* One line for all that goes the same way. */
static void
add_link (SondeGraphNest *nest, SondeGraphLink link)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (nest->known_links, &link));
  gint64 key;

  if (found == 0)
    {
      g_array_append_val (nest->links, link);
      found = nest->links->len;
      g_hash_table_insert (nest->known_links, g_memdup2 (&link, sizeof link),
                           GUINT_TO_POINTER (found));
    }
  key = (gint64) found << 32 | link.value->id;
  if (!g_hash_table_contains (nest->known_values, &key))
    {
      g_hash_table_add (nest->known_values, g_memdup2 (&key, sizeof key));
      sonde_graph_nest_link (nest, found - 1)->n_values++;
    }
}

static int
frame_of_box (const SondeGraphNest *nest, guint box)
{
  return sonde_graph_nest_box (nest, box)->frame;
}

/* From @end to the frame it stands in; @link: the line to draw there, with one of its ends missing. */
static End
lift (SondeGraphNest *nest, End end, gboolean is_out, SondeGraphLink link)
{
  guint frame = (guint) frame_of_box (nest, end.box), port = SONDE_GRAPH_NO_PORT;

  if (link.is_order)
    return (End){ frame, port };
  port = find_port (nest, frame, is_out, link.value);
  link.frame = (int) frame;
  link.from_port = link.to_port = SONDE_GRAPH_NO_PORT;
  if (is_out)
    {
      link.from = end.box;
      link.from_port = end.port;
      link.to = port | SONDE_GRAPH_PORT_BIT;
    }
  else
    {
      link.from = port | SONDE_GRAPH_PORT_BIT;
      link.to = end.box;
      link.to_port = end.port;
    }
  add_link (nest, link);
  return (End){ frame, port };
}

/* Whether what is hidden in a frame reads a value that enters it for what is shown there. */
static gboolean
enters_anyway (const SondeGraphNest *nest, End to, const SondeGraphValue *value)
{
  gint64 key = port_key (to.box, FALSE, value);

  return to.port == SONDE_GRAPH_NO_PORT && sonde_graph_nest_box (nest, to.box)->is_open
         && g_hash_table_contains (nest->known_ports, &key);
}

/* Out of the frames around its start, into those around its end. */
static void
add_arrow (SondeGraphNest *nest, guint from_box, guint to_box, SondeGraphValue *value,
           gboolean is_order)
{
  End from = { from_box, SONDE_GRAPH_NO_PORT }, to = { to_box, SONDE_GRAPH_NO_PORT };
  SondeGraphLink link = { .source = from_box, .value = value, .is_order = is_order };

  if (from_box == to_box && (is_order || sonde_graph_nest_box (nest, from_box)->node == NULL))
    return; /* inside of a scope */
  while (frame_of_box (nest, from.box) != frame_of_box (nest, to.box))
    if (g_array_index (nest->depths, guint, from.box)
        >= g_array_index (nest->depths, guint, to.box))
      from = lift (nest, from, TRUE, link);
    else
      to = lift (nest, to, FALSE, link);
  if ((from.box == to.box && from_box != to_box) || enters_anyway (nest, to, value))
    return; /* between a frame and what is in it, or drawn already */
  link.frame = frame_of_box (nest, from.box);
  link.from = from.box;
  link.from_port = from.port;
  link.to = to.box;
  link.to_port = to.port;
  add_link (nest, link);
}

/* What only waits for another node does not pull it out of its layer: one line of order places a box that
 * has no other line, all the rest are marks at both ends. */
static void
leave_out_orders (SondeGraphNest *nest)
{
  g_autofree gboolean *placed = g_new0 (gboolean, nest->boxes->len + 1);

  for (guint i = 0; i < nest->links->len; i++)
    {
      SondeGraphLink *link = sonde_graph_nest_link (nest, i);
      gboolean from_port = (link->from & SONDE_GRAPH_PORT_BIT) != 0;
      gboolean to_port = (link->to & SONDE_GRAPH_PORT_BIT) != 0;

      link->is_left_out = link->is_order && placed[link->from] && placed[link->to];
      if (!from_port)
        placed[link->from] = TRUE;
      if (!to_port)
        placed[link->to] = TRUE;
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* @to_frames: only those to what is hidden in a frame; else only the others */
static void
add_arrows (SondeGraphNest *nest, const GArray *arrows, const guint *box_of_atom, gboolean order,
            gboolean to_frames)
{
  for (guint i = 0; i < arrows->len; i++)
    {
      const SondeGraphArrow *arrow = &g_array_index (arrows, SondeGraphArrow, i);
      guint to = box_of_atom[arrow->to];

      if (sonde_graph_nest_box (nest, to)->is_open == to_frames)
        add_arrow (nest, box_of_atom[arrow->from], to, arrow->value, order);
    }
}

void
sonde_graph_nest_fill (SondeGraphNest *nest, SondeGraph *graph, guint phases)
{
  g_autofree guint *box_of_atom = NULL;
  SondeGraphAtoms atoms;

  nest->boxes = g_array_new (FALSE, TRUE, sizeof (SondeGraphBox));
  nest->texts = g_array_new (FALSE, TRUE, sizeof (SondeGraphText));
  nest->depths = g_array_new (FALSE, TRUE, sizeof (guint));
  nest->ports = g_array_new (FALSE, TRUE, sizeof (SondeGraphPort));
  nest->links = g_array_new (FALSE, TRUE, sizeof (SondeGraphLink));
  nest->points = g_array_new (FALSE, TRUE, sizeof (SondeLayoutPoint));
  nest->known_ports = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  nest->known_links = g_hash_table_new_full (hash_link, equal_links, g_free, NULL);
  nest->known_values = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (nest->folding != NULL)
    resolve_scopes (nest);
  sonde_graph_atoms_collect (&atoms, graph, phases);
  box_of_atom = g_new (guint, atoms.atoms->len + 1);
  for (guint i = 0; i < atoms.atoms->len; i++)
    {
      const SondeGraphAtom *atom = &g_array_index (atoms.atoms, SondeGraphAtom, i);

      box_of_atom[i] = atom->node != NULL ? box_of_node (nest, atom->node, phases)
                                          : box_of_value (nest, atom->value, atom->is_output);
      if (atom->node != NULL)
        nest->scene->box_of_node[atom->node->id] = (int) box_of_atom[i];
    }
  for (int to_frames = 0; to_frames < 2; to_frames++)
    add_arrows (nest, atoms.arrows, box_of_atom, FALSE, to_frames);
  for (int to_frames = 0; to_frames < 2; to_frames++)
    add_arrows (nest, atoms.orders, box_of_atom, TRUE, to_frames);
  leave_out_orders (nest);
  sonde_graph_atoms_clear (&atoms);
}

void
sonde_graph_nest_clear (SondeGraphNest *nest)
{
  g_array_unref (nest->depths);
  g_array_unref (nest->ports);
  g_array_unref (nest->links);
  g_array_unref (nest->points);
  g_free (nest->box_of_scope);
  g_free (nest->hidden_by);
  g_free (nest->frame_of);
  g_hash_table_unref (nest->known_ports);
  g_hash_table_unref (nest->known_links);
  g_hash_table_unref (nest->known_values);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trace/sonde-flame-view.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/trace/sonde-flame-paint.h"

#define TABLE_ROWS 100000 /* of what is copied */

struct _SondeFlameView
{
  SondeTraceView parent_instance;
  SondeFlameTree *tree;             /* (nullable): that of the difference, where there is one */
  SondeFlameDifference *difference; /* (nullable) */
  GObject *owner;
  char *found; /* (nullable): folded */
};

G_DEFINE_FINAL_TYPE (SondeFlameView, sonde_flame_view, SONDE_TYPE_TRACE_VIEW)

static SondeFlamePicture
describe_picture (SondeFlameView *view, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  return (SondeFlamePicture){ .tree = view->tree,
                              .left = v.x0,
                              .right = v.x1,
                              .scroll = sonde_trace_view_get_scroll (SONDE_TRACE_VIEW (view)),
                              .found = view->found,
                              .difference = view->difference,
                              .labels = sonde_trace_view_get_labels (SONDE_TRACE_VIEW (view)) };
}

static guint32
as_node (SondeFlameView *view, gint64 id)
{
  return id >= 0 && id < view->tree->nodes->len ? (guint32) id : SONDE_TRACE_NONE;
}

static void
sonde_flame_view_prepare (SondeView *base, int width, int height)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);

  if (view->tree != NULL)
    sonde_view_set_bounds (
        base,
        &(SondeViewport){ 0, 0, MAX ((double) sonde_flame_tree_get (view->tree, 0)->total, 1), 1 });
}

static void
sonde_flame_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  SondeFlamePicture picture;

  if (view->tree == NULL)
    return;
  picture = describe_picture (view, width, height);
  sonde_paint_flame (cr, sonde_view_get_theme (base), &picture, width, height);
}

static void
sonde_flame_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  SondeFlamePicture picture;

  if (view->tree == NULL)
    return;
  picture = describe_picture (view, width, height);
  sonde_paint_flame_marks (cr, sonde_view_get_theme (base), &picture,
                           as_node (view, sonde_view_get_selection (base)),
                           as_node (view, sonde_view_get_hovered (base)), width, height);
}

static double
sonde_flame_view_get_height (SondeTraceView *base)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);

  return view->tree != NULL ? sonde_flame_get_height (view->tree) : 0;
}

static gboolean
sonde_flame_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  int width = sonde_view_get_width (base);
  int height = sonde_view_get_height (base);
  SondeFlamePicture picture;
  cairo_rectangle_t box;
  guint32 node;

  if (view->tree == NULL)
    return FALSE;
  picture = describe_picture (view, width, height);
  node = sonde_flame_hit (&picture, width, height, x, y);
  if (node == SONDE_TRACE_NONE)
    return FALSE;
  sonde_flame_get_box (&picture, node, width, &box);
  pick->id = node;
  pick->area = (SondeViewRect){ MAX (box.x, 0), box.y, 0, box.height };
  pick->area.width = MIN (box.x + box.width, width) - pick->area.x;
  return TRUE;
}

static char *
format_weight (SondeFlameView *view, gint64 weight)
{
  return view->tree->is_samples ? sonde_format_count (weight) : sonde_format_duration (weight);
}

/* What a step of both sides takes there. */
static char *
describe_difference (SondeFlameView *view, guint32 n, const char *name)
{
  const guint64 at = sonde_flame_tree_get (view->tree, n)->n;
  const double base = view->difference->base_ns[at], other = view->difference->other_ns[at];
  g_autofree char *before = sonde_format_duration ((gint64) base);
  g_autofree char *after = sonde_format_duration ((gint64) other);

  return base > 0 ? g_strdup_printf (_ ("%s: %s instead of %s a step (%+.1f %%)"), name, after,
                                     before, (other / base - 1) * 100)
                  : g_strdup_printf (_ ("%s: %s a step, and not at all before"), name, after);
}

char *
sonde_flame_view_dup_sentence (SondeFlameView *view, guint32 n)
{
  const SondeFlameNode *node;
  double whole;
  g_autofree char *name = NULL, *total = NULL, *self = NULL, *count = NULL;

  g_return_val_if_fail (SONDE_IS_FLAME_VIEW (view) && view->tree != NULL, NULL);
  node = sonde_flame_tree_get (view->tree, n);
  whole = (double) sonde_flame_tree_get (view->tree, 0)->total;
  name = sonde_text_make_visible (sonde_flame_get_name (view->tree, n));
  if (view->difference != NULL)
    return describe_difference (view, n, name);
  total = format_weight (view, node->total);
  self = format_weight (view, node->self);
  count = sonde_format_count ((gint64) node->n);
  if (view->tree->is_samples)
    return g_strdup_printf (_ ("%s: %s samples, %.1f %% of all; self %s"), name, total,
                            whole > 0 ? (double) node->total / whole * 100 : 0.0, self);
  if (node->n == 0)
    return g_strdup_printf (_ ("%s: %s, %.1f %% of all"), name, total,
                            whole > 0 ? (double) node->total / whole * 100 : 0.0);
  return g_strdup_printf (P_ ("%s: %s, %.1f %% of all; self %s, %s call",
                              "%s: %s, %.1f %% of all; self %s, %s calls", node->n),
                          name, total, whole > 0 ? (double) node->total / whole * 100 : 0.0, self,
                          count);
}

static char *
sonde_flame_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  return sonde_flame_view_dup_sentence (SONDE_FLAME_VIEW (base), (guint32) pick->id);
}

static char *
sonde_flame_view_describe (SondeView *base)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  const char *title = sonde_view_get_title (base);
  g_autofree char *sentence = NULL;
  guint32 node;

  if (title == NULL)
    title = _ ("Flame graph");
  if (view->tree == NULL)
    return g_strdup_printf (_ ("%s: no trace."), title);
  node = as_node (view, sonde_view_get_selection (base));
  sentence = sonde_flame_view_dup_sentence (view, node != SONDE_TRACE_NONE ? node : 0);
  return g_strdup_printf ("%s: %s.", title, sentence);
}

static void
add_path (GString *text, SondeFlameView *view, guint32 n, const char *separator)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (; n != 0; n = sonde_flame_tree_get (view->tree, n)->parent)
    g_ptr_array_add (names, (char *) sonde_flame_get_name (view->tree, n));
  for (guint i = names->len; i-- > 0;)
    g_string_append_printf (text, "%s%s", (char *) names->pdata[i], i > 0 ? separator : "");
}

char *
sonde_flame_view_dup_path (SondeFlameView *view, guint32 node, const char *separator)
{
  GString *text;

  g_return_val_if_fail (SONDE_IS_FLAME_VIEW (view) && view->tree != NULL, NULL);
  text = g_string_new (NULL);
  add_path (text, view, node, separator);
  return g_string_free (text, FALSE);
}

static char *
sonde_flame_view_dup_table (SondeView *base, char separator)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  GString *text = g_string_new (NULL);
  gsize budget = TABLE_ROWS;

  if (view->difference != NULL)
    g_string_append_printf (text, "path%cbase_ns%cother_ns\n", separator, separator);
  else
    g_string_append_printf (text, "path%ccalls%ctotal%cself\n", separator, separator, separator);
  for (guint32 i = 1; view->tree != NULL && i < view->tree->nodes->len; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (view->tree, i);

      /* A path costs as many names as it is deep. */
      if (budget < node->depth)
        break;
      budget -= node->depth;
      add_path (text, view, i, ";"); /* as collapsed stacks have them */
      if (view->difference != NULL)
        g_string_append_printf (text, "%c%.0f%c%.0f\n", separator,
                                view->difference->base_ns[node->n], separator,
                                view->difference->other_ns[node->n]);
      else
        g_string_append_printf (text, "%c%" PRIu64 "%c%" PRIi64 "%c%" PRIi64 "\n", separator,
                                node->n, separator, node->total, separator, node->self);
    }
  return g_string_free (text, FALSE);
}

static void
sonde_flame_view_show_selection (SondeTraceView *base)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (base);
  const SondeFlameNode *node;
  guint32 n;

  if (view->tree == NULL)
    return;
  n = as_node (view, sonde_view_get_selection (SONDE_VIEW (view)));
  if (n == SONDE_TRACE_NONE)
    return;
  node = sonde_flame_tree_get (view->tree, n);
  sonde_view_set_viewport (SONDE_VIEW (view),
                           &(SondeViewport){ (double) node->start, 0,
                                             (double) node->start + MAX ((double) node->total, 1),
                                             1 });
}

static gboolean
sonde_flame_view_let_go (SondeTraceView *base)
{
  gboolean held = sonde_view_get_selection (SONDE_VIEW (base)) != SONDE_VIEW_NOTHING;

  sonde_view_set_selection (SONDE_VIEW (base), SONDE_VIEW_NOTHING);
  return held;
}

static void
on_picked (SondeFlameView *view, gint64 id, int n_presses, double x, double y)
{
  sonde_view_set_selection (SONDE_VIEW (view), id);
  sonde_view_invalidate (SONDE_VIEW (view));
  if (n_presses == 2)
    sonde_flame_view_show_selection (SONDE_TRACE_VIEW (view));
}

static void
forget (SondeFlameView *view)
{
  if (view->difference == NULL)
    sonde_flame_tree_free (view->tree);
  view->tree = NULL;
  g_clear_pointer (&view->difference, sonde_flame_difference_free);
}

void
sonde_flame_view_set_difference (SondeFlameView *view, SondeFlameDifference *difference,
                                 GObject *owner)
{
  g_return_if_fail (SONDE_IS_FLAME_VIEW (view) && difference != NULL);
  sonde_flame_view_set_tree (view, NULL, owner);
  view->difference = difference;
  view->tree = difference->tree;
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
}

void
sonde_flame_view_set_tree (SondeFlameView *view, SondeFlameTree *tree, GObject *owner)
{
  g_return_if_fail (SONDE_IS_FLAME_VIEW (view));
  sonde_trace_view_forget_labels (SONDE_TRACE_VIEW (view));
  forget (view);
  view->tree = tree;
  g_set_object (&view->owner, owner);
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

const SondeFlameTree *
sonde_flame_view_get_tree (SondeFlameView *view)
{
  g_return_val_if_fail (SONDE_IS_FLAME_VIEW (view), NULL);
  return view->tree;
}

void
sonde_flame_view_set_search (SondeFlameView *view, const char *text)
{
  g_return_if_fail (SONDE_IS_FLAME_VIEW (view));
  g_free (view->found);
  view->found = text != NULL && *text != '\0' ? g_utf8_casefold (text, -1) : NULL;
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_flame_view_finalize (GObject *object)
{
  SondeFlameView *view = SONDE_FLAME_VIEW (object);

  forget (view);
  g_clear_object (&view->owner);
  g_free (view->found);
  G_OBJECT_CLASS (sonde_flame_view_parent_class)->finalize (object);
}

static void
sonde_flame_view_class_init (SondeFlameViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);
  SondeTraceViewClass *trace_class = SONDE_TRACE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_flame_view_finalize;
  view_class->prepare = sonde_flame_view_prepare;
  view_class->paint = sonde_flame_view_paint;
  view_class->paint_overlay = sonde_flame_view_paint_overlay;
  view_class->describe = sonde_flame_view_describe;
  view_class->pick = sonde_flame_view_pick;
  view_class->dup_tooltip = sonde_flame_view_dup_tooltip;
  view_class->dup_table = sonde_flame_view_dup_table;
  trace_class->get_height = sonde_flame_view_get_height;
  trace_class->show_selection = sonde_flame_view_show_selection;
  trace_class->let_go = sonde_flame_view_let_go;
}

static void
sonde_flame_view_init (SondeFlameView *view)
{
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_flame_view_new (void)
{
  return g_object_new (SONDE_TYPE_FLAME_VIEW, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-compare-flame.h"

#include "app/profiler/sonde-flame-kinds.h"
#include "data/base/sonde-text.h"
#include "viewers/trace/sonde-flame-view.h"

struct _SondeCompareFlame
{
  AdwBin parent_instance;
  SondeTraceDocument *base; /* (nullable); the view holds the other one */
  SondeFlameView *view;
  GtkWidget *facts, *path;
};

G_DEFINE_FINAL_TYPE (SondeCompareFlame, sonde_compare_flame, ADW_TYPE_BIN)

/* ---- in a thread --------------------------------------------------------- */

static SondeFlameTree *
grow (SondeTraceDocument *document)
{
  const SondeTrace *trace = sonde_trace_document_get_trace (document);
  g_autofree guint8 *kinds = sonde_profiler_make_flame_kinds (trace);

  return sonde_flame_tree_new_of_kinds (
      sonde_trace_document_get_index (document), trace->start_ns,
      trace->end_ns < G_MAXINT64 ? trace->end_ns + 1 : trace->end_ns, FALSE, kinds, NULL);
}

static double
count_steps (SondeTraceDocument *document)
{
  return MAX (sonde_trace_document_get_profile (document)->n_steps, 1);
}

/* As the spans of the operators are called. */
static void
add_name (GHashTable *names, const SondeProfileOperator *op)
{
  if (op == NULL)
    return;
  g_hash_table_add (names, g_strdup (op->node != NULL ? op->node : op->op));
  if (op->node != NULL) /* as ONNX Runtime's */
    g_hash_table_add (names, g_strconcat (op->node, "_kernel_time", NULL));
}

SondeFlameDifference *
sonde_compare_flame_compute (SondeTraceDocument *base, SondeTraceDocument *other,
                             const SondeProfileComparison *comparison)
{
  g_autoptr (SondeFlameTree) before = NULL, after = NULL;
  g_autoptr (GHashTable) sure = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (sonde_trace_document_get_trace (base)->n_spans == 0
      || sonde_trace_document_get_trace (other)->n_spans == 0)
    return NULL;
  before = grow (base);
  after = grow (other);
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *one
          = &g_array_index (comparison->operators, SondeComparedOperator, i);

      if (one->significant)
        {
          add_name (sure, one->base_op);
          add_name (sure, one->other_op);
        }
    }
  return sonde_flame_difference_new (&(SondeFlameSide){ before, count_steps (base) },
                                     &(SondeFlameSide){ after, count_steps (other) }, sure);
}

/* ---- what is shown ------------------------------------------------------- */

static void
show_facts (SondeCompareFlame *flame)
{
  const gint64 selected = sonde_view_get_selection (SONDE_VIEW (flame->view));
  const guint32 node = (guint32) MAX (selected, 0);
  g_autofree char *text = NULL, *path = NULL, *visible = NULL;

  if (sonde_flame_view_get_tree (flame->view) == NULL)
    return;
  text = sonde_flame_view_dup_sentence (flame->view, node);
  path = sonde_flame_view_dup_path (flame->view, node, " › ");
  visible = sonde_text_make_visible (path);
  gtk_label_set_text (GTK_LABEL (flame->facts), text);
  gtk_label_set_text (GTK_LABEL (flame->path), visible);
}

void
sonde_compare_flame_set (SondeCompareFlame *flame, SondeFlameDifference *difference,
                         SondeTraceDocument *base, SondeTraceDocument *other)
{
  g_return_if_fail (SONDE_IS_COMPARE_FLAME (flame));
  if (difference != NULL)
    sonde_flame_view_set_difference (flame->view, difference, G_OBJECT (other));
  else
    sonde_flame_view_set_tree (flame->view, NULL, NULL);
  g_set_object (&flame->base, base);
  show_facts (flame);
}

void
sonde_compare_flame_set_search (SondeCompareFlame *flame, const char *text)
{
  g_return_if_fail (SONDE_IS_COMPARE_FLAME (flame));
  sonde_flame_view_set_search (flame->view, text);
}

/* ---- widget -------------------------------------------------------------- */

static GtkWidget *
add_line (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
sonde_compare_flame_dispose (GObject *object)
{
  SondeCompareFlame *flame = SONDE_COMPARE_FLAME (object);

  if (flame->view != NULL)
    sonde_flame_view_set_tree (flame->view, NULL, NULL);
  flame->view = NULL;
  g_clear_object (&flame->base);
  G_OBJECT_CLASS (sonde_compare_flame_parent_class)->dispose (object);
}

static void
sonde_compare_flame_class_init (SondeCompareFlameClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_compare_flame_dispose;
}

static void
sonde_compare_flame_init (SondeCompareFlame *flame)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *below = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3), *legend;

  flame->view = SONDE_FLAME_VIEW (sonde_flame_view_new ());
  sonde_view_set_title (SONDE_VIEW (flame->view), _ ("Flame graph of the difference"));
  gtk_widget_set_vexpand (GTK_WIDGET (flame->view), TRUE);
  gtk_box_append (GTK_BOX (box), sonde_trace_view_new_scrolled (SONDE_TRACE_VIEW (flame->view)));
  gtk_widget_add_css_class (below, "page-bar");
  flame->facts = add_line (below, "numeric");
  flame->path = add_line (below, "dim-label");
  legend = add_line (below, "caption");
  gtk_label_set_text (GTK_LABEL (legend),
                      _ ("As wide as the mean of both a step. Blue: faster, orange: slower; strong "
                         "where the difference is significant, pale where noise may explain it."));
  gtk_label_set_wrap (GTK_LABEL (legend), TRUE);
  gtk_box_append (GTK_BOX (box), below);
  adw_bin_set_child (ADW_BIN (flame), box);
  g_signal_connect_object (flame->view, "notify::selection", G_CALLBACK (show_facts), flame,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_compare_flame_new (void)
{
  return g_object_new (SONDE_TYPE_COMPARE_FLAME, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-memory-plan.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-fact-table.h"
#include "app/profiler/sonde-node-links.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/profile/sonde-memory-view.h"

struct _SondeMemoryPlan
{
  AdwBin parent_instance;
  GObject *owner;
  const SondeMemoryTimeline *timeline;
  SondeMemoryView *view;
  SondeFactTable *alive, *changes;
  GtkWidget *step, *step_facts, *facts, *blocks, *tables;
  SondeNodeLinks *links;
  gboolean selecting;
};

G_DEFINE_FINAL_TYPE (SondeMemoryPlan, sonde_memory_plan, ADW_TYPE_BIN)

enum
{
  ALIVE_VALUE,
  ALIVE_KIND,
  ALIVE_BYTES,
  ALIVE_NODE,
  ALIVE_SCOPE,
  ALIVE_REASON,
  ALIVE_FROM,
  ALIVE_UNTIL,
};

static const SondeFactColumn alive_columns[] = {
  { N_ ("Value"), 0, FALSE },     { N_ ("Kind"), 96, FALSE },      { N_ ("Size"), 88, TRUE },
  { N_ ("Made By"), 0, FALSE },   { N_ ("Scope"), 120, FALSE },    { N_ ("Kept For"), 0, FALSE },
  { N_ ("From Step"), 84, TRUE }, { N_ ("Until Step"), 84, TRUE },
};

enum
{
  CHANGE_VALUE,
  CHANGE_WHAT,
  CHANGE_PEAK,
  CHANGE_SAVES,
};

static const SondeFactColumn change_columns[] = {
  { N_ ("Value"), 0, FALSE },
  { N_ ("If It Were"), 260, FALSE },
  { N_ ("Peak Becomes"), 130, TRUE },
  { N_ ("Less by"), 110, TRUE },
};

static const char *
get_change_text (SondeMemoryChange change)
{
  static const char *const texts[SONDE_MEMORY_N_CHANGES]
      = { N_ ("made in place"), N_ ("freed at its last reader"), N_ ("computed again, or later") };

  return _ (texts[change]);
}

/* ---- tables -------------------------------------------------------------- */

static const SondeLifetime *
get_lifetime (SondeMemoryPlan *plan, guint i)
{
  return &g_array_index (plan->timeline->lifetimes, SondeLifetime, i);
}

/* The innermost body whose value it is. (nullable) */
static const SondeBodyMemory *
find_body_of (const SondeMemoryTimeline *timeline, const SondeLifetime *lifetime)
{
  const SondeBodyMemory *found = NULL;

  for (guint i = 0; timeline->bodies != NULL && i < timeline->bodies->len; i++)
    {
      const SondeBodyMemory *body = &g_array_index (timeline->bodies, SondeBodyMemory, i);
      const gsize length = strlen (body->body);

      if (strncmp (lifetime->value, body->body, length) == 0 && lifetime->value[length] == '/'
          && (found == NULL || strlen (found->body) < length))
        found = body;
    }
  return found;
}

/* What has no last reader: bodies keep what was given to them, and what they made outside their arena. */
static const char *
get_end (const SondeMemoryTimeline *timeline, const SondeLifetime *lifetime)
{
  const SondeBodyMemory *body = find_body_of (timeline, lifetime);

  if (body == NULL)
    return _ ("the end of the step");
  return lifetime->until <= body->until && lifetime->from >= body->from
             ? _ ("the results of its body")
             : _ ("the next run of its body");
}

/* Why it is alive: who reads it last, or what else it lives for. */
static const char *
get_reason (const SondeMemoryTimeline *timeline, const SondeLifetime *lifetime)
{
  if (lifetime->last_reader != NULL)
    return lifetime->last_reader;
  if (lifetime->kind == SONDE_MEMORY_OF_WORKSPACE)
    return _ ("room to compute in");
  return get_end (timeline, lifetime);
}

static void
add_alive (SondeMemoryPlan *plan, guint i)
{
  const SondeLifetime *lifetime = get_lifetime (plan, i);

  sonde_fact_table_add_row (plan->alive, i);
  sonde_fact_table_set_text (plan->alive, ALIVE_VALUE, lifetime->value);
  sonde_fact_table_set_text (plan->alive, ALIVE_KIND, sonde_memory_kind_get_label (lifetime->kind));
  sonde_fact_table_take_number (plan->alive, ALIVE_BYTES, (double) lifetime->bytes,
                                sonde_format_bytes (lifetime->bytes), "B");
  sonde_fact_table_set_text (plan->alive, ALIVE_NODE, lifetime->node);
  sonde_fact_table_set_text (plan->alive, ALIVE_SCOPE, lifetime->scope);
  sonde_fact_table_set_text (plan->alive, ALIVE_REASON, get_reason (plan->timeline, lifetime));
  sonde_fact_table_take_number (plan->alive, ALIVE_FROM, lifetime->from,
                                sonde_format_count (lifetime->from), NULL);
  sonde_fact_table_take_number (plan->alive, ALIVE_UNTIL, lifetime->until,
                                sonde_format_count (lifetime->until), NULL);
}

static void
fill_alive (SondeMemoryPlan *plan)
{
  const guint step = sonde_memory_plan_get_step (plan);
  gboolean has_scopes = FALSE;

  sonde_fact_table_begin (plan->alive);
  for (guint i = 0; i < plan->timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = get_lifetime (plan, i);

      has_scopes |= lifetime->scope != NULL;
      if (lifetime->from <= step && step <= lifetime->until)
        add_alive (plan, i);
    }
  sonde_fact_table_end (plan->alive);
  sonde_fact_table_show_column (plan->alive, ALIVE_SCOPE, has_scopes);
}

static void
fill_changes (SondeMemoryPlan *plan)
{
  const GArray *list = plan->timeline->alternatives;

  sonde_fact_table_begin (plan->changes);
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const SondeMemoryAlternative *change = &g_array_index (list, SondeMemoryAlternative, i);
      const double saved = (double) plan->timeline->peak_bytes - (double) change->peak_bytes;
      g_autofree char *bytes = sonde_format_bytes ((guint64) fabs (saved));

      sonde_fact_table_add_row (plan->changes, i);
      sonde_fact_table_set_text (plan->changes, CHANGE_VALUE, change->value);
      sonde_fact_table_set_text (plan->changes, CHANGE_WHAT, get_change_text (change->change));
      sonde_fact_table_take_number (plan->changes, CHANGE_PEAK, (double) change->peak_bytes,
                                    sonde_format_bytes (change->peak_bytes), "B");
      sonde_fact_table_take_number (plan->changes, CHANGE_SAVES, saved,
                                    g_strconcat (saved < 0 ? "−" : "", bytes, NULL), "B");
    }
  sonde_fact_table_end (plan->changes);
}

/* ---- words --------------------------------------------------------------- */

/* How often the body ran in which @step lies, and what that took. */
static void
append_body (GString *text, const SondeMemoryTimeline *timeline, guint step)
{
  const SondeBodyMemory *body = sonde_memory_timeline_find_body (timeline, step);
  g_autofree char *runs = NULL, *shown = NULL, *least = NULL, *most = NULL;

  if (body == NULL || body->n_runs < 2)
    return;
  runs = sonde_format_count (body->n_runs);
  shown = sonde_format_count (body->shown + 1);
  least = sonde_format_bytes (body->least_bytes);
  most = sonde_format_bytes (body->most_bytes);
  g_string_append (text, " · ");
  g_string_append_printf (text, _ ("run %s of %s of %s, which take %s to %s"), shown, runs,
                          body->body, least, most);
}

static void
show_step (SondeMemoryPlan *plan)
{
  const SondeMemoryTimeline *timeline = plan->timeline;
  const guint step = sonde_memory_plan_get_step (plan);
  guint64 by_kind[SONDE_MEMORY_N_KINDS];
  g_autofree char *held = sonde_format_bytes (timeline->held_bytes[step]);
  g_autoptr (GString) text = g_string_new (NULL);

  sonde_memory_timeline_count (timeline, step, by_kind);
  g_string_append_printf (text, step == timeline->peak_step ? _ ("%s, the peak: %s") : "%s: %s",
                          timeline->steps[step], held);
  append_body (text, timeline, step);
  gtk_label_set_text (GTK_LABEL (plan->step_facts), text->str);
  /* The kinds stand above the picture, too. */
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    if (by_kind[i] > 0)
      {
        g_autofree char *bytes = sonde_format_bytes (by_kind[i]);

        g_string_append_printf (text, " · %s %s", sonde_memory_kind_get_label (i), bytes);
      }
  gtk_widget_set_tooltip_text (plan->step_facts, text->str);
}

static void
show_value (SondeMemoryPlan *plan)
{
  const gint64 id = sonde_view_get_selection (SONDE_VIEW (plan->view));
  const SondeLifetime *lifetime = sonde_memory_view_get_lifetime (plan->view, id);
  g_autofree char *text = sonde_memory_view_dup_sentences (plan->view, id);
  g_autofree char *peak = sonde_format_bytes (plan->timeline->peak_bytes);

  if (text == NULL)
    text = g_strdup_printf (_ ("Peak %s in %s, step %u of %u"), peak,
                            plan->timeline->steps[plan->timeline->peak_step],
                            plan->timeline->peak_step, plan->timeline->n_steps);
  g_strdelimit (text, "\n", ' ');
  gtk_label_set_text (GTK_LABEL (plan->facts), text);
  gtk_widget_set_tooltip_text (plan->facts, text);
  sonde_node_links_set_node (plan->links, lifetime != NULL ? lifetime->node : NULL);
}

/* ---- hands --------------------------------------------------------------- */

guint
sonde_memory_plan_get_step (SondeMemoryPlan *plan)
{
  g_return_val_if_fail (SONDE_IS_MEMORY_PLAN (plan), 0);
  return (guint) gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (plan->step));
}

void
sonde_memory_plan_set_step (SondeMemoryPlan *plan, guint step)
{
  g_return_if_fail (SONDE_IS_MEMORY_PLAN (plan));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (plan->step), step);
}

static void
on_step (SondeMemoryPlan *plan)
{
  const gint64 selected = sonde_view_get_selection (SONDE_VIEW (plan->view));

  sonde_memory_view_set_step (plan->view, sonde_memory_plan_get_step (plan));
  fill_alive (plan);
  sonde_fact_table_select (plan->alive, selected);
  show_step (plan);
}

/* A click chooses the step, too. */
static void
on_picked (SondeMemoryPlan *plan, gint64 id, int n_presses, double x, double y)
{
  double step, bytes;

  sonde_view_view_to_world (SONDE_VIEW (plan->view), x, y, &step, &bytes);
  if (step >= 0 && step < plan->timeline->n_steps)
    sonde_memory_plan_set_step (plan, (guint) step);
}

/* What is selected and does not live in the step takes the step with it. */
static void
on_view_selection (SondeMemoryPlan *plan)
{
  const gint64 id = sonde_view_get_selection (SONDE_VIEW (plan->view));
  const SondeLifetime *lifetime = sonde_memory_view_get_lifetime (plan->view, id);
  const guint step = sonde_memory_plan_get_step (plan);

  if (lifetime != NULL && (step < lifetime->from || step > lifetime->until))
    sonde_memory_plan_set_step (plan, lifetime->from);
  if (!plan->selecting)
    sonde_fact_table_select (plan->alive, lifetime != NULL ? id : SONDE_FACT_NONE);
  show_value (plan);
}

static void
on_alive_selected (SondeMemoryPlan *plan, gint64 id)
{
  plan->selecting = TRUE;
  sonde_view_set_selection (SONDE_VIEW (plan->view),
                            id == SONDE_FACT_NONE ? SONDE_VIEW_NOTHING : id);
  plan->selecting = FALSE;
}

static void
on_change_selected (SondeMemoryPlan *plan, gint64 id)
{
  const SondeMemoryAlternative *change;

  if (id == SONDE_FACT_NONE)
    {
      sonde_memory_view_set_instead (plan->view, 0);
      return;
    }
  change = &g_array_index (plan->timeline->alternatives, SondeMemoryAlternative, (guint) id);
  sonde_memory_view_select_value (plan->view, change->value);
  sonde_memory_view_set_instead (plan->view, change->peak_bytes);
}

/* What would be stands in the picture while the table of it does. */
static void
on_table (SondeMemoryPlan *plan)
{
  if (gtk_widget_in_destruction (GTK_WIDGET (plan)))
    return;
  on_change_selected (plan, gtk_stack_get_visible_child (GTK_STACK (plan->tables))
                                    == GTK_WIDGET (plan->changes)
                                ? sonde_fact_table_get_selected (plan->changes)
                                : SONDE_FACT_NONE);
}

static void
on_blocks (SondeMemoryPlan *plan)
{
  sonde_memory_view_set_kind (plan->view,
                              gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (plan->blocks))
                                  ? SONDE_MEMORY_BLOCKS
                                  : SONDE_MEMORY_STACK);
}

static void
on_peak (SondeMemoryPlan *plan)
{
  sonde_memory_plan_set_step (plan, plan->timeline->peak_step);
}

/* ---- widgets ------------------------------------------------------------- */

static GtkWidget *
make_line (GtkWidget **label)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_add_css_class (bar, "page-bar");
  *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (*label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (*label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (*label, TRUE);
  gtk_widget_add_css_class (*label, "numeric");
  return bar;
}

static GtkWidget *
make_top (SondeMemoryPlan *plan)
{
  GtkWidget *bar = make_line (&plan->step_facts), *label = gtk_label_new (_ ("Step")), *peak;

  plan->step = gtk_spin_button_new_with_range (0, plan->timeline->n_steps - 1.0, 1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (plan->step), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Step of the plan"), -1);
  gtk_widget_set_tooltip_text (plan->step, _ ("The step of the plan whose values are listed"));
  g_signal_connect_swapped (plan->step, "value-changed", G_CALLBACK (on_step), plan);
  peak = gtk_button_new_with_label (_ ("Peak"));
  gtk_widget_set_tooltip_text (peak, _ ("Go to the step that uses most memory"));
  g_signal_connect_swapped (peak, "clicked", G_CALLBACK (on_peak), plan);
  plan->blocks = gtk_toggle_button_new_with_label (_ ("Values in Place"));
  gtk_widget_set_tooltip_text (plan->blocks,
                               _ ("Each value at its place in memory instead of sums by kind"));
  g_signal_connect_swapped (plan->blocks, "toggled", G_CALLBACK (on_blocks), plan);
  gtk_box_append (GTK_BOX (bar), label);
  gtk_box_append (GTK_BOX (bar), plan->step);
  gtk_box_append (GTK_BOX (bar), peak);
  gtk_box_append (GTK_BOX (bar), plan->step_facts);
  gtk_box_append (GTK_BOX (bar), plan->blocks);
  return bar;
}

static GtkWidget *
make_middle (SondeMemoryPlan *plan)
{
  GtkWidget *bar = make_line (&plan->facts), *switcher = gtk_stack_switcher_new ();

  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (plan->tables));
  gtk_widget_set_valign (switcher, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (switcher, "small-switcher");
  plan->links = SONDE_NODE_LINKS (sonde_node_links_new ());
  gtk_box_append (GTK_BOX (bar), switcher);
  gtk_box_append (GTK_BOX (bar), plan->facts);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (plan->links));
  return bar;
}

static void
make_tables (SondeMemoryPlan *plan)
{
  plan->alive = SONDE_FACT_TABLE (sonde_fact_table_new (
      _ ("Values that live in the step"), alive_columns, G_N_ELEMENTS (alive_columns)));
  plan->changes = SONDE_FACT_TABLE (sonde_fact_table_new (
      _ ("What would lower the peak"), change_columns, G_N_ELEMENTS (change_columns)));
  plan->tables = gtk_stack_new ();
  gtk_stack_add_titled (GTK_STACK (plan->tables), GTK_WIDGET (plan->alive), "alive", _ ("Alive"));
  gtk_stack_add_titled (GTK_STACK (plan->tables), GTK_WIDGET (plan->changes), "changes",
                        _ ("What If"));
  gtk_widget_set_vexpand (plan->tables, TRUE);
  sonde_fact_table_sort (plan->alive, ALIVE_BYTES, GTK_SORT_DESCENDING);
  sonde_fact_table_sort (plan->changes, CHANGE_PEAK, GTK_SORT_ASCENDING);
  g_signal_connect_object (plan->alive, "fact-selected", G_CALLBACK (on_alive_selected), plan,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (plan->changes, "fact-selected", G_CALLBACK (on_change_selected), plan,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (plan->tables, "notify::visible-child", G_CALLBACK (on_table), plan,
                           G_CONNECT_SWAPPED);
}

static void
make_content (SondeMemoryPlan *plan)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *below = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);

  plan->view = SONDE_MEMORY_VIEW (sonde_memory_view_new ());
  sonde_view_set_title (SONDE_VIEW (plan->view), _ ("Memory"));
  gtk_widget_set_vexpand (GTK_WIDGET (plan->view), TRUE);
  make_tables (plan);
  gtk_widget_set_size_request (below, -1, 190);
  gtk_box_append (GTK_BOX (below), make_middle (plan));
  gtk_box_append (GTK_BOX (below), plan->tables);
  sonde_set_name (paned, _ ("Height of the picture"));
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (plan->view));
  gtk_paned_set_end_child (GTK_PANED (paned), below);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  gtk_box_append (GTK_BOX (box), make_top (plan));
  gtk_box_append (GTK_BOX (box), paned);
  adw_bin_set_child (ADW_BIN (plan), box);
  g_signal_connect_object (plan->view, "picked", G_CALLBACK (on_picked), plan, G_CONNECT_SWAPPED);
  g_signal_connect_object (plan->view, "notify::selection", G_CALLBACK (on_view_selection), plan,
                           G_CONNECT_SWAPPED);
}

static void
sonde_memory_plan_finalize (GObject *object)
{
  g_clear_object (&SONDE_MEMORY_PLAN (object)->owner);
  G_OBJECT_CLASS (sonde_memory_plan_parent_class)->finalize (object);
}

static void
sonde_memory_plan_class_init (SondeMemoryPlanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_memory_plan_finalize;
}

static void
sonde_memory_plan_init (SondeMemoryPlan *plan)
{
}

GtkWidget *
sonde_memory_plan_new (const SondeMemoryTimeline *timeline, GObject *owner)
{
  SondeMemoryPlan *plan = g_object_new (SONDE_TYPE_MEMORY_PLAN, NULL);

  plan->timeline = timeline;
  plan->owner = g_object_ref (owner);
  make_content (plan);
  sonde_memory_view_set_timeline (plan->view, timeline, NULL);
  fill_changes (plan);
  sonde_memory_plan_set_step (plan, timeline->peak_step);
  on_step (plan);
  show_value (plan);
  return GTK_WIDGET (plan);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-overview-pane.h"

#include <math.h>
#include <string.h>

#include "app/profiler/sonde-advice-card.h"
#include "app/profiler/tables/sonde-operator-column.h"
#include "app/profiler/sonde-profiler-facts.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/profile/sonde-share-view.h"
#include "viewers/profile/sonde-steps-view.h"

#define TOP_OPERATORS 10
#define SLOW 1.5       /* a slow step, in medians: as the advice has it */
#define CARD_WIDTH 250 /* px, at least */
#define WIDEST 1400    /* px of all; beyond it lines get too long */

struct _SondeOverviewPane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  GtkWidget *column, *left, *right;
};

G_DEFINE_FINAL_TYPE (SondeOverviewPane, sonde_overview_pane, ADW_TYPE_BIN)

static const SondeProfile *
get_profile (SondeOverviewPane *pane)
{
  return sonde_trace_document_get_profile (pane->document);
}

/* ---- parts of cards ------------------------------------------------------ */

static GtkWidget *
new_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* A card with a title, in the left or right column. */
static GtkWidget *
add_card (GtkWidget *column, const char *title, const char *note)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);

  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "view-card");
  gtk_widget_set_size_request (card, CARD_WIDTH, -1);
  gtk_box_append (GTK_BOX (card), new_label (title, "card-title"));
  if (note != NULL)
    {
      GtkWidget *label = new_label (note, "caption");

      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (card), label);
    }
  gtk_box_append (GTK_BOX (column), card);
  return card;
}

/* Names at the left, values at the right. */
static void
add_pair (GtkGrid *grid, int row, const char *name, const char *value)
{
  GtkWidget *left = new_label (name, "dim-label"), *right = new_label (value, "numeric");

  gtk_widget_set_valign (left, GTK_ALIGN_START);
  gtk_label_set_wrap (GTK_LABEL (left), FALSE);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_label_set_xalign (GTK_LABEL (right), 1);
  gtk_label_set_justify (GTK_LABEL (right), GTK_JUSTIFY_RIGHT);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_widget_set_focusable (right, FALSE);
  gtk_grid_attach (grid, left, 0, row, 1, 1);
  gtk_grid_attach (grid, right, 1, row, 1, 1);
}

static GtkGrid *
add_grid (GtkWidget *card)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_box_append (GTK_BOX (card), grid);
  return GTK_GRID (grid);
}

/* ---- advice -------------------------------------------------------------- */

/* What no advice is about, and yet is the first thing to know of a device. */
static void
add_device_sentence (GtkWidget *card, const SondeDeviceSplit *device)
{
  const double whole = (double) device->wall_ns / 100;
  g_autofree char *text = NULL;

  if (device->n_devices == 0 || device->wall_ns == 0)
    return;
  text = device->communication_ns > 0
             ? g_strdup_printf (_ ("The device is idle for %.1f %% of the time; communication that "
                                   "no computation hides takes %.1f %%."),
                                (double) device->idle_ns / whole,
                                (double) device->exposed_communication_ns / whole)
             : g_strdup_printf (_ ("The device is idle for %.1f %% of the time."),
                                (double) device->idle_ns / whole);
  gtk_box_append (GTK_BOX (card), new_label (text, NULL));
}

static void
add_advice (SondeOverviewPane *pane)
{
  const SondeProfile *profile = get_profile (pane);
  GtkWidget *card;

  gtk_box_append (GTK_BOX (pane->column), new_label (_ ("What to change"), "title-4"));
  for (guint i = 0; i < profile->advice->len; i++)
    gtk_box_append (GTK_BOX (pane->column),
                    sonde_advice_card_new (pane->document, g_ptr_array_index (profile->advice, i)));
  if (profile->advice->len > 0)
    return;
  card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "view-card");
  gtk_box_append (
      GTK_BOX (card),
      new_label (sonde_profile_is_sampled (profile)
                     ? _ ("Sampled stacks give no reason for advice: see the operators "
                          "and the flame graph.")
                     : _ ("Nothing stands out: no wait, copy, fallback or single operator "
                          "takes enough of what was recorded to be worth a change."),
                 NULL));
  add_device_sentence (card, &profile->device);
  gtk_box_append (GTK_BOX (pane->column), card);
}

/* ---- where a step goes --------------------------------------------------- */

static void
add_split (SondeOverviewPane *pane)
{
  const SondeProfile *profile = get_profile (pane);
  GtkWidget *card, *view;
  SondeShare shares[SONDE_STEP_N_PARTS];
  guint n = 0;

  if (!profile->has_split)
    return;
  card = add_card (pane->left, _ ("Where a step goes"), NULL);
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    if (profile->part_ns[i] > 0)
      shares[n++]
          = (SondeShare){ _ (sonde_step_part_get_title (i)), profile->part_ns[i],
                          profile->part_ns[i] / profile->wall_ns, i, i == SONDE_STEP_PART_OTHER };
  view = sonde_share_view_new (_ ("Where a step goes"), _ ("mean step"));
  sonde_share_view_set (SONDE_SHARE_VIEW (view), shares, n, profile->wall_ns);
  gtk_box_append (GTK_BOX (card), view);
}

static void
add_classes (SondeOverviewPane *pane)
{
  const SondeProfile *profile = get_profile (pane);
  SondeShare shares[SONDE_OPERATOR_N_CLASSES];
  GtkWidget *card, *view;
  guint n = 0;

  if (!profile->has_classes)
    return;
  card = add_card (pane->right, _ ("What bounds its operators"), NULL);
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES; i++)
    if (profile->class_ns[i] > 0)
      shares[n++] = (SondeShare){ _ (sonde_operator_class_get_title (i)), profile->class_ns[i],
                                  profile->class_ns[i] / profile->wall_ns, i,
                                  i >= SONDE_OPERATOR_CLASS_IDLE };
  view = sonde_share_view_new (_ ("What bounds its operators"), _ ("mean step"));
  sonde_share_view_set (SONDE_SHARE_VIEW (view), shares, n, profile->wall_ns);
  gtk_box_append (GTK_BOX (card), view);
}

static void
add_device (SondeOverviewPane *pane)
{
  const SondeDeviceSplit *device = &get_profile (pane)->device;
  const double n = (double) device->n_steps * (double) device->n_devices;
  const struct
  {
    const char *title;
    gint64 ns;
  } rows[] = {
    { N_ ("busy"), device->busy_ns },
    { N_ ("idle"), device->idle_ns },
    { N_ ("compute"), device->compute_ns },
    { N_ ("copies"), device->copy_ns },
    { N_ ("communication"), device->communication_ns },
    { N_ ("exposed communication"), device->exposed_communication_ns },
  };
  SondeShare shares[G_N_ELEMENTS (rows)];
  GtkWidget *card, *view;

  if (device->n_devices == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    shares[i] = (SondeShare){ _ (rows[i].title), (double) rows[i].ns / n,
                              (double) rows[i].ns / (double) device->wall_ns, i,
                              rows[i].ns == device->idle_ns && i == 1 };
  card = add_card (
      pane->right, get_profile (pane)->has_steps ? _ ("Device in a step") : _ ("Device in all"),
      device->n_devices > 1
          ? _ ("Mean of the devices. Busy and idle sum to the step; the others overlap.")
          : _ ("Busy and idle sum to the step; the others may overlap."));
  view = sonde_share_view_new (_ ("Device in a step"), NULL);
  sonde_share_view_set (SONDE_SHARE_VIEW (view), shares, G_N_ELEMENTS (rows), NAN);
  gtk_box_append (GTK_BOX (card), view);
}

/* ---- step times ---------------------------------------------------------- */

static void
on_step (SondeOverviewPane *pane, guint step)
{
  sonde_profiler_show_step (pane->document, get_profile (pane)->range.first + step);
}

static void
add_step_pair (GtkGrid *grid, int row, const char *name, double ns)
{
  g_autofree char *text = sonde_profiler_format_ns (ns);

  add_pair (grid, row, name, text);
}

static void
add_steps (SondeOverviewPane *pane)
{
  const SondeProfile *profile = get_profile (pane);
  g_autofree char *slow = NULL;
  guint n_slow = 0;
  GtkWidget *card;
  GtkGrid *grid;

  if (!profile->has_steps)
    return;
  for (guint i = 0; i < profile->n_kept; i++)
    n_slow += profile->step_ns[i] > SLOW * profile->step_p50_ns;
  card = add_card (pane->right, _ ("Step times"), NULL);
  if (profile->n_kept > 1)
    {
      GtkWidget *view = sonde_steps_view_new ();

      sonde_steps_view_set (SONDE_STEPS_VIEW (view), profile->step_ns, profile->n_kept,
                            profile->range.first, profile->step_p50_ns,
                            SLOW * profile->step_p50_ns);
      g_signal_connect_object (view, "activated", G_CALLBACK (on_step), pane, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (card), view);
    }
  grid = add_grid (card);
  add_step_pair (grid, 0, _ ("mean"), profile->wall_ns);
  add_step_pair (grid, 1, _ ("median"), profile->step_p50_ns);
  add_step_pair (grid, 2, _ ("95th percentile"), profile->step_p95_ns);
  slow = g_strdup_printf (_ ("%u of %u"), n_slow, profile->n_steps);
  add_pair (grid, 3, _ ("slow (over 1.5 medians)"), slow);
}

/* ---- operators ----------------------------------------------------------- */

static void
on_operator (SondeOverviewPane *pane, guint i)
{
  sonde_trace_document_show_operator (pane->document, i);
}

static void
on_all_operators (SondeOverviewPane *pane)
{
  sonde_trace_document_show_view (pane->document, "operators");
}

static void
add_operators (SondeOverviewPane *pane)
{
  const SondeProfile *profile = get_profile (pane);
  const guint n = MIN (profile->operators->len, TOP_OPERATORS);
  SondeShare shares[TOP_OPERATORS];
  GtkWidget *card, *view, *all;

  if (n == 0)
    return;
  for (guint i = 0; i < n; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      shares[i] = (SondeShare){ op->node != NULL ? op->node : op->op, op->mean_self_ns, op->share,
                                0, FALSE };
    }
  card = add_card (pane->left,
                   sonde_profile_is_sampled (profile) ? _ ("Top frames") : _ ("Top operators"),
                   sonde_profile_is_sampled (profile) ? _ ("Share of the samples that end in them")
                   : profile->has_steps               ? _ ("Self time in a mean step")
                                                      : _ ("Self time in all"));
  view = sonde_share_view_new (_ ("Top operators"), NULL);
  sonde_share_view_set (SONDE_SHARE_VIEW (view), shares, n, NAN);
  g_signal_connect_object (view, "activated", G_CALLBACK (on_operator), pane, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (card), view);
  all = gtk_button_new_with_label (_ ("All Operators"));
  gtk_widget_add_css_class (all, "flat");
  gtk_widget_add_css_class (all, "card-link");
  gtk_widget_set_halign (all, GTK_ALIGN_START);
  g_signal_connect_object (all, "clicked", G_CALLBACK (on_all_operators), pane, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (card), all);
}

/* ---- the recording ------------------------------------------------------- */

static void
add_recording (SondeOverviewPane *pane)
{
  g_autoptr (GPtrArray) facts = sonde_recording_facts_list (pane->document);
  g_autoptr (GPtrArray) gaps = sonde_recording_gaps_list (pane->document);
  GtkWidget *card = add_card (pane->right, _ ("Recording"), NULL);
  GtkGrid *grid = add_grid (card);

  for (guint i = 0; i < facts->len; i++)
    {
      const SondeRecordingFact *fact = g_ptr_array_index (facts, i);

      add_pair (grid, (int) i, fact->name, fact->value);
    }
  if (gaps->len > 0)
    gtk_box_append (GTK_BOX (card), new_label (_ ("What it cannot tell"), "caption-heading"));
  for (guint i = 0; i < gaps->len; i++)
    {
      GtkWidget *label = new_label (g_ptr_array_index (gaps, i), "caption");

      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (card), label);
    }
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_overview_pane_dispose (GObject *object)
{
  g_clear_object (&SONDE_OVERVIEW_PANE (object)->document);
  G_OBJECT_CLASS (sonde_overview_pane_parent_class)->dispose (object);
}

static void
sonde_overview_pane_class_init (SondeOverviewPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_overview_pane_dispose;
}

static void
sonde_overview_pane_init (SondeOverviewPane *pane)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (), *clamp = adw_clamp_new ();

  pane->column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  gtk_widget_set_margin_start (pane->column, 18);
  gtk_widget_set_margin_end (pane->column, 18);
  gtk_widget_set_margin_top (pane->column, 12);
  gtk_widget_set_margin_bottom (pane->column, 18);
  pane->left = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  pane->right = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), WIDEST);
  adw_clamp_set_tightening_threshold (ADW_CLAMP (clamp), WIDEST);
  adw_clamp_set_child (ADW_CLAMP (clamp), pane->column);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), clamp);
  adw_bin_set_child (ADW_BIN (pane), scrolled);
}

GtkWidget *
sonde_overview_pane_new (SondeTraceDocument *document)
{
  SondeOverviewPane *pane = g_object_new (SONDE_TYPE_OVERVIEW_PANE, NULL);

  GtkWidget *cards = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);

  pane->document = g_object_ref (document);
  add_advice (pane);
  add_split (pane);
  add_steps (pane);
  add_operators (pane);
  add_device (pane);
  add_classes (pane);
  add_recording (pane);
  gtk_box_set_homogeneous (GTK_BOX (cards), TRUE);
  gtk_widget_set_margin_top (cards, 6);
  gtk_box_append (GTK_BOX (cards), pane->left);
  gtk_box_append (GTK_BOX (cards), pane->right);
  gtk_box_append (GTK_BOX (pane->column), cards);
  return GTK_WIDGET (pane);
}

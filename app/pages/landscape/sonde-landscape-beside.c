/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/landscape/sonde-landscape-beside.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-step-loader.h"

/* A landscape that can be compared. @run: borrowed for as long as the list; @tag: interned */
typedef struct
{
  SondeRun *run;
  const char *tag;
} Other;

/* One of the two: its caption stands above it while both are there. */
typedef struct
{
  GtkWidget *pane;
  GtkLabel *caption;
  SondeLandscapeView *view;
  gboolean shown;
} Side;

struct _SondeLandscapeBeside
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  GtkWidget *bar;
  GtkDropDown *choice;
  GtkStringList *names; /* "nothing", then one each */
  GArray *others;       /* Other */
  Other first, second;
  Side sides[2];
  SondeStepLoader *loader; /* of the second */
  char *wanted;            /* (nullable): name of one that is not there yet */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeLandscapeBeside, sonde_landscape_beside, GTK_TYPE_BOX)

/* ---- showing ------------------------------------------------------------- */

static void
show_path (SondeLandscapeView *view, const SondeRecord *record)
{
  const double *found = record->u.landscape.found;
  SondeLandscapePath path = { .x = record->u.landscape.path_x,
                              .y = record->u.landscape.path_y,
                              .z = record->u.landscape.path_z,
                              .steps = record->u.landscape.intervals,
                              .unit = record->u.landscape.unit,
                              .end = { found[0], found[1], found[2] } };

  sonde_landscape_view_set_path (view, &path);
}

static char *
dup_name (SondeLandscapeBeside *self, const Other *other)
{
  return g_strdup_printf ("%s · %s", sonde_workspace_get_run_title (self->workspace, other->run),
                          other->tag);
}

static void
show_caption (SondeLandscapeBeside *self, Side *side, const Other *other, const SondeRecord *record)
{
  g_autofree char *name = dup_name (self, other);
  g_autofree char *end = sonde_format_number (record->u.landscape.found[2]);
  g_autofree char *text = isnan (record->u.landscape.found[2])
                              ? g_strdup (name)
                              : g_strdup_printf (_ ("%s: loss %s at the end"), name, end);

  gtk_label_set_text (side->caption, text);
  sonde_view_set_title (SONDE_VIEW (side->view), name);
}

/* Levels of both reach from the least of both to the largest. */
static void
share_limits (SondeLandscapeBeside *self)
{
  double limits[2][2] = { { 0, 0 }, { 0, 0 } };
  gboolean both = self->sides[1].shown;

  for (int i = 0; i < 2 && both; i++)
    both = sonde_landscape_view_get_range (self->sides[i].view, &limits[i][0], &limits[i][1]);
  for (int i = 0; i < 2; i++)
    {
      sonde_landscape_view_set_limits (self->sides[i].view,
                                       both ? fmin (limits[0][0], limits[1][0]) : 0,
                                       both ? fmax (limits[0][1], limits[1][1]) : 0);
      gtk_widget_set_visible (GTK_WIDGET (self->sides[i].caption), self->sides[1].shown);
    }
  gtk_widget_set_visible (self->sides[1].pane, self->sides[1].shown);
}

static gboolean
show (SondeLandscapeBeside *self, int i, const Other *other, const SondeRecord *record)
{
  Side *side = &self->sides[i];

  side->shown = record != NULL && other->run != NULL
                && sonde_landscape_view_set_surface (side->view, record->u.landscape.x,
                                                     record->u.landscape.y, record->u.landscape.z,
                                                     _ ("direction 1"), _ ("direction 2"));
  if (side->shown)
    {
      show_path (side->view, record);
      show_caption (self, side, other, record);
    }
  else
    sonde_landscape_view_set_surface (side->view, NULL, NULL, NULL, NULL, NULL);
  share_limits (self);
  return side->shown;
}

static void
on_records (GPtrArray *records, const char *problem, void *data)
{
  SondeLandscapeBeside *self = data;

  show (self, 1, &self->second, records->len > 0 ? records->pdata[0] : NULL);
}

/* ---- the choice ---------------------------------------------------------- */

static void
load_second (SondeLandscapeBeside *self)
{
  sonde_step_loader_update (self->loader, self->second.run, self->second.tag,
                            SONDE_RECORD_LANDSCAPE, G_MAXINT64);
}

static void
on_chosen (SondeLandscapeBeside *self)
{
  guint selected = gtk_drop_down_get_selected (self->choice);

  if (self->updating)
    return;
  self->second = selected > 0 && selected <= self->others->len
                     ? g_array_index (self->others, Other, selected - 1)
                     : (Other){ NULL, NULL };
  load_second (self);
}

static void
list_others (SondeLandscapeBeside *self, GArray *others)
{
  GListModel *runs = sonde_workspace_get_shown_runs (self->workspace);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];
          Other other = { run, tag->tag };

          if (tag->kind == SONDE_RECORD_LANDSCAPE
              && (run != self->first.run || tag->tag != self->first.tag))
            g_array_append_val (others, other);
        }
    }
}

static gboolean
same_others (const GArray *a, const GArray *b)
{
  return a->len == b->len
         && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (Other)) == 0);
}

/* The wanted one, once it is there; else what is chosen. */
static guint
find_wanted (SondeLandscapeBeside *self)
{
  for (guint i = 0;
       self->wanted != NULL && i < g_list_model_get_n_items (G_LIST_MODEL (self->names)); i++)
    if (g_str_has_prefix (gtk_string_list_get_string (self->names, i), self->wanted))
      {
        g_clear_pointer (&self->wanted, g_free);
        return i;
      }
  return gtk_drop_down_get_selected (self->choice);
}

/* The one that was chosen stays, as long as it is there. */
static void
fill_choice (SondeLandscapeBeside *self)
{
  guint selected = 0;

  self->updating = TRUE;
  gtk_string_list_splice (self->names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->names)),
                          NULL);
  gtk_string_list_append (self->names, _ ("Nothing"));
  for (guint i = 0; i < self->others->len; i++)
    {
      const Other *other = &g_array_index (self->others, Other, i);
      g_autofree char *name = dup_name (self, other);

      gtk_string_list_append (self->names, name);
      if (other->run == self->second.run && other->tag == self->second.tag)
        selected = i + 1;
    }
  gtk_drop_down_set_selected (self->choice, selected);
  gtk_drop_down_set_selected (self->choice, find_wanted (self));
  self->updating = FALSE;
  gtk_widget_set_visible (self->bar, self->others->len > 0);
}

static void
update (SondeLandscapeBeside *self)
{
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (Other));

  list_others (self, others);
  if (!same_others (others, self->others))
    {
      g_array_unref (self->others);
      self->others = g_array_ref (others);
      fill_choice (self);
      on_chosen (self);
    }
  else if (self->second.run != NULL)
    load_second (self);
}

void
sonde_landscape_beside_choose (SondeLandscapeBeside *beside, const char *name)
{
  g_return_if_fail (SONDE_IS_LANDSCAPE_BESIDE (beside));
  g_free (beside->wanted);
  beside->wanted = g_strdup (name);
  gtk_drop_down_set_selected (beside->choice, find_wanted (beside));
}

gboolean
sonde_landscape_beside_take (SondeLandscapeBeside *beside, SondeRun *run, const char *tag,
                             const SondeRecord *record)
{
  gboolean shown;

  g_return_val_if_fail (SONDE_IS_LANDSCAPE_BESIDE (beside), FALSE);
  beside->first = (Other){ run, tag };
  shown = show (beside, 0, &beside->first, record);
  update (beside);
  return shown;
}

/* ---- both at once -------------------------------------------------------- */

void
sonde_landscape_beside_set_solid (SondeLandscapeBeside *beside, gboolean solid)
{
  for (int i = 0; i < 2; i++)
    sonde_landscape_view_set_solid (beside->sides[i].view, solid);
}

void
sonde_landscape_beside_set_scale (SondeLandscapeBeside *beside, SondeContourScale scale)
{
  for (int i = 0; i < 2; i++)
    sonde_landscape_view_set_scale (beside->sides[i].view, scale);
}

gboolean
sonde_landscape_beside_is_logarithmic (SondeLandscapeBeside *beside)
{
  return sonde_landscape_view_is_logarithmic (beside->sides[0].view);
}

static SondeLandscapeView *
other_than (SondeLandscapeBeside *self, SondeLandscapeView *view)
{
  return self->sides[view == self->sides[0].view ? 1 : 0].view;
}

static void
on_turned (SondeLandscapeView *view, SondeLandscapeBeside *self)
{
  sonde_landscape_view_set_camera (other_than (self, view), sonde_landscape_view_get_camera (view));
}

static void
on_viewport (SondeLandscapeView *view, SondeLandscapeBeside *self)
{
  SondeLandscapeView *other = other_than (self, view);
  SondeViewport viewport;

  if (self->updating || !self->sides[1].shown || !sonde_landscape_view_has_axes_of (other, view))
    return;
  self->updating = TRUE; /* it answers with the same */
  sonde_view_get_viewport (SONDE_VIEW (view), &viewport);
  sonde_view_set_viewport (SONDE_VIEW (other), &viewport);
  self->updating = FALSE;
}

/* ---- widget -------------------------------------------------------------- */

static void
side_init (SondeLandscapeBeside *self, Side *side)
{
  GtkWidget *view = sonde_landscape_view_new (), *caption = gtk_label_new (NULL);

  side->pane = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  side->view = SONDE_LANDSCAPE_VIEW (view);
  side->caption = GTK_LABEL (caption);
  gtk_label_set_ellipsize (side->caption, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (caption, "heading");
  gtk_widget_set_visible (caption, FALSE);
  gtk_widget_set_vexpand (view, TRUE);
  gtk_box_append (GTK_BOX (side->pane), caption);
  gtk_box_append (GTK_BOX (side->pane), view);
  g_signal_connect_object (view, "turned", G_CALLBACK (on_turned), self, 0);
  g_signal_connect_object (view, "viewport-changed", G_CALLBACK (on_viewport), self, 0);
}

static void
add_bar (SondeLandscapeBeside *self)
{
  GtkWidget *label = gtk_label_new_with_mnemonic (_ ("C_ompare with"));

  self->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->names = gtk_string_list_new (NULL);
  self->choice
      = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (g_object_ref (self->names)), NULL));
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), GTK_WIDGET (self->choice));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->choice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Compare with"), -1);
  gtk_box_append (GTK_BOX (self->bar), label);
  gtk_box_append (GTK_BOX (self->bar), GTK_WIDGET (self->choice));
  gtk_widget_set_halign (self->bar, GTK_ALIGN_END);
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_box_append (GTK_BOX (self), self->bar);
  g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (on_chosen), self,
                           G_CONNECT_SWAPPED);
}

static void
sonde_landscape_beside_dispose (GObject *object)
{
  SondeLandscapeBeside *self = SONDE_LANDSCAPE_BESIDE (object);

  self->updating = TRUE;
  g_clear_pointer (&self->loader, sonde_step_loader_free);
  g_clear_object (&self->workspace);
  g_clear_object (&self->names);
  g_clear_pointer (&self->wanted, g_free);
  g_clear_pointer (&self->others, g_array_unref);
  G_OBJECT_CLASS (sonde_landscape_beside_parent_class)->dispose (object);
}

static void
sonde_landscape_beside_class_init (SondeLandscapeBesideClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_landscape_beside_dispose;
}

static void
sonde_landscape_beside_init (SondeLandscapeBeside *self)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 12);
  gtk_box_set_homogeneous (GTK_BOX (row), TRUE);
  self->others = g_array_new (FALSE, FALSE, sizeof (Other));
  self->loader = sonde_step_loader_new (FALSE, on_records, self);
  add_bar (self);
  for (int i = 0; i < 2; i++)
    {
      side_init (self, &self->sides[i]);
      gtk_box_append (GTK_BOX (row), self->sides[i].pane);
    }
  gtk_widget_set_visible (self->sides[1].pane, FALSE);
  gtk_widget_set_vexpand (row, TRUE);
  gtk_box_append (GTK_BOX (self), row);
}

GtkWidget *
sonde_landscape_beside_new (SondeWorkspace *workspace)
{
  SondeLandscapeBeside *self = g_object_new (SONDE_TYPE_LANDSCAPE_BESIDE, NULL);

  self->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

/* SPDX-License-Identifier: Apache-2.0
 * Each half has a stack of the pages that stood in it; a page that the other half is to show moves over. */
#include "app/sonde-page-split.h"

#include "data/base/sonde-text.h"

typedef struct
{
  GtkWidget *box, *head;
  GtkImage *icon;
  GtkLabel *title;
  GtkWidget *other; /* shows the half that is folded away */
  GtkStack *stack;
} Half;

struct _SondePageSplit
{
  AdwBin parent_instance;
  SondeSplit *split;
  Half halves[2];
  gboolean arranging;
};

G_DEFINE_FINAL_TYPE (SondePageSplit, sonde_page_split, ADW_TYPE_BIN)

static guint layout_changed, divider_moved;

/* ---- heads --------------------------------------------------------------- */

static const SondePageInfo *
get_info (Half *half)
{
  const char *name = gtk_stack_get_visible_child_name (half->stack);

  return name != NULL ? sonde_page_info_find (name) : NULL;
}

static void
update_other (SondePageSplit *self, Half *half, const SondePageInfo *other)
{
  g_autofree char *tooltip = NULL;

  gtk_widget_set_visible (half->other, other != NULL && sonde_split_is_folded (self->split));
  if (other == NULL)
    return;
  tooltip = g_strdup_printf (_ ("There is not enough room for both pages. Show “%s” (Ctrl+F6)"),
                             _ (other->title));
  gtk_button_set_label (GTK_BUTTON (half->other), _ (other->title));
  gtk_widget_set_tooltip_text (half->other, tooltip);
}

static void
update_head (SondePageSplit *self, guint which)
{
  Half *half = &self->halves[which];
  const SondePageInfo *info = get_info (half);
  gboolean split = sonde_split_get_way (self->split) != SONDE_SPLIT_NONE;

  gtk_widget_set_visible (half->head, split);
  if (!split || info == NULL)
    return;
  gtk_image_set_from_icon_name (half->icon, info->icon);
  gtk_label_set_text (half->title, _ (info->title));
  gtk_accessible_update_property (GTK_ACCESSIBLE (half->box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (info->title), -1);
  update_other (self, half, get_info (&self->halves[1 - which]));
  if (which == sonde_split_get_front (self->split))
    gtk_widget_add_css_class (half->head, "active-half");
  else
    gtk_widget_remove_css_class (half->head, "active-half");
}

static void
update_heads (SondePageSplit *self)
{
  for (guint i = 0; i < 2; i++)
    update_head (self, i);
  g_signal_emit (self, layout_changed, 0);
}

/* ---- the active half ----------------------------------------------------- */

void
sonde_page_split_activate (SondePageSplit *self, guint half)
{
  g_return_if_fail (SONDE_IS_PAGE_SPLIT (self) && half < 2);
  if (self->arranging || sonde_split_get_way (self->split) == SONDE_SPLIT_NONE
      || sonde_split_get_front (self->split) == half)
    return;
  sonde_split_set_front (self->split, half);
  update_heads (self);
}

static guint
get_half_of (SondePageSplit *self, GtkEventController *controller)
{
  return gtk_event_controller_get_widget (controller) == self->halves[0].box ? 0 : 1;
}

static void
on_focus (GtkEventControllerFocus *controller, SondePageSplit *self)
{
  sonde_page_split_activate (self, get_half_of (self, GTK_EVENT_CONTROLLER (controller)));
}

static void
on_pressed (GtkGestureClick *gesture, int n_presses, double x, double y, SondePageSplit *self)
{
  sonde_page_split_activate (self, get_half_of (self, GTK_EVENT_CONTROLLER (gesture)));
}

static void
on_other (GtkButton *button, SondePageSplit *self)
{
  sonde_page_split_activate (self, 1 - sonde_split_get_front (self->split));
}

/* ---- pages --------------------------------------------------------------- */

void
sonde_page_split_add (SondePageSplit *self, SondePage *page, const SondePageInfo *info)
{
  g_return_if_fail (SONDE_IS_PAGE_SPLIT (self));
  gtk_stack_add_titled (self->halves[0].stack, GTK_WIDGET (page), info->name, _ (info->title));
}

SondePage *
sonde_page_split_find (SondePageSplit *self, const char *name)
{
  g_return_val_if_fail (SONDE_IS_PAGE_SPLIT (self), NULL);
  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *page = gtk_stack_get_child_by_name (self->halves[i].stack, name);

      if (page != NULL)
        return SONDE_PAGE (page);
    }
  return NULL;
}

/* Shows the page in @stack; it stands there alone or among others. */
static void
show_in (SondePageSplit *self, GtkStack *stack, const char *name)
{
  const SondePageInfo *info = sonde_page_info_find (name);
  SondePage *page = sonde_page_split_find (self, name);
  GtkWidget *parent;

  g_return_if_fail (page != NULL);
  parent = gtk_widget_get_parent (GTK_WIDGET (page));
  if (parent != GTK_WIDGET (stack))
    {
      g_object_ref (page);
      gtk_stack_remove (GTK_STACK (parent), GTK_WIDGET (page));
      gtk_stack_add_titled (stack, GTK_WIDGET (page), info->name, _ (info->title));
      g_object_unref (page);
    }
  gtk_stack_set_visible_child (stack, GTK_WIDGET (page));
}

void
sonde_page_split_set_layout (SondePageSplit *self, const SondePageLayout *layout)
{
  g_return_if_fail (SONDE_IS_PAGE_SPLIT (self) && layout->active < 2);
  self->arranging = TRUE;
  if (layout->way == SONDE_SPLIT_NONE)
    show_in (self, self->halves[0].stack, layout->pages[layout->active]);
  else
    for (guint i = 0; i < 2; i++)
      show_in (self, self->halves[i].stack, layout->pages[i]);
  sonde_split_set_way (self->split, layout->way);
  sonde_split_set_front (self->split, layout->way == SONDE_SPLIT_NONE ? 0 : layout->active);
  self->arranging = FALSE;
  update_heads (self);
}

void
sonde_page_split_get_layout (SondePageSplit *self, SondePageLayout *layout)
{
  g_return_if_fail (SONDE_IS_PAGE_SPLIT (self));
  *layout = (SondePageLayout){ .way = sonde_split_get_way (self->split),
                               .active = sonde_split_get_front (self->split) };
  for (guint i = 0; i < 2; i++)
    {
      const SondePageInfo *info = get_info (&self->halves[i]);

      if (info != NULL && (i == layout->active || layout->way != SONDE_SPLIT_NONE))
        layout->pages[i] = info->name;
    }
}

SondePage *
sonde_page_split_get_page (SondePageSplit *self)
{
  GtkWidget *page;

  g_return_val_if_fail (SONDE_IS_PAGE_SPLIT (self), NULL);
  page = gtk_stack_get_visible_child (self->halves[sonde_split_get_front (self->split)].stack);
  return page != NULL ? SONDE_PAGE (page) : NULL;
}

gboolean
sonde_page_split_is_shown (SondePageSplit *self, const char *name)
{
  g_return_val_if_fail (SONDE_IS_PAGE_SPLIT (self), FALSE);
  for (guint i = 0; i < 2; i++)
    if (sonde_split_is_shown (self->split, i)
        && g_strcmp0 (gtk_stack_get_visible_child_name (self->halves[i].stack), name) == 0)
      return TRUE;
  return FALSE;
}

GtkWidget *
sonde_page_split_get_half (SondePageSplit *self, guint half)
{
  g_return_val_if_fail (SONDE_IS_PAGE_SPLIT (self) && half < 2, NULL);
  if (sonde_split_get_way (self->split) == SONDE_SPLIT_NONE
      && half != sonde_split_get_front (self->split))
    return NULL;
  return self->halves[half].box;
}

gboolean
sonde_page_split_focus (SondePageSplit *self, guint half)
{
  GtkWidget *box = sonde_page_split_get_half (self, half);

  if (box == NULL)
    return FALSE;
  sonde_page_split_activate (self, half);
  return gtk_widget_child_focus (GTK_WIDGET (self->halves[half].stack), GTK_DIR_TAB_FORWARD)
         || gtk_widget_child_focus (box, GTK_DIR_TAB_FORWARD);
}

void
sonde_page_split_set_fraction (SondePageSplit *self, double fraction)
{
  g_return_if_fail (SONDE_IS_PAGE_SPLIT (self));
  sonde_split_set_fraction (self->split, fraction);
}

double
sonde_page_split_get_fraction (SondePageSplit *self)
{
  g_return_val_if_fail (SONDE_IS_PAGE_SPLIT (self), 0.5);
  return sonde_split_get_fraction (self->split);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_page_split_class_init (SondePageSplitClass *klass)
{
  layout_changed = g_signal_new ("layout-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 0);
  divider_moved = g_signal_new ("divider-moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
}

static void
on_moved (SondePageSplit *self, double before)
{
  g_signal_emit (self, divider_moved, 0, before);
}

static void
fill_head (SondePageSplit *self, Half *half)
{
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  half->head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  half->icon
      = g_object_new (GTK_TYPE_IMAGE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  half->title = GTK_LABEL (gtk_label_new (NULL));
  half->other = gtk_button_new_with_label ("");
  gtk_widget_add_css_class (half->head, "half-head");
  gtk_widget_add_css_class (half->other, "flat");
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_hexpand (GTK_WIDGET (half->title), TRUE);
  gtk_label_set_xalign (half->title, 0);
  gtk_label_set_ellipsize (half->title, PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (close, _ ("Close This Page (Ctrl+Shift+W)"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Close this page"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "win.close-half");
  g_signal_connect (half->other, "clicked", G_CALLBACK (on_other), self);
  gtk_box_append (GTK_BOX (half->head), GTK_WIDGET (half->icon));
  gtk_box_append (GTK_BOX (half->head), GTK_WIDGET (half->title));
  gtk_box_append (GTK_BOX (half->head), half->other);
  gtk_box_append (GTK_BOX (half->head), close);
}

static void
fill_half (SondePageSplit *self, Half *half)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  half->box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL,
                            "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
  fill_head (self, half);
  half->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_hhomogeneous (half->stack, FALSE);
  gtk_stack_set_vhomogeneous (half->stack, FALSE);
  gtk_widget_set_vexpand (GTK_WIDGET (half->stack), TRUE);
  gtk_box_append (GTK_BOX (half->box), half->head);
  gtk_box_append (GTK_BOX (half->box), GTK_WIDGET (half->stack));
  g_signal_connect (focus, "enter", G_CALLBACK (on_focus), self);
  gtk_widget_add_controller (half->box, focus);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), 0);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (half->box, GTK_EVENT_CONTROLLER (click));
}

static void
sonde_page_split_init (SondePageSplit *self)
{
  self->split = sonde_split_new ();
  for (guint i = 0; i < 2; i++)
    fill_half (self, &self->halves[i]);
  sonde_split_set_children (self->split, self->halves[0].box, self->halves[1].box);
  g_signal_connect_swapped (self->split, "notify::folded", G_CALLBACK (update_heads), self);
  g_signal_connect_swapped (self->split, "moved", G_CALLBACK (on_moved), self);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->split));
  for (guint i = 0; i < 2; i++)
    update_head (self, i);
}

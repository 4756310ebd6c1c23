/* SPDX-License-Identifier: Apache-2.0
 * Widgets of the browser. */
#include "app/explain/browser/sonde-explain-browser-private.h"

#define SIDE_WIDTH 348 /* px of the left side */

static GtkWidget *
make_toggle (const char *label, const char *tooltip, GtkWidget *group)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (group));
  gtk_widget_add_css_class (button, "small-toggle");
  gtk_widget_set_tooltip_text (button, tooltip);
  return button;
}

static GtkWidget *
make_matrix_side (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6),
            *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *linked = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0),
            *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *counts = make_toggle ("Counts", "How many samples", NULL),
            *scrolled = gtk_scrolled_window_new ();

  self->share = make_toggle ("Share", "Which part of the true class", counts);
  self->by_errors
      = make_toggle ("Largest First", "Classes with the most misclassifications first", NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (counts), TRUE);
  gtk_widget_add_css_class (linked, "linked");
  gtk_widget_set_hexpand (space, TRUE);
  gtk_box_append (GTK_BOX (linked), counts);
  gtk_box_append (GTK_BOX (linked), self->share);
  gtk_box_append (GTK_BOX (bar), linked);
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), self->by_errors);
  self->matrix = sonde_confusion_view_new ();
  self->pairs = sonde_confused_pairs_new ();
  gtk_widget_set_vexpand (self->pairs, TRUE);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), self->matrix);
  gtk_box_append (GTK_BOX (box), self->pairs);
  gtk_widget_add_css_class (box, "matrix-side");
  /* A low window still has room for all of it. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  return scrolled;
}

GtkWidget *
sonde_explain_browser_make_left (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->reasons = sonde_error_category_list_new ();
  self->compare = sonde_comparison_panel_new ();
  self->sides = gtk_stack_new ();
  gtk_stack_add_titled (GTK_STACK (self->sides), make_matrix_side (self), "matrix", "Matrix");
  gtk_stack_add_titled (GTK_STACK (self->sides), self->reasons, "reasons", "Reasons");
  gtk_stack_add_titled (GTK_STACK (self->sides), self->compare, "models", "Two Models");
  gtk_widget_set_vexpand (self->sides, TRUE);
  self->switcher = gtk_stack_switcher_new ();
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (self->switcher), GTK_STACK (self->sides));
  gtk_widget_add_css_class (self->switcher, "small-switcher");
  gtk_widget_add_css_class (self->switcher, "side-switcher");
  gtk_widget_set_halign (self->switcher, GTK_ALIGN_FILL);
  gtk_box_append (GTK_BOX (box), self->switcher);
  gtk_box_append (GTK_BOX (box), self->sides);
  gtk_widget_set_size_request (box, SIDE_WIDTH, -1);
  gtk_widget_set_hexpand (box, FALSE);
  return box;
}

static GtkWidget *
make_button (const char *icon, const char *label, const char *tooltip, const char *action, int by)
{
  GtkWidget *button = gtk_button_new (), *content = adw_button_content_new ();

  if (label != NULL)
    {
      adw_button_content_set_icon_name (ADW_BUTTON_CONTENT (content), icon);
      adw_button_content_set_label (ADW_BUTTON_CONTENT (content), label);
      gtk_button_set_child (GTK_BUTTON (button), content);
    }
  else
    {
      g_object_ref_sink (content);
      g_object_unref (content);
      gtk_button_set_icon_name (GTK_BUTTON (button), icon);
    }
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  if (by != 0)
    gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", by);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

GtkWidget *
sonde_explain_browser_make_gallery (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->to_left
      = make_button ("go-previous-symbolic", NULL, "Back to the matrix", "browser.back", 0);
  gtk_widget_set_valign (self->to_left, GTK_ALIGN_START);
  gtk_widget_set_margin_top (self->to_left, 6);
  gtk_widget_set_margin_start (self->to_left, 6);
  self->cell = sonde_gallery_header_new ();
  gtk_widget_set_hexpand (self->cell, TRUE);
  gtk_box_append (GTK_BOX (head), self->to_left);
  gtk_box_append (GTK_BOX (head), self->cell);
  self->gallery = sonde_explain_gallery_new ();
  gtk_widget_set_vexpand (self->gallery, TRUE);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->gallery);
  return box;
}

GtkWidget *
sonde_explain_browser_make_sample (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->sample_bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->sample_back = make_button ("go-previous-symbolic", "Images",
                                   "Back to the thumbnails (Escape)", "browser.back", 0);
  self->place = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->place, "numeric");
  gtk_widget_add_css_class (self->place, "dim-label");
  self->previous = make_button ("go-up-symbolic", NULL, "Previous sample (←)", "browser.step", -1);
  self->next = make_button ("go-down-symbolic", NULL, "Next sample (→)", "browser.step", 1);
  self->first_model = make_toggle ("First Model", NULL, NULL);
  self->second_model = make_toggle ("Second Model", NULL, self->first_model);
  self->models = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->models, "linked");
  gtk_widget_set_valign (self->models, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->models), self->first_model);
  gtk_box_append (GTK_BOX (self->models), self->second_model);
  gtk_widget_set_visible (self->models, FALSE);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_box_append (GTK_BOX (self->sample_bar), self->sample_back);
  gtk_box_append (GTK_BOX (self->sample_bar), space);
  gtk_box_append (GTK_BOX (self->sample_bar), self->models);
  gtk_box_append (GTK_BOX (self->sample_bar), self->place);
  gtk_box_append (GTK_BOX (self->sample_bar), self->previous);
  gtk_box_append (GTK_BOX (self->sample_bar), self->next);
  gtk_widget_add_css_class (self->sample_bar, "gallery-bar");
  self->sample_bin = adw_bin_new ();
  gtk_widget_set_vexpand (self->sample_bin, TRUE);
  gtk_box_append (GTK_BOX (box), self->sample_bar);
  gtk_box_append (GTK_BOX (box), self->sample_bin);
  return box;
}

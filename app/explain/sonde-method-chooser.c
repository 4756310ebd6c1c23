/* SPDX-License-Identifier: Apache-2.0
 * Choosing attribution methods. */
#include "app/explain/sonde-method-chooser.h"

#include <math.h>
#include <string.h>

#include "app/explain/sonde-explain-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-error.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/browsing/sonde-explain-text.h"

struct _SondeMethodChooser
{
  AdwBin parent_instance;

  GtkWidget *button, *list, *entry, *error;
  GPtrArray *specs; /* (element-type utf8), NULL at the end */
  SondeExplainInfo *info;
  gboolean filling;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeMethodChooser, sonde_method_chooser, ADW_TYPE_BIN)

static guint
n_specs (SondeMethodChooser *self)
{
  return self->specs->len - 1;
}

static int
find (SondeMethodChooser *self, const char *spec)
{
  for (guint i = 0; i < n_specs (self); i++)
    if (g_str_equal (g_ptr_array_index (self->specs, i), spec))
      return (int) i;
  return -1;
}

/* ---- what the button shows ----------------------------------------------- */

static void
on_toggled (GtkCheckButton *check, SondeMethodChooser *self)
{
  const char *spec = g_object_get_data (G_OBJECT (check), "spec");

  if (self->filling)
    return;
  if (gtk_check_button_get_active (check))
    sonde_method_chooser_add (self, spec, NULL);
  else
    sonde_method_chooser_remove (self, spec);
}

static GtkWidget *
make_row (SondeMethodChooser *self, const char *spec, const char *summary)
{
  GtkWidget *row = sonde_make_row (6), *check = gtk_check_button_new (), *cost;
  g_autofree char *title = sonde_attribution_spec_dup_title (spec);
  double seconds = self->info != NULL ? sonde_explain_estimate_maps (self->info, spec, 1) : NAN;
  g_autofree char *text = isfinite (seconds) ? sonde_explain_duration_text (seconds) : NULL;
  GtkWidget *name = sonde_make_label (title, NULL);

  cost = sonde_make_label (text, "dim-label numeric");
  gtk_widget_set_hexpand (name, TRUE);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), find (self, spec) >= 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  summary != NULL ? summary : spec, -1);
  g_object_set_data_full (G_OBJECT (check), "spec", g_strdup (spec), g_free);
  g_signal_connect (check, "toggled", G_CALLBACK (on_toggled), self);
  gtk_widget_set_tooltip_text (row, summary != NULL ? summary : spec);
  gtk_box_append (GTK_BOX (row), check);
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), cost);
  return row;
}

/* Own SPECs first, then the table. */
static void
fill (SondeMethodChooser *self)
{
  g_autofree char *text = g_strdup_printf (_ ("Methods (%u)"), n_specs (self));
  const SondeAttribution *const *methods;
  gsize n;

  sonde_menu_button_set_words (GTK_MENU_BUTTON (self->button), text);
  self->filling = TRUE;
  sonde_clear_box (self->list);
  for (guint i = 0; i < n_specs (self); i++)
    if (sonde_attribution_find (g_ptr_array_index (self->specs, i)) == NULL)
      gtk_box_append (GTK_BOX (self->list),
                      make_row (self, g_ptr_array_index (self->specs, i), NULL));
  methods = sonde_attribution_list (&n);
  for (gsize i = 0; i < n; i++)
    gtk_box_append (GTK_BOX (self->list),
                    make_row (self, methods[i]->name, _ (methods[i]->summary)));
  self->filling = FALSE;
}

static void
changed (SondeMethodChooser *self)
{
  fill (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- SPECs --------------------------------------------------------------- */

const char *const *
sonde_method_chooser_get_specs (SondeMethodChooser *chooser)
{
  return (const char *const *) chooser->specs->pdata;
}

gboolean
sonde_method_chooser_add (SondeMethodChooser *chooser, const char *spec, GError **error)
{
  g_autoptr (SondeAttributionSpec) parsed = NULL;

  g_return_val_if_fail (SONDE_IS_METHOD_CHOOSER (chooser), FALSE);
  parsed = sonde_attribution_spec_parse (spec, error);
  if (parsed == NULL)
    return FALSE;
  if (find (chooser, spec) >= 0)
    return TRUE;
  g_ptr_array_insert (chooser->specs, (int) n_specs (chooser), g_strdup (spec));
  changed (chooser);
  return TRUE;
}

void
sonde_method_chooser_remove (SondeMethodChooser *chooser, const char *spec)
{
  int at;

  g_return_if_fail (SONDE_IS_METHOD_CHOOSER (chooser));
  at = find (chooser, spec);
  if (at < 0)
    return;
  g_ptr_array_remove_index (chooser->specs, (guint) at);
  changed (chooser);
}

void
sonde_method_chooser_set_specs (SondeMethodChooser *chooser, const char *const *specs)
{
  g_return_if_fail (SONDE_IS_METHOD_CHOOSER (chooser));
  if (g_strv_equal (specs, sonde_method_chooser_get_specs (chooser)))
    return;
  g_ptr_array_set_size (chooser->specs, 0);
  for (gsize i = 0; specs[i] != NULL; i++)
    {
      g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (specs[i], NULL);

      if (parsed != NULL)
        g_ptr_array_add (chooser->specs, g_strdup (specs[i]));
    }
  g_ptr_array_add (chooser->specs, NULL);
  changed (chooser);
}

void
sonde_method_chooser_set_info (SondeMethodChooser *chooser, const SondeExplainInfo *info)
{
  g_return_if_fail (SONDE_IS_METHOD_CHOOSER (chooser));
  g_clear_pointer (&chooser->info, sonde_explain_info_free);
  chooser->info = info != NULL ? sonde_explain_info_copy (info) : NULL;
  fill (chooser);
}

static void
on_entered (SondeMethodChooser *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text
      = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));

  if (*text != '\0' && sonde_method_chooser_add (self, text, &error))
    gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  gtk_label_set_text (GTK_LABEL (self->error), error != NULL ? sonde_error_get_text (error) : "");
  gtk_widget_set_visible (self->error, error != NULL);
}

static void
sonde_method_chooser_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_METHOD_CHOOSER (object)->specs);
  sonde_explain_info_free (SONDE_METHOD_CHOOSER (object)->info);
  G_OBJECT_CLASS (sonde_method_chooser_parent_class)->finalize (object);
}

static void
sonde_method_chooser_class_init (SondeMethodChooserClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_method_chooser_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/explain/sonde-method-chooser.ui");
  gtk_widget_class_bind_template_child (widget, SondeMethodChooser, button);
  gtk_widget_class_bind_template_child (widget, SondeMethodChooser, list);
  gtk_widget_class_bind_template_child (widget, SondeMethodChooser, entry);
  gtk_widget_class_bind_template_child (widget, SondeMethodChooser, error);
  gtk_widget_class_bind_template_callback (widget, on_entered);
}

static void
sonde_method_chooser_init (SondeMethodChooser *self)
{
  static const char *const first[] = { "gradcam", "integrated-gradients", "occlusion" };

  self->specs = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    g_ptr_array_add (self->specs, g_strdup (first[i]));
  g_ptr_array_add (self->specs, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  fill (self);
}

GtkWidget *
sonde_method_chooser_new (void)
{
  return g_object_new (SONDE_TYPE_METHOD_CHOOSER, NULL);
}

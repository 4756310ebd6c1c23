/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-model-panel.h"

#include "app/pages/graph/sonde-node-inspector.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-model-panel.ui"

struct _SondeModelPanel
{
  GtkBox parent_instance;
  GtkLabel *title, *facts;
  SondeNodeInspector *inspector;
  SondeOpenedModel *model;
};

G_DEFINE_FINAL_TYPE (SondeModelPanel, sonde_model_panel, GTK_TYPE_BOX)

/* Bytes of the file itself; external data lies beside it. */
static char *
format_facts (SondeOpenedModel *model)
{
  g_autofree char *nodes = sonde_format_count (sonde_opened_model_get_n_nodes (model));
  g_autofree char *parameters = sonde_format_count (sonde_opened_model_get_n_parameters (model));

  return g_strdup_printf (_ ("nodes: %s · parameters: %s"), nodes, parameters);
}

void
sonde_model_panel_set_model (SondeModelPanel *panel, SondeOpenedModel *model)
{
  g_autofree char *name = NULL, *visible = NULL, *facts = NULL;

  g_return_if_fail (SONDE_IS_MODEL_PANEL (panel));
  if (!g_set_object (&panel->model, model))
    return;
  name = g_path_get_basename (sonde_opened_model_get_path (model));
  visible = sonde_text_make_visible (name);
  facts = format_facts (model);
  gtk_label_set_label (panel->title, visible);
  gtk_widget_set_tooltip_text (GTK_WIDGET (panel->title), sonde_opened_model_get_path (model));
  gtk_label_set_label (panel->facts, facts);
  sonde_node_inspector_show_graph (panel->inspector, sonde_opened_model_get_graph (model));
}

static void
sonde_model_panel_dispose (GObject *object)
{
  g_clear_object (&SONDE_MODEL_PANEL (object)->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_MODEL_PANEL);
  G_OBJECT_CLASS (sonde_model_panel_parent_class)->dispose (object);
}

static void
sonde_model_panel_class_init (SondeModelPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_model_panel_dispose;
  g_type_ensure (SONDE_TYPE_NODE_INSPECTOR);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeModelPanel, title);
  gtk_widget_class_bind_template_child (widget_class, SondeModelPanel, facts);
  gtk_widget_class_bind_template_child (widget_class, SondeModelPanel, inspector);
}

static void
sonde_model_panel_init (SondeModelPanel *panel)
{
  gtk_widget_init_template (GTK_WIDGET (panel));
}

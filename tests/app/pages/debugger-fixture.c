/* SPDX-License-Identifier: Apache-2.0
 * Model and hands. */
#include "tests/app/pages/debugger-fixture.h"

#include "app/debugger/sonde-debug-panel-dock.h"
#include "data/models/sonde-model-file.h"

static SondeGraphValue *
add_parameter (SondeGraph *graph, const char *name, int rank, int a, int b, int c)
{
  SondeShape shape = rank == 1 ? sonde_shape_make (1, a) : sonde_shape_make (4, a, b, c, c);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, 0.1 * (double) (i % 7) - 0.2);
  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);
}

/* x → conv1 → relu1 → conv2 → relu2 → y */
char *
debugger_write_model_of (const char *folder, gint64 side)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("small");
  SondeShape shape = sonde_shape_make (4, 1, 1, side, side);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, "small.onnx", NULL);

  sonde_graph_set_opset (graph, "", 17);
  for (int i = 1; i <= 2; i++)
    {
      g_autofree char *conv = g_strdup_printf ("conv%d", i), *relu = g_strdup_printf ("relu%d", i);
      g_autofree char *weight = g_strdup_printf ("conv%d.weight", i),
                      *bias = g_strdup_printf ("conv%d.bias", i);
      SondeGraphValue *inputs[] = { value, add_parameter (graph, weight, 4, 4, i == 1 ? 1 : 4, 3),
                                    add_parameter (graph, bias, 1, 4, 0, 0) };

      value
          = sonde_node_get_output (sonde_graph_add_node (graph, conv, "", "Conv", inputs, 3, 1), 0);
      value
          = sonde_node_get_output (sonde_graph_add_node (graph, relu, "", "Relu", &value, 1, 1), 0);
    }
  sonde_graph_add_output (graph, value);
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

char *
debugger_write_model (const char *folder)
{
  return debugger_write_model_of (folder, 8);
}

GtkWidget *
debugger_page (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

gboolean
debugger_says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_page (fixture), data) != NULL;
}

void
debugger_activate (WindowFixture *fixture, const char *action)
{
  g_assert_true (gtk_widget_activate_action (debugger_page (fixture), action, NULL));
}

/* The entry with that accessible placeholder below a widget. */
GtkWidget *
debugger_find_entry (GtkWidget *widget, const char *placeholder)
{
  if (GTK_IS_ENTRY (widget)
      && g_strcmp0 (gtk_entry_get_placeholder_text (GTK_ENTRY (widget)), placeholder) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = debugger_find_entry (child, placeholder);

      if (found != NULL)
        return found;
    }
  return NULL;
}

void
debugger_enter (GtkWidget *entry, const char *text)
{
  g_assert_nonnull (entry);
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
}

void
debugger_open_at (WindowFixture *fixture, const char *at)
{
  SondePageRequest request = { .at = at };
  g_autofree char *path = NULL;

  *fixture = (WindowFixture){ .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  path = debugger_write_model (fixture->folder);
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "debugger", &request);
}

GtkWidget *
debugger_show_tab (WindowFixture *fixture, const char *name, GType type)
{
  GtkWidget *dock = window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_PANEL_DOCK);

  sonde_debug_panel_dock_show (SONDE_DEBUG_PANEL_DOCK (dock), name);
  window_fixture_settle (fixture);
  return window_fixture_find (dock, type);
}

void
debugger_click (GtkWidget *label)
{
  g_assert_nonnull (label);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
}

void
debugger_open_training (WindowFixture *fixture, const char *at)
{
  debugger_open_epochs (fixture, at, 10);
}

void
debugger_open_epochs (WindowFixture *fixture, const char *at, guint n_epochs)
{
  SondePageRequest request = { .at = at };
  g_autofree char *run = NULL, *epochs = g_strdup_printf ("train.epochs=%u", n_epochs);

  *fixture = (WindowFixture){ .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  run = g_build_filename (fixture->folder, "run", NULL);
  window_fixture_open_paths (fixture, (const char *const[]){ NULL }, "graph", NULL);
  sonde_workspace_set_debug_arguments (
      fixture->workspace,
      (const char *const[]){ "debug", "lenet", "--set", "data.source=glyphs", "--set",
                             "data.train=64", "--set", "data.test=32", "--set", "data.batch=16",
                             "--set", "train.threads=1", "--set", epochs, "--run", run, NULL });
  g_assert_true (sonde_window_show_page (fixture->window, "debugger", &request));
  window_fixture_settle (fixture);
}

GtkWidget *
debugger_find_field (GtkWidget *widget, const char *words)
{
  GtkWidget *label = window_fixture_find_label (widget, words),
            *grid = label != NULL ? gtk_widget_get_parent (label) : NULL;
  int column, row;

  if (!GTK_IS_GRID (grid))
    return NULL;
  gtk_grid_query_child (GTK_GRID (grid), label, &column, &row, NULL, NULL);
  return gtk_grid_get_child_at (GTK_GRID (grid), column + 1, row);
}

GtkWidget *
debugger_find_window (const char *title)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (g_strcmp0 (gtk_window_get_title (GTK_WINDOW (window)), title) == 0)
        return window;
    }
  return NULL;
}

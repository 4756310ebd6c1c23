/* SPDX-License-Identifier: Apache-2.0
 * The Migration page: the table of what a port costs, the source beside it, other targets, nothing to
 * show. */
#include <gtksourceview/gtksource.h>

#include "app/pages/migration/sonde-port-table.h"
#include "tests/app/pages/window-fixture.h"

static const char source[] = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
                             "  def forward(self, x):\n    return torch.stft(x, 4)\n";

static void
open_page (WindowFixture *fixture, const char *text, const SondePageRequest *request)
{
  g_autofree char *folder = NULL, *path = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-migration-XXXXXX", NULL);
  folder = g_build_filename (fixture->folder, "sources", NULL);
  path = g_build_filename (folder, "net.py", NULL);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  if (text != NULL)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  window_fixture_open_paths (fixture, (const char *const[]){ folder, NULL }, "migration", request);
}

static void
close_page (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_peek_page (fixture->window, "migration"));
}

static GtkSelectionModel *
rows_of (WindowFixture *fixture)
{
  return gtk_column_view_get_model (
      GTK_COLUMN_VIEW (window_fixture_find (page_of (fixture), GTK_TYPE_COLUMN_VIEW)));
}

static guint
count_rows (WindowFixture *fixture)
{
  return g_list_model_get_n_items (G_LIST_MODEL (rows_of (fixture)));
}

/* The line of the source that the cursor stands on, from 1. */
static int
line_of (WindowFixture *fixture)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (
      GTK_TEXT_VIEW (window_fixture_find (page_of (fixture), GTK_SOURCE_TYPE_VIEW)));
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  return gtk_text_iter_get_line (&iter) + 1;
}

static void
select_api (WindowFixture *fixture, const char *api)
{
  GtkWidget *table = window_fixture_find (page_of (fixture), SONDE_TYPE_PORT_TABLE);

  g_assert_true (sonde_port_table_select (SONDE_PORT_TABLE (table), api));
  window_fixture_settle (fixture);
}

static void
test_source (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture, source, NULL);
  g_assert_cmpuint (count_rows (&fixture), ==, 4);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "torch.nn.Module"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "net.py:5"));
  g_assert_cmpint (line_of (&fixture), ==, 5);
  select_api (&fixture, "torch.stft");
  g_assert_cmpint (line_of (&fixture), ==, 7);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "net.py:7"));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "mindspore.ops.stft"));
  close_page (&fixture);
}

static void
test_places (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GtkTreeListRow) row = NULL;

  open_page (&fixture, source, NULL);
  row = g_list_model_get_item (G_LIST_MODEL (rows_of (&fixture)), 0);
  gtk_tree_list_row_set_expanded (row, TRUE);
  g_assert_cmpuint (count_rows (&fixture), ==, 5);
  gtk_selection_model_select_item (rows_of (&fixture), 1, TRUE);
  window_fixture_settle (&fixture);
  g_assert_cmpint (line_of (&fixture), ==, 5);
  close_page (&fixture);
}

static void
test_filter (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *table;

  open_page (&fixture, source, NULL);
  table = window_fixture_find (page_of (&fixture), SONDE_TYPE_PORT_TABLE);
  sonde_port_table_set_filter (SONDE_PORT_TABLE (table), "STFT");
  g_assert_cmpuint (count_rows (&fixture), ==, 1);
  sonde_port_table_set_filter (SONDE_PORT_TABLE (table), NULL);
  g_assert_cmpuint (count_rows (&fixture), ==, 4);
  close_page (&fixture);
}

static void
test_target (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture, source, NULL);
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (window_fixture_find (page_of (&fixture), GTK_TYPE_DROP_DOWN)), 1);
  window_fixture_settle (&fixture);
  select_api (&fixture, "torch.stft");
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Wrap"));
  close_page (&fixture);
}

static void
test_empty (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture, NULL, NULL);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "No Python Sources"));
  close_page (&fixture);
  open_page (&fixture, "x = 1\n", NULL);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Nothing to Port"));
  close_page (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/migration/source", test_source);
  g_test_add_func ("/app/pages/migration/places", test_places);
  g_test_add_func ("/app/pages/migration/filter", test_filter);
  g_test_add_func ("/app/pages/migration/target", test_target);
  g_test_add_func ("/app/pages/migration/empty", test_empty);
  return g_test_run ();
}

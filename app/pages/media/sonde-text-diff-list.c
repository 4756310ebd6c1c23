/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-text-diff-list.h"

#include "app/pages/media/sonde-diff-row.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/paint/sonde-theme.h"

struct _SondeTextDiffList
{
  GtkBox parent_instance;
  GtkLabel *names, *counts, *place;
  GtkWidget *tools; /* of changes */
  GtkListView *view;
  GtkSelectionModel *rows; /* SondeDiffRow */
  SondeLineDiff *diff;     /* (nullable) */
  char *titles[2];
  gboolean beside;
  guint change; /* at hand, from 1; 0: none */
};

G_DEFINE_FINAL_TYPE (SondeTextDiffList, sonde_text_diff_list, GTK_TYPE_BOX)

/* ---- a line -------------------------------------------------------------- */

/* One of the two of a row: a sign and the line. */
static GtkWidget *
make_cell (void)
{
  GtkWidget *cell = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *mark = gtk_label_new (NULL),
            *text = gtk_label_new (NULL);

  gtk_label_set_width_chars (GTK_LABEL (mark), 1);
  gtk_label_set_yalign (GTK_LABEL (mark), 0);
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_yalign (GTK_LABEL (text), 0);
  gtk_label_set_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (text), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_add_css_class (cell, "mono");
  gtk_box_append (GTK_BOX (cell), mark);
  gtk_box_append (GTK_BOX (cell), text);
  return cell;
}

/* Of a line that was written anew no word is worth marking: some are found by chance. */
static gboolean
are_alike (const GArray *words, const char *first, const char *second)
{
  gsize n = 0;

  for (guint i = 0; i < words->len; i++)
    {
      const SondeDiffHunk *word = &g_array_index (words, SondeDiffHunk, i);

      n += word->n_a + word->n_b;
    }
  return n * 3 <= (strlen (first) + strlen (second)) * 2;
}

/* The words of the line that its partner has otherwise. (transfer full) (nullable) */
static PangoAttrList *
mark_words (SondeTextDiffList *list, const int *lines, guint side)
{
  const SondeColor *color
      = &sonde_theme_get (adw_style_manager_get_dark (adw_style_manager_get_default ()))
             ->state[side == 0 ? SONDE_STATE_ERROR : SONDE_STATE_OK];
  g_autoptr (GArray) words = NULL;
  const char *first, *second;
  PangoAttrList *marks;

  if (lines[0] < 0 || lines[1] < 0)
    return NULL;
  first = sonde_line_diff_get_line (list->diff, 0, (guint) lines[0]);
  second = sonde_line_diff_get_line (list->diff, 1, (guint) lines[1]);
  words = sonde_diff_find_words (first, second);
  if (!are_alike (words, first, second))
    return NULL;
  marks = pango_attr_list_new ();
  for (guint i = 0; i < words->len; i++)
    {
      const SondeDiffHunk *word = &g_array_index (words, SondeDiffHunk, i);
      PangoAttribute *made[]
          = { pango_attr_background_new ((guint16) (color->red * 65535),
                                         (guint16) (color->green * 65535),
                                         (guint16) (color->blue * 65535)),
              pango_attr_background_alpha_new (16000), pango_attr_weight_new (PANGO_WEIGHT_BOLD) };

      for (gsize k = 0; k < G_N_ELEMENTS (made); k++)
        {
          made[k]->start_index = side == 0 ? word->a : word->b;
          made[k]->end_index = made[k]->start_index + (side == 0 ? word->n_a : word->n_b);
          pango_attr_list_insert (marks, made[k]);
        }
    }
  return marks;
}

/* @mark: "−", "+" or "" */
static void
fill_cell (SondeTextDiffList *list, GtkWidget *cell, const SondeDiffRow *row, guint side,
           const char *mark)
{
  GtkWidget *sign = gtk_widget_get_first_child (cell), *text = gtk_widget_get_last_child (cell);
  const gboolean changes = *mark != '\0';
  const int line = row->lines[side];
  g_autoptr (PangoAttrList) words
      = changes && line >= 0 ? mark_words (list, row->lines, side) : NULL;

  gtk_label_set_attributes (GTK_LABEL (text), words);
  gtk_label_set_text (GTK_LABEL (text),
                      line >= 0 ? sonde_line_diff_get_line (list->diff, side, (guint) line) : "");
  gtk_label_set_text (GTK_LABEL (sign), line >= 0 ? mark : "");
  gtk_widget_remove_css_class (cell, "diff-removed");
  gtk_widget_remove_css_class (cell, "diff-added");
  gtk_widget_remove_css_class (cell, "dim-label");
  if (changes && line >= 0)
    gtk_widget_add_css_class (cell, side == 0 ? "diff-removed" : "diff-added");
}

static void
fill_fold (GtkWidget *cell, guint n_folded)
{
  g_autofree char *count = sonde_format_count (n_folded);
  g_autofree char *words
      = g_strdup_printf (P_ ("%s equal line", "%s equal lines", n_folded), count);

  gtk_label_set_attributes (GTK_LABEL (gtk_widget_get_last_child (cell)), NULL);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (cell)), words);
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (cell)), "⋯");
  gtk_widget_remove_css_class (cell, "diff-removed");
  gtk_widget_remove_css_class (cell, "diff-added");
  gtk_widget_add_css_class (cell, "dim-label");
}

static void
fill_row (SondeTextDiffList *list, GtkWidget *widget, const SondeDiffRow *row)
{
  GtkWidget *first = gtk_widget_get_first_child (widget),
            *second = gtk_widget_get_last_child (widget);
  const gboolean two = list->beside && row->kind != SONDE_DIFF_ROW_FOLDED;

  gtk_widget_set_visible (second, two);
  if (row->kind == SONDE_DIFF_ROW_FOLDED)
    fill_fold (first, row->n_folded);
  else if (two)
    {
      const gboolean same = row->kind == SONDE_DIFF_ROW_SAME;

      fill_cell (list, first, row, 0, same ? "" : "−");
      fill_cell (list, second, row, 1, same ? "" : "+");
    }
  else
    fill_cell (list, first, row, row->kind == SONDE_DIFF_ROW_ADDED ? 1 : 0,
               row->kind == SONDE_DIFF_ROW_ADDED     ? "+"
               : row->kind == SONDE_DIFF_ROW_REMOVED ? "−"
                                                     : "");
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *widget = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_box_set_homogeneous (GTK_BOX (widget), TRUE);
  for (int i = 0; i < 2; i++)
    gtk_box_append (GTK_BOX (widget), make_cell ());
  gtk_list_item_set_child (item, widget);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTextDiffList *list)
{
  fill_row (list, gtk_list_item_get_child (item), gtk_list_item_get_item (item));
}

/* ---- words --------------------------------------------------------------- */

static void
update_place (SondeTextDiffList *list)
{
  const guint n = sonde_text_diff_list_get_n_changes (list);
  g_autofree char *text = list->change > 0 ? g_strdup_printf (_ ("%u of %u"), list->change, n)
                                           : g_strdup_printf (P_ ("%u change", "%u changes", n), n);

  gtk_label_set_label (list->place, text);
  gtk_widget_set_visible (list->tools, n > 0);
}

static char *
describe_counts (SondeTextDiffList *list)
{
  guint removed, added;

  if (list->diff == NULL)
    return g_strdup (_ ("nothing to compare with"));
  sonde_line_diff_count (list->diff, &removed, &added);
  if (removed + added == 0)
    return g_strdup (sonde_line_diff_is_cut (list->diff) ? _ ("equal in the lines compared")
                                                         : _ ("equal"));
  return g_strdup_printf (sonde_line_diff_is_cut (list->diff) ? _ (
                              "lines: −%u +%u, in the first lines alone: the texts are too long")
                                                              : _ ("lines: −%u +%u"),
                          removed, added);
}

static void
update_words (SondeTextDiffList *list)
{
  g_autofree char *names = g_strdup_printf ("%s → %s", list->titles[0], list->titles[1]),
                  *counts = describe_counts (list);

  gtk_label_set_label (list->names, names);
  gtk_widget_set_tooltip_text (GTK_WIDGET (list->names), names);
  gtk_label_set_label (list->counts, counts);
  update_place (list);
}

static void
update_rows (SondeTextDiffList *list)
{
  GListStore *rows = list->diff != NULL ? sonde_diff_rows_new (list->diff, list->beside)
                                        : g_list_store_new (SONDE_TYPE_DIFF_ROW);

  g_clear_object (&list->rows);
  list->rows = GTK_SELECTION_MODEL (gtk_multi_selection_new (G_LIST_MODEL (rows)));
  gtk_list_view_set_model (list->view, list->rows);
  list->change = 0;
  update_words (list);
}

void
sonde_text_diff_list_set_texts (SondeTextDiffList *list, const char *first, const char *second,
                                const char *first_name, const char *second_name)
{
  g_return_if_fail (SONDE_IS_TEXT_DIFF_LIST (list));
  g_clear_pointer (&list->diff, sonde_line_diff_free);
  if (first != NULL && second != NULL)
    list->diff = sonde_line_diff_new (first, second);
  g_free (list->titles[0]);
  g_free (list->titles[1]);
  list->titles[0] = g_strdup (first_name != NULL ? first_name : "");
  list->titles[1] = g_strdup (second_name != NULL ? second_name : "");
  update_rows (list);
}

void
sonde_text_diff_list_set_beside (SondeTextDiffList *list, gboolean beside)
{
  g_return_if_fail (SONDE_IS_TEXT_DIFF_LIST (list));
  if (list->beside == beside)
    return;
  list->beside = beside;
  update_rows (list);
}

/* ---- from change to change ----------------------------------------------- */

guint
sonde_text_diff_list_get_n_changes (SondeTextDiffList *list)
{
  g_return_val_if_fail (SONDE_IS_TEXT_DIFF_LIST (list), 0);
  return list->diff != NULL ? sonde_line_diff_get_hunks (list->diff)->len : 0;
}

guint
sonde_text_diff_list_get_change (SondeTextDiffList *list)
{
  g_return_val_if_fail (SONDE_IS_TEXT_DIFF_LIST (list), 0);
  return list->change;
}

/* Its lines are selected, the first of them is in sight. */
static void
show_change (SondeTextDiffList *list)
{
  gboolean is_first = TRUE;

  gtk_selection_model_unselect_all (list->rows);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list->rows)); i++)
    {
      g_autoptr (SondeDiffRow) row = g_list_model_get_item (G_LIST_MODEL (list->rows), i);

      if (row->change != list->change)
        continue;
      gtk_selection_model_select_item (list->rows, i, FALSE);
      if (is_first)
        gtk_widget_activate_action (GTK_WIDGET (list->view), "list.scroll-to-item", "u", i);
      is_first = FALSE;
    }
}

void
sonde_text_diff_list_go (SondeTextDiffList *list, int direction)
{
  guint n = sonde_text_diff_list_get_n_changes (list);

  g_return_if_fail (SONDE_IS_TEXT_DIFF_LIST (list));
  if (n == 0)
    return;
  if (direction > 0)
    list->change = list->change % n + 1;
  else
    list->change = list->change > 1 ? list->change - 1 : n;
  show_change (list);
  update_place (list);
}

static void
go (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_text_diff_list_go (SONDE_TEXT_DIFF_LIST (widget),
                           g_str_has_suffix (action, "next") ? 1 : -1);
}

/* ---- copying ------------------------------------------------------------- */

static void
append_line (GString *text, SondeTextDiffList *list, const SondeDiffRow *row, guint side, char mark)
{
  if (row->lines[side] >= 0)
    g_string_append_printf (text, "%c%s\n", mark,
                            sonde_line_diff_get_line (list->diff, side, (guint) row->lines[side]));
}

static void
append_row (GString *text, SondeTextDiffList *list, const SondeDiffRow *row)
{
  if (row->kind == SONDE_DIFF_ROW_SAME)
    append_line (text, list, row, 0, ' ');
  if (row->kind == SONDE_DIFF_ROW_REMOVED || row->kind == SONDE_DIFF_ROW_CHANGED)
    append_line (text, list, row, 0, '-');
  if (row->kind == SONDE_DIFF_ROW_ADDED || row->kind == SONDE_DIFF_ROW_CHANGED)
    append_line (text, list, row, 1, '+');
}

/* The selected lines; without any all of it, as `diff -u` writes it. */
static void
copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeTextDiffList *list = SONDE_TEXT_DIFF_LIST (widget);
  g_autoptr (GtkBitset) selected = gtk_selection_model_get_selection (list->rows);
  GString *text = g_string_new (NULL);
  g_autofree char *whole = NULL;

  for (guint i = 0; i < gtk_bitset_get_size (selected); i++)
    {
      g_autoptr (SondeDiffRow) row
          = g_list_model_get_item (G_LIST_MODEL (list->rows), gtk_bitset_get_nth (selected, i));

      append_row (text, list, row);
    }
  if (text->len == 0 && list->diff != NULL)
    whole = sonde_line_diff_format (list->diff, list->titles[0], list->titles[1]);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), whole != NULL ? whole : text->str);
  g_string_free (text, TRUE);
}

static void
copy_all (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_selection_model_unselect_all (SONDE_TEXT_DIFF_LIST (widget)->rows);
  copy (widget, action, parameter);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_text_diff_list_dispose (GObject *object)
{
  SondeTextDiffList *list = SONDE_TEXT_DIFF_LIST (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  g_clear_object (&list->rows);
  G_OBJECT_CLASS (sonde_text_diff_list_parent_class)->dispose (object);
}

static void
sonde_text_diff_list_finalize (GObject *object)
{
  SondeTextDiffList *list = SONDE_TEXT_DIFF_LIST (object);

  sonde_line_diff_free (list->diff);
  g_free (list->titles[0]);
  g_free (list->titles[1]);
  G_OBJECT_CLASS (sonde_text_diff_list_parent_class)->finalize (object);
}

static void
sonde_text_diff_list_class_init (SondeTextDiffListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_text_diff_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_text_diff_list_finalize;
  gtk_widget_class_install_action (widget_class, "diff.next", NULL, go);
  gtk_widget_class_install_action (widget_class, "diff.previous", NULL, go);
  gtk_widget_class_install_action (widget_class, "diff.copy", NULL, copy);
  gtk_widget_class_install_action (widget_class, "diff.copy-all", NULL, copy_all);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F7, 0, "diff.next", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F7, GDK_SHIFT_MASK, "diff.previous",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "diff.copy",
                                       NULL);
}

static GtkWidget *
make_button (const char *icon, const char *words, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static GtkLabel *
make_label (const char *class)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_xalign (label, 0);
  gtk_widget_add_css_class (GTK_WIDGET (label), class);
  return label;
}

static GtkWidget *
make_head (SondeTextDiffList *list)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  list->names = make_label ("dim-label");
  list->counts = make_label ("numeric");
  list->place = make_label ("numeric");
  gtk_label_set_ellipsize (list->names, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (list->counts, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (GTK_WIDGET (list->names), TRUE);
  list->tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (list->tools), GTK_WIDGET (list->place));
  gtk_box_append (
      GTK_BOX (list->tools),
      make_button ("go-up-symbolic", _ ("Previous Change (Shift+F7)"), "diff.previous"));
  gtk_box_append (GTK_BOX (list->tools),
                  make_button ("go-down-symbolic", _ ("Next Change (F7)"), "diff.next"));
  gtk_box_append (GTK_BOX (list->tools),
                  make_button ("edit-copy-symbolic", _ ("Copy All Changes"), "diff.copy-all"));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (list->names));
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (list->counts));
  gtk_box_append (GTK_BOX (head), list->tools);
  return head;
}

static void
sonde_text_diff_list_init (SondeTextDiffList *list)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (list), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (list), 6);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), list);
  list->view = GTK_LIST_VIEW (gtk_list_view_new (NULL, factory));
  gtk_widget_add_css_class (GTK_WIDGET (list->view), "diff-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Changes"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (list->view));
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (list), make_head (list));
  gtk_box_append (GTK_BOX (list), scrolled);
  sonde_text_diff_list_set_texts (list, NULL, NULL, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-text-finder.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-text-scale.h"

#define PANEL_WIDTH 280

struct _SondeTextFinder
{
  GtkBox parent_instance;
  GtkSearchEntry *entry;
  GtkToggleButton *is_regex;
  GtkLabel *place;
  GtkWidget *tools; /* of matches */
  GtkWidget *panel;
  GtkLabel *summary;   /* in the panel */
  GtkStringList *rows; /* a line a match; its position is the match's */
  GtkSingleSelection *selection;
  GtkListView *view;
  SondeTextSearch *search;
  SondeRun *run;   /* (nullable) */
  GPtrArray *tags; /* utf8 */
  GRegex *pattern; /* (nullable) */
  char *searched;  /* text that was applied */
  gboolean searched_regex;
  gboolean listing;
};

enum
{
  FOUND,
  PATTERN_CHANGED,
  STATE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeTextFinder, sonde_text_finder, GTK_TYPE_BOX)

static const SondeTextMatch *
get_match (SondeTextFinder *finder, guint position)
{
  const GPtrArray *matches = sonde_text_search_get_matches (finder->search);

  return position < matches->len ? matches->pdata[position] : NULL;
}

/* ---- what is said -------------------------------------------------------- */

static char *
describe_summary (SondeTextFinder *finder)
{
  const guint n = sonde_text_finder_get_n_matches (finder);
  g_autofree char *count = sonde_format_count (n);

  if (sonde_text_search_is_busy (finder->search))
    return g_strdup_printf (P_ ("%s place so far…", "%s places so far…", n), count);
  if (sonde_text_search_is_cut (finder->search))
    return g_strdup_printf (_ ("the first %s places"), count);
  return n == 0 ? g_strdup (_ ("found nowhere"))
                : g_strdup_printf (P_ ("%s place", "%s places", n), count);
}

static void
update_words (SondeTextFinder *finder)
{
  const guint n = sonde_text_finder_get_n_matches (finder),
              at = gtk_single_selection_get_selected (finder->selection);
  g_autofree char *summary = describe_summary (finder);
  g_autofree char *place = at != GTK_INVALID_LIST_POSITION
                               ? g_strdup_printf (_ ("%u of %u"), at + 1, n)
                               : g_strdup_printf ("%u", n);

  gtk_label_set_label (finder->summary, summary);
  gtk_label_set_label (finder->place, place);
  gtk_widget_set_visible (finder->tools, finder->pattern != NULL);
  gtk_widget_set_visible (finder->panel, finder->pattern != NULL);
}

/* ---- searching ----------------------------------------------------------- */

/* New matches come at the end. */
static void
on_search_changed (void *user_data)
{
  SondeTextFinder *finder = user_data;
  const GPtrArray *matches = sonde_text_search_get_matches (finder->search);

  finder->listing = TRUE;
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (finder->rows)); i < matches->len; i++)
    gtk_string_list_append (finder->rows, ((const SondeTextMatch *) matches->pdata[i])->line);
  finder->listing = FALSE;
  update_words (finder);
  g_signal_emit (finder, signals[STATE_CHANGED], 0);
}

static void
start (SondeTextFinder *finder)
{
  finder->listing = TRUE;
  gtk_string_list_splice (finder->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (finder->rows)),
                          NULL);
  finder->listing = FALSE;
  if (finder->pattern != NULL && finder->run != NULL)
    sonde_text_search_start (finder->search, finder->run, finder->tags, finder->pattern);
  else
    sonde_text_search_stop (finder->search);
  update_words (finder);
  g_signal_emit (finder, signals[STATE_CHANGED], 0);
}

/* Capital letters count only where there are some in what is searched. */
static GRegex *
make_pattern (const char *text, gboolean is_regex, GError **error)
{
  g_autofree char *lower = g_utf8_strdown (text, -1), *escaped = g_regex_escape_string (text, -1);
  GRegexCompileFlags flags = G_REGEX_MULTILINE;

  if (g_str_equal (lower, text))
    flags |= G_REGEX_CASELESS;
  return g_regex_new (is_regex ? text : escaped, flags, 0, error);
}

static void
on_text_changed (SondeTextFinder *finder)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (finder->entry));
  const gboolean is_regex = gtk_toggle_button_get_active (finder->is_regex);
  g_autoptr (GError) error = NULL;
  GRegex *pattern;

  /* the entry reports a change with a delay */
  if (g_str_equal (text, finder->searched) && is_regex == finder->searched_regex)
    return;
  g_free (finder->searched);
  finder->searched = g_strdup (text);
  finder->searched_regex = is_regex;
  pattern = *text != '\0' ? make_pattern (text, is_regex, &error) : NULL;
  g_clear_pointer (&finder->pattern, g_regex_unref);
  finder->pattern = pattern;
  gtk_widget_set_tooltip_text (GTK_WIDGET (finder->entry), error != NULL ? error->message : NULL);
  if (error != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (finder->entry), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (finder->entry), "error");
  g_signal_emit (finder, signals[PATTERN_CHANGED], 0);
  start (finder);
}

static gboolean
are_same_tags (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

void
sonde_text_finder_set_texts (SondeTextFinder *finder, SondeRun *run, GPtrArray *tags)
{
  g_return_if_fail (SONDE_IS_TEXT_FINDER (finder));
  if (run == finder->run && are_same_tags (tags, finder->tags))
    return;
  g_set_object (&finder->run, run);
  g_ptr_array_set_size (finder->tags, 0);
  for (guint i = 0; i < tags->len; i++)
    g_ptr_array_add (finder->tags, g_strdup (tags->pdata[i]));
  start (finder);
}

/* ---- from place to place ------------------------------------------------- */

/* Matches of the same tag and step before it: they follow each other. */
static guint
count_before (SondeTextFinder *finder, guint at)
{
  const SondeTextMatch *match = get_match (finder, at), *before;
  guint n = 0;

  while (n < at && (before = get_match (finder, at - n - 1)) != NULL && before->step == match->step
         && g_str_equal (before->tag, match->tag))
    n++;
  return n;
}

static void
on_selected (SondeTextFinder *finder)
{
  const guint at = gtk_single_selection_get_selected (finder->selection);
  const SondeTextMatch *match;

  if (finder->listing)
    return;
  update_words (finder);
  match = get_match (finder, at);
  if (match != NULL)
    g_signal_emit (finder, signals[FOUND], 0, match->tag, match->step, count_before (finder, at));
}

void
sonde_text_finder_go (SondeTextFinder *finder, int direction)
{
  guint n, at;

  g_return_if_fail (SONDE_IS_TEXT_FINDER (finder));
  n = sonde_text_finder_get_n_matches (finder);
  at = gtk_single_selection_get_selected (finder->selection);
  if (n == 0)
    return;
  if (at == GTK_INVALID_LIST_POSITION)
    at = direction > 0 ? 0 : n - 1;
  else
    at = direction > 0 ? (at + 1) % n : (at + n - 1) % n;
  gtk_single_selection_set_selected (finder->selection, at);
  gtk_widget_activate_action (GTK_WIDGET (finder->view), "list.scroll-to-item", "u", at);
}

static void
on_next (SondeTextFinder *finder)
{
  on_text_changed (finder); /* Enter may come before the entry tells */
  sonde_text_finder_go (finder, 1);
}

static void
on_previous (SondeTextFinder *finder)
{
  sonde_text_finder_go (finder, -1);
}

static void
on_stop (SondeTextFinder *finder)
{
  gtk_editable_set_text (GTK_EDITABLE (finder->entry), "");
}

GRegex *
sonde_text_finder_get_pattern (SondeTextFinder *finder)
{
  g_return_val_if_fail (SONDE_IS_TEXT_FINDER (finder), NULL);
  return finder->pattern;
}

guint
sonde_text_finder_get_n_matches (SondeTextFinder *finder)
{
  g_return_val_if_fail (SONDE_IS_TEXT_FINDER (finder), 0);
  return sonde_text_search_get_matches (finder->search)->len;
}

gboolean
sonde_text_finder_is_busy (SondeTextFinder *finder)
{
  g_return_val_if_fail (SONDE_IS_TEXT_FINDER (finder), FALSE);
  return sonde_text_search_is_busy (finder->search);
}

GtkWidget *
sonde_text_finder_get_panel (SondeTextFinder *finder)
{
  g_return_val_if_fail (SONDE_IS_TEXT_FINDER (finder), NULL);
  return finder->panel;
}

/* ---- rows ---------------------------------------------------------------- */

static GtkWidget *
make_row_label (const char *class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, class);
  return label;
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_box_append (GTK_BOX (box), make_row_label ("caption"));
  gtk_box_append (GTK_BOX (box), make_row_label ("caption"));
  gtk_widget_add_css_class (gtk_widget_get_first_child (box), "dim-label");
  gtk_list_item_set_child (item, box);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeTextFinder *finder)
{
  const SondeTextMatch *match = get_match (finder, gtk_list_item_get_position (item));
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkLabel *head = GTK_LABEL (gtk_widget_get_first_child (box)),
           *line = GTK_LABEL (gtk_widget_get_last_child (box));
  g_autoptr (PangoAttrList) marks = pango_attr_list_new ();
  PangoAttribute *bold = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
  g_autofree char *count = NULL, *tag = NULL, *words = NULL;

  if (match == NULL)
    {
      pango_attribute_destroy (bold);
      return;
    }
  count = sonde_format_count (match->step);
  tag = sonde_text_make_visible (match->tag);
  words = g_strdup_printf (_ ("Step %s · %s"), count, tag);
  bold->start_index = match->start;
  bold->end_index = match->start + match->length;
  pango_attr_list_insert (marks, bold);
  gtk_label_set_text (head, words);
  gtk_label_set_text (line, match->line);
  gtk_label_set_attributes (line, marks);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_text_finder_dispose (GObject *object)
{
  SondeTextFinder *finder = SONDE_TEXT_FINDER (object);
  GtkWidget *child;

  finder->listing = TRUE;
  g_clear_pointer (&finder->search, sonde_text_search_free);
  g_clear_object (&finder->run);
  g_clear_object (&finder->panel);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_text_finder_parent_class)->dispose (object);
}

static void
sonde_text_finder_finalize (GObject *object)
{
  SondeTextFinder *finder = SONDE_TEXT_FINDER (object);

  g_ptr_array_unref (finder->tags);
  g_free (finder->searched);
  g_clear_pointer (&finder->pattern, g_regex_unref);
  G_OBJECT_CLASS (sonde_text_finder_parent_class)->finalize (object);
}

static void
sonde_text_finder_class_init (SondeTextFinderClass *klass)
{
  const GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_text_finder_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_text_finder_finalize;
  signals[FOUND] = g_signal_new ("found", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 3, G_TYPE_STRING, G_TYPE_INT64, G_TYPE_UINT);
  signals[PATTERN_CHANGED] = g_signal_new ("pattern-changed", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 0);
  signals[STATE_CHANGED] = g_signal_new ("state-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                         NULL, G_TYPE_NONE, 0);
}

static void
add_button (SondeTextFinder *finder, const char *icon, const char *words, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                  -1);
  g_signal_connect_object (button, "clicked", clicked, finder, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (finder->tools), button);
}

static void
make_bar (SondeTextFinder *finder)
{
  finder->entry = GTK_SEARCH_ENTRY (gtk_search_entry_new ());
  finder->is_regex = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (".*"));
  finder->place = GTK_LABEL (gtk_label_new (NULL));
  finder->tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_object_set (finder->entry, "placeholder-text", _ ("Search in all steps"), NULL);
  gtk_editable_set_width_chars (GTK_EDITABLE (finder->entry), 14);
  gtk_accessible_update_property (GTK_ACCESSIBLE (finder->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Search in all steps"), -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (finder->is_regex), _ ("Regular expression"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (finder->is_regex), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Regular expression"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (finder->place), "numeric");
  gtk_box_append (GTK_BOX (finder->tools), GTK_WIDGET (finder->place));
  add_button (finder, "go-up-symbolic", _ ("Previous Place"), G_CALLBACK (on_previous));
  add_button (finder, "go-down-symbolic", _ ("Next Place (Enter)"), G_CALLBACK (on_next));
  g_signal_connect_object (finder->entry, "search-changed", G_CALLBACK (on_text_changed), finder,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (finder->entry, "activate", G_CALLBACK (on_next), finder,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (finder->entry, "stop-search", G_CALLBACK (on_stop), finder,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (finder->is_regex, "toggled", G_CALLBACK (on_text_changed), finder,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (finder), GTK_WIDGET (finder->entry));
  gtk_box_append (GTK_BOX (finder), GTK_WIDGET (finder->is_regex));
  gtk_box_append (GTK_BOX (finder), finder->tools);
}

static void
make_panel (SondeTextFinder *finder)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), finder, 0);
  finder->rows = gtk_string_list_new (NULL);
  finder->selection = gtk_single_selection_new (G_LIST_MODEL (finder->rows));
  gtk_single_selection_set_autoselect (finder->selection, FALSE);
  gtk_single_selection_set_can_unselect (finder->selection, TRUE);
  finder->view
      = GTK_LIST_VIEW (gtk_list_view_new (GTK_SELECTION_MODEL (finder->selection), factory));
  gtk_list_view_set_single_click_activate (finder->view, FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (finder->view), "navigation-sidebar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (finder->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Places found"), -1);
  g_signal_connect_object (finder->selection, "notify::selected", G_CALLBACK (on_selected), finder,
                           G_CONNECT_SWAPPED);
  finder->summary = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (finder->summary), "dim-label");
  gtk_label_set_xalign (finder->summary, 0);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (finder->view));
  gtk_widget_set_vexpand (scrolled, TRUE);
  finder->panel = g_object_ref_sink (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  sonde_text_scale_request (finder->panel, PANEL_WIDTH, -1);
  gtk_widget_set_hexpand (finder->panel, FALSE);
  gtk_widget_add_css_class (finder->panel, "chart-panel");
  gtk_box_append (GTK_BOX (finder->panel), GTK_WIDGET (finder->summary));
  gtk_box_append (GTK_BOX (finder->panel), scrolled);
}

static void
sonde_text_finder_init (SondeTextFinder *finder)
{
  finder->tags = g_ptr_array_new_with_free_func (g_free);
  finder->searched = g_strdup ("");
  finder->search = sonde_text_search_new (on_search_changed, finder);
  gtk_box_set_spacing (GTK_BOX (finder), 6);
  make_bar (finder);
  make_panel (finder);
  update_words (finder);
}

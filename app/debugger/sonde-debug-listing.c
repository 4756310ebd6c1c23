/* SPDX-License-Identifier: Apache-2.0
 * The executed graph as text. */
#include "app/debugger/sonde-debug-listing.h"

#include <gtksourceview/gtksource.h>
#include <string.h>

#include "engine/frontend/sonde-debug-lines.h"
#include "viewers/paint/sonde-theme.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-listing.ui"
#define MARK_CURRENT "sonde-current"
#define MARK_BREAKPOINT "sonde-breakpoint"
#define MARK_CONDITIONAL "sonde-breakpoint-conditional"
#define MARK_OFF "sonde-breakpoint-off"
#define MARK_LOOKED_AT "sonde-looked-at"
#define ALIGN_FRAMES 3
#define ICON_SIZE 32 /* px; shown smaller */

struct _SondeDebugListing
{
  AdwBin parent_instance;

  GtkSourceView *view;
  GtkSourceBuffer *buffer;
  GtkWidget *search_bar, *search_entry;
  GtkWidget *nothing; /* said where there are no lines */
  GtkSourceSearchContext *search;
  GPtrArray *lines;    /* (nullable) element-type SondeDebugLine */
  GHashTable *values;  /* (nullable): line -> what its node has made */
  GHashTable *written; /* (nullable): the same as it stands in the text */
  guint write_tick, write_idle;
  gboolean moving; /* the cursor is moved by us */
  int frames_to_align;
};

G_DEFINE_FINAL_TYPE (SondeDebugListing, sonde_debug_listing, ADW_TYPE_BIN)

enum
{
  FILLED,
  SCROLLED,
  WRITTEN,
  LINE_ACTIVATED,
  LINE_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- marks --------------------------------------------------------------- */

typedef enum
{
  SIGN_NONE,
  SIGN_ARROW,
  SIGN_DISC,
  SIGN_QUESTION, /* a disc with a question mark */
  SIGN_RING,
} Sign;

static void
draw_disc (cairo_t *cr, Sign sign)
{
  cairo_arc (cr, ICON_SIZE / 2.0, ICON_SIZE / 2.0, ICON_SIZE * (sign == SIGN_RING ? 0.32 : 0.38), 0,
             2 * G_PI);
  if (sign == SIGN_RING)
    {
      cairo_set_line_width (cr, ICON_SIZE * 0.12);
      cairo_stroke (cr);
      return;
    }
  cairo_fill (cr);
  if (sign != SIGN_QUESTION)
    return;
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, ICON_SIZE * 0.1);
  cairo_arc (cr, ICON_SIZE / 2.0, ICON_SIZE * 0.41, ICON_SIZE * 0.13, -G_PI, G_PI * 0.35);
  cairo_line_to (cr, ICON_SIZE / 2.0, ICON_SIZE * 0.62);
  cairo_stroke (cr);
  cairo_arc (cr, ICON_SIZE / 2.0, ICON_SIZE * 0.74, ICON_SIZE * 0.06, 0, 2 * G_PI);
  cairo_fill (cr);
}

static GdkPixbuf *
draw_icon (const SondeColor *color, Sign sign)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, ICON_SIZE, ICON_SIZE);
  cairo_t *cr = cairo_create (surface);
  GdkPixbuf *pixbuf;

  sonde_paint_set_color (cr, color);
  if (sign == SIGN_ARROW)
    {
      cairo_move_to (cr, ICON_SIZE * 0.15, ICON_SIZE * 0.15);
      cairo_line_to (cr, ICON_SIZE * 0.9, ICON_SIZE * 0.5);
      cairo_line_to (cr, ICON_SIZE * 0.15, ICON_SIZE * 0.85);
      cairo_close_path (cr);
      cairo_fill (cr);
    }
  else
    draw_disc (cr, sign);
  cairo_destroy (cr);
  pixbuf = gdk_pixbuf_get_from_surface (surface, 0, 0, ICON_SIZE, ICON_SIZE);
  cairo_surface_destroy (surface);
  return pixbuf;
}

static void
set_attributes (SondeDebugListing *self, const char *category, const SondeColor *color, Sign sign,
                float strength, /* of the line's background */
                int priority)
{
  g_autoptr (GtkSourceMarkAttributes) attributes = gtk_source_mark_attributes_new ();
  g_autoptr (GdkPixbuf) icon = sign != SIGN_NONE ? draw_icon (color, sign) : NULL;
  GdkRGBA background = { (float) color->red, (float) color->green, (float) color->blue, strength };

  if (icon != NULL)
    gtk_source_mark_attributes_set_pixbuf (attributes, icon);
  if (strength > 0)
    gtk_source_mark_attributes_set_background (attributes, &background);
  gtk_source_view_set_mark_attributes (self->view, category, attributes, priority);
}

static void
add_mark (SondeDebugListing *self, guint line, const char *category)
{
  GtkTextIter iter;

  if (line == 0)
    return;
  gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), &iter, (int) line - 1);
  gtk_source_buffer_create_source_mark (self->buffer, NULL, category, &iter);
}

static const char *const categories[] = {
  [SONDE_DEBUG_BREAKPOINT_PLAIN] = MARK_BREAKPOINT,
  [SONDE_DEBUG_BREAKPOINT_CONDITIONAL] = MARK_CONDITIONAL,
  [SONDE_DEBUG_BREAKPOINT_OFF] = MARK_OFF,
};

void
sonde_debug_listing_set_marks (SondeDebugListing *listing, guint current, GArray *marks)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (listing->buffer), &start, &end);
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    gtk_source_buffer_remove_source_marks (listing->buffer, &start, &end, categories[i]);
  gtk_source_buffer_remove_source_marks (listing->buffer, &start, &end, MARK_CURRENT);
  for (guint i = 0; i < marks->len; i++)
    {
      const SondeDebugLineMark *mark = &g_array_index (marks, SondeDebugLineMark, i);

      add_mark (listing, mark->line, categories[mark->kind]);
    }
  add_mark (listing, current, MARK_CURRENT);
}

void
sonde_debug_listing_set_looked_at (SondeDebugListing *listing, guint line)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (listing->buffer), &start, &end);
  gtk_source_buffer_remove_source_marks (listing->buffer, &start, &end, MARK_LOOKED_AT);
  add_mark (listing, line, MARK_LOOKED_AT);
}

/* ---- text ---------------------------------------------------------------- */

/* From 1. (nullable) */
static const SondeDebugLine *
get_line (SondeDebugListing *self, guint line)
{
  return line > 0 && self->lines != NULL && line <= self->lines->len
             ? g_ptr_array_index (self->lines, line - 1)
             : NULL;
}

static void
tag (SondeDebugListing *self, const char *name, int line, const char *text, /* of the line */
     const char *from, const char *to)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line_index (GTK_TEXT_BUFFER (self->buffer), &start, line,
                                          (int) (from - text));
  gtk_text_buffer_get_iter_at_line_index (GTK_TEXT_BUFFER (self->buffer), &end, line,
                                          (int) (to - text));
  gtk_text_buffer_apply_tag_by_name (GTK_TEXT_BUFFER (self->buffer), name, &start, &end);
}

/* The operator stands out, what rarely matters stands back. */
static void
tag_line (SondeDebugListing *self, int line, const SondeDebugLine *content)
{
  const char *text = content->text;

  tag (self, "operator", line, text, text + content->op.start, text + content->op.end);
  tag (self, "name", line, text, text + content->label.start, text + content->label.end);
  tag (self, "type", line, text, text + content->type.start, text + content->type.end);
}

void
sonde_debug_listing_set_text (SondeDebugListing *listing, const char *text, const SondeGraph *graph)
{
  g_autoptr (GString) all = g_string_new (NULL);

  g_clear_pointer (&listing->lines, g_ptr_array_unref);
  g_clear_pointer (&listing->values, g_hash_table_unref);
  g_clear_pointer (&listing->written, g_hash_table_unref);
  listing->written = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  listing->lines = sonde_debug_lines_new (text, graph);
  listing->values = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < listing->lines->len; i++)
    g_string_append_printf (all, "%s%s", i > 0 ? "\n" : "", get_line (listing, i + 1)->text);
  listing->moving = TRUE;
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (listing->buffer), all->str, (int) all->len);
  for (guint i = 0; i < listing->lines->len; i++)
    tag_line (listing, (int) i, get_line (listing, i + 1));
  listing->moving = FALSE;
  gtk_widget_set_visible (listing->nothing, *text == '\0');
  g_signal_emit (listing, signals[FILLED], 0);
}

/* ---- values -------------------------------------------------------------- */

/* As it stands in the line, before the shape or at the end. (transfer full) (nullable) */
static char *
dup_spaced (const SondeDebugLine *content, const char *text)
{
  if (text == NULL)
    return NULL;
  return content->type.end > 0 ? g_strconcat (text, "  ", NULL) : g_strconcat ("  ", text, NULL);
}

/* Before the shape, which tells less and may be cut off. */
static void
write_value (SondeDebugListing *self, guint line, const char *old, const char *text)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  const SondeDebugLine *content = get_line (self, line);
  g_autofree char *gone = dup_spaced (content, old), *spaced = dup_spaced (content, text);
  gsize at = content->type.end > 0 ? content->type.start : strlen (content->text);
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line_index (buffer, &start, (int) line - 1, (int) at);
  end = start;
  self->moving = TRUE;
  if (gone != NULL)
    {
      gtk_text_iter_forward_chars (&end, (int) g_utf8_strlen (gone, -1));
      gtk_text_buffer_delete (buffer, &start, &end);
    }
  if (spaced != NULL)
    gtk_text_buffer_insert_with_tags_by_name (buffer, &start, spaced, -1, "value", NULL);
  self->moving = FALSE;
}

static void
write_values (SondeDebugListing *self)
{
  guint n = self->lines != NULL ? self->lines->len : 0;

  for (guint line = 1; line <= n; line++)
    {
      gpointer key = GUINT_TO_POINTER (line);
      const char *value = g_hash_table_lookup (self->values, key),
                 *old = g_hash_table_lookup (self->written, key);

      if (g_strcmp0 (value, old) == 0)
        continue;
      write_value (self, line, old, value);
      if (value != NULL)
        g_hash_table_insert (self->written, key, g_strdup (value));
      else
        g_hash_table_remove (self->written, key);
    }
}

static gboolean
on_write_idle (gpointer data)
{
  SondeDebugListing *self = data;

  self->write_idle = 0;
  write_values (self);
  g_signal_emit (self, signals[WRITTEN], 0);
  return G_SOURCE_REMOVE;
}

static gboolean
on_write_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeDebugListing *self = SONDE_DEBUG_LISTING (widget);

  self->write_tick = 0;
  if (self->write_idle == 0)
    self->write_idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_write_idle, self, NULL);
  return G_SOURCE_REMOVE;
}

/* All at once and right after a frame, so that the text is measured before the next: one that is measured
 * while it is drawn leaves the scroll bar without a size. */
static void
write_soon (SondeDebugListing *self)
{
  if (self->write_tick != 0 || self->write_idle != 0)
    return;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->write_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_write_tick, NULL, NULL);
  else
    self->write_idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_write_idle, self, NULL);
}

static void
stop_writing (SondeDebugListing *self)
{
  if (self->write_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->write_tick);
  self->write_tick = 0;
  g_clear_handle_id (&self->write_idle, g_source_remove);
}

/* No frame comes any more. */
static void
on_unmapped (SondeDebugListing *self)
{
  if (self->write_tick == 0)
    return;
  stop_writing (self);
  self->write_idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_write_idle, self, NULL);
}

gboolean
sonde_debug_listing_is_writing (SondeDebugListing *listing)
{
  return listing->write_tick != 0 || listing->write_idle != 0;
}

void
sonde_debug_listing_set_value (SondeDebugListing *listing, guint line, const char *text)
{
  gpointer key = GUINT_TO_POINTER (line);

  if (get_line (listing, line) == NULL)
    return;
  if (g_strcmp0 (g_hash_table_lookup (listing->values, key), text) == 0)
    return;
  if (text != NULL)
    g_hash_table_insert (listing->values, key, g_strdup (text));
  else
    g_hash_table_remove (listing->values, key);
  write_soon (listing);
}

const char *
sonde_debug_listing_get_value (SondeDebugListing *listing, guint line)
{
  return listing->values != NULL ? g_hash_table_lookup (listing->values, GUINT_TO_POINTER (line))
                                 : NULL;
}

void
sonde_debug_listing_get_visible (SondeDebugListing *listing, guint *first, guint *last)
{
  GtkTextView *view = GTK_TEXT_VIEW (listing->view);
  GdkRectangle shown;
  GtkTextIter iter;

  gtk_text_view_get_visible_rect (view, &shown);
  gtk_text_view_get_line_at_y (view, &iter, shown.y, NULL);
  *first = (guint) gtk_text_iter_get_line (&iter) + 1;
  gtk_text_view_get_line_at_y (view, &iter, shown.y + shown.height, NULL);
  *last = (guint) gtk_text_iter_get_line (&iter) + 1;
}

/* What the line says as a whole, and the value that its node made. */
static gboolean
on_query_tooltip (SondeDebugListing *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  GtkTextView *view = GTK_TEXT_VIEW (self->view);
  const SondeDebugLine *content;
  g_autofree char *text = NULL;
  GtkTextIter iter;
  guint line;
  int at_x, at_y, line_y, height;

  gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_WIDGET, x, y, &at_x, &at_y);
  gtk_text_view_get_line_at_y (view, &iter, at_y, &line_y);
  gtk_text_view_get_line_yrange (view, &iter, &line_y, &height);
  line = by_keyboard ? sonde_debug_listing_get_line (self)
                     : (guint) gtk_text_iter_get_line (&iter) + 1;
  content = get_line (self, line);
  if (content == NULL || content->name == NULL || (!by_keyboard && at_y > line_y + height))
    return FALSE;
  text = g_strjoin ("\n", content->whole + strspn (content->whole, " "),
                    sonde_debug_listing_get_value (self, line), NULL);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

void
sonde_debug_listing_dim (SondeDebugListing *listing, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (listing->buffer);
  GtkTextIter start, end;

  if (line == 0)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) line - 1);
  end = start;
  gtk_text_iter_forward_to_line_end (&end);
  gtk_text_buffer_remove_all_tags (buffer, &start, &end);
  gtk_text_buffer_apply_tag_by_name (buffer, "aside", &start, &end);
}

char *
sonde_debug_listing_dup_name (SondeDebugListing *listing, guint line)
{
  const SondeDebugLine *content = get_line (listing, line);

  return content != NULL ? g_strdup (content->name) : NULL;
}

guint
sonde_debug_listing_find_name (SondeDebugListing *listing, const char *name)
{
  for (guint line = 1; get_line (listing, line) != NULL; line++)
    if (g_strcmp0 (get_line (listing, line)->name, name) == 0)
      return line;
  return 0;
}

guint
sonde_debug_listing_get_line (SondeDebugListing *listing)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (listing->buffer);
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  return (guint) gtk_text_iter_get_line (&iter) + 1;
}

/* Lines that were not measured yet have their height after a frame or two: until then it is scrolled to where the
 * line would be without them. */
static void
scroll_to_cursor (SondeDebugListing *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);

  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer),
                                0.15, FALSE, 0, 0);
}

/* Scrolling to the start of a line must not move sideways, which GTK does by a margin. */
static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeDebugListing *self = SONDE_DEBUG_LISTING (widget);

  scroll_to_cursor (self);
  gtk_adjustment_set_value (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->view)), 0);
  return --self->frames_to_align > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
sonde_debug_listing_focus (SondeDebugListing *listing)
{
  gtk_widget_grab_focus (GTK_WIDGET (listing->view));
}

void
sonde_debug_listing_scroll_to (SondeDebugListing *listing, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (listing->buffer);
  GtkTextIter iter;

  if (line == 0)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) line - 1);
  listing->moving = TRUE;
  gtk_text_buffer_place_cursor (buffer, &iter);
  listing->moving = FALSE;
  scroll_to_cursor (listing);
  if (listing->frames_to_align <= 0)
    gtk_widget_add_tick_callback (GTK_WIDGET (listing), on_frame, NULL, NULL);
  listing->frames_to_align = ALIGN_FRAMES;
}

/* ---- hands --------------------------------------------------------------- */

static void
on_line_mark_activated (SondeDebugListing *self, GtkTextIter *iter, guint button,
                        GdkModifierType state, int n_presses)
{
  g_signal_emit (self, signals[LINE_ACTIVATED], 0, (guint) gtk_text_iter_get_line (iter) + 1);
}

static void
on_cursor_moved (SondeDebugListing *self)
{
  if (!self->moving)
    g_signal_emit (self, signals[LINE_CHOSEN], 0, sonde_debug_listing_get_line (self));
}

static void
on_scrolled (SondeDebugListing *self)
{
  g_signal_emit (self, signals[SCROLLED], 0);
}

/* ---- search -------------------------------------------------------------- */

static void
on_search_changed (SondeDebugListing *self)
{
  GtkSourceSearchSettings *settings = gtk_source_search_context_get_settings (self->search);

  gtk_source_search_settings_set_search_text (
      settings, gtk_editable_get_text (GTK_EDITABLE (self->search_entry)));
}

/* The next match after the cursor, which goes to the start of its line. */
static void
on_search_next (SondeDebugListing *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter, start, end;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  gtk_text_iter_forward_line (&iter);
  if (!gtk_source_search_context_forward (self->search, &iter, &start, &end, NULL))
    return;
  sonde_debug_listing_scroll_to (self, (guint) gtk_text_iter_get_line (&start) + 1);
  g_signal_emit (self, signals[LINE_CHOSEN], 0, (guint) gtk_text_iter_get_line (&start) + 1);
}

void
sonde_debug_listing_search (SondeDebugListing *listing)
{
  gtk_search_bar_set_search_mode (GTK_SEARCH_BAR (listing->search_bar), TRUE);
  gtk_widget_grab_focus (listing->search_entry);
}

static void
make_search (SondeDebugListing *self)
{
  g_autoptr (GtkSourceSearchSettings) settings = gtk_source_search_settings_new ();

  gtk_source_search_settings_set_wrap_around (settings, TRUE);
  self->search = gtk_source_search_context_new (self->buffer, settings);
  gtk_search_bar_connect_entry (GTK_SEARCH_BAR (self->search_bar),
                                GTK_EDITABLE (self->search_entry));
}

/* ---- class --------------------------------------------------------------- */

static void
on_dark_changed (SondeDebugListing *self)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  const SondeTheme *theme = sonde_theme_get (dark);
  GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (self->buffer));
  GdkRGBA dim = { (float) theme->dim.red, (float) theme->dim.green, (float) theme->dim.blue, 1 };
  const SondeColor *blue = &theme->state[SONDE_STATE_RUNNING],
                   *green = &theme->state[SONDE_STATE_OK];
  GdkRGBA value = { (float) green->red, (float) green->green, (float) green->blue, 1 };
  GdkRGBA operator= { (float) blue->red, (float) blue->green, (float) blue->blue, 1 };

  gtk_source_buffer_set_style_scheme (
      self->buffer,
      gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita"));
  g_object_set (gtk_text_tag_table_lookup (tags, "aside"), "foreground-rgba", &dim, NULL);
  g_object_set (gtk_text_tag_table_lookup (tags, "type"), "foreground-rgba", &dim, NULL);
  g_object_set (gtk_text_tag_table_lookup (tags, "value"), "foreground-rgba", &value, NULL);
  g_object_set (gtk_text_tag_table_lookup (tags, "operator"), "foreground-rgba", &operator, NULL);
  set_attributes (self, MARK_LOOKED_AT, &theme->selection, SIGN_NONE, 0.12f, 0);
  set_attributes (self, MARK_OFF, &theme->dim, SIGN_RING, 0, 1);
  set_attributes (self, MARK_BREAKPOINT, &theme->state[SONDE_STATE_ERROR], SIGN_DISC, 0.1f, 1);
  set_attributes (self, MARK_CONDITIONAL, &theme->state[SONDE_STATE_ERROR], SIGN_QUESTION, 0.1f, 1);
  set_attributes (self, MARK_CURRENT, &theme->state[SONDE_STATE_PAUSED], SIGN_ARROW, 0.3f, 2);
}

static void
sonde_debug_listing_dispose (GObject *object)
{
  SondeDebugListing *self = SONDE_DEBUG_LISTING (object);

  if (self->buffer != NULL)
    g_signal_handlers_disconnect_by_data (self->buffer, self);
  g_clear_object (&self->search);
  stop_writing (self);
  g_clear_pointer (&self->lines, g_ptr_array_unref);
  g_clear_pointer (&self->values, g_hash_table_unref);
  g_clear_pointer (&self->written, g_hash_table_unref);
  G_OBJECT_CLASS (sonde_debug_listing_parent_class)->dispose (object);
}

static void
sonde_debug_listing_class_init (SondeDebugListingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_listing_dispose;
  signals[FILLED]
      = g_signal_new ("filled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[WRITTEN]
      = g_signal_new ("written", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SCROLLED]
      = g_signal_new ("scrolled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[LINE_ACTIVATED] = g_signal_new ("line-activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[LINE_CHOSEN] = g_signal_new ("line-chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_UINT);
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  g_type_ensure (GTK_SOURCE_TYPE_BUFFER);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugListing, view);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugListing, buffer);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugListing, nothing);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugListing, search_bar);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugListing, search_entry);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_next);
  gtk_widget_class_bind_template_callback (widget_class, on_line_mark_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_query_tooltip);
  gtk_widget_class_bind_template_callback (widget_class, on_scrolled);
}

static void
sonde_debug_listing_init (SondeDebugListing *self)
{
  GtkTextBuffer *buffer;

  gtk_widget_init_template (GTK_WIDGET (self));
  buffer = GTK_TEXT_BUFFER (self->buffer);
  gtk_text_buffer_create_tag (buffer, "name", "weight", PANGO_WEIGHT_BOLD, NULL);
  gtk_text_buffer_create_tag (buffer, "operator", "weight", PANGO_WEIGHT_BOLD, NULL);
  gtk_text_buffer_create_tag (buffer, "aside", NULL);
  gtk_text_buffer_create_tag (buffer, "type", NULL);
  /* of the same font: a line that became higher would move the scroll bar while it is drawn */
  gtk_text_buffer_create_tag (buffer, "value", NULL);
  make_search (self);
  g_signal_connect (self, "unmap", G_CALLBACK (on_unmapped), NULL);
  g_signal_connect_object (buffer, "notify::cursor-position", G_CALLBACK (on_cursor_moved), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (on_dark_changed), self, G_CONNECT_SWAPPED);
  on_dark_changed (self);
}

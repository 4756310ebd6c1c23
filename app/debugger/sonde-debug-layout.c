/* SPDX-License-Identifier: Apache-2.0
 * Panes. */
#include "app/debugger/sonde-debug-layout.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-layout.ui"
#define GROUP "debugger"
#define WIDE 880         /* from here on listing, graph and values stand side by side */
#define NARROW 700       /* below it one of them at a time */
#define VALUES_WIDTH 350 /* at least */
#define ROOMY 1600       /* from here on buttons have words */
#define LOW 420          /* below it there is no dock */

/* Which of the three is shown where not all have room. */
enum
{
  LISTING,
  GRAPH,
  VALUES,
  N_PARTS
};

struct _SondeDebugLayout
{
  GtkWidget parent_instance;

  SondeWorkspace *workspace; /* borrowed; NULL until it is set up */
  GtkWidget *column, *parts[N_PARTS], *dock;
  GtkWidget *outer, *left, *middle; /* panes: all | values; upper | dock; listing | graph */
  GtkWidget *switcher, *buttons[N_PARTS];
  int shown; /* of the three */
  int mode;  /* parts side by side: 3, 2 (values and one), 1; 0: not yet */
  gboolean is_low, is_roomy;
  guint idle, tick;
  int frames; /* since the border of listing and graph had to be set */
};

G_DEFINE_FINAL_TYPE (SondeDebugLayout, sonde_debug_layout, GTK_TYPE_WIDGET)

static guint arranged_signal;

static int
setting (SondeDebugLayout *self, const char *key, int otherwise)
{
  const char *text = sonde_workspace_get_setting (self->workspace, GROUP, key);
  gint64 value = text != NULL ? g_ascii_strtoll (text, NULL, 10) : 0;

  return value > 0 && value < 10000 ? (int) value : otherwise;
}

static void
keep (SondeDebugLayout *self, const char *key, int value)
{
  g_autofree char *text = g_strdup_printf ("%d", value);

  sonde_workspace_set_setting (self->workspace, GROUP, key, text);
}

void
sonde_debug_layout_remember (SondeDebugLayout *layout)
{
  int width = gtk_widget_get_width (GTK_WIDGET (layout)),
      height = gtk_widget_get_height (layout->left);

  if (layout->mode != 3 || width <= 0 || height <= 0)
    return;
  keep (layout, "values-width", width - gtk_paned_get_position (GTK_PANED (layout->outer)));
  keep (layout, "listing-share",
        gtk_paned_get_position (GTK_PANED (layout->middle)) * 1000
            / MAX (gtk_widget_get_width (layout->middle), 1));
  if (!layout->is_low)
    keep (layout, "dock-height", height - gtk_paned_get_position (GTK_PANED (layout->left)));
}

static int
listing_share (SondeDebugLayout *self)
{
  return CLAMP (setting (self, "listing-share", 580), 150, 850);
}

/* A pane that was made wider moves its border along: that of listing and graph is set once they
 * have their width. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeDebugLayout *self = SONDE_DEBUG_LAYOUT (widget);

  if (++self->frames < 2)
    return G_SOURCE_CONTINUE;
  self->tick = 0;
  gtk_paned_set_position (GTK_PANED (self->middle),
                          gtk_widget_get_width (self->middle) * listing_share (self) / 1000);
  return G_SOURCE_REMOVE;
}

/* Visible parts and borders for the size that there is. */
static void
arrange (SondeDebugLayout *self, int width, int height)
{
  int values = CLAMP (setting (self, "values-width", width * 36 / 100), VALUES_WIDTH,
                      MAX (width * 6 / 10, VALUES_WIDTH));
  int dock = CLAMP (setting (self, "dock-height", 210), 120, MAX (height * 6 / 10, 120));

  gtk_widget_set_visible (self->switcher, self->mode < 3);
  gtk_widget_set_visible (self->buttons[VALUES], self->mode == 1);
  if (self->mode == 2 && self->shown == VALUES)
    self->shown = LISTING;
  for (int i = 0; i < N_PARTS; i++)
    {
      gboolean always = self->mode == 3 || (self->mode == 2 && i == VALUES);

      gtk_widget_set_visible (self->parts[i], always || self->shown == i);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->buttons[i]), self->shown == i);
    }
  gtk_widget_set_visible (self->dock, !self->is_low);
  gtk_widget_set_visible (self->middle, self->mode == 3 || self->shown != VALUES);
  gtk_widget_set_visible (self->left, self->mode > 1 || self->shown != VALUES);
  gtk_paned_set_position (GTK_PANED (self->left), MAX (height - dock, 100));
  if (self->mode == 1)
    return;
  gtk_paned_set_position (GTK_PANED (self->outer), width - values);
  gtk_paned_set_position (GTK_PANED (self->middle), (width - values) * listing_share (self) / 1000);
  self->frames = 0;
  if (self->tick == 0 && self->mode == 3)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

static gboolean
on_idle (gpointer data)
{
  SondeDebugLayout *self = data;

  self->idle = 0;
  arrange (self, gtk_widget_get_width (GTK_WIDGET (self)),
           gtk_widget_get_height (GTK_WIDGET (self)));
  g_signal_emit (self, arranged_signal, 0);
  return G_SOURCE_REMOVE;
}

static void
on_part_toggled (GtkToggleButton *button, SondeDebugLayout *self)
{
  if (!gtk_toggle_button_get_active (button))
    return;
  for (int i = 0; i < N_PARTS; i++)
    if (self->buttons[i] == GTK_WIDGET (button))
      self->shown = i;
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_idle, self, NULL);
}

/* Widgets must not be hidden while they get their size: right after. */
static void
sonde_debug_layout_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SondeDebugLayout *self = SONDE_DEBUG_LAYOUT (widget);
  int mode = width >= WIDE ? 3 : width >= NARROW ? 2 : 1;
  gboolean is_low = height < LOW, is_roomy = width >= ROOMY;

  if (self->column == NULL)
    return;
  gtk_widget_allocate (self->column, width, height, baseline, NULL);
  if (self->workspace == NULL
      || (mode == self->mode && is_low == self->is_low && is_roomy == self->is_roomy))
    return;
  self->mode = mode;
  self->is_low = is_low;
  self->is_roomy = is_roomy;
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_idle, self, NULL);
}

/* Panes shrink below what their children ask for until the next arrangement hides some of these. */
static void
sonde_debug_layout_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  SondeDebugLayout *self = SONDE_DEBUG_LAYOUT (widget);

  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (self->column != NULL)
    gtk_widget_measure (self->column, orientation, for_size, minimum, natural, NULL, NULL);
}

void
sonde_debug_layout_set_up (SondeDebugLayout *layout, SondeWorkspace *workspace, GtkWidget *listing,
                           GtkWidget *graph, GtkWidget *values, GtkWidget *dock)
{
  layout->workspace = workspace;
  layout->parts[LISTING] = listing;
  layout->parts[GRAPH] = graph;
  layout->parts[VALUES] = values;
  layout->dock = dock;
  gtk_paned_set_start_child (GTK_PANED (layout->middle), listing);
  gtk_paned_set_end_child (GTK_PANED (layout->middle), graph);
  gtk_paned_set_end_child (GTK_PANED (layout->left), dock);
  gtk_paned_set_end_child (GTK_PANED (layout->outer), values);
}

gboolean
sonde_debug_layout_is_arranging (SondeDebugLayout *layout)
{
  return layout->idle != 0 || layout->tick != 0;
}

gboolean
sonde_debug_layout_is_narrow (SondeDebugLayout *layout)
{
  return layout->mode == 1;
}

gboolean
sonde_debug_layout_is_roomy (SondeDebugLayout *layout)
{
  return layout->is_roomy;
}

static void
sonde_debug_layout_dispose (GObject *object)
{
  SondeDebugLayout *self = SONDE_DEBUG_LAYOUT (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->column, gtk_widget_unparent);
  G_OBJECT_CLASS (sonde_debug_layout_parent_class)->dispose (object);
}

static void
sonde_debug_layout_class_init (SondeDebugLayoutClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_layout_dispose;
  widget_class->measure = sonde_debug_layout_measure;
  widget_class->size_allocate = sonde_debug_layout_size_allocate;
  arranged_signal = g_signal_new ("arranged", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugLayout, column);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugLayout, switcher);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugLayout, outer);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugLayout, left);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugLayout, middle);
  gtk_widget_class_bind_template_child_full (widget_class, "listing_button", FALSE,
                                             G_STRUCT_OFFSET (SondeDebugLayout, buttons[LISTING]));
  gtk_widget_class_bind_template_child_full (widget_class, "graph_button", FALSE,
                                             G_STRUCT_OFFSET (SondeDebugLayout, buttons[GRAPH]));
  gtk_widget_class_bind_template_child_full (widget_class, "values_button", FALSE,
                                             G_STRUCT_OFFSET (SondeDebugLayout, buttons[VALUES]));
  gtk_widget_class_bind_template_callback (widget_class, on_part_toggled);
}

static void
sonde_debug_layout_init (SondeDebugLayout *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

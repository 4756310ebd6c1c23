/* SPDX-License-Identifier: Apache-2.0
 * One walk over the children serves measuring and finding the lines to allocate. */
#include "app/explain/browser/sonde-wrap-layout.h"

struct _SondeWrapLayout
{
  GtkLayoutManager parent_instance;

  int spacing;
};

enum
{
  PROP_SPACING = 1,
};

G_DEFINE_FINAL_TYPE (SondeWrapLayout, sonde_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
sonde_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* Of one child on a line of @width; a child that is wider gets the line. */
static void
measure_child (GtkWidget *child, int width, int *child_width, int *child_height)
{
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, child_width, NULL, NULL);
  *child_width = MIN (*child_width, width);
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, *child_width, NULL, child_height, NULL,
                      NULL);
}

/* Places the children from @first up to @end on a line, each in the middle of its height. */
static void
allocate_line (SondeWrapLayout *self, GtkWidget *widget, GtkWidget *first, GtkWidget *end,
               int width, int y, int height)
{
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int x = 0;

  for (GtkWidget *child = first; child != end; child = gtk_widget_get_next_sibling (child))
    {
      GtkAllocation place = { 0 };

      if (!gtk_widget_should_layout (child))
        continue;
      measure_child (child, width, &place.width, &place.height);
      place.x = rtl ? width - x - place.width : x;
      place.y = y + (height - place.height) / 2;
      gtk_widget_size_allocate (child, &place, -1);
      x += place.width + self->spacing;
    }
}

/* Returns the height of all lines at @width. */
static int
walk (SondeWrapLayout *self, GtkWidget *widget, int width, gboolean allocate)
{
  GtkWidget *first = gtk_widget_get_first_child (widget);
  int x = 0, y = 0, line = 0;

  for (GtkWidget *child = first; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      int child_width, child_height;

      if (!gtk_widget_should_layout (child))
        continue;
      measure_child (child, width, &child_width, &child_height);
      if (x > 0 && x + child_width > width)
        {
          if (allocate)
            allocate_line (self, widget, first, child, width, y, line);
          first = child;
          x = 0;
          y += line + self->spacing;
          line = 0;
        }
      x += child_width + self->spacing;
      line = MAX (line, child_height);
    }
  if (allocate)
    allocate_line (self, widget, first, NULL, width, y, line);
  return y + line;
}

static void
measure_width (SondeWrapLayout *self, GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = *natural = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural += usual + (*natural > 0 ? self->spacing : 0);
    }
}

static void
sonde_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                           int for_size, int *minimum, int *natural, int *minimum_baseline,
                           int *natural_baseline)
{
  SondeWrapLayout *self = SONDE_WRAP_LAYOUT (manager);
  int least, usual;

  measure_width (self, widget, &least, &usual);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = least;
      *natural = usual;
      return;
    }
  *minimum = *natural = walk (self, widget, for_size < 0 ? usual : MAX (for_size, least), FALSE);
}

static void
sonde_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                            int baseline)
{
  walk (SONDE_WRAP_LAYOUT (manager), widget, width, TRUE);
}

static void
sonde_wrap_layout_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_int (value, SONDE_WRAP_LAYOUT (object)->spacing);
}

static void
sonde_wrap_layout_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  SONDE_WRAP_LAYOUT (object)->spacing = g_value_get_int (value);
}

static void
sonde_wrap_layout_class_init (SondeWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *manager = GTK_LAYOUT_MANAGER_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = sonde_wrap_layout_get_property;
  object_class->set_property = sonde_wrap_layout_set_property;
  g_object_class_install_property (
      object_class, PROP_SPACING,
      g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXINT, 0,
                        G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  manager->get_request_mode = sonde_wrap_layout_get_request_mode;
  manager->measure = sonde_wrap_layout_measure;
  manager->allocate = sonde_wrap_layout_allocate;
}

static void
sonde_wrap_layout_init (SondeWrapLayout *self)
{
}

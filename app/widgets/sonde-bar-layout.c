/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-bar-layout.h"

#define DEFAULT_SPACING 12

struct _SondeBarLayout
{
  GtkLayoutManager parent_instance;
  int spacing; /* px */
};

G_DEFINE_FINAL_TYPE (SondeBarLayout, sonde_bar_layout, GTK_TYPE_LAYOUT_MANAGER)

/* Children of one line: from @first up to @end, which is no part of it. */
typedef struct
{
  GtkWidget *first, *end;
  int n, n_expanding;
  int width, height; /* px; natural width with the spacing between */
} Line;

static GtkWidget *
next_visible (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static GtkWidget *
after (GtkWidget *child)
{
  return next_visible (gtk_widget_get_next_sibling (child));
}

static int
measure_width (GtkWidget *child, int *minimum)
{
  int natural;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, minimum, &natural, NULL, NULL);
  return natural;
}

static int
measure_height (GtkWidget *child, int width)
{
  int minimum, natural;

  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &minimum, &natural, NULL, NULL);
  return natural;
}

/* The line that begins with @first in a bar of @width px; < 0: without end. At least one child. */
static Line
find_line (SondeBarLayout *layout, GtkWidget *first, int width)
{
  Line line = { .first = first };

  for (GtkWidget *child = first; child != NULL; child = after (child))
    {
      int minimum, natural = measure_width (child, &minimum),
                   wanted = natural + (line.n > 0 ? layout->spacing : 0);

      if (line.n > 0 && width >= 0 && line.width + wanted > width)
        {
          line.end = child;
          break;
        }
      line.width += wanted;
      line.n++;
      line.n_expanding += gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL) ? 1 : 0;
      line.height = MAX (
          line.height,
          measure_height (child, MIN (natural, width >= 0 ? MAX (width, minimum) : natural)));
    }
  return line;
}

static void
measure_vertical (SondeBarLayout *layout, GtkWidget *widget, int width, int *minimum, int *natural)
{
  int height = 0;

  for (GtkWidget *child = next_visible (gtk_widget_get_first_child (widget)); child != NULL;)
    {
      Line line = find_line (layout, child, width);

      height += line.height + (height > 0 ? layout->spacing : 0);
      child = line.end;
    }
  *minimum = *natural = height;
}

static void
measure_horizontal (SondeBarLayout *layout, GtkWidget *widget, int *minimum, int *natural)
{
  for (GtkWidget *child = next_visible (gtk_widget_get_first_child (widget)); child != NULL;
       child = after (child))
    {
      int least, wanted = measure_width (child, &least);

      *minimum = MAX (*minimum, least);
      *natural += wanted + (*natural > 0 ? layout->spacing : 0);
    }
}

static void
sonde_bar_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                          int for_size, int *minimum, int *natural, int *minimum_baseline,
                          int *natural_baseline)
{
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    measure_vertical (SONDE_BAR_LAYOUT (manager), widget, for_size, minimum, natural);
  else
    measure_horizontal (SONDE_BAR_LAYOUT (manager), widget, minimum, natural);
}

static void
allocate_line (SondeBarLayout *layout, const Line *line, int y, int width, gboolean right_to_left)
{
  int x = 0, rest = MAX (width - line->width, 0), n_expanding = line->n_expanding;

  for (GtkWidget *child = line->first; child != line->end; child = after (child))
    {
      int minimum, own = measure_width (child, &minimum);
      GtkAllocation place = { x, y, 0, line->height };

      /* One child alone may be narrower than it would like to be. */
      own = MAX (MIN (own, width), minimum);
      if (gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
        {
          own += rest / n_expanding;
          rest -= rest / n_expanding--;
        }
      place.width = own;
      place.x = right_to_left ? width - x - own : x;
      gtk_widget_size_allocate (child, &place, -1);
      x += own + layout->spacing;
    }
}

static void
sonde_bar_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                           int baseline)
{
  SondeBarLayout *layout = SONDE_BAR_LAYOUT (manager);
  gboolean right_to_left = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int y = 0;

  for (GtkWidget *child = next_visible (gtk_widget_get_first_child (widget)); child != NULL;)
    {
      Line line = find_line (layout, child, width);

      if (line.end == NULL)
        line.height = MAX (height - y, line.height); /* the last one takes what is left */
      allocate_line (layout, &line, y, width, right_to_left);
      y += line.height + layout->spacing;
      child = line.end;
    }
}

static GtkSizeRequestMode
sonde_bar_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
sonde_bar_layout_class_init (SondeBarLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  manager_class->measure = sonde_bar_layout_measure;
  manager_class->allocate = sonde_bar_layout_allocate;
  manager_class->get_request_mode = sonde_bar_layout_get_request_mode;
}

static void
sonde_bar_layout_init (SondeBarLayout *layout)
{
  layout->spacing = DEFAULT_SPACING;
}

void
sonde_bar_layout_set_spacing (SondeBarLayout *layout, int spacing)
{
  g_return_if_fail (SONDE_IS_BAR_LAYOUT (layout));
  layout->spacing = spacing;
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (layout));
}

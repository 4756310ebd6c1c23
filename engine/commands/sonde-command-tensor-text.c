/* SPDX-License-Identifier: Apache-2.0
 * Tensors as text for people, as NumPy prints them. */
#include "engine/commands/sonde-command-class.h"

#define WHOLE_ELEMENTS 1000
#define EDGE 3 /* first and last of a dimension that is shortened */

typedef struct
{
  const SondeTensor *tensor;
  gboolean shortened;
  int width; /* of the widest element shown */
  GString *text;
} Printer;

static gboolean
is_hidden (const Printer *printer, gint64 size, gint64 i)
{
  return printer->shortened && size > 2 * EDGE && i >= EDGE && i < size - EDGE;
}

static gint64
elements_below (const SondeTensor *tensor, int dimension)
{
  gint64 n = 1;

  for (int d = dimension + 1; d < tensor->shape.rank; d++)
    n *= tensor->shape.dims[d];
  return n;
}

/* Calls @visit for each element that is shown. Recursion no deeper than SONDE_MAX_RANK. */
static void
measure (Printer *printer, int dimension, gint64 index)
{
  gint64 size, below;

  if (dimension == printer->tensor->shape.rank)
    {
      g_autofree char *element = sonde_tensor_format_element (printer->tensor, index);

      printer->width = MAX (printer->width, (int) MIN (g_utf8_strlen (element, -1), 40));
      return;
    }
  size = printer->tensor->shape.dims[dimension];
  below = elements_below (printer->tensor, dimension);
  for (gint64 i = 0; i < size; i++)
    if (!is_hidden (printer, size, i))
      measure (printer, dimension + 1, index + i * below);
}

static void
print_level (Printer *printer, int dimension, gint64 index)
{
  const SondeTensor *tensor = printer->tensor;
  gboolean innermost = dimension == tensor->shape.rank - 1;
  gint64 size, below;
  gboolean dots = FALSE;

  if (dimension == tensor->shape.rank)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, index);

      g_string_append_printf (printer->text, "%*s", printer->width, element);
      return;
    }
  size = tensor->shape.dims[dimension];
  below = elements_below (tensor, dimension);
  g_string_append_c (printer->text, '[');
  for (gint64 i = 0; i < size; i++)
    {
      if (is_hidden (printer, size, i) && dots)
        continue;
      if (i > 0 && innermost)
        g_string_append_c (printer->text, ' ');
      else if (i > 0)
        g_string_append_printf (printer->text, "\n%*s", dimension + 1, "");
      dots = is_hidden (printer, size, i);
      if (dots)
        g_string_append (printer->text, "...");
      else
        print_level (printer, dimension + 1, index + i * below);
    }
  g_string_append_c (printer->text, ']');
}

void
sonde_command_text_tensor (const SondeTensor *tensor, GString *text)
{
  Printer printer = { .tensor = tensor, .text = text };

  printer.shortened = sonde_tensor_n_elements (tensor) > WHOLE_ELEMENTS;
  if (sonde_tensor_n_elements (tensor) > 0)
    measure (&printer, 0, 0);
  print_level (&printer, 0, 0);
  g_string_append_c (text, '\n');
}

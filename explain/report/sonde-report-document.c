/* SPDX-License-Identifier: Apache-2.0
 * Keeping blocks. */
#include "explain/report/sonde-report-private.h"

static void
cell_free (void *data)
{
  SondeReportCell *cell = data;

  g_free (cell->text);
  g_free (cell);
}

static void
figure_free (void *data)
{
  SondeReportFigure *figure = data;

  sonde_image_unref (figure->image);
  g_free (figure->caption);
  g_free (figure);
}

static void
block_free (void *data)
{
  SondeReportBlock *block = data;

  g_free (block->text);
  g_free (block->number);
  g_free (block->note);
  g_clear_pointer (&block->cells, g_ptr_array_unref);
  g_clear_pointer (&block->figures, g_ptr_array_unref);
  g_free (block);
}

SondeReportDocument *
sonde_report_document_new (const char *title)
{
  SondeReportDocument *document = g_new0 (SondeReportDocument, 1);

  document->title = g_strdup (title);
  document->blocks = g_ptr_array_new_with_free_func (block_free);
  return document;
}

void
sonde_report_document_free (SondeReportDocument *document)
{
  if (document == NULL)
    return;
  g_free (document->title);
  g_ptr_array_unref (document->blocks);
  g_free (document);
}

gboolean
sonde_report_block_has_words (const SondeReportBlock *table, guint column)
{
  for (guint i = column + table->n_columns; column > 0 && i < table->cells->len;
       i += table->n_columns)
    {
      const SondeReportCell *cell = g_ptr_array_index (table->cells, i);

      if (cell->text[0] != '\0')
        return g_unichar_isalpha (g_utf8_get_char_validated (cell->text, -1));
    }
  return column == 0;
}

static SondeReportBlock *
add_block (SondeReportDocument *document, SondeReportBlockKind kind, const char *text)
{
  SondeReportBlock *block = g_new0 (SondeReportBlock, 1);

  block->kind = kind;
  block->text = g_strdup (text);
  g_ptr_array_add (document->blocks, block);
  return block;
}

void
sonde_report_document_add_heading (SondeReportDocument *document, const char *text)
{
  add_block (document, SONDE_REPORT_HEADING, text);
}

void
sonde_report_document_add_text (SondeReportDocument *document, const char *text)
{
  add_block (document, SONDE_REPORT_TEXT, text);
}

void
sonde_report_document_add_item (SondeReportDocument *document, const char *text)
{
  add_block (document, SONDE_REPORT_ITEM, text);
}

void
sonde_report_document_add_number (SondeReportDocument *document, const char *number,
                                  const char *text)
{
  add_block (document, SONDE_REPORT_NUMBER, text)->number = g_strdup (number);
}

void
sonde_report_document_begin_table (SondeReportDocument *document, guint n_columns)
{
  SondeReportBlock *block = add_block (document, SONDE_REPORT_TABLE, NULL);

  block->n_columns = n_columns;
  block->cells = g_ptr_array_new_with_free_func (cell_free);
}

void
sonde_report_document_add_cell (SondeReportDocument *document, const char *text,
                                SondeReportCellKind kind, double share)
{
  SondeReportBlock *block = g_ptr_array_index (document->blocks, document->blocks->len - 1);
  SondeReportCell *cell = g_new (SondeReportCell, 1);

  *cell = (SondeReportCell){ g_strdup (text), kind, share };
  g_ptr_array_add (block->cells, cell);
}

void
sonde_report_document_begin_figures (SondeReportDocument *document, const char *heading,
                                     const char *note)
{
  SondeReportBlock *block = add_block (document, SONDE_REPORT_FIGURES, heading);

  block->note = g_strdup (note);
  block->figures = g_ptr_array_new_with_free_func (figure_free);
}

void
sonde_report_document_add_figure (SondeReportDocument *document, SondeImage *image,
                                  const char *caption)
{
  SondeReportBlock *block = g_ptr_array_index (document->blocks, document->blocks->len - 1);
  SondeReportFigure *figure = g_new (SondeReportFigure, 1);

  *figure = (SondeReportFigure){ image, g_strdup (caption) };
  g_ptr_array_add (block->figures, figure);
}

/* SPDX-License-Identifier: Apache-2.0
 * A report as a list of blocks, written as one HTML file or as PDF pages. All texts are plain:
 * escaped here. */
#pragma once

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

typedef struct _SondeReportDocument SondeReportDocument;

SondeReportDocument *sonde_report_document_new (const char *title);
void sonde_report_document_free (SondeReportDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReportDocument, sonde_report_document_free)

void sonde_report_document_add_heading (SondeReportDocument *document, const char *text);
void sonde_report_document_add_text (SondeReportDocument *document, const char *text);
/* of a list */
void sonde_report_document_add_item (SondeReportDocument *document, const char *text);
/* A large number and what it counts; such that follow each other stand in a line. */
void sonde_report_document_add_number (SondeReportDocument *document, const char *number,
                                       const char *text);

/* Rows of @n_columns cells follow. */
void sonde_report_document_begin_table (SondeReportDocument *document, guint n_columns);

typedef enum
{
  SONDE_REPORT_CELL,
  SONDE_REPORT_CELL_HEAD,
  SONDE_REPORT_CELL_GOOD, /* blue */
  SONDE_REPORT_CELL_BAD,  /* orange */
} SondeReportCellKind;
/* @share: of the colour, 0 to 1 */
void sonde_report_document_add_cell (SondeReportDocument *document, const char *text,
                                     SondeReportCellKind kind, double share);

/* Images follow, side by side under @heading. @note: (nullable): below them */
void sonde_report_document_begin_figures (SondeReportDocument *document, const char *heading,
                                          const char *note);
/* @image: (transfer full) */
void sonde_report_document_add_figure (SondeReportDocument *document, SondeImage *image,
                                       const char *caption);

/* (transfer full) */
char *sonde_report_document_to_html (SondeReportDocument *document);
/* A4 pages through Cairo. (transfer full) */
GBytes *sonde_report_document_to_pdf (SondeReportDocument *document);

G_END_DECLS

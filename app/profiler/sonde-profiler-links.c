/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-profiler-links.h"

#include <string.h>

#include "app/widgets/sonde-page.h"

const char *
sonde_profiler_find_node (SondeTraceDocument *document, guint32 item)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const SondeTimelineIndex *index = sonde_trace_document_get_index (document);
  const char *name, *category;

  if (profile == NULL || item >= index->n_items)
    return NULL;
  {
    const SondeTraceLabel *label
        = sonde_trace_get_label (index->trace, sonde_timeline_index_get_item (index, item).label);

    name = label->name;
    category = label->category;
  }
  /* A producer may add to the name of a node, as ONNX Runtime its “_kernel_time”. */
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *operator= sonde_profile_get_operator (profile, i);

      if (operator->node != NULL && g_str_equal (operator->category, category)
          && (g_str_equal (operator->node, name)
              || (g_str_has_prefix (name, operator->node)
                  && g_str_equal (name + strlen (operator->node), "_kernel_time"))))
        return operator->node;
    }
  return NULL;
}

const char *
sonde_profiler_get_original (const SondeProfileOperator *op)
{
  return op->facts != NULL && op->facts->nodes != NULL && op->facts->nodes[0] != NULL
             ? op->facts->nodes[0]
             : op->node;
}

void
sonde_profiler_go (GtkWidget *widget, const char *name, const char *node)
{
  GtkWidget *page = gtk_widget_get_ancestor (widget, SONDE_TYPE_PAGE);
  const SondePageRequest request = { .at = node };

  if (page != NULL)
    sonde_page_go (SONDE_PAGE (page), name, &request);
}

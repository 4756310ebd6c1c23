/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-search-results.h"

void
sonde_origin_link_free (SondeOriginLink *link)
{
  g_free (link->node);
  g_free (link->op);
  g_free (link->value);
  g_free (link);
}

void
sonde_origin_free (SondeOrigin *origin)
{
  if (origin == NULL)
    return;
  g_ptr_array_unref (origin->chain);
  g_free (origin->first_bad_node);
  sonde_message_free (origin->cause);
  g_free (origin->cause_value);
  g_free (origin->executed_node);
  g_free (origin);
}

static void
diverged_value_free (gpointer data)
{
  SondeDivergedValue *value = data;

  g_free (value->node);
  g_free (value->op);
  g_free (value->value);
  g_free (value->reference);
  g_strfreev (value->made_by);
  g_free (value);
}

SondeDivergence *
sonde_divergence_new (void)
{
  SondeDivergence *divergence = g_new0 (SondeDivergence, 1);

  divergence->values = g_ptr_array_new_with_free_func (diverged_value_free);
  divergence->unmatched = g_ptr_array_new_with_free_func (g_free);
  divergence->unused = g_ptr_array_new_with_free_func (g_free);
  divergence->file_weights = g_ptr_array_new_with_free_func (g_free);
  divergence->absent = g_ptr_array_new_with_free_func (g_free);
  divergence->first = -1;
  return divergence;
}

void
sonde_divergence_free (SondeDivergence *divergence)
{
  if (divergence == NULL)
    return;
  g_ptr_array_unref (divergence->values);
  g_ptr_array_unref (divergence->unmatched);
  g_ptr_array_unref (divergence->unused);
  g_ptr_array_unref (divergence->file_weights);
  g_ptr_array_unref (divergence->absent);
  g_free (divergence);
}

SondePrecisionFound *
sonde_precision_found_new (void)
{
  SondePrecisionFound *found = g_new0 (SondePrecisionFound, 1);

  found->kept = g_ptr_array_new_with_free_func (g_free);
  found->values = g_ptr_array_new_with_free_func (g_free);
  return found;
}

void
sonde_precision_found_free (SondePrecisionFound *found)
{
  if (found == NULL)
    return;
  g_ptr_array_unref (found->kept);
  g_ptr_array_unref (found->values);
  g_free (found);
}

void
sonde_reduced_case_free (SondeReducedCase *reduced)
{
  if (reduced == NULL)
    return;
  g_free (reduced->model);
  g_strfreev (reduced->names);
  g_strfreev (reduced->files);
  g_free (reduced->command);
  g_free (reduced->node);
  g_free (reduced->value);
  g_free (reduced);
}

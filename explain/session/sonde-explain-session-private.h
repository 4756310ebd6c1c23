/* SPDX-License-Identifier: Apache-2.0
 * What a session owns, for the files that open it and that fill a part of it. The others see it
 * through sonde-explain-session-work.h. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/**
 * SondeExplainSession:
 * @predictions: (nullable): once classified; @triage: (nullable): once told; @lacks_maps: for
 *   want of memory perhaps: then it is not kept
 * @training_data, @training: (nullable): opened and classified when first needed, then with
 * @training_digest
 * @order: sample -> position among the predictions + 1
 * @recorded: (nullable): the preprocessing of the training
 * @trial: (nullable): of preprocessings, once tried; @warning: (nullable): what it says
 * @what, @begun, @already: of what is computed now: see sonde_explain_session_begin()
 */
struct _SondeExplainSession
{
  SondeExplanationSettings *settings;
  char *program;
  char *training_digest;
  SondeGraph *model;
  SondeDataset *dataset, *training_data;
  SondeSplitPart split, training_split;
  SondeExplainer *explainer;
  SondeExplainCache *cache; /* (nullable) */
  SondeExplainInfo *info;
  GPtrArray *notes;
  GPtrArray *predictions, *training;
  GHashTable *order;
  SondeTriage *triage;
  SondePreprocessing *recorded;
  SondePreprocessingTrial *trial;
  SondeMessage *warning;
  gboolean lacks_maps;
  SondeExplainListener listener;
  /* (nullable) (element-type SondeExplainer): the net with permuted layers, stage by stage */
  GPtrArray *randomised;
  SondeNeighbours *neighbours; /* (nullable): of @reference */
  GPtrArray *reference;        /* predictions that neighbours are among; lent */
  const char *what;
  gint64 begun;
  guint64 already; /* that were there when it began */
};

G_END_DECLS

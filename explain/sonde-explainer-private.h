/* SPDX-License-Identifier: Apache-2.0
 * Inside of an explainer: its model, and its passes. */
#pragma once

#include "explain/sonde-explainer-pass.h"

/**
 * SondeExplainerInfo: of inputs of one form, by inference at one row
 * @all, @largest: bytes of activations of a row
 */
typedef struct
{
  SondeShape shape;
  gint64 classes;
  double all, largest;
} SondeExplainerInfo;

struct _SondeExplainer
{
  SondeGraph *model; /* prepared for inference */
  SondeDevice *device;
  GPtrArray *passes; /* the last used last */
  GPtrArray *kept;   /* (element-type Kept) */
  char *input;
  SondeExplainerForm form;
  SondeTensor *table;      /* of tokens */
  SondeExplainerInfo info; /* of the form asked last; classes 0: none yet */
  gint64 most_rows;
  guint64 most_bytes; /* of a pass; 0: any */
};

/* (nullable) */
void sonde_explainer_pass_free (SondeExplainerPass *pass);

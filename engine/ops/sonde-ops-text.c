/* SPDX-License-Identifier: Apache-2.0
 * Strings: StringConcat, StringSplit, StringNormalizer, RegexFullMatch, TfIdfVectorizer. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_text[] = {
  { NULL },
};

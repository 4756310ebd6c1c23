# SPDX-License-Identifier: Apache-2.0
"""What people read in their language: formats are the ids that po/ translates, and their arguments stay beside them."""
import re

CONVERSION = re.compile(r"%[sg]")


def N_(text):  # pylint: disable=invalid-name
    """scripts/translate collects it."""
    return text


class Sentence:
    """Of parts that follow each other, the conversions of each as text."""

    def __init__(self, text, *arguments):
        self.parts = []
        self.add(text, *arguments)

    def add(self, text, *arguments):
        self.parts.append((text, [conversion % argument for conversion, argument in zip(CONVERSION.findall(text), arguments)]))
        return self

# SPDX-License-Identifier: Apache-2.0
"""Where a NaN or an infinity comes from: back over the operators of this step, by the memory that they wrote, to the first whose
numbers are bad while those it read, as they were, are not."""
import re

import torch

from ..library import strings
from . import binding, causes
from .causes import first_bad
from .memory import memory_of
from .sentence import N_, Sentence
from .values import Missing, first_tensors

MOST = 1 << 20  # tensors that one operator reads
ELEMENT = re.compile(r"^(.*)\[([0-9, ]+)\]$")


def place_of(tensor, text):
    """Row-major, of an element "1, 2"."""
    index = [int(part) for part in text.split(",") if part.strip()]
    if len(index) != tensor.dim() or any(i >= size for i, size in zip(index, tensor.shape)):
        raise Missing(binding.UNABLE, "There is no element [%s]; the value has %d dimensions: %s."
                      % (text, tensor.dim(), "×".join(map(str, tensor.shape))))
    return causes.row_major(index, tensor.shape)


class Visit:
    """An operator that came by, and what it read and wrote."""

    def __init__(self, place, node, made):
        self.place, self.node = place, node
        self.read = None if node.given is None else first_tensors(node.given, limit=MOST)
        self.wrote = [tensor for tensor in made if tensor is not None]
        for position in node.writes or ():
            self.wrote += first_tensors((node.given or ())[position:position + 1], limit=MOST)
        self.memories = {memory_of(tensor) for tensor in self.wrote} - {None}


class Origin:
    """Of one question."""

    def __init__(self, session):
        self._session, self._values = session, session.values
        nodes = [node for node in self._values.kept if node.kind == binding.OPERATOR and not node.unjudged]
        self._visits = [Visit(place, node, self._values.tensors_of(node)[0]) for place, node in enumerate(nodes)]
        self._writers = {}  # memory: visits that wrote there, in order
        for visit in self._visits:
            for memory in visit.memories:
                self._writers.setdefault(memory, []).append(visit)
        self._reached = {}  # visit: (bad tensor that it made, visit that read that)
        self._todo = []     # of those
        self._over = {}     # visit: names of what was written over since and is not judged
        self._found = []    # (place, visit, bad tensor, reader): where it may come from; visit is None where no operator made it

    # ---- who made what

    def _writer(self, tensor, before):
        """The last that wrote there before place `before`."""
        found = None
        for visit in self._writers.get(memory_of(tensor), ()):
            if visit.place < before:
                found = visit
        return found

    def _is_written_over(self, tensor, since):
        return any(visit.place >= since and visit.node.writes for visit in self._writers.get(memory_of(tensor), ()))

    def _name(self, tensor, before):
        """As it can be asked for."""
        found = self._session.names.of_tensor(tensor) or self._values.producer_of(tensor)
        if found is None:
            found = next((name for name, special in self._values.special.items() if memory_of(special) == memory_of(tensor)), None)
        if found is None:
            writer = self._writer(tensor, before)
            found = writer.node.name if writer is not None else "a value without a name"
        return found

    # ---- back

    def find(self, asked):
        """Tells the library."""
        named = ELEMENT.match(asked)
        name = named.group(1) if named else asked
        tensor = self._values.find(name)
        element = place_of(tensor, named.group(2)) if named else first_bad(tensor)
        if element is None or causes.is_finite(tensor, element):
            raise Missing(binding.UNABLE, "“%s” has no NaN and no infinity: nothing is bad there." % asked)
        self._follow(tensor, len(self._visits), None)
        while self._todo:
            visit = self._todo.pop()
            bad, reader = self._reached[visit]
            if causes.is_all_masked(visit.node.op, visit.read, bad) or not self._look_behind(visit):
                self._found.append((visit.place, visit, bad, reader))
        self._tell(name, tensor, element, *min(self._found, key=lambda found: found[0])[1:])

    def _follow(self, tensor, before, reader):
        """`tensor` is bad, as `reader` read it."""
        writer = self._writer(tensor, before)
        if writer is None:
            self._found.append((-1, None, tensor, reader))
        elif writer not in self._reached:
            self._reached[writer] = tensor, reader
            self._todo.append(writer)

    def _look_behind(self, visit):
        """Something that it read was bad. What was written over since is not judged, but what was read to make it."""
        todo, passed, is_bad = [visit], {visit}, False
        while todo:
            current = todo.pop()
            if current.read is None:
                raise Missing(binding.ABSENT, "“%s” made what is bad, and what “%s” read was not kept. Values are kept in "
                              "steps that follow a stop." % (visit.node.name, current.node.name))
            for tensor in current.read:
                if self._is_written_over(tensor, current.place):
                    writer = self._writer(tensor, current.place)
                    self._over.setdefault(visit, []).append(writer.node.name if writer is not None else self._name(tensor, 0))
                    if writer is not None and writer not in passed:
                        passed.add(writer)
                        todo.append(writer)
                elif first_bad(tensor) is not None:
                    self._follow(tensor, current.place, visit)
                    is_bad = True
        return is_bad

    # ---- what is told

    def _tell(self, name, asked, element, visit, bad, reader):
        chain = [(visit, bad)]
        while reader is not None:
            chain.append((reader, self._reached[reader][0]))
            reader = self._reached[reader][1]
        chain.reverse()
        for k, (by, tensor) in enumerate(chain):
            if k == 0:
                self._add_link(by, name, asked, element)
            else:
                self._add_link(by, by.node.name if by is not None else self._name(tensor, 0), tensor, first_bad(tensor))
        if visit is None:
            self._blame(bad, first_bad(bad), self._name(bad, 0))
            self._say(None, Sentence(N_("“%s” was bad already; no operator that came by in this step made it"), self._name(bad, 0)), True)
            return
        text, blamed, place = causes.explain(visit.node, visit.read, visit.node.given, bad, element if len(chain) == 1 else first_bad(bad),
                                             lambda tensor: not self._is_written_over(tensor, visit.place))
        if visit in self._over:
            text.add(N_("; what “%s” was is not judged, it was written over since"), "”, “".join(dict.fromkeys(self._over[visit])))
        if blamed is not None:
            self._blame(blamed, place, self._name(blamed, visit.place))
        self._say(visit.node.name, text, blamed is not None)

    def _add_link(self, visit, name, tensor, element):
        node = visit.node if visit is not None else None
        self._link(node.name.encode() if node else None, node.op.encode() if node else None, name, node.phase if node else 0, tensor, element)

    def _blame(self, tensor, element, name):
        self._link(None, None, name, 0, tensor, element)

    def _link(self, node, op, name, phase, tensor, element):
        shape = (binding.L * max(tensor.dim(), 1))(*tensor.shape)
        self._session.library.add_link(self._session.program, node, op, name.encode(), phase, shape, tensor.dim(), element,
                                       causes.number_at(tensor, element))

    def _say(self, node, text, has_blame):
        library, program = self._session.library, self._session.program
        library.set_cause(program, node.encode() if node else None, None, has_blame)
        for part, arguments in text.parts:
            library.add_cause(program, part.encode(), strings(arguments))


def find(session, name):
    """What `origin NAME` asks for."""
    if session.operators is None:
        raise Missing(binding.ABSENT, "Nothing has been seen of this step yet.")
    Origin(session).find(name)

"""Reads a table of Tests/Cases/agreement, and writes it again with the cells that came. The top of `check` has the
notation."""
import fnmatch
import re

PARTS = ["verdict", "status", "requests", "output", "message"]


class Malformed(Exception):
    """A line of a table that cannot be read."""


class Column:
    """A tool, or a mode of one."""

    def __init__(self, name):
        self.name, self.words = name, {}
        self.run = self.feed = self.script = self.stdin = None


class Section:
    """Rows with the same set-up."""

    def __init__(self, title):
        self.title, self.options, self.reasons, self.columns, self.words = title, [], [], [], {}
        self.script = self.stdin = self.stop = None


class Row:
    """A case. `cells` has what is expected in each column."""

    def __init__(self, name, section, line):
        self.name, self.section, self.line, self.end = name, section, line, line
        self.script = self.stdin = self.stop = None
        self.options, self.is_slow, self.holds_clocks, self.cells, self.is_block = [], False, False, {}, True

    def get(self, word):
        """What the row says, else its section."""
        return getattr(self, word) or getattr(self.section, word)


class Table:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().rstrip("\n").split("\n")
        self.path, self.floor, self.parts = path, 0, ["status", "requests", "output", "message"]
        self.columns, self.absent, self.rows = {}, {}, []
        self.column, self.row, self.section = None, None, Section("")
        for number, line in enumerate(self.lines):
            if line.strip() and not line.startswith("#"):
                try:
                    self.take(number, line)
                except (Malformed, ValueError, IndexError, AttributeError) as error:
                    raise Malformed(f"{path}:{number + 1}: {error}: {line.strip()}") from error

    # Reading

    def take(self, number, line):
        word, _, rest = (text.strip() for text in line.strip().partition(" "))
        if line.startswith("["):
            self.column, self.row = None, Row(line.strip()[1:-1], self.section, number)
            self.rows.append(self.row)
        elif line.startswith("|"):
            self.column = self.row = None
            self.take_grid(number, split(line))
        elif line.startswith("  ") and self.row:
            name, _, cell = line.strip().partition("  ")
            if name not in self.columns:
                raise Malformed("no such column")
            self.row.cells[name] = " ".join(cell.split())
        elif self.row and word in ("script", "stdin", "stop"):
            setattr(self.row, word, rest)
        elif self.row and word == "options":
            self.row.options.append(rest)
        elif self.row and word == "slow":
            self.row.is_slow = True
        elif self.row and word == "clocks":
            self.row.holds_clocks = True
        else:
            self.take_set_up(word, rest)
        if self.row:
            self.row.end = number

    def take_set_up(self, word, rest):
        if word == "floor":
            self.floor = int(rest)
        elif word == "cells":
            self.parts = rest.split()
            if set(self.parts) - set(PARTS):
                raise Malformed("cells have: " + ", ".join(PARTS))
        elif word == "absent":
            name, _, reason = rest.partition(": ")
            self.absent[name] = reason
        elif word == "column":
            self.column = self.columns.setdefault(rest, Column(rest))
        elif word == "section":
            self.column, self.row, self.section = None, None, Section(rest)
        elif self.column and word in ("run", "feed", "stdin", "script"):
            setattr(self.column, word, rest)
        elif word == "let":
            name, _, text = rest.partition(" ")
            (self.column or self.section).words[name] = text.strip()
        elif word == "without":
            pattern, _, reason = rest.partition(": ")
            if not reason:
                raise Malformed("without COLUMN: REASON")
            self.section.reasons.append((pattern, reason))
        elif word in ("script", "stdin", "stop"):
            setattr(self.section, word, rest)
        elif word == "options":
            self.section.options.append(rest)
        else:
            raise Malformed("no such word here")

    def take_grid(self, number, cells):
        if cells[0] == "":
            self.section.columns = cells[1:]
            if set(cells[1:]) - set(self.columns):
                raise Malformed("no such column")
            return
        row = Row(cells[0], self.section, number)
        self.rows.append(row)
        row.is_block = False
        row.cells = dict(zip(self.section.columns, cells[1:], strict=False))

    # Checking

    def reason(self, row, column):
        """Why a column cannot have a row; None if it can."""
        cell = row.cells.get(column, "")
        if cell.startswith("- "):
            return cell[2:]
        return next((reason for pattern, reason in row.section.reasons if fnmatch.fnmatch(column, pattern)), None)

    def complaints(self, tools):
        """What is wrong with the table itself."""
        for row in self.rows:
            for name in self.columns:
                cell = row.cells.get(name, "")
                if not cell:
                    yield f"{row.name}: {name}: the cell is missing"
                elif cell[0] == "-" and not self.reason(row, name):
                    yield f"{row.name}: {name}: '-' has no reason (without {name}: REASON)"
                elif cell[0] != "-" and self.reason(row, name):
                    yield f"{row.name}: {name}: the section is without it, and the cell is not '-'"
        count = sum(cell != "" and cell[0] != "-" for row in self.rows for cell in row.cells.values())
        if count < self.floor or not self.floor:
            yield f"{count} cells, fewer than {self.floor or 'floor N'}"
        used = {word for column in self.columns.values() for word in re.findall(r"[\w-]+", column.run)}
        for tool in tools:
            if tool not in used and not self.absent.get(tool):
                yield f"{tool} is in no column (absent {tool}: REASON)"
            if tool in used and tool in self.absent:
                yield f"{tool} is absent and in a column"
        for name in sorted(set(self.absent) - set(tools)):
            yield f"no tool is called {name}"

    # Writing

    def write(self, found):
        """Writes the file again. `found` has the parts of the cells that came, by row and column."""
        for row in self.rows:
            for name in self.columns:
                if (row, name) in found:
                    row.cells[name] = " ".join(found[row, name])
                elif not row.is_block and self.reason(row, name):
                    row.cells[name] = "-"
        blocks = {row.end: row for row in self.rows if row.is_block}
        grids = {row.line: row for row in self.rows if not row.is_block}
        spans = {number: row for row in blocks.values() for number in range(row.line, row.end + 1)}
        text, grid = [], []
        for number, line in enumerate(self.lines):
            if line.startswith("|"):
                row = grids.get(number)
                cells = [row.cells.get(name, "?") for name in row.section.columns] if row else []
                grid.append([row.name, *cells] if row else split(line))
                continue
            text += aligned(grid)
            grid = []
            if not (line.startswith("  ") and number in spans):
                text.append(line)
            if number in blocks:
                text += self.block(blocks[number], found)
        text += aligned(grid)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")

    def block(self, row, found):
        """The cells of a row, one below the other."""
        cells = [(name, found.get((row, name)) or [row.cells.get(name, "?")]) for name in self.columns]
        widths = [max((len(parts[i]) for _, parts in cells if i < len(parts) - 1), default=0) for i in range(len(PARTS))]
        names = max(map(len, self.columns))
        return ["  " + name.ljust(names) + "  " + "  ".join(
            part.ljust(widths[i]) for i, part in enumerate(parts)).rstrip() for name, parts in cells]


def split(line):
    """The cells of a line of a grid."""
    return [cell.strip() for cell in line.strip()[1:].removesuffix("|").split("|")]


def aligned(grid):
    if not grid:
        return []
    widths = [max(len(line[i]) for line in grid if i < len(line)) for i in range(max(map(len, grid)))]
    return ["| " + " | ".join(cell.ljust(widths[i]) for i, cell in enumerate(line)) + " |" for line in grid]

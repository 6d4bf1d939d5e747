// The part of the page of a document that shows it, and what has changed.

/// JavaScript, after `patchScript`. All text of a document goes in by textContent.
let viewScript = #"""
  // How many members, items or rows are shown at first, and with each click on "more".
  const batch = 500;
  const mostColumns = 50;
  const mostText = 5000;
  // An object or array begins open if there is room for more rows in this turn, and it is not too deep.
  let [room, depth] = [0, 0];
  const mostDepth = 8;
  // How many changes may still be marked in this turn; none in the first one, in which all is new.
  let marks = 0;

  const make = (tag, kind = "", text = "") => {
    const made = document.createElement(tag);
    made.className = kind;
    made.textContent = text;
    return made;
  };

  // Lets an element have another background for a moment: with reduced motion, without fading.
  const mark = (element) => {
    if (marks-- <= 0) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.animate(
      [{ backgroundColor: "var(--mark)" }, { backgroundColor: "transparent" }],
      { duration: 2000, easing: isStill ? "step-end" : "ease-in" });
  };

  const count = (number, word) => number.toLocaleString("en") + " " + word + (number === 1 ? "" : "s");

  // The names of the columns, if the first of these values can be rows of a table.
  const columnsOf = (value, most) => {
    const rows = Array.isArray(value) ? value.slice(0, most) : [];
    if (!rows.length || !rows.every((row) => row instanceof Map)) return [];
    const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
    return names.length > mostColumns ? [] : names;
  };

  const kindOf = (value) => {
    if (value instanceof Map) return "object";
    if (!Array.isArray(value)) return "leaf";
    return columnsOf(value, batch).length ? "table" : "list";
  };

  const makeView = (kind) => {
    if (kind === "leaf") return new Leaf();
    return kind === "table" ? new TableView() : new TreeView(kind);
  };

  // A string, a number, true, false or null.
  class Leaf {
    element = make("span");

    show(value) {
      const isString = typeof value === "string";
      const text = isString ? value : value instanceof Numeral ? value.text : String(value);
      const kind = isString ? (text ? "" : "literal") : value instanceof Numeral ? "number" : "literal";
      if (this.text === text && this.kind === kind) return;
      if (this.text !== undefined) mark(this.element.closest("td") ?? this.element);
      [this.text, this.kind] = [text, kind];
      const shown = text.length > mostText
        ? text.slice(0, mostText) + "… (" + count(text.length, "character") + ")" : text;
      this.element.textContent = shown || "empty";
      this.element.className = kind;
    }
  }

  // The place of a value, whatever kind of value it is. It keeps the view of the value as long as that can show it.
  class ValueCell {
    kind = "";

    constructor(element) {
      this.element = element;
    }

    show(value) {
      if (value === this.value) return;
      const [had, kind] = [this.value !== undefined, value === undefined ? "" : kindOf(value)];
      this.value = value;
      if (kind !== this.kind) {
        this.kind = kind;
        this.view = kind === "" ? null : makeView(kind);
        this.element.replaceChildren(...this.view ? [this.view.element] : []);
        if (had) mark(this.element);
      }
      this.view?.show(value);
    }
  }

  // An object or an array. What it has is drawn only while it is open.
  class Branch {
    element = make("details");
    summary = make("summary");
    more = make("button", "more");
    most = batch;
    rows = [];

    constructor(unit) {
      this.unit = unit;
      this.count = make("span", "count");
      this.summary.append(this.count);
      this.element.open = room > 0 && depth < mostDepth;
      this.element.addEventListener("toggle", () => {
        room = 100;
        this.draw();
      });
      this.more.addEventListener("click", () => {
        this.most += batch;
        marks = 0;
        this.draw();
      });
    }

    show(value) {
      const old = this.value;
      this.value = value;
      const number = Array.isArray(value) ? value.length : value.size;
      this.count.textContent = number ? count(number, this.unit) : "no " + this.unit + "s";
      if (this.element.open) this.draw();
      else if (old !== undefined) mark(this.summary);
    }

    draw() {
      if (!this.element.open || this.value === this.drawn && this.most === this.mostDrawn) return;
      depth++;
      const all = Array.isArray(this.value) ? this.value.map((value, index) => [index, value]) : [...this.value];
      const shown = all.slice(0, this.most);
      const found = Array.isArray(this.value) ? this.foundItems(shown) : this.foundMembers(shown);
      const isFirst = this.drawn === undefined;
      [this.drawn, this.mostDrawn] = [this.value, this.most];
      const old = new Set(this.rows);
      this.rows = shown.map(([name, value], index) => {
        const row = found[index] ?? this.makeRow();
        row.show(name, value);
        if (!old.delete(row)) {
          room--;
          if (!isFirst) mark(row.element);
        }
        return row;
      });
      for (const row of old) row.element.remove();
      // Only what is at the wrong place moves, so that the others keep their focus and their marks.
      let next = this.list.firstChild;
      for (const row of this.rows) {
        if (row.element === next) next = next.nextSibling;
        else this.list.insertBefore(row.element, next);
      }
      const rest = all.length - shown.length;
      this.more.hidden = !rest;
      this.more.textContent = rest.toLocaleString("en") + " more: show " + Math.min(rest, batch).toLocaleString("en");
      depth--;
    }

    // The rows that show these members already.
    foundMembers(members) {
      const rows = new Map(this.rows.map((row) => [row.name, row]));
      return members.map(([name]) => rows.get(name));
    }

    // The rows for these items: that of the same object or array, wherever it is now, or else the next free one.
    // Items after the last change keep their rows.
    foundItems(items) {
      const [value, drawn, rows] = [this.value, Array.isArray(this.drawn) ? this.drawn : [], this.rows];
      let tail = 0;
      const most = Math.min(value.length, drawn.length);
      while (tail < most && isSameLeaf(value.at(-1 - tail), drawn.at(-1 - tail))) tail++;
      const places = new Map(rows.map((row, place) => [row.value, place]));
      const kept = new Set(items.map(([, item]) => item).filter(isContainer));
      const taken = new Set();
      let next = 0;
      return items.map(([index, item]) => {
        if (tail && index === value.length - tail) next = drawn.length - tail;
        let place = isContainer(item) ? places.get(item) : undefined;
        if (place === undefined && next < rows.length && !kept.has(rows[next].value)) place = next;
        if (place === undefined || taken.has(place)) return undefined;
        taken.add(place);
        next = place + 1;
        return rows[place];
      });
    }
  }

  const isSameLeaf = (one, other) =>
    one === other || one instanceof Numeral && other instanceof Numeral && one.text === other.text;

  // A list of names and values.
  class TreeView extends Branch {
    constructor(kind) {
      super(kind === "list" ? "item" : "member");
      this.list = make("ul", kind);
      this.element.append(this.summary, this.list, this.more);
    }

    makeRow() {
      return new Entry();
    }
  }

  class Entry {
    element = make("li");
    label = make("span", "name");
    place = new ValueCell(make("div"));

    constructor() {
      this.element.append(this.label, this.place.element);
    }

    show(name, value) {
      [this.name, this.value] = [name, value];
      this.label.textContent = name === "" ? "“”" : name;
      this.place.show(value);
      // The name of an object or array is a part of what a click opens.
      const { summary } = this.place.view;
      if (summary && this.label.parentNode !== summary) summary.prepend(this.label, " ");
      else if (!summary && this.label.parentNode !== this.element) this.element.prepend(this.label);
      this.element.className = summary ? "branch" : "";
    }
  }

  // An array of objects. A member that comes later becomes one more column.
  class TableView extends Branch {
    list = make("tbody");
    head = make("tr");
    columns = [];

    constructor() {
      super("row");
      const [table, head, frame] = [make("table"), make("thead"), make("div", "frame")];
      head.append(this.head);
      table.append(head, this.list);
      frame.append(table);
      // It may be wider than the page, and the keyboard can scroll it then.
      frame.tabIndex = 0;
      frame.setAttribute("role", "region");
      frame.setAttribute("aria-label", "table");
      this.table = table;
      this.element.append(this.summary, frame, this.more);
    }

    draw() {
      if (!this.element.open) return;
      const known = new Set(this.columns);
      const fresh = columnsOf(this.value, this.most).filter((name) => !known.has(name));
      for (const name of fresh) {
        const first = this.value.find((row) => row instanceof Map && row.has(name))?.get(name);
        const cell = make("th", first instanceof Numeral ? "number" : "", name);
        cell.scope = "col";
        this.head.append(cell);
      }
      this.columns.push(...fresh);
      this.table.className = this.columns.length > 2 ? "wide" : "";
      if (fresh.length) for (const row of this.rows) row.show(row.name, row.value);
      super.draw();
    }

    makeRow() {
      return new TableRow(this.columns);
    }
  }

  class TableRow {
    element = make("tr");
    cells = [];

    constructor(columns) {
      this.columns = columns;
    }

    show(name, value) {
      [this.name, this.value] = [name, value];
      for (const column of this.columns.slice(this.cells.length)) {
        const cell = new ValueCell(make("td"));
        // On a narrow page, each row is a list.
        cell.element.dataset.name = column;
        this.element.append(cell.element);
        this.cells.push(cell);
      }
      // What is in a cell begins closed.
      depth += mostDepth;
      this.cells.forEach((cell, index) => {
        const item = value instanceof Map ? value.get(this.columns[index]) : index ? undefined : value;
        cell.show(item);
        cell.element.classList.toggle("number", item instanceof Numeral);
        cell.element.classList.toggle("none", item === undefined);
      });
      depth -= mostDepth;
    }
  }

  """#

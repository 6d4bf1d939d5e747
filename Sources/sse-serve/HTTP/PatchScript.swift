// The part of the page of a document that reads JSON and applies changes to it.

/// JavaScript, without any name of the page. Its functions throw if a change does not fit, and then change nothing.
let patchScript = #"""
  // A JSON value is a string, true, false, null, an array, a Map or a Numeral. A Map takes any name, such as __proto__.
  // A change makes new containers only where it changes something. All others are in the old document and in the new
  // one, so that what is the same can be found by ===.

  // A number as it was sent: 3.10, or more digits than a number of JavaScript has.
  class Numeral {
    constructor(text) {
      this.text = text;
    }
  }

  const readJSON = (text) => JSON.parse(text, (name, value, context) => {
    if (typeof value === "number") return new Numeral(context?.source ?? String(value));
    return isContainer(value) && !Array.isArray(value) ? new Map(Object.entries(value)) : value;
  });

  const isContainer = (value) => typeof value === "object" && value !== null && !(value instanceof Numeral);

  const isSame = (one, other) => {
    if (one === other) return true;
    if (one instanceof Numeral) return other instanceof Numeral && Number(one.text) === Number(other.text);
    if (Array.isArray(one)) {
      return Array.isArray(other) && one.length === other.length &&
        one.every((value, index) => isSame(value, other[index]));
    }
    return one instanceof Map && other instanceof Map && one.size === other.size &&
      Array.from(one).every(([name, value]) => other.has(name) && isSame(value, other.get(name)));
  };

  // The steps of a JSON Pointer (RFC 6901). The first one is "", the place of the document itself.
  const steps = (pointer) => {
    if (typeof pointer !== "string" || !/^(\/|$)/.test(pointer) || /~(?![01])/.test(pointer)) {
      throw new Error("not a JSON Pointer: " + pointer);
    }
    return pointer.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  };

  // The index of a step in an array. `end` is one more than the greatest one.
  const index = (step, end) => {
    if (!/^(0|[1-9][0-9]*)$/.test(step) || Number(step) >= end) throw new Error("no such item: " + step);
    return Number(step);
  };

  const child = (place, step) => {
    if (Array.isArray(place)) return place[index(step, place.length)];
    if (!(place instanceof Map) || !place.has(step)) throw new Error("no such member: " + step);
    return place.get(step);
  };

  // A document after a patch (RFC 6902).
  const patched = (document, operations) => {
    const holder = new Map([["", document]]);
    // The containers that this patch has made. It may change them, and copies others before.
    let own = new Set();
    const value = (pointer) => steps(pointer).reduce(child, holder);
    const container = (path) => path.reduce((place, step) => {
      const old = child(place, step);
      if (!isContainer(old)) throw new Error("no object or array: " + step);
      if (own.has(old)) return old;
      const made = Array.isArray(old) ? old.slice() : new Map(old);
      own.add(made);
      if (Array.isArray(place)) place[step] = made;
      else place.set(step, made);
      return made;
    }, holder);
    const add = (pointer, value) => {
      const path = steps(pointer);
      const [last, place] = [path.pop(), container(path)];
      if (!Array.isArray(place)) place.set(last, value);
      else place.splice(last === "-" ? place.length : index(last, place.length + 1), 0, value);
    };
    const replace = (pointer, value) => {
      const path = steps(pointer);
      const [last, place] = [path.pop(), container(path)];
      child(place, last);
      if (Array.isArray(place)) place[last] = value;
      else place.set(last, value);
    };
    const remove = (pointer) => {
      const path = steps(pointer);
      const [last, place] = [path.pop(), container(path)];
      child(place, last);
      if (place === holder) throw new Error("the whole document cannot be removed");
      if (Array.isArray(place)) place.splice(last, 1);
      else place.delete(last);
    };
    if (!Array.isArray(operations)) throw new Error("a patch is an array");
    for (const operation of operations) {
      const member = (name) => child(operation, name);
      const path = member("path");
      switch (member("op")) {
        case "add": add(path, member("value")); break;
        case "replace": replace(path, member("value")); break;
        case "remove": remove(path); break;
        case "copy":
          add(path, value(member("from")));
          // The value is now in two places, and neither may change the other.
          own = new Set();
          break;
        case "move": {
          const from = member("from");
          const moved = value(from);
          if (path === from) break;
          if (path.startsWith(from + "/")) throw new Error("a value cannot be moved into itself: " + from);
          remove(from);
          add(path, moved);
          break;
        }
        case "test":
          if (!isSame(value(path), member("value"))) throw new Error("a test has failed: " + path);
          break;
        default: throw new Error("unknown operation: " + member("op"));
      }
    }
    return holder.get("");
  };

  // A document after a merge patch (RFC 7386).
  const merged = (document, patch) => {
    if (!(patch instanceof Map)) return patch;
    const result = new Map(document instanceof Map ? document : []);
    for (const [name, value] of patch) {
      if (value === null) result.delete(name);
      else result.set(name, merged(result.get(name), value));
    }
    return result;
  };

  """#

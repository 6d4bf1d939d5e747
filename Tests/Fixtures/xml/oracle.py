#!/usr/bin/env python3
"""The results of other XML readers: expat, xmltodict and ElementTree, for Tests/XMLSplitTests/OracleTests.swift.

usage: oracle.py roots|json|ordered|verdicts|elements

Each line of the input is a name, a document in base64, and xml-split's result in base64. Prints a line for each
difference, and at the end the word 'compared' with the number of comparisons.
"""

import base64
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

SPACE = " \t\r\n"


def lines():
    """Name, document and result of each line."""
    for line in sys.stdin:
        name, document, result = line.rstrip("\n").split("\t")
        yield name, base64.b64decode(document), base64.b64decode(result)


def run(compare):
    """Calls compare(document, result), which returns what is wrong, or None if there is nothing to compare."""
    count = 0
    for name, document, result in lines():
        problem = compare(document, result)
        if problem is None:
            continue
        count += 1
        if problem:
            print(f"{name}: {problem}")
    print(f"compared {count}")


# expat's names.

# NameStartChar and the other NameChars of the fifth edition beyond ASCII.
START = re.compile(
    "[\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]")
OTHER = re.compile("[\xb7\u0300-\u036f\u203f-\u2040]")


def respelled(document):
    """A document with other letters. expat has the names of the fourth edition, so each character that only the fifth
    allows in names becomes one that both allow; a reference to it changes in the same way."""
    if encoding(document) not in (None, "utf-8"):
        return document

    def other(text):
        text = START.sub(lambda match: chr(0x4E00 + ord(match[0]) % 20897), text)
        return OTHER.sub(lambda match: chr(0x300 + ord(match[0]) % 70), text)

    def reference(match):
        code = int(match[2], 16 if match[1] else 10)
        return f"&#{ord(other(chr(code)))};" if 0x80 <= code < 0x110000 else match[0]

    mark = b"\xef\xbb\xbf" if document.startswith(b"\xef\xbb\xbf") else b""
    text = document[len(mark):].decode("utf-8", "surrogateescape")
    text = re.sub("&#(x?)([0-9a-fA-F]{1,7});", lambda m: m[0] if not m[1] and not m[2].isdigit() else reference(m), text)
    return mark + other(text).encode("utf-8", "surrogateescape")


def encoding(document):
    """The encoding that a document declares, in lower case."""
    found = re.match(rb"""(?:\xef\xbb\xbf)?<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)""", document)
    return found[1].decode("latin-1").lower() if found else None


# The root record.


def wide(document):
    """The name of the encoding of a document in UTF-16, else None."""
    if document[:2] in (b"\xff\xfe", b"<\0"):
        return "utf-16-le"
    return "utf-16-be" if document[:2] in (b"\xfe\xff", b"\0<") else None


def root(document):
    """The bytes of the root element, from the start to the end that expat reports.

    expat counts bytes of the document, so a document in UTF-16 is cut first and converted to UTF-8 afterwards.
    """
    parser = expat.ParserCreate()
    depth, places = 0, []

    def start(name, attributes):
        nonlocal depth
        if depth == 0:
            places.append(parser.CurrentByteIndex)
        depth += 1

    def end(name):
        nonlocal depth
        depth -= 1
        if depth == 0:
            places.append(parser.CurrentByteIndex)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(document, True)
    encoding = wide(document) or "latin-1"
    text = document[places[0]:places[1]].decode(encoding)
    # expat's end is the start of the end tag; for an empty-element tag it is after the tag.
    tag = re.match("</[^>]*>", document[places[1]:].decode(encoding))
    return (text + (tag[0] if tag else "")).encode("utf-8" if wide(document) else "latin-1")


def compare_root(document, record):
    try:
        expected = root(document)
    except expat.ExpatError:
        return None if verdict(respelled(document)) is None else "expat does not read it"
    return "" if record == expected else f"{record!r}, not {expected!r}"


# Verdicts.


def verdict(document):
    """The error that expat finds in a document, or None.

    It reads the replacement text of parameter entities in the internal subset, as we do, and no external entity.
    """
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
    parser.ExternalEntityRefHandler = lambda *arguments: 1
    try:
        parser.Parse(document, True)
    except expat.ExpatError as error:
        error.place = parser.ErrorByteIndex
        return error
    return None


def compare_verdict(document, ours):
    # python supports other encodings than we do.
    if encoding(document) not in (None, "utf-8", "us-ascii", "iso-8859-1"):
        return None
    # expat accepts any version, and after a byte order mark any encoding.
    if ours.startswith((b"expected version", b"the text is not in the encoding")):
        return None
    theirs = verdict(respelled(document))
    if (theirs is None) == (not ours):
        return ""
    # After a reference to a parameter entity that is in another file, expat checks no default value.
    if theirs is None and ours == b"'<' in an attribute value" and re.search(rb"%[^;\s]+;.*<!ATTLIST", document, re.S):
        return None
    return f"{document!r}: {ours.decode() or 'accepted'}; expat: {theirs or 'accepted'}"


def compare_elements(_, elements):
    """Each element, ended by NUL, must be well-formed alone."""
    for element in elements.split(b"\0")[:-1]:
        parser = expat.ParserCreate("utf-8")
        try:
            # With a DTD that is not read, entities need no declaration.
            parser.Parse(b"<!DOCTYPE x SYSTEM 'x'>", False)
            parser.Parse(respelled(element), True)
        except expat.ExpatError as error:
            return f"{element!r}: {error}"
    return "" if elements else None


# JSON.


class Specified:
    """expat for xmltodict, without the default attributes of the document type declaration."""

    ExpatError = expat.ExpatError

    @staticmethod
    def ParserCreate(*arguments):
        parser = expat.ParserCreate(*arguments)
        parser.specified_attributes = True
        return parser


# A reference that needs a declaration; --entities literal leaves it unchanged.
ENTITY = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)[^#;\s&]+;")


def spaced(value, document):
    """An attribute's value normalised by §3.3.3, so that differences in normalisation do not count."""
    value = re.sub("[\t\r\n]", " ", value)
    return re.sub(" +", " ", value).strip(" ") if b"<!ATTLIST" in document else value


def plain(value, document):
    """A value of xmltodict or of ours, without the intended differences: lists of pairs for objects."""
    if isinstance(value, list):
        return [plain(item, document) for item in value]
    if not isinstance(value, dict):
        return value
    has_elements = any(name[0] not in "@#" for name in value)
    members = []
    for name, item in value.items():
        if name[0] == "@":
            item = spaced(item, document)
        if name == "#text" and has_elements and not item.strip(SPACE):
            continue
        members.append((name, plain(item, document)))
    return members or None


def compare_json(document, line):
    import xmltodict

    if ENTITY.search(line):
        return None
    try:
        theirs = xmltodict.parse(document, strip_whitespace=False, disable_entities=False, expat=Specified)
    except expat.ExpatError:
        return None
    ours = json.loads(line)
    if any_blank(ours, False):
        return "white space beside elements"
    ours, theirs = plain(ours, document), plain(theirs, document)
    return "" if ours == theirs else f"{ours}, not {theirs}"


def any_blank(value, inside):
    """Whether there is text of only white space beside elements."""
    if isinstance(value, list):
        return any(any_blank(item, inside) for item in value)
    if not isinstance(value, dict):
        return False
    elements = [name for name in value if name[0] not in "@#"]
    if elements and "#text" in value and not value["#text"].strip(SPACE):
        return True
    return any(any_blank(value[name], True) for name in elements)


# JSON in order.


def escaped(text):
    return "".join(f"&#{ord(c)};" if c in "<>&\"'\t\r\n" else c for c in text)


def written(item):
    """The XML of `["name",{attributes},children…]`."""
    if isinstance(item, str):
        return escaped(item)
    name, attributes, *children = item
    start = name + "".join(f' {key}="{escaped(value)}"' for key, value in attributes.items())
    return f"<{start}>{''.join(map(written, children))}</{name}>"


def view(element, document):
    """An element in ElementTree's view."""
    attributes = [(name, spaced(value, document)) for name, value in element.attrib.items()]
    children = [(view(child, document), child.tail or "") for child in element]
    return element.tag, attributes, element.text or "", children


def compare_ordered(document, line):
    # ElementTree adds default attributes.
    if ENTITY.search(line) or b"<!ATTLIST" in document:
        return None
    try:
        theirs = view(ElementTree.fromstring(document), document)
    except ElementTree.ParseError:
        return None
    item = json.loads(line)
    if pieces(item):
        return "text in two pieces"
    ours = view(ElementTree.fromstring(written(item)), document)
    return "" if ours == theirs else f"{ours}, not {theirs}"


def pieces(item):
    """Whether text that belongs together is in two pieces, or a piece is empty."""
    children = item[2:]
    texts = [isinstance(child, str) for child in children]
    return (
        any(a and b for a, b in zip(texts, texts[1:]))
        or "" in children
        or any(pieces(child) for child in children if not isinstance(child, str))
    )


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    questions = {
        "roots": compare_root, "json": compare_json, "ordered": compare_ordered, "verdicts": compare_verdict,
        "elements": compare_elements,
    }
    run(questions[sys.argv[1]])

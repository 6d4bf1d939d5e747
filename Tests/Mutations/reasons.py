"""Why xml-split and another reader may give different verdicts on a document. Each reason has a function that recognises it.
What no function recognises is a fault of one of them."""

import re

import oracle


class Case:
    """A document and what the three readers say of it: an error, or None."""

    def __init__(self, document, ours, expat, libxml2):
        self.document, self.ours, self.expat, self.libxml2 = document, ours, expat, libxml2
        # Of the XML declaration, in lower case.
        self.encoding = oracle.encoding(document)

    def we_say(self, *words):
        return any(word in (self.ours or "") for word in words)

    def expat_says(self, *words):
        return any(word in (self.expat or "") for word in words)

    def libxml2_says(self, *words):
        return any(word in (self.libxml2 or "") for word in words)


class Reason:
    """Why a reader (None: both) has another verdict than xml-split."""

    def __init__(self, reader, words, explains):
        self.reader, self.words, self.explains = reader, words, explains


def utf16(document):
    """The name of the encoding of a document in UTF-16, else None. Without a byte order mark it begins with white space or
    markup."""
    if document[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if re.match(rb"[ \t\r\n<]\0", document):
        return "utf-16-le"
    return "utf-16-be" if re.match(rb"\0[ \t\r\n<]", document) else None


def has_new_names(case):
    """Whether expat accepts a document in UTF-16 if it is in UTF-8, with other letters in its names."""
    if not utf16(case.document):
        return False
    text = case.document.decode(utf16(case.document), "surrogatepass")
    text = re.sub(r"""^(<\?xml[^>]*?)\s+encoding\s*=\s*["'][^"'>]*["']""", r"\1", text)
    return oracle.verdict(oracle.respelled(text.encode("utf-8", "surrogatepass"))) is None


# What elements are written in UTF-8 from.
UNICODE = (None, "utf-8", "utf-16", "us-ascii")
# Encodings that all three check.
CHECKED = (*UNICODE, "iso-8859-1")

ALL = [
    Reason(None, "--max-depth is 1000; they have a higher limit, or none",
           lambda case: case.we_say("(--max-depth)")),
    Reason(None, "each knows some encodings that others do not know; xml-split refuses UTF-32, EBCDIC, ISO-2022-JP and UTF-7",
           lambda case: case.encoding not in CHECKED and (
               case.we_say("is not supported") or case.expat_says("encoding: ") or case.libxml2_says("ERR_UNSUPPORTED_ENCODING"))),
    Reason("expat", "expat asks python for encodings that it does not know, and takes only those of one byte a character",
           lambda case: case.encoding not in CHECKED and not case.ours and case.expat_says("invalid token")),
    Reason(None, "xml-split has control characters for the bytes that encodings of Windows leave out, as the Encoding standard has",
           lambda case: re.match("windows-|cp(125|874)|tis-620", case.encoding or "") and not case.ours),
    Reason(None, "they ignore a declaration that byte order mark or first bytes contradict",
           lambda case: case.we_say("the text is not in the encoding") and (
               utf16(case.document) or case.document.startswith(b"\xef\xbb\xbf"))),
    Reason("expat", "expat accepts any version number; libxml2 accepts '1.'",
           lambda case: case.we_say("expected version '1.0'")),
    Reason("libxml2", "expat accepts any version number; libxml2 accepts '1.'",
           lambda case: case.we_say("expected version '1.0', found '1.'")),
    Reason("expat", "expat has the names of the fourth edition",
           has_new_names),
    Reason("libxml2", "libxml2 needs a byte order mark or a declaration to see UTF-16",
           lambda case: utf16(case.document) in ("utf-16-le", "utf-16-be") and case.document.replace(b"\0", b"")[:2] != b"<?"),
    Reason("libxml2", "libxml2 accepts a parameter entity in an entity value of the internal subset (WFC: PEs in Internal Subset)",
           lambda case: case.we_say("a reference to a parameter entity inside a declaration")),
    Reason("libxml2", "libxml2 refuses an entity that an unread parameter entity may declare (WFC: Entity Declared)",
           lambda case: case.libxml2_says("ERR_UNDECLARED_ENTITY") and not case.ours
           and re.search(rb"<!DOCTYPE[^>]*\[.*%[\w.:-]+;", case.document, re.S)),
    Reason("libxml2", "libxml2 does not see what follows the root element if a namespace has a malformed name",
           lambda case: case.we_say("after the document") and b"xmlns" in case.document),
]

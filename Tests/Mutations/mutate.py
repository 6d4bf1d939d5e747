"""Real documents and their mutations. Sound ones mostly keep a document well-formed; damage mostly does not."""

import os
import random
import re

SUFFIXES = (".xml", ".svg", ".xsl", ".xslt", ".rng", ".xsd", ".ui", ".rdf", ".conf", ".html", ".xhtml", ".page", ".its", ".loc")
LARGEST = 32 << 10

TAG = re.compile(rb"<(/?)([^\s<>/!?=\"'&]+)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*?)(/?)>")
SKIPPED = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.S)

# May stand anywhere in content.
SOUND = ["<new/>", "<new a='1' b=\"2\">text</new>", "<!-- a comment -->", "<?target data?>", "<?target?>", "&amp;&lt;&gt;",
         "&quot;&apos;", "&#8217;", "&#x1F600;", "<![CDATA[<a>&b; ]] >]]>", "<![CDATA[]]>", "<!---->", "\r\n", "\r", "\t",
         "é", "名", "🙂", "]] >", "<p:q xmlns:p='urn:p' p:r=''/>", "<q xmlns='urn:q'><r/></q>", "<q xml:lang='en'/>",
         "<\u0370\u2c00\U00010000 \u0370=''/>", "<n a = '\n&#10;>'\t/>", "<end></end >", "<a.b-c_d/>"]
# Breaks a document in most places.
BREAKS = ["<", ">", "&", "'", '"', "]]>", "<!--", "-->", "--", "<![CDATA[", "<?p ", "?>", "/>", "</", "=", "/", ":", ";", "\0",
          "&#0;", "&#x110000;", "&#xD800;", "&#x1;", "&e;", "&none;", "%p;", "<!DOCTYPE a [", "]>", "<!ENTITY e 'x'>", "<a>",
          "</a>", "<a b='1' b='2'/>", "<a b=1/>", "<a b/>", "<a b='<'/>", "<1/>", "< a/>", "<?xml version='1.0'?>", "<!-- -- -->",
          "<a:/>", "<:a/>", "<a:b:c/>", "<p:undeclared/>", "<a xmlns:p=''/>", "<a xmlns:p='urn:p' xmlns:q='urn:p' p:a='' q:a=''/>",
          "\ufffe", "\uffff", "\x01", "\x7f", "\x85", "\ufeff", "<![cdata[]]>", "<a b='&#1;'/>", "<?XML?>", "\x0c"]
NAMES = ["a", "Z", "_", "x-1", "x.y", "é", "名前", "\u0370", "\U00010000", "p:q", "xml:lang", "xmlns", "XML", "a·", "1a", "-a",
         "a b", ""]
SUBSETS = ["<!ENTITY e 'text'>", "<!ENTITY e '<b>x</b>'>", "<!ENTITY e '<b>'>", "<!ENTITY e '&#38;#60;'>",
           "<!ENTITY e '&f;'><!ENTITY f 'x'>", "<!ENTITY e '&e;'>", "<!ENTITY e SYSTEM 'none'>", "<!ENTITY % p '<!ENTITY e \"y\">'> %p;", "<!ELEMENT a (b|c)*>",
           "<!ELEMENT a (#PCDATA|b)*><!ATTLIST a b CDATA #IMPLIED>", "<!-- c --><?p d?>", "<!NOTATION n SYSTEM 'x'>",
           "<!ENTITY e \"&#60;b>\">", "<!ATTLIST a b (c|d) 'c'>", "<!ELEMENT a", "<!ENTITY e 'a&b'>", "<!ENTITY e '%p;'>"]
ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "us-ascii", "windows-1252", "iso-8859-15", "windows-1251",
             "koi8-r", "shift_jis", "euc-jp", "euc-kr", "gb2312", "gbk", "gb18030", "tis-620"]  # and not big5, of which each has another table
DECLARED = ["UTF-8", "utf8", "UTF-16", "ISO-8859-1", "US-ASCII", "windows-1252", "x-none", "UTF-7", "", "é", "UTF 8"]


def corpus(folder, most=2000):
    """The smaller XML documents below a folder, the smallest first; of those with the same bytes, one."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            path = os.path.join(place, name)
            if name.endswith(SUFFIXES) and os.path.isfile(path) and 0 < os.path.getsize(path) <= LARGEST:
                with open(path, "rb") as file:
                    content = file.read()
                if re.match(rb"(?:\xef\xbb\xbf)?\s*<[?!\w]", content):
                    found.setdefault(content, path)
    return sorted(found, key=lambda content: (len(content), content))[:most]


class Mutant:
    """One mutation after another of a document, all of them drawn from a seed."""

    def __init__(self, seed, documents):
        self.random = random.Random(seed)
        self.documents = documents
        self.bytes = self.random.choice(documents)
        sound = [self.copied, self.swapped, self.removed, self.wrapped, self.inserted, self.renamed, self.attribute, self.reference,
                 self.subset, self.line_ends, self.grafted]
        damage = [self.flipped, self.cut, self.ended, self.doubled, self.moved, self.broken, self.overwritten, self.declared, self.misnamed]
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            self.random.choice(sound)()
        if self.random.random() < 0.2:
            self.encoded()
        if self.random.random() < 0.45:
            for _ in range(self.random.choice([1, 1, 2])):
                self.random.choice(damage)()

    # Places

    def place(self):
        return self.random.randint(0, len(self.bytes))

    def span(self):
        start = self.place()
        return start, min(len(self.bytes), start + self.random.choice([1, 1, 2, 5, 30, 200]))

    def tags(self):
        """The matches of all tags, as far as a pattern can tell."""
        hidden = SKIPPED.sub(lambda match: b" " * len(match[0]), self.bytes)
        return list(TAG.finditer(hidden))

    def elements(self):
        """(start, end, start tag, end tag or None) of the elements, without the root."""
        found, open_tags = [], []
        for tag in self.tags():
            if tag[1]:
                if open_tags and open_tags[-1][2] == tag[2]:
                    start = open_tags.pop()
                    found.append((start.start(), tag.end(), start, tag))
            elif tag[4]:
                found.append((tag.start(), tag.end(), tag, None))
            else:
                open_tags.append(tag)
        return [one for one in found if open_tags or one[0] > min(other[0] for other in found)]

    def element(self):
        elements = self.elements()
        return self.random.choice(elements) if elements else None

    def inside(self):
        """A place in content: after a tag, but not after the root's end."""
        tags = self.tags()
        return self.random.choice(tags[:-1]).end() if len(tags) > 1 else None

    def put(self, start, end, new):
        self.bytes = self.bytes[:start] + (new.encode() if isinstance(new, str) else new) + self.bytes[end:]

    # Sound mutations

    def copied(self):
        one, place = self.element(), self.inside()
        if one and place is not None:
            self.put(place, place, self.bytes[one[0]:one[1]])

    def swapped(self):
        first, second = sorted([self.element() or (0, 0), self.element() or (0, 0)], key=lambda one: one[:2])
        if first[1] <= second[0]:
            text = self.bytes
            self.bytes = (text[:first[0]] + text[second[0]:second[1]] + text[first[1]:second[0]] + text[first[0]:first[1]]
                          + text[second[1]:])

    def removed(self):
        one = self.element()
        if one:
            self.put(one[0], one[1], "")

    def wrapped(self):
        one = self.element()
        if one:
            depth = self.random.choice([1, 1, 3, 50, 300, 990, 1100])
            self.put(one[0], one[1], b"<w>" * depth + self.bytes[one[0]:one[1]] + b"</w>" * depth)

    def inserted(self):
        place = self.inside()
        if place is not None:
            self.put(place, place, self.random.choice(SOUND))

    def renamed(self):
        one = self.element()
        if one:
            name = self.random.choice(NAMES)
            if one[3]:
                self.put(one[3].start(2), one[3].end(2), name)
            self.put(one[2].start(2), one[2].end(2), name)

    def attribute(self):
        one = self.element()
        if one:
            place = one[2].end(2)
            self.put(place, place, self.random.choice([
                " new=''", " a='1' b='2' c='3' d='4' e='5' f='6' g='7' h='8' i='9'", " p:a='' xmlns:p='urn:p'",
                " xmlns='urn:new'", "\n\tnew\n=\n'a\r\nb'",
                " new='&amp;&#10;&lt;'", " xml:space='preserve'", " %s='' " % self.random.choice(NAMES), " new='>' New='\"'"]))

    def reference(self):
        """A letter of content becomes a reference to it."""
        place = self.inside()
        if place is not None and place < len(self.bytes) and self.bytes[place:place + 1].isalnum():
            self.put(place, place + 1, self.random.choice(["&#%d;", "&#x%x;", "&#x%X;", "&#000%d;"]) % self.bytes[place])

    def subset(self):
        tags = self.tags()
        if tags and b"<!DOCTYPE" not in self.bytes:
            name = tags[0][2].decode("utf-8", "replace")
            place = self.inside()
            if place is not None and self.random.random() < 0.7:
                self.put(place, place, self.random.choice(["&e;", "&e;&e;", "<a b='&e;'/>", "&none;"]))
            outside = self.random.choice(["", "", " SYSTEM 'none.dtd'", " PUBLIC '-//A//B' \"none.dtd\""])
            inside = "".join(self.random.choices(SUBSETS, k=self.random.randint(0, 2)))
            self.put(tags[0].start(), tags[0].start(), "<!DOCTYPE %s%s [%s]>\n" % (name, outside, inside))

    def line_ends(self):
        self.bytes = self.bytes.replace(b"\n", self.random.choice([b"\r\n", b"\r"]))

    def grafted(self):
        """An element of another document."""
        place = self.inside()
        if place is not None:
            kept, self.bytes = self.bytes, self.random.choice(self.documents)
            one = self.element()
            graft = self.bytes[one[0]:one[1]] if one else b""
            self.bytes = kept
            self.put(place, place, graft)

    def encoded(self):
        """The document in another encoding, which it declares."""
        name = self.random.choice(ENCODINGS)
        try:
            text = self.bytes.decode("utf-8-sig")
        except UnicodeDecodeError:
            return
        text = re.sub(r"^<\?xml.*?\?>", "", text, flags=re.S)
        if name not in ("utf-16-le", "utf-16-be") or self.random.random() < 0.5:
            text = '<?xml version="1.0" encoding="%s"?>' % name[:6 if name.startswith("utf-16") else None] + text
        self.bytes = text.encode(name, "xmlcharrefreplace")

    # Damage

    def flipped(self):
        place = self.place()
        if place < len(self.bytes):
            self.put(place, place + 1, bytes([self.bytes[place] ^ 1 << self.random.randint(0, 7)]))

    def cut(self):
        self.put(*self.span(), "")

    def ended(self):
        self.bytes = self.bytes[:self.place()]

    def doubled(self):
        start, end = self.span()
        self.put(end, end, self.bytes[start:end])

    def moved(self):
        start, end = self.span()
        piece = self.bytes[start:end]
        self.put(start, end, "")
        place = self.place()
        self.put(place, place, piece)

    def broken(self):
        place = self.place()
        self.put(place, place, self.random.choice(BREAKS))

    def overwritten(self):
        start, end = self.span()
        self.put(start, end, bytes(self.random.randint(0, 255) for _ in range(self.random.choice([1, 1, 2, 4]))))

    def declared(self):
        """Another XML declaration, which may be wrong."""
        self.bytes = re.sub(rb"^(?:\xef\xbb\xbf)?<\?xml.*?\?>", b"", self.bytes, flags=re.S)
        self.put(0, 0, self.random.choice(["", "\ufeff", "\n", " "]) + self.random.choice([
            "<?xml version='1.1'?>", "<?xml version='2.0'?>", "<?xml version='1.0' standalone='yes'?>",
            "<?xml version='1.0' standalone='no' ?>", "<?xml?>", "<?xml version='1.0'?><?xml version='1.0'?>",
            "<?xml encoding='utf-8'?>", "<?xml version='1.0' encoding='%s'?>" % self.random.choice(DECLARED),
            "<?xml version = \"1.0\"\n?>", "<?xml version='1.0' standalone='yes' encoding='utf-8'?>"]))

    def misnamed(self):
        """A name of one tag, and not of the other."""
        tags = self.tags()
        if tags:
            tag = self.random.choice(tags)
            self.put(tag.start(2), tag.end(2), self.random.choice(NAMES))

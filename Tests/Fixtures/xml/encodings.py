#!/usr/bin/env python3
"""Feeds in each encoding with every character that python's codec knows in it, for Tests/XMLSplitTests/EncodingTests.swift.

usage: encodings.py XML_SPLIT       a line for each encoding: its name, python's codec, how many characters it has, and
                                    how many of them xml-split reads as others, or not at all
       encodings.py XML_SPLIT NAME  these characters: bytes, python's character and xml-split's

Each character stands in a feed in the encoding, and as a reference in its twin in UTF-8. Both become JSON.
"""

import json
import subprocess
import sys

CODECS = """
EUC-KR:euc_kr KS_C_5601-1987:euc_kr windows-949:cp949 GB2312:gb2312 GBK:gbk GB18030:gb18030 Big5:big5
Big5-HKSCS:big5hkscs CP950:cp950 Shift_JIS:shift_jis Windows-31J:cp932 EUC-JP:euc_jp TIS-620:tis_620 windows-874:cp874
windows-1250:cp1250 windows-1251:cp1251 windows-1252:cp1252 windows-1253:cp1253 windows-1254:cp1254 windows-1255:cp1255
windows-1256:cp1256 windows-1257:cp1257 windows-1258:cp1258 KOI8-R:koi8_r KOI8-U:koi8_u ISO-8859-1:iso8859_1
ISO-8859-2:iso8859_2 ISO-8859-3:iso8859_3 ISO-8859-4:iso8859_4 ISO-8859-5:iso8859_5 ISO-8859-6:iso8859_6
ISO-8859-7:iso8859_7 ISO-8859-8:iso8859_8 ISO-8859-9:iso8859_9 ISO-8859-10:iso8859_10 ISO-8859-11:iso8859_11
ISO-8859-13:iso8859_13 ISO-8859-14:iso8859_14 ISO-8859-15:iso8859_15 ISO-8859-16:iso8859_16 macintosh:mac_roman
x-mac-cyrillic:mac_cyrillic cp437:cp437 cp850:cp850 cp852:cp852 cp855:cp855 cp857:cp857 cp858:cp858 IBM866:cp866
US-ASCII:ascii
"""


def has(codec, character):
    return character.encode(codec, "ignore") != b""


def characters(codec):
    """Every character that the codec knows both ways, and its bytes."""
    codes = {ord(c) for c in bytes(range(0x20, 0x100)).decode(codec, "ignore")}
    if has(codec, "\u4e00"):  # several bytes a character
        codes |= {*range(0x20, 0xD800), *range(0xE000, 0xFFFE)}
    if has(codec, "\U00020021"):
        codes |= {*range(0x10000, 0x30000)}
    for code in sorted(codes):
        try:
            coded = chr(code).encode(codec)
            if coded.decode(codec) == chr(code):
                yield chr(code), coded
        except UnicodeError:
            pass


def texts(program, feed):
    """The text of each element `c`, by its number."""
    result = subprocess.run([program, "--on-error", "skip", "-j", "c"], input=feed, capture_output=True)
    items = (json.loads(line)["c"] for line in result.stdout.splitlines())
    return {item["@n"]: item.get("#text", "") for item in items}


def feed(name, items):
    elements = b"".join(b'<c n="%d">' % number + text + b"</c>\n" for number, text in enumerate(items))
    return b'<?xml version="1.0" encoding="%s"?><r>' % name.encode() + elements + b"</r>"


def compare(program, name, codec):
    """How many characters the codec has, and those that are not the same: bytes, python's and xml-split's."""
    known = [(character, coded) for character, coded in characters(codec) if character not in "<&"]
    twin = texts(program, feed("UTF-8", (b"&#%d;" % ord(character) for character, _ in known)))
    found = texts(program, feed(name, (coded for _, coded in known)))
    wrong = [(coded, character, found.get(str(number))) for number, (character, coded) in enumerate(known)
             if found.get(str(number)) != twin[str(number)]]
    return len(known), wrong


program, *wanted = sys.argv[1:]
for name, codec in (pair.split(":") for pair in CODECS.split()):
    if not wanted:
        count, wrong = compare(program, name, codec)
        print(name, codec, count, len(wrong), flush=True)
    elif name == wanted[0]:
        for coded, character, other in compare(program, name, codec)[1]:
            codes = "none" if other is None else " ".join(f"U+{ord(c):04X}" for c in other)
            print(coded.hex(), f"U+{ord(character):04X}", codes)

"""The peers of the tools, installed on demand; those that cannot be installed are left out with a note."""

import contextlib
import os
import platform
import shutil
import subprocess
import sys

PACKAGES = {
    "jsonpatch": "jsonpatch", "orjson": "orjson", "httpx-sse": "httpx_sse", "lxml": "lxml", "websockets": "websockets",
    "xmltodict": "xmltodict", "sqlite-utils": "sqlite_utils"}
PROGRAMS = ["jq", "xmllint", "xmlstarlet"]


def install(folder):
    """Makes a virtual environment with the Python peers. Returns {name: True or the path of its python}."""
    python = os.path.join(folder, "bin", "python")
    available = {"python": sys.executable}
    for program in PROGRAMS:
        available[program] = shutil.which(program) is not None
        if not available[program]:
            print("  note: no %s here; its column is left out" % program, file=sys.stderr)
    for name in IN_C:
        available[name] = build(name, os.path.dirname(folder))
    available["quick-xml"] = build_quick_xml(os.path.dirname(folder))
    if not os.path.exists(python):
        made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True)
        if made.returncode:
            print("  note: no virtual environment (%s); no Python peers" % made.stderr.strip(), file=sys.stderr)
            return available
    for package, module in PACKAGES.items():
        if subprocess.run([python, "-c", "import " + module], capture_output=True).returncode:
            wanted = [package, "httpx"] if package == "httpx-sse" else [package]
            subprocess.run([python, "-m", "pip", "install", "-q", *wanted], capture_output=True)
        if subprocess.run([python, "-c", "import " + module], capture_output=True).returncode:
            print("  note: %s cannot be installed; its column is left out" % package, file=sys.stderr)
        else:
            available[package] = python
    return available


HERE = os.path.dirname(os.path.abspath(__file__))
# The programs in C: their library as pkg-config knows it, and how to compile them.
IN_C = {"yyjson": ("yyjson", "-O3"), "expat": ("expat", "-O2"), "libxml2": ("libxml-2.0", "-O2"),
        "bare": (None, "-O2"), "crowd": (None, "-O2")}
# Debian puts the sources of its Rust packages there.
CRATES = os.environ.get("CRATES", "/usr/share/cargo/registry")


def build(name, folder):
    """Builds the program NAME.c, if there is a compiler and the library. Returns it, or None."""
    library, level = IN_C[name]
    program, source = os.path.join(folder, name), os.path.join(HERE, name + ".c")
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        flags = [] if library is None else subprocess.run(
            ["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["cc", level, "-o", program, source, *flags], capture_output=True, check=True)
        return program
    print("  note: no %s here (cc, pkg-config %s); its column is left out" % (name, library), file=sys.stderr)
    return None


def build_quick_xml(folder):
    """Builds the peer in Rust, if there is cargo and the distribution's quick-xml. Returns the program, or None."""
    project = os.path.join(folder, "quick-xml")
    try:
        shutil.copytree(os.path.join(HERE, "quick-xml"), project, dirs_exist_ok=True)
        command = ["cargo", "build", "--quiet", "--release", "--offline",
                   "--config", 'source.crates-io.replace-with="distribution"',
                   "--config", 'source.distribution.directory="%s"' % CRATES]
        if subprocess.run(command, cwd=project, capture_output=True).returncode == 0:
            return os.path.join(project, "target", "release", "quick-xml")
    except OSError:
        pass
    print("  note: no quick-xml here (cargo, librust-quick-xml-dev); its column is left out", file=sys.stderr)
    return None


def yyjson(available, document, *patch):
    return available.get("yyjson") and [available["yyjson"], document, *patch]


def json(available, document):
    code = ("import json, sys; d = json.load(open(sys.argv[1], 'rb'));"
            "sys.stdout.write(json.dumps(d, separators=(',', ':'), ensure_ascii=False))")
    return [available["python"], "-c", code, document]


def orjson(available, document):
    code = "import orjson, sys; sys.stdout.buffer.write(orjson.dumps(orjson.loads(open(sys.argv[1], 'rb').read())))"
    return available.get("orjson") and [available["orjson"], "-c", code, document]


def jsonpatch(available, patch, document, fast=False):
    """python jsonpatch, as in its command line; `fast`: in place, with orjson for reading and writing."""
    if not available.get("jsonpatch") or (fast and not available.get("orjson")):
        return None
    if fast:
        code = ("import jsonpatch, orjson, sys; p = orjson.loads(open(sys.argv[1], 'rb').read());"
                "d = orjson.loads(open(sys.argv[2], 'rb').read());"
                "sys.stdout.buffer.write(orjson.dumps(jsonpatch.apply_patch(d, p, in_place=True)))")
    else:
        code = ("import json, jsonpatch, sys; p = json.load(open(sys.argv[1])); d = json.load(open(sys.argv[2]));"
                "print(json.dumps(jsonpatch.apply_patch(d, p)))")
    return [available["jsonpatch"], "-c", code, patch, document]


def make_patch(available, old, new):
    """python jsonpatch as the maker of a patch, on one line like jdiff -C."""
    code = ("import json, jsonpatch, sys; a = json.load(open(sys.argv[1])); b = json.load(open(sys.argv[2]));"
            "p = jsonpatch.make_patch(a, b).patch;"
            "print(json.dumps(p, separators=(',', ':'), ensure_ascii=False))")
    return available.get("jsonpatch") and [available["jsonpatch"], "-c", code, old, new]


def jq_patch(patch, document):
    """The same three operations as a jq program."""
    code = ("$p[0] as $p | ($p[0].path | split(\"/\")[2] | tonumber) as $i"
            " | .results[$i].title = $p[0].value | .results |= ([$p[1].value] + .[:-1])")
    return ["jq", "-c", "--slurpfile", "p", patch, code, document]


def httpx_sse(available):
    code = """
import json, sys
from httpx_sse._decoders import SSEDecoder
decoder = SSEDecoder()
write = sys.stdout.write
for line in sys.stdin:
    event = decoder.decode(line.rstrip("\\n"))
    if event is not None:
        write(json.dumps({"event": event.event, "id": event.id, "data": event.data}) + "\\n")
"""
    return [available["httpx-sse"], "-c", code]


def native(available, name, document):
    """One of the peers that are built here."""
    return available.get(name) and [available[name], document]


def expat(available, document):
    """Only well-formedness, by way of Python: no handler is called."""
    code = ("import sys; from xml.parsers import expat;"
            "expat.ParserCreate().ParseFile(open(sys.argv[1], 'rb'))")
    return [available["python"], "-c", code, document]


def xmllint(available, document):
    return available["xmllint"] and ["xmllint", "--noout", "--stream", document]


def xmlstarlet(available, document):
    return available["xmlstarlet"] and ["xmlstarlet", "sel", "-t", "-m", "/statuses/status", "-c", ".", "-n", document]


def lxml(available, document):
    """Each status as its bytes, then freed: the way to read a document larger than memory."""
    code = """
import sys
from lxml import etree
write = sys.stdout.buffer.write
for _, element in etree.iterparse(sys.argv[1], tag="status"):
    write(etree.tostring(element, encoding="utf-8", with_tail=False))
    write(b"\\n")
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]
"""
    return available.get("lxml") and [available["lxml"], "-c", code, document]


def xmltodict(available, document):
    """Each child of the root as a line of JSON."""
    code = """
import json, sys, xmltodict
write = sys.stdout.write
def line(path, item):
    write(json.dumps({path[-1][0]: item}, ensure_ascii=False, separators=(",", ":")) + "\\n")
    return True
xmltodict.parse(open(sys.argv[1], "rb"), item_depth=2, item_callback=line)
"""
    return available.get("xmltodict") and [available["xmltodict"], "-c", code, document]


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return "%s, %d cores, %s %s" % (model, os.cpu_count() or 1, platform.system(), platform.release())


def websockets(available, code, url, authority):
    return available.get("websockets") and [available["websockets"], "-c", code, url, *([authority] if authority else [])]

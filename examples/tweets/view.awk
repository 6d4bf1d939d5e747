# Shows statuses: a line each in, with tabs between text, name, URL, image and point; a few lines each out. Everything is
# bytes here (LC_ALL=C), since not every awk knows UTF-8: hence the octal.

# A value with the escapes of xml-split undone. Tabs and line ends become spaces, and what a terminal might obey goes.
function plain(value,    at, c, text) {
  while (at = index(value, "\\")) {
    c = substr(value, at + 1, 1)
    text = text substr(value, 1, at - 1) (c == "\\" ? c : " ")
    value = substr(value, at + 2)
  }
  text = text value
  gsub(/\302[\200-\237]|\177/, "", text)
  return text
}

# The first link: up to white space, less the punctuation of the sentence around it. A bracket that closes belongs to the
# link if it opens there.
function link(text,    found, before) {
  gsub(/\302\240|\342\200[\200-\213\250\251\257]|\342\201\237|\343\200\200/, " ", text)
  while (match(text, /[Hh][Tt][Tt][Pp][Ss]?:\/\/[^ ]+/)) {
    found = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    do {
      before = found
      # Also, in this order, the quotes and the ellipsis of U+20xx, a guillemet, and the Japanese comma and full stop.
      sub(/([].,;:!?"'>}]|\342\200[\230-\236\246]|\302\273|\343\200[\201\202])+$/, "", found)
      if (found ~ /[)]$/ && gsub(/[)]/, ")", found) > gsub(/[(]/, "(", found)) sub(/[)]$/, "", found)
    } while (found != before)
    if (found ~ /:\/\/[^\/]/) return found
  }
  return ""
}

function row(name, value) {
  if (value != "") printf "  %-7s%s\n", name, value
}

BEGIN { FS = "\t" }

# A point may be there and empty.
$5 != "" {
  text = plain($1)
  print text
  row("name", plain($2))
  row("url", plain($3))
  row("image", plain($4))
  row("link", link(text))
  row("point", plain($5))
  fflush()
  isShown = 1
}

END { exit !isShown }

# Shows statuses. Reads one a line, with tabs between text, name, URL, image and point; prints a few lines each. Works on
# bytes (LC_ALL=C), since not every awk knows UTF-8: hence the octal numbers.

# A value without the escapes of xml-split. Tabs and line ends become spaces; control characters are removed.
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

# The first link: up to white space, without the punctuation around it. A closing bracket belongs to the link if it opens
# there.
function link(text,    found, before) {
  gsub(/\302\240|\342\200[\200-\213\250\251\257]|\342\201\237|\343\200\200/, " ", text)
  while (match(text, /[Hh][Tt][Tt][Pp][Ss]?:\/\/[^ ]+/)) {
    found = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    do {
      before = found
      # Also, in this order: the quotes and the ellipsis of U+20xx, a guillemet, and the Japanese comma and full stop.
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

# The point may be empty.
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

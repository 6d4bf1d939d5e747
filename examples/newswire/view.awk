# Shows a list of news items: reads one JSON array a line, and prints one screen each. Knows enough JSON for three members.

# The string whose first quote is at `at`, without its escapes. Sets `after` to the place after it.
function string(at,    c, text) {
  for (at++; (c = substr($0, at, 1)) != "\""; at++) {
    if (c == "") break
    if (c == "\\") {
      c = substr($0, ++at, 1)
      if (c == "n" || c == "t") c = " "
      if (c == "u") { c = "?"; at += 4 }
    }
    text = text c
  }
  after = at + 1
  return text
}

function show(    time) {
  time = substr(field["published_date"], 12, 5)
  mark = seen[field["title"]]++ || isFirst ? " " : "*"
  printf "%s %s  %-11s  %s\n", mark, time, field["section"], field["title"]
}

BEGIN {
  isFirst = 1
  # On a terminal each view replaces the last one.
  clear = system("test -t 1") == 0 ? "\033[H\033[2J" : ""
}

{
  printf "%s-- newswire, update %d\n", clear, NR
  depth = 0
  for (at = 1; at <= length($0);) {
    c = substr($0, at, 1)
    if (c == "\"") {
      text = string(at)
      at = after
      if (depth == 2 && substr($0, at, 1) == ":") key = text
      else if (depth == 2) field[key] = text
      continue
    }
    if (c == "{" || c == "[") depth++
    if (c == "}" && depth == 2) { show(); split("", field) }
    if (c == "}" || c == "]") depth--
    at++
  }
  isFirst = 0
  fflush()
}

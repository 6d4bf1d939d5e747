# The title of a question. The API escapes text for HTML. `&amp;` comes last, since its result may look like another escape.
def title:
  .title | gsub("&quot;"; "\"") | gsub("&#39;"; "\u0027") | gsub("&lt;"; "<") | gsub("&gt;"; ">") | gsub("&amp;"; "&");

"""Makes the XML of the benchmark: statuses of about 2 KB, like the stream of a social network in 2009, with traps for
naive splitters. The same on every machine and in every run."""

import os
import random
from xml.sax.saxutils import escape

from newswire import WORDS

NAMESPACE = "http://www.georss.org/georss"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<statuses type="array">\n'
TAIL = "</statuses>\n"
COLORS = "profile_background_color profile_text_color profile_link_color profile_sidebar_fill_color".split()


class Statuses:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 5_980_000_000

    def words(self, least, most):
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, most)))

    def date(self):
        r = self.random.randint
        return "Tue Nov %02d %02d:%02d:%02d +0000 2009" % (r(1, 30), r(0, 23), r(0, 59), r(0, 59))

    def text(self):
        text = escape(self.words(12, 26)).replace("“", "&#x201C;").replace("’", "&#8217;")
        if self.random.random() < 0.2:
            text += " &lt;status&gt; &amp;amp; &#60;/status&#62; ]] &gt;"
        if self.random.random() < 0.3:
            number = self.random.getrandbits(32)
            text += " http://short.example.com/%x?a=1&amp;b=%d" % (number, number % 99)
        return text

    def user(self):
        r = self.random.randint
        number = r(10_000, 90_000_000)
        name = self.words(1, 1)
        colors = "".join("    <%s>%06x</%s>\n" % (color, r(0, 0xFFFFFF), color) for color in COLORS)
        return f"""  <user>
    <id>{number}</id>
    <name>{escape(self.words(2, 2).title())}</name>
    <screen_name>{name}_{number}</screen_name>
    <location>{escape(self.words(1, 3))}</location>
    <description>{escape(self.words(8, 20))}</description>
    <profile_image_url>http://images.example.com/profile_images/{number}/{number % 97}_normal.jpg</profile_image_url>
    <url>http://{number}.example.com/?from=profile&amp;lang=en</url>
    <protected>false</protected>
    <followers_count>{r(0, 40_000)}</followers_count>
{colors}    <friends_count>{r(0, 4_000)}</friends_count>
    <created_at>{self.date()}</created_at>
    <favourites_count>{r(0, 900)}</favourites_count>
    <utc_offset>{r(-12, 14) * 3600}</utc_offset>
    <time_zone>Central Time (US &amp; Canada)</time_zone>
    <profile_background_image_url>http://images.example.com/backgrounds/{number}.gif</profile_background_image_url>
    <profile_background_tile>false</profile_background_tile>
    <notifications/>
    <geo_enabled>{"true" if number % 2 else "false"}</geo_enabled>
    <verified>false</verified>
    <following></following>
    <statuses_count>{r(1, 30_000)}</statuses_count>
  </user>
"""

    def status(self):
        chance = self.random
        self.number += chance.randint(1, 50)
        # A trap for splitters that search for tags.
        trap = ""
        if chance.random() < 0.1:
            trap += "  <!-- </status> is not here, <status> neither -->\n"
        if chance.random() < 0.1:
            trap += """  <note to='a > b, "c" > d' of="it's > &quot;that&quot;">""" \
                "<![CDATA[</text></status><status><id>1</id> a > b && b < c ]] >]]></note>\n"
        source = "web" if chance.random() < 0.3 else (
            '&lt;a href="http://client%d.example.com/" rel="nofollow"&gt;Client&lt;/a&gt;' % chance.randint(1, 40))
        geo = "  <geo/>\n"
        if chance.random() < 0.4:
            geo = '  <geo xmlns:georss="%s">\n    <georss:point>%.4f %.4f</georss:point>\n  </geo>\n' % (
                NAMESPACE, chance.uniform(-60, 75), chance.uniform(-180, 180))
        return f"""<status>
  <created_at>{self.date()}</created_at>
  <id>{self.number}</id>
  <text>{self.text()}</text>
{trap}  <source>{source}</source>
  <truncated>false</truncated>
  <in_reply_to_status_id></in_reply_to_status_id>
  <in_reply_to_user_id></in_reply_to_user_id>
  <favorited>false</favorited>
  <in_reply_to_screen_name></in_reply_to_screen_name>
{self.user()}{geo}</status>
"""


def document(path, size):
    """Writes a document of about `size` bytes."""
    statuses = Statuses(7)
    with open(path + ".part", "wb") as file:
        file.write(HEAD.encode())
        while file.tell() < size:
            file.write(statuses.status().encode())
        file.write(TAIL.encode())
    os.rename(path + ".part", path)


def make(folder):
    """Makes what does not exist yet: 200 MB, and the first 20 MB of that for slow tools."""
    os.makedirs(folder, exist_ok=True)
    for name, size in [("statuses.xml", 200_000_000), ("statuses-20.xml", 20_000_000)]:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            document(path, size)

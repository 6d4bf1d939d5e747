import FeedCore

/// Two strings of which parts changed. They are divided into words, and the words are aligned. Only the parts around
/// changes are shown of a long string, so that a change is visible wherever it is:
///
///     - "It was a dark night. [...812 bytes...] the rain fell in torrents"
///     + "It was a dark night. [...812 bytes...] the snow fell in torrents"
///
/// Nothing is quadratic: first the common ends are cut off, then Alignment works on what is between them. If that is
/// very long, it counts as changed. Its ends differ, and these are shown.
struct WordDiff {
  /// A part of both texts.
  private typealias WordRun = (isCommon: Bool, old: Range<Int>, new: Range<Int>)

  /// The texts with their quotes.
  private let old: [UInt8]
  private let new: [UInt8]
  private var runs: [WordRun] = []

  /// Words longer than this are divided: in base64, a change would otherwise be anywhere in one word.
  private static let longestWord = 32
  /// Longer texts between the common ends are not aligned.
  private static let alignable = 1 << 20
  /// Of longer strings, what is common is shown only in part.
  private static let wholeString = 200
  private static let longestCommonRun = 64
  /// A shorter separator between changed words is a part of the change.
  private static let shortestCommonRun = 4

  /// - Parameters: two different strings of a compact document.
  init(_ old: JSONValue, _ new: JSONValue) {
    self.old = old.text
    self.new = new.text
    let start = commonStart()
    let (oldEnd, newEnd) = commonEnd(after: start)
    add((isCommon: true, old: 0..<start, new: 0..<start))
    alignWords(start..<oldEnd, start..<newEnd)
    add((isCommon: true, old: oldEnd..<self.old.count, new: newEnd..<self.new.count))
  }

  /// Both strings in pieces.
  var pieces: (old: [LinePart], new: [LinePart]) {
    let isShort = max(old.count, new.count) <= Self.longestShown
    let common = runs.reduce(0) { $0 + ($1.isCommon ? $1.old.count : 0) } - "\"\"".utf8.count
    // If almost nothing is common, marks would only disturb.
    if isShort, common * 4 < max(old.count, new.count) {
      return ([LinePart(text: ShownText.of(old, old.indices))], [LinePart(text: ShownText.of(new, new.indices))])
    }
    return (runs.map { piece(of: old, $0.old, $0.isCommon) }, runs.map { piece(of: new, $0.new, $0.isCommon) })
  }

  private static let longestShown = Painter.longestString

  private func piece(of text: [UInt8], _ range: Range<Int>, _ isCommon: Bool) -> LinePart {
    let limit = !isCommon ? Self.longestShown : text.count <= Self.wholeString ? .max / 2 : Self.longestCommonRun
    return LinePart(text: ShownText.of(text, range, upTo: limit), isChangedWord: !isCommon)
  }

  // MARK: Common ends

  /// The end of the common beginning: before a word, if the word is not too long.
  private func commonStart() -> Int {
    var common = 0
    let end = min(old.count, new.count)
    while common < end, old[common] == new[common] { common += 1 }
    var (start, word) = (0, 0)
    while true {
      let next = ShownText.unitEnd(old, start)
      if next > common { break }
      if !isInWord(old, start) { word = next }
      start = next
    }
    return start - word <= Self.longestWord ? word : start
  }

  /// The starts of the common end in both texts: after a word, if the word is not too long.
  private func commonEnd(after start: Int) -> (Int, Int) {
    var common = 0
    let limit = min(old.count, new.count) - start
    while common < limit, old[old.count - 1 - common] == new[new.count - 1 - common] { common += 1 }
    // An escape sequence may begin elsewhere in the other text.
    var (left, right) = (start, start)
    while true {
      let (leftRest, rightRest) = (old.count - left, new.count - right)
      if leftRest == rightRest, leftRest <= common { break }
      if leftRest >= rightRest { left = ShownText.unitEnd(old, left) } else { right = ShownText.unitEnd(new, right) }
    }
    let limitOfWord = left + Self.longestWord
    var word = left
    while word < old.count, word < limitOfWord, isInWord(old, word) { word = ShownText.unitEnd(old, word) }
    return word < limitOfWord ? (word, right + word - left) : (left, right)
  }

  // MARK: Words

  /// Whether the character at `index` is a part of a word: a letter of an alphabet, a digit or `_`. Characters of three
  /// bytes and more are words of their own: many scripts of these have no blanks.
  private func isInWord(_ text: [UInt8], _ index: Int) -> Bool {
    let byte = text[index]
    return byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || (0x80..<0xE0).contains(byte)
  }

  /// The ends of the words in a part of a text. Whatever is between them is a word of one character.
  private func ends(_ text: [UInt8], _ range: Range<Int>) -> [Int] {
    var ends: [Int] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      let isWord = isInWord(text, index)
      index = ShownText.unitEnd(text, index)
      while isWord, index < range.upperBound, index - start < Self.longestWord, isInWord(text, index) {
        index = ShownText.unitEnd(text, index)
      }
      ends.append(index)
    }
    return ends
  }

  /// Finds the common words between the common ends.
  private mutating func alignWords(_ olds: Range<Int>, _ news: Range<Int>) {
    guard olds.count <= Self.alignable, news.count <= Self.alignable else {
      return add((isCommon: false, old: olds, new: news))
    }
    let (oldEnds, newEnds) = (ends(old, olds), ends(new, news))
    func words(_ text: [UInt8], _ start: Int, _ ends: [Int]) -> [ArraySlice<UInt8>] {
      zip([start] + ends, ends).map { text[$0..<$1] }
    }
    let classes = Classes(words(old, olds.lowerBound, oldEnds), words(new, news.lowerBound, newEnds))
    var (oldStart, newStart) = (olds.lowerBound, news.lowerBound)
    for pair in Alignment.orderedPairs(classes.olds, classes.news, classCount: classes.count) {
      let oldWord = (pair.old == 0 ? olds.lowerBound : oldEnds[pair.old - 1])..<oldEnds[pair.old]
      let newWord = (pair.new == 0 ? news.lowerBound : newEnds[pair.new - 1])..<newEnds[pair.new]
      add((isCommon: false, old: oldStart..<oldWord.lowerBound, new: newStart..<newWord.lowerBound))
      add((isCommon: true, old: oldWord, new: newWord))
      (oldStart, newStart) = (oldWord.upperBound, newWord.upperBound)
    }
    add((isCommon: false, old: oldStart..<olds.upperBound, new: newStart..<news.upperBound))
  }

  // MARK: Runs

  /// Adds the next run, joined with those before it if they belong together.
  private mutating func add(_ run: WordRun) {
    if run.old.isEmpty, run.new.isEmpty { return }
    guard let last = runs.last else { return runs.append(run) }
    if last.isCommon == run.isCommon {
      runs[runs.count - 1] = joined(last, run)
    } else if runs.count > 1, isSeparator(last) {
      runs.removeLast()
      runs[runs.count - 1] = joined(joined(runs[runs.count - 1], last), run)
    } else {
      runs.append(run)
    }
  }

  private func joined(_ first: WordRun, _ second: WordRun) -> WordRun {
    (
      first.isCommon && second.isCommon, first.old.lowerBound..<second.old.upperBound,
      first.new.lowerBound..<second.new.upperBound
    )
  }

  /// Whether this is a short common run without a word.
  private func isSeparator(_ run: WordRun) -> Bool {
    run.isCommon && run.old.count < Self.shortestCommonRun && !run.old.contains { isInWord(old, $0) }
  }
}

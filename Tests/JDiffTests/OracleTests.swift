import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import jdiff

/// jdiff's patches, applied by another implementation: python's jsonpatch, if it is installed.
@Suite struct OracleTests {
  /// A python that has the module: the user's, else the system's, for which packages exist. In CI there must be one.
  static let python: String? = {
    let found = ["python3", "/usr/bin/python3"].first {
      (try? Command.shell("\($0) -c 'import jsonpatch'"))?.status == 0
    }
    precondition(found != nil || !Repository.isCI, "python has no module jsonpatch, and CI=true")
    return found
  }()

  /// Reads old, new and patch, each on a line. Numbers stay exact, and true is not 1 as it is in python.
  static let program = """
    import decimal, json, sys
    import jsonpatch
    def load(text): return json.loads(text, parse_int=decimal.Decimal, parse_float=decimal.Decimal)
    def typed(value):
        if isinstance(value, dict): return ("object", {name: typed(item) for name, item in value.items()})
        if isinstance(value, list): return ("array", [typed(item) for item in value])
        return (type(value).__name__, value)
    for line in sys.stdin:
        old, new, patch = load(line)
        try: result = jsonpatch.apply_patch(old, patch)
        except Exception as error: print(repr(error), line)
        else:
            if typed(result) != typed(new): print("leads elsewhere:", line)
    """

  @Test(.enabled(if: python != nil, "python3 has no module jsonpatch"), arguments: 1...4)
  func jsonpatchAgrees(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    var lines: [String] = []
    while lines.count < 250 {
      let old = JSONDraft.random(depth: 4, pick)
      var new = old
      for _ in 0...pick(5) { new.mutate(pick) }
      // It takes the member '-' for the end of an array, and so does not find it.
      if (old.text + new.text).contains("\"-\"") { continue }
      var options = Differ.Settings()
      options.addsTests = pick(2) == 0
      let sides = try [old, new].map { try Side(JSONDocument(parsing: Array($0.text.utf8)), Scope()) }
      var differ = Differ(sides[0], sides[1], options)
      differ.run()
      var text = ByteWriter()
      differ.patch().write(compact: true, to: &text)
      lines.append("[\(old.text),\(new.text),\(String(decoding: text.take(), as: UTF8.self))]\n")
    }
    let result = try Command.shell(
      "\(try #require(Self.python)) -c \(Command.quote(Self.program))", input: Data(lines.joined().utf8),
      environment: ["PYTHONUTF8": "1"])
    #expect(result.status == 0 && result.text.isEmpty, "seed \(seed): \(result.text.prefix(2000))\(result.error)")
  }
}

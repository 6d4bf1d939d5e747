/// How many bytes of a word must be inserted, removed, changed or swapped with the next one to make another word (optimal
/// string alignment). Words of more than 64 bytes are not compared: `Int.max`.
func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  guard a.count <= 64, b.count <= 64 else { return .max }
  var rows = [Array(0...b.count)]
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
      row.append(cost)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}

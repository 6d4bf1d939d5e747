import FeedCore

xmlSplit.main { (invocation: Invocation<Flag>, streams) throws(ToolError) in
  let options = try Options(invocation)
  var count = 0
  if options.printsHeaderRow {
    var output = ByteWriter(streams.output)
    output.append(TabSeparated.row(options.fields.map(\.text)))
    try output.flushOutput()
  }
  for file in options.files {
    var splitter = Splitter(options, file, streams)
    try splitter.run()
    count += splitter.count
  }
  return count > 0 ? .yes : .no
}

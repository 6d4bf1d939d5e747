import FeedCore
let bytes = try ByteReader.readAll(.standardInput, limit: .max)
let t = Clock.monotonic()
let d = try JSONDocument(parsing: bytes)
let e = Clock.monotonic()
var w = ByteWriter(.standardOutput)
w.append("\(bytes.count) \(d.root.kind) \(e-t) \(Double(bytes.count)/(e-t)/1e9) GB/s\n")
try w.flush()

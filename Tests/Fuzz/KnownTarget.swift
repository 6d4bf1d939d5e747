// A checkpoint of http-cat is checked like any input: it cannot break a request, and what is known of a body survives a
// round trip.

func fuzzKnown(_ bytes: [UInt8]) {
  guard let saved = try? Checkpoint(parsing: bytes), let url = try? HTTPURL(Array("http://a/x?key=secret".utf8)) else {
    return
  }
  let known = KnownBody(saved, of: url)
  var ids = EventIDs()
  ids.resume(after: known.id)
  promise(Int(decimal: ids.next()).map { EventIDs.range.contains($0) } ?? false, "an id past 2^53")
  for validators in [known.validators, KnownBody(id: saved.id, of: url).validators].compactMap(\.self) {
    let values = [validators.tags, validators.date]
    promise(values.allSatisfy(isSendable), "a condition that no header can carry")
    promise(!validators.condition.headers.isEmpty, "a condition of nothing")
    promise(values.joined().count < 16_000, "a head that no server takes")
  }
  let again = known.checkpoint(of: url)
  var expected = known
  // Left out: values that JSON cannot hold, and the target of a redirect, which may be a secret.
  if let validators = known.validators {
    let isSecret = validators.url.text != url.text && validators.url.text.contains("?")
    if isSecret || !(validators.tag + validators.date).isUTF8 { expected.validators = nil }
  }
  let found = KnownBody(again, of: url)
  promise(
    found.id == expected.id && found.digest == expected.digest && found.type == expected.type
      && words(found.validators) == words(expected.validators), "written and read again, it is another")
}

/// A URL may have several spellings in messages.
private func words(_ validators: Validators?) -> [[UInt8]] {
  validators.map { [Array($0.url.text.utf8), $0.tag, $0.date] } ?? []
}

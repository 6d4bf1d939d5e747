// A POST to another path of the same server, with a body of its own. The method and body of the first request do not
// matter: Dropbox goes on at `/2/files/list_folder/continue`, where only the cursor is wanted.

import FeedCore
import FeedHTTP

enum PathPost {
  /// The request whose body has only the cursor, at `into`.
  static func next(
    _ path: [UInt8], _ into: JSONPointer, _ from: JSONPointer, _ context: PageContext
  ) throws(WalkError) -> NextStep {
    guard let value = context.page.root.value(at: from), value.kind != .null, value.kind != .false else { return .none }
    if value.string?.isEmpty == true, !context.followsEmptyCursor { return .none }
    return .request(try request(path, [(into, JSONTree(value))], context), cursor: value.text)
  }

  /// The request whose body has only these members.
  static func request(
    _ path: [UInt8], _ members: [(place: JSONPointer, value: JSONTree)], _ context: PageContext
  ) throws(WalkError) -> PageRequest {
    var tree = JSONTree.emptyObject
    for member in members {
      do { _ = try tree.add(member.value, at: member.place, makingParents: true) } catch {
        throw WalkError(.usage, "option '--next': \(member.place.shown): \(error.message)")
      }
    }
    var output = ByteWriter()
    JSONWriter.writeCompact(tree, to: &output)
    do throws(HTTPURL.Invalid) {
      let url = try HTTPURL(context.first.url).resolving(path)
      return PageRequest(url: Array(url.text.utf8), method: "POST", body: output.take())
    } catch {
      throw WalkError(.usage, "option '--next': the path is malformed")
    }
  }
}

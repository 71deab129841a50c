// The report of a page's process to the kiosk: messages of JSON, the last of which contains a `result`.

import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// The kiosk's end of a page's process.
package struct PageReport {
  package let parent: UnixSocket

  package init(to parent: UnixSocket) { self.parent = parent }

  /// Sends a message; returns false if the kiosk cannot take it.
  @discardableResult
  package func send(_ members: KeyValuePairs<String, JSON>) -> Bool {
    parent.send(JSON.object(members.map { .init(name: $0.key, value: $0.value) }).encoded())
  }

  /// Sends the result of a request, or why there is none; a request that returns `nil` has none to send.
  @export(interface)
  package func finish(_ perform: () throws(CommandFailure) -> JSON?) {
    do throws(CommandFailure) {
      if let result = try perform() { send(["result": result]) }
    } catch {
      // A usage error quotes a topic, which may look like a path.
      let sentence = error.status == .usage ? error.sentence : error.sentence?.withoutFolders
      send([
        "result": .object(["error": .string(sentence ?? PageReport.mistaken), "code": .optional(error.code)])
      ])
    }
  }

  private static let mistaken = "kiosk.yaml cannot be read, or contains a mistake; 'tappet check' names it"
}

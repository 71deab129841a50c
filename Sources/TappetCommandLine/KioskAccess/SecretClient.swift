// Requests about secrets: to the running kiosk or, where none runs, to a service over the store that this process
// opens.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// The secrets of one configuration.
package struct SecretClient {
  package let configuration: KioskConfiguration

  package init(_ configuration: KioskConfiguration) { self.configuration = configuration }

  /// Sends a request, of which `members` are the facts, and returns the answer.
  package func ask(
    _ name: String, _ members: [JSON.Member] = [], enclosing secretPayload: SecretBytes? = nil
  ) throws(CommandFailure) -> ControlMessage {
    try KioskClient(configuration: configuration).request(name, members, enclosing: secretPayload) {
      (json) throws(CommandFailure) in try askHere(json, secretPayload)
    }
  }

  /// Sends a request in several pieces to a running kiosk; `whole` makes it for this process.
  package func ask(
    _ name: String, _ members: [JSON.Member], after pieces: [[JSON.Member]], whole: () -> JSON
  ) throws(CommandFailure) -> ControlMessage {
    try KioskClient(configuration: configuration).request(name, members, after: pieces) {
      (_) throws(CommandFailure) in try askHere(whole(), nil)
    }
  }

  private func askHere(_ json: JSON, _ secretPayload: SecretBytes?) throws(CommandFailure) -> ControlMessage {
    let service = SecretService(configuration, owner: geteuid(), answerSizeMax: .max)
    let reply = service.answer(SecretRequest(json, enclosing: secretPayload, by: .current()))
    if let error = reply.replicaError { Output.printError("tappet: " + LogRecord(replicaError: error).sentence) }
    // A kiosk may have started since.
    if reply.secrets != nil || reply.learnedTags != nil, let kiosk = try? RunningKiosk.find(configuration) {
      guard let answer = kiosk.ask("reload-secrets"), answer["error"] == nil else {
        throw .failed("the change is stored, but the kiosk that has just started did not take it over; restart it")
      }
    }
    return ControlMessage(reply.json, enclosing: reply.secretPayload)
  }

  /// All elements of an answer that comes in pages: `next` names the position of the following page, if there is one.
  @export(interface)
  package func askAll(
    _ name: String, _ list: String, from: String, next: (JSON) -> Int64?
  ) throws(CommandFailure) -> (elements: [JSON], lastPage: JSON) {
    var elements: [JSON] = []
    var position: Int64 = 0
    while true {
      let page = try ask(name, [JSON.Member(name: from, value: .number(position))]).json
      elements += page[list]?.elements ?? []
      guard let following = next(page), following > position else { return (elements, page) }
      position = following
    }
  }

  /// The facts of all secrets, and of those that cannot be opened.
  package func list() throws(CommandFailure) -> (secrets: [JSON], unreadable: [JSON]) {
    let (secrets, page) = try askAll("secret-list", "secrets", from: "from") { $0["next"]?.wholeNumber }
    return (secrets, page["unreadable"]?.elements ?? [])
  }
}

/// A time for people.
package enum TimeText {
  /// The first second of 2020: older than anything that is stored here, and younger than a clock that was never set.
  private static let floorUnixSeconds: Int64 = 1_577_836_800

  /// In the machine's time zone: `2026-11-21 10:51`.
  package static func local(_ unixSeconds: Int64) -> String {
    guard unixSeconds >= floorUnixSeconds else { return "at an unknown time" }
    return WallTime.minute(unixSeconds: unixSeconds)
  }
}

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

  /// Sends a request and returns the answer.
  ///
  /// `pieces` go to a running kiosk in place of it, since its requests are small.
  package func ask(
    _ request: SecretRequest, inPieces pieces: [KioskRequest] = []
  ) throws(CommandFailure) -> ControlMessage {
    let requests = pieces.isEmpty ? [.secrets(request)] : pieces
    return try KioskClient(configuration: configuration).ask(requests) { () throws(CommandFailure) in
      try askHere(request)
    }
  }

  private func askHere(_ request: SecretRequest) throws(CommandFailure) -> ControlMessage {
    let answer = SecretService(configuration, owner: geteuid(), answerSizeMax: .max).answer(request)
    if let error = answer.replicaError { Output.printError("tappet: " + LogRecord(replicaError: error).sentence) }
    // A kiosk may have started since.
    if answer.secrets != nil || answer.learnedTags != nil, let kiosk = try? RunningKiosk.find(configuration) {
      guard let reply = kiosk.ask(.secrets(.reload)), reply.json["error"] == nil else {
        throw .failed("the change is stored, but the kiosk that has just started did not take it over; restart it")
      }
    }
    return ControlMessage(answer.json, enclosing: answer.secretPayload)
  }

  /// All elements of a list that comes in pages: `page` is the request for the one from a position on.
  @export(interface)
  package func askAll(
    _ list: String, next: (JSON) -> Int64? = { $0["next"]?.wholeNumber }, page request: (Int64) -> SecretRequest
  ) throws(CommandFailure) -> (elements: [JSON], lastPage: JSON) {
    var elements: [JSON] = []
    var position: Int64 = 0
    while true {
      let page = try ask(request(position)).json
      elements += page[list]?.elements ?? []
      guard let following = next(page), following > position else { return (elements, page) }
      position = following
    }
  }

  /// The facts of all secrets, and of those that cannot be opened.
  package func list() throws(CommandFailure) -> (secrets: [JSON], unreadable: [JSON]) {
    let (secrets, page) = try askAll("secrets") { .listSecrets(from: $0) }
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

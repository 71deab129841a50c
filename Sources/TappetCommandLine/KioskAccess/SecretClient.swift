// Sends requests for secrets to the running kiosk or, if none is running, to a service in this process that opens the
// store.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// Access to the secrets of one configuration.
package struct SecretClient {
  package let configuration: KioskConfiguration

  package init(_ configuration: KioskConfiguration) { self.configuration = configuration }

  /// Sends a request and returns the response.
  ///
  /// A running kiosk receives `pieces` instead, because the size of its requests is limited.
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
    // A kiosk may have started in the meantime.
    if answer.secrets != nil || answer.learnedTags != nil, let kiosk = try? RunningKiosk.find(configuration) {
      guard let reply = kiosk.ask(.secrets(.reload)), reply.json["error"] == nil else {
        throw .failed("the change is stored, but the kiosk that has just started did not apply it; restart the kiosk")
      }
    }
    return ControlMessage(answer.json, enclosing: answer.secretPayload)
  }

  /// Returns all elements of a paginated list; `page` creates the request for the page at a position.
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

  /// Returns the details of all secrets, including secrets that cannot be decrypted.
  package func list() throws(CommandFailure) -> (secrets: [JSON], unreadable: [JSON]) {
    let (secrets, page) = try askAll("secrets") { .listSecrets(from: $0) }
    return (secrets, page["unreadable"]?.elements ?? [])
  }
}

/// Formats times in human-readable form.
package enum TimeText {
  /// The first second of 2020: earlier than any time stored here, and later than the time of an unset clock.
  private static let floorUnixSeconds: Int64 = 1_577_836_800

  /// Returns the time in the machine's time zone: `2026-11-21 10:51`.
  package static func local(_ unixSeconds: Int64) -> String {
    guard unixSeconds >= floorUnixSeconds else { return "at an unknown time" }
    return WallTime.minute(unixSeconds: unixSeconds)
  }
}

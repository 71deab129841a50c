// Requests of the page that a process of the tools performs. It connects to the broker as 'tappet mqtt' does, with a
// client id of its own, so that the kiosk keeps its connection, and makes a backup as 'tappet backup' does.

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// A request to a process of the tools.
package enum ToolRequest: Sendable {
  /// Connect to each endpoint step by step, and measure the round trip.
  case test
  /// Subscribe to a filter, and report its messages until the browser leaves.
  case listen(filter: String)
  /// Publish a message.
  case publish(topic: String, text: String, isRetained: Bool)
  /// List all kiosks on the broker.
  case fleet
  /// Make a backup that the passphrase opens.
  case backup(passphrase: SecretBytes)
}

extension ToolRequest {
  var isBackup: Bool { if case .backup = self { true } else { false } }

  var form: RequestForm {
    switch self {
    case .test: .init("broker-test")
    case .fleet: .init("web-fleet")
    case .backup(let passphrase): .init("web-backup", enclosing: passphrase)
    case .listen(let filter): .init("broker-listen", ["filter": .string(filter)])
    case .publish(let topic, let text, let isRetained):
      .init("broker-publish", ["topic": .string(topic), "text": .string(text), "retain": .bool(isRetained)])
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    switch name {
    case "broker-test": self = .test
    case "web-fleet": self = .fleet
    case "web-backup":
      let passphrase = request.secretPayload
      if let fault = passphrase.backupPassphraseFault { throw KioskRequestError(fault) }
      self = .backup(passphrase: passphrase)
    case "broker-listen":
      let filter = request.text("filter")
      guard filter.utf8.count <= Limits.pageTopicSizeMax else {
        throw KioskRequestError("a topic filter may be \(Limits.pageTopicSizeMax) bytes long at most")
      }
      guard !filter.begins(with: "$share/") else {
        throw KioskRequestError("a shared subscription would take messages from other clients; use a filter without it")
      }
      self = .listen(filter: filter)
    case "broker-publish":
      let topic = request.text("topic")
      guard topic.utf8.count <= Limits.pageTopicSizeMax else {
        throw KioskRequestError("a topic may be \(Limits.pageTopicSizeMax) bytes long at most")
      }
      guard let first = topic.utf8.first, first != UInt8(ascii: "$"), topic.isOfMQTT,
        !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
      else { throw KioskRequestError("a topic contains no '+', '#' or control character, and does not begin with '$'") }
      self = .publish(topic: topic, text: request.text("text"), isRetained: request.isTrue("retain"))
    case _: return nil
    }
  }

  /// Encodes the request as the only message to the process; the caller wipes the bytes.
  func encode() -> [UInt8] { ControlMessage.encode(.object(form.members), enclosing: form.secretPayload) }

  /// Receives the message from the kiosk.
  @export(interface)
  package init?(from parent: UnixSocket) {
    _ = Poll.wait(parent.fileDescriptor, for: .readable, limit: .seconds(5))
    guard case .message(var bytes) = parent.receive(sizeMax: Limits.controlRequestSizeMax) else { return nil }
    defer { LibCrypto.wipe(&bytes) }
    guard let message = bytes.withUnsafeBytes({ ControlMessage($0) }) else { return nil }
    let members = RequestMembers(message)
    guard let request = try? ToolRequest(members.text("request"), members) else { return nil }
    self = request
  }
}

// The page's requests about the broker. A process of the tools performs each: it connects as 'tappet mqtt' does, with a
// client id of its own, so that the kiosk keeps its connection.

import TappetCore
import TappetJSON

/// A request about the broker.
package enum BrokerRequest: Sendable {
  /// Connect to each endpoint step by step, and measure the round trip.
  case test
  /// Subscribe to a filter, and report its messages until the browser leaves.
  case listen(filter: String)
  /// Publish a message.
  case publish(topic: String, text: String, isRetained: Bool)
}

extension BrokerRequest {
  var form: RequestForm {
    switch self {
    case .test: .init("broker-test")
    case .listen(let filter): .init("broker-listen", ["filter": .string(filter)])
    case .publish(let topic, let text, let isRetained):
      .init("broker-publish", ["topic": .string(topic), "text": .string(text), "retain": .bool(isRetained)])
    }
  }

  /// Decodes a request; `nil` if the name is unknown.
  init?(_ name: String, _ request: RequestMembers) throws(KioskRequestError) {
    switch name {
    case "broker-test": self = .test
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

  /// Encodes the request as the only message to the process.
  func encode() -> [UInt8] { JSON.object(form.members).encoded() }

  /// Decodes the message from the kiosk.
  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    guard let message = bytes.withUnsafeBytes({ ControlMessage($0) }) else { return nil }
    let members = RequestMembers(message)
    guard let request = try? BrokerRequest(members.text("request"), members) else { return nil }
    self = request
  }
}

// The messages to rooms that are being sent. Each message needs up to three successive requests.

import TappetCore

/// The endpoints that are rooms, and the messages being sent to these rooms.
package struct RoomService {
  private struct Message {
    var number: UInt16
    var step: RoomDestination.Step
    /// Whether no request has been answered yet.
    var isFirst = true
    var body: [UInt8]
  }

  package enum Turn {
    case request(UInt16, HTTPCall)
    case ended(WebhookMessage)
  }

  private var rooms: [UInt16: RoomDestination] = [:]
  private var messages: [EntryID: Message] = [:]

  package init() {}

  /// Adds an endpoint if it is a room.
  package mutating func add(_ number: UInt16, _ endpoint: WebhookEndpoint) {
    if let room = endpoint.room { rooms[number] = RoomDestination(room) }
  }

  /// Starts a message and returns its first request; `nil` if the message is not for a room.
  package mutating func begin(_ id: EntryID, _ number: UInt16, _ body: [UInt8], at now: Instant) -> HTTPCall? {
    guard let step = rooms[number]?.begin(at: now) else { return nil }
    messages[id] = Message(number: number, step: step, body: body)
    return call(id)
  }

  /// Handles the outcome of a message's request; `nil` if it was not for a room, or failed without a response.
  @export(interface)
  package mutating func handle(_ id: EntryID, _ outcome: HTTPOutcome, at now: Instant) -> Turn? {
    guard let message = messages[id], var room = rooms[message.number] else { return nil }
    guard case .answered(let status, let pause, let body) = outcome else {
      messages[id] = nil
      return nil
    }
    let answer = MatrixAnswer(body)
    let turn = room.handle(
      message.step, isFirst: message.isFirst, status: Int(status), retryAfter: pause, answer, at: now)
    rooms[message.number] = room
    switch turn {
    case .next(let step):
      messages[id]?.step = step
      messages[id]?.isFirst = false
      return call(id).map { .request(message.number, $0) }
    case .answered(let status, let pause):
      messages[id] = nil
      if status == 200, let event = answer.shortEventID { return .ended(.created(id, event: event)) }
      return .ended(.answered(id, status: UInt16(clamping: status), retryAfter: pause))
    case .failed(let trouble):
      messages[id] = nil
      return .ended(.failed(id, trouble, code: Int32(status)))
    }
  }

  private func call(_ id: EntryID) -> HTTPCall? {
    guard let message = messages[id], let room = rooms[message.number] else { return nil }
    return HTTPCall(
      path: room.path(of: message.step, sending: id.hex), method: room.method(of: message.step),
      body: message.step == .send ? message.body : [], keepsAnswer: true)
  }
}

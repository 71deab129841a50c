// The program's loop: receives orders, sends the requests, and reports the responses.

import TappetCore
import TappetPlatform

/// Serves the parent until it closes the socket.
final class WebhookService {
  private let parent: UnixSocket
  private let client: HTTPClient
  private var endpoints: [UInt16: LoadedEndpoint] = [:]
  /// Ids of the requests made for commands.
  private var calls: Set<EntryID> = []
  private var isConfined = false
  private var isEnded = false

  init(parent: UnixSocket, client: HTTPClient) {
    self.parent = parent
    self.client = client
  }

  func run() {
    while !isEnded {
      client.work { report($0, $1) }
      if client.wait(for: parent.fileDescriptor) { receive() }
    }
  }

  private func receive() {
    while !isEnded {
      switch parent.receive(sizeMax: Limits.webhookMessageSizeMax) {
      case .nothing: return
      case .closed: isEnded = true
      case .message(let bytes):
        guard let order = try? WebhookOrder(decoding: bytes) else { return isEnded = true }
        execute(order)
      }
    }
  }

  private func execute(_ order: WebhookOrder) {
    switch order {
    case .endpoint(let number, let endpoint):
      guard !isConfined else { return isEnded = true }
      endpoints[number] = LoadedEndpoint(endpoint)
      send(.taken)
    case .begin:
      if !isConfined { Sandbox.close() }
      isConfined = true
      send(.ready)
    case .post(let number, let id, let body): begin(id, number, HTTPCall(body: body))
    case .call(let number, let id, let method, let path, let answerSizeMax, let body):
      calls.insert(id)
      let sizeMax = min(Int(answerSizeMax), Limits.homeserverAnswerSizeMax)
      begin(
        id, number,
        HTTPCall(path: path, method: method, body: body, keepsAnswer: true, answerSizeMax: sizeMax))
    }
  }

  private func begin(_ id: EntryID, _ number: UInt16, _ call: HTTPCall) {
    guard isConfined, let endpoint = endpoints[number] else { return isEnded = true }
    let now = SystemClock().now().unixSeconds
    if let outcome = client.begin(id, to: endpoint, call, unixSeconds: now) { report(id, outcome) }
  }

  private func report(_ id: EntryID, _ outcome: HTTPOutcome) {
    let isCommand = calls.remove(id) != nil
    switch outcome {
    case .answered(let status, let pause, let body) where isCommand:
      sendReply(id, status, pause, body[...])
    case .answered(let status, let pause, _): send(.answered(id, status: status, retryAfter: pause))
    case .failed(let trouble, let code): send(.failed(id, trouble, code: code))
    }
  }

  /// Sends a response to a call, in parts that fit into one message each.
  private func sendReply(_ id: EntryID, _ status: UInt16, _ pause: Duration?, _ body: ArraySlice<UInt8>) {
    var rest = body
    while rest.count > Limits.webhookPartSizeMax, !isEnded {
      send(.part(id, body: Array(rest.prefix(Limits.webhookPartSizeMax))))
      rest = rest.dropFirst(Limits.webhookPartSizeMax)
    }
    if !isEnded { send(.replied(id, status: status, retryAfter: pause, body: Array(rest))) }
  }

  /// Sends a message; if the parent does not accept it, the parent is gone or has been blocked for too long.
  private func send(_ message: WebhookMessage) {
    let bytes = message.encode()
    while true {
      guard let sent = parent.sendSome(bytes) else { return isEnded = true }
      if sent > 0 { return }
      let room = Poll.wait(parent.fileDescriptor, for: .writable, limit: Limits.webhookAnswerMax)
      if room.isEmpty { return isEnded = true }
    }
  }
}

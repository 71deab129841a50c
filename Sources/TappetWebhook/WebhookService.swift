// The loop: orders in, answers out, requests in between.

import CPlatform
import TappetCore
import TappetPlatform

/// Serves the parent until it closes the socket.
final class WebhookService {
  private let parent: UnixSocket
  private let client: HTTPClient
  private var endpoints: [UInt16: LoadedEndpoint] = [:]
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
        guard let order = WebhookOrder(decoding: bytes) else { return isEnded = true }
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
      if !isConfined { Confinement.close() }
      isConfined = true
      send(.ready)
    case .post(let number, let id, let body):
      guard isConfined, let endpoint = endpoints[number] else { return isEnded = true }
      let now = SystemClock().now().unixSeconds
      if let outcome = client.begin(id, to: endpoint, body: body, unixSeconds: now) { report(id, outcome) }
    }
  }

  private func report(_ id: EntryID, _ outcome: HTTPClient.Outcome) {
    switch outcome {
    case .answered(let status, let seconds): send(.answered(id, status: status, retryAfterSeconds: seconds))
    case .failed(let trouble, let code): send(.failed(id, trouble, code: code))
    }
  }

  /// A parent that does not take the answer is gone, or stuck for too long.
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

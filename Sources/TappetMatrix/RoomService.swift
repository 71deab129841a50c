// The program's loop: performs the steps of a RoomSession, and makes no decisions.

import TappetCore
import TappetPlatform
import TappetRooms
import TappetWebhook

/// Posts the parent's messages in rooms, and passes the lines that users write there to the parent.
final class RoomService {
  private let parent: UnixSocket
  private let client: HTTPClient
  private var session: RoomSession
  private var endpoint: LoadedEndpoint?
  private var hasParent = true
  private var exitStatus: Int32?

  init(parent: UnixSocket, client: HTTPClient) {
    self.parent = parent
    self.client = client
    var system = SystemRandomNumberGenerator()
    session = RoomSession(RoomEncrypter(), seed: (system.next(), system.next(), system.next(), system.next()))
  }

  /// Runs until the parent is gone or the session has ended; returns the exit status.
  func run() -> Int32 {
    while exitStatus == nil {
      client.work { id, outcome in
        if let channel = RoomSession.Channel(rawValue: id.low) { handle(.answered(channel, outcome)) }
      }
      handle(.timerFired)
      guard exitStatus == nil else { break }
      let limit = session.deadline.map { min($0 - now, .seconds(60)) } ?? .seconds(60)
      if client.wait(for: hasParent ? parent.fileDescriptor : -1, limit: limit) { receive() }
    }
    return exitStatus ?? ExitStatus.finished
  }

  private var now: Instant { SystemClock().now().instant }

  private func receive() {
    while exitStatus == nil, hasParent {
      switch parent.receive(sizeMax: Limits.webhookMessageSizeMax) {
      case .nothing: return
      case .closed:
        hasParent = false
        handle(.abandoned)
      case .message(let bytes):
        guard let order = try? RoomOrder(decoding: bytes) else { return exitStatus = ExitStatus.usage }
        handle(.ordered(order))
      }
    }
  }

  private func handle(_ event: RoomSession.Event) {
    var events = [event]
    while exitStatus == nil, !events.isEmpty {
      for step in session.handle(events.removeFirst(), at: now) where exitStatus == nil {
        if let result = perform(step) { events.append(result) }
      }
    }
  }

  /// Performs a step; returns its result, if it is known immediately.
  private func perform(_ step: RoomSession.Step) -> RoomSession.Event? {
    switch step {
    case .open(let settings):
      let loaded = LoadedEndpoint(settings)
      endpoint = loaded
      guard let login = loaded.login, loaded.trouble == nil else { return .opened(.unusable(loaded.trouble ?? 0)) }
      return .opened(.device(login.device, user: login.user))
    case .confine(let encrypts): Sandbox.close(dataMax: encrypts ? Limits.matrixDataMax : Limits.webhookDataMax)
    case .send(let message): send(message.encode())
    case .request(let channel, let call):
      guard let endpoint else { return nil }
      let id = EntryID(high: 0, low: channel.rawValue)
      let outcome = client.begin(id, to: endpoint, call, unixSeconds: SystemClock().now().unixSeconds)
      return outcome.map { .answered(channel, $0) }
    case .end(.finished): exitStatus = ExitStatus.finished
    case .end(.unusable): exitStatus = ExitStatus.unusable
    case .end(.needsSuccessor): exitStatus = ProcessEnd.needsSuccessor
    }
    return nil
  }

  /// Sends a message; if the parent does not accept it, the parent is gone or has been blocked for too long.
  private func send(_ bytes: [UInt8]) {
    while exitStatus == nil {
      guard let sent = parent.sendSome(bytes) else { return exitStatus = ExitStatus.finished }
      if sent > 0 { return }
      if Poll.wait(parent.fileDescriptor, for: .writable, limit: Limits.webhookAnswerMax).isEmpty {
        exitStatus = ExitStatus.finished
      }
    }
  }
}

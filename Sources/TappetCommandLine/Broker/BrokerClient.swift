// A broker connection for one command, which waits for events from the link's thread, for signals, and for one
// additional file.

import CPlatform
import TappetBroker
import TappetCore
import TappetMessages
import TappetPlatform

/// A broker link, with several ways to wait for its events.
package final class BrokerClient {
  /// All events since the last wait.
  package struct News {
    package var events: [LinkEvent] = []
    package var receptions: [LinkReception] = []
    /// Whether the additional file is readable.
    package var isFileReady = false
    /// Whether a signal requested termination.
    package var isInterrupted = false
  }

  /// The result of a connection attempt.
  package enum Attempt {
    case connected(usesMQTT5: Bool)
    case failed(LinkFailure)
    case interrupted
    case timeUp
  }

  package let link: BrokerLink
  package let settings: BrokerSettings
  /// Index of the endpoint of the last attempt.
  package private(set) var endpoint = 0
  /// Interval over which frequent events are batched; `nil` disables batching.
  package var gathering: Duration?
  private var lastNews = Instant(nanoseconds: 0)
  private let signals: HeldSignals
  private let events: Mailbox<LinkEvent>
  private let receptions: ReceptionQueue

  @export(interface)
  package init(
    _ settings: BrokerSettings, window: Int = Limits.inflightMax, observe: (@Sendable (LinkStep) -> Void)? = nil
  ) throws(CommandFailure) {
    self.settings = settings
    // Signals must be blocked before the link's thread exists.
    signals = HeldSignals()
    do throws(SystemError) {
      let (events, receptions) = (try Mailbox<LinkEvent>(capacity: .max), try ReceptionQueue())
      self.events = events
      self.receptions = receptions
      link = try BrokerLink(
        settings: settings, window: window, post: { events.post($0) }, receive: { receptions.post($0) },
        observe: observe)
    } catch { throw .failed("the link cannot be set up: \(error.call): \(error.text)") }
  }

  deinit { shutdown() }

  /// Closes the connection gracefully.
  package func shutdown() {
    receptions.close()
    link.shutdown()
  }

  /// Waits until an event arrives, `file` is readable, or `limit` is reached.
  @export(interface)
  package func wait(until limit: Instant?, file: Int32 = -1) -> News {
    if let gathering, case let rest = lastNews + gathering - Instant.now(), rest > .zero {
      _ = Poll.wait([(signals.fileDescriptor, .readable)], for: rest)
    }
    let ready = Poll.wait(
      [
        (signals.fileDescriptor, .readable), (events.fileDescriptor, .readable),
        (receptions.fileDescriptor, .readable), (file, .readable),
      ], for: limit.map { max(.zero, $0 - Instant.now()) })
    var news = News()
    news.isInterrupted = signals.consume()
    if !ready[1].isEmpty { news.events = events.drain() }
    if !ready[2].isEmpty { news.receptions = receptions.drain() }
    news.isFileReady = !ready[3].isEmpty
    if gathering != nil, !news.events.isEmpty || !news.receptions.isEmpty { lastNews = Instant.now() }
    return news
  }

  /// Waits for events from this client and `other`; returns the events of both.
  @export(interface)
  package func wait(until limit: Instant, with other: BrokerClient) -> News {
    let descriptors = [self, other].flatMap {
      [$0.signals.fileDescriptor, $0.events.fileDescriptor, $0.receptions.fileDescriptor]
    }
    _ = Poll.wait(descriptors.map { ($0, .readable) }, for: max(.zero, limit - Instant.now()))
    let past = Instant(nanoseconds: 0)
    var news = wait(until: past)
    let others = other.wait(until: past)
    news.events += others.events
    news.receptions += others.receptions
    news.isInterrupted = news.isInterrupted || others.isInterrupted
    return news
  }

  /// Waits before the next attempt; returns true if a signal requested termination.
  package func pause(_ time: Duration) -> Bool {
    let end = Instant.now() + time
    while Instant.now() < end { if wait(until: end).isInterrupted { return true } }
    return false
  }

  /// Connects to one endpoint.
  @export(interface)
  package func connect(endpoint: Int, within time: Duration = Limits.connectTimeout + .seconds(2)) -> Attempt {
    self.endpoint = endpoint
    let limit = Instant.now() + time
    var usesMQTT5 = settings.firstVersion(for: settings.endpoints[endpoint]) == .v5
    link.connect(endpoint: endpoint)
    while Instant.now() < limit {
      let news = wait(until: limit)
      if news.isInterrupted { return .interrupted }
      for event in news.events {
        switch event {
        case .didFallBack: usesMQTT5 = false
        case .connected: return .connected(usesMQTT5: usesMQTT5)
        case .failed(let failure), .lost(let failure): return .failed(failure)
        case .foundMQTT5, .lacksRetained, .disconnected, .acknowledged, .acknowledgedUnheard, .publishRefused: break
        }
      }
    }
    return .timeUp
  }

  /// Connects to the first endpoint that accepts this client, printing why other endpoints failed; returns whether the
  /// connection uses MQTT 5.
  @export(interface)
  package func connectToAny() throws(CommandFailure) -> Bool {
    var reason = CommandFailure.failed("no endpoint is configured")
    for index in settings.endpoints.indices {
      let name = settings.endpoints[index].text
      switch connect(endpoint: index) {
      case .connected(let usesMQTT5): return usesMQTT5
      case .interrupted: throw .interrupted
      case .timeUp: reason = .unconnected("\(name) did not respond", .noConnack)
      case .failed(let failure): reason = .unconnected("\(name): \(failure.sentence)", failure)
      }
      if index + 1 < settings.endpoints.count { Output.printError(reason.sentence ?? "") }
    }
    throw reason
  }
}

/// A bounded queue of messages from the link's thread, which blocks when the queue is full.
package final class ReceptionQueue: Sendable {
  private let box: Mailbox<LinkReception>
  private let state = Mutexed((size: 0, isClosed: false))

  package init() throws(SystemError) { box = try Mailbox(capacity: .max) }

  package var fileDescriptor: Int32 { box.fileDescriptor }

  /// Adds a message; called on the link's thread.
  @export(interface)
  package func post(_ reception: LinkReception) {
    let cost = reception.cost
    state.wait { state -> Void? in
      guard state.size <= Limits.brokerToolBacklogMax || state.isClosed else { return nil }
      return state.size += cost
    }
    box.post(reception)
  }

  /// Removes all messages; called on the main thread.
  @export(interface)
  package func drain() -> [LinkReception] {
    let taken = box.drain()
    state.locked { state in for reception in taken { state.size -= reception.cost } }
    state.signal()
    return taken
  }

  /// Closes the queue, so that senders no longer block.
  package func close() {
    state.locked { $0.isClosed = true }
    state.signal()
  }
}

extension LinkReception {
  /// Approximate memory of the message in bytes.
  fileprivate var cost: Int {
    guard case .message(let message) = self else { return 128 }
    return 192 + message.payload.count + message.topic.utf8.count
  }
}

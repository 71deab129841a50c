// A connection to the broker for one command: what its thread reports is read here, with signals and another file.

import CPlatform
import TappetBroker
import TappetCore
import TappetMessages
import TappetPlatform

/// A link, and the ways to wait for it.
package final class BrokerClient {
  /// Everything that has come since the last wait.
  package struct News {
    package var events: [LinkEvent] = []
    package var receptions: [LinkReception] = []
    /// The other file is readable.
    package var isFileReady = false
    /// A signal wants the end.
    package var isInterrupted = false
  }

  /// How an attempt to connect ended.
  package enum Attempt {
    case connected(usesMQTT5: Bool)
    case failed(LinkFailure)
    case interrupted
    case timeUp
  }

  package let link: BrokerLink
  package let settings: BrokerSettings
  /// The endpoint of the last attempt.
  package private(set) var endpoint = 0
  /// How long what comes in quick succession waits to be taken together; `nil` means not at all.
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
    // Before the link's thread is there.
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

  /// Ends the connection in order.
  package func shutdown() {
    receptions.close()
    link.shutdown()
  }

  /// Waits until something comes, `file` is readable, or it is `limit`.
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

  /// Waits for this client or another; returns the news of both.
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

  /// Lets time pass before another attempt; true when a signal wants the end.
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

  /// Connects to the first endpoint that takes us, and says why the others do not; whether it uses MQTT 5.
  @export(interface)
  package func connectToAny() throws(CommandFailure) -> Bool {
    var reason = CommandFailure.failed("there is no endpoint")
    for index in settings.endpoints.indices {
      let name = settings.endpoints[index].text
      switch connect(endpoint: index) {
      case .connected(let usesMQTT5): return usesMQTT5
      case .interrupted: throw .interrupted
      case .timeUp: reason = .unconnected("\(name) did not answer", .noConnack)
      case .failed(let failure): reason = .unconnected("\(name): \(failure.sentence)", failure)
      }
      if index + 1 < settings.endpoints.count { Output.printError(reason.sentence ?? "") }
    }
    throw reason
  }
}

/// The broker's messages on their way from the link's thread: when too much waits, that thread waits too.
package final class ReceptionQueue: Sendable {
  private let box: Mailbox<LinkReception>
  private let monitor = Monitor()
  // Unchecked because the compiler cannot see the monitor, which is locked wherever these are touched.
  private nonisolated(unsafe) var size = 0
  private nonisolated(unsafe) var isClosed = false

  package init() throws(SystemError) { box = try Mailbox(capacity: .max) }

  package var fileDescriptor: Int32 { box.fileDescriptor }

  /// The link's thread.
  @export(interface)
  package func post(_ reception: LinkReception) {
    let cost = reception.cost
    monitor.lock()
    while size > Limits.brokerToolBacklogMax, !isClosed { monitor.wait() }
    size += cost
    monitor.unlock()
    box.post(reception)
  }

  /// The main thread.
  @export(interface)
  package func drain() -> [LinkReception] {
    let taken = box.drain()
    monitor.locked {
      for reception in taken { size -= reception.cost }
      monitor.signal()
    }
    return taken
  }

  /// Nobody reads any more.
  package func close() {
    monitor.locked {
      isClosed = true
      monitor.signal()
    }
  }
}

extension LinkReception {
  /// About the bytes that it takes.
  fileprivate var cost: Int {
    guard case .message(let message) = self else { return 128 }
    return 192 + message.payload.count + message.topic.utf8.count
  }
}

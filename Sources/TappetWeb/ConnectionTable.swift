// The open connections: which new one is accepted, and which one has waited for too long. Pure.

import TappetBase

/// The connections of browsers.
struct ConnectionTable {
  /// The decision about a new connection.
  enum Admission: Equatable {
    case accepted
    /// Accepted in the place of the connection with this descriptor, which must be ended.
    case replacing(Int32)
    case refused
  }

  private struct Entry {
    let descriptor: Int32
    let network: String
    /// Time by which a whole request must have arrived; `nil` while one is answered.
    var until: Instant?
    /// Whether another connection has taken its place.
    var isReplaced = false
  }

  private let perNetworkMax: Int
  private var entries: [OpaquePointer: Entry] = [:]

  /// Creates an empty table; `perNetworkMax` is the maximum number of connections from one network.
  init(perNetworkMax: Int) { self.perNetworkMax = perNetworkMax }

  /// Decides about a new connection.
  ///
  /// If there are too many, it takes the place of one that has sent no request: of the network with the most of these,
  /// so that a flood displaces itself, the one whose time ends first.
  mutating func admit(_ network: String) -> Admission {
    let open = entries.values.filter { !$0.isReplaced }
    guard open.count(where: { $0.network == network }) < perNetworkMax else { return .refused }
    guard open.count >= Limits.webConnectionsMax else { return .accepted }
    var waiting: [String: Int] = [:]
    for entry in open where entry.until != nil { waiting[entry.network, default: 0] += 1 }
    let most = waiting.values.max()
    var oldest: (connection: OpaquePointer, entry: Entry, until: Instant)?
    for (connection, entry) in entries where !entry.isReplaced && waiting[entry.network] == most {
      guard let until = entry.until, oldest.map({ until < $0.until }) ?? true else { continue }
      oldest = (connection, entry, until)
    }
    guard let oldest else { return .refused }
    entries[oldest.connection]?.isReplaced = true
    return .replacing(oldest.entry.descriptor)
  }

  /// Adds a connection, which must send its first request soon.
  mutating func add(_ connection: OpaquePointer, _ descriptor: Int32, of network: String, at now: Instant) {
    entries[connection] = Entry(
      descriptor: descriptor, network: network, until: now + Limits.webFirstRequestMax)
  }

  mutating func remove(_ connection: OpaquePointer) { entries[connection] = nil }

  /// Records that a whole request has arrived; returns the connection's descriptor.
  mutating func begin(_ connection: OpaquePointer) -> Int32? {
    entries[connection]?.until = nil
    return entries[connection]?.descriptor
  }

  /// Records that the connection's request is over, and another one may follow.
  mutating func end(_ connection: OpaquePointer, at now: Instant) {
    entries[connection]?.until = now + .seconds(Int64(Limits.webSilenceSeconds))
  }

  /// Time at which a connection has waited for too long; `nil` if none is waiting.
  var deadline: Instant? { entries.values.compactMap { $0.until }.min() }

  /// Returns the descriptors of the connections that have waited for too long.
  func overdue(at now: Instant) -> [Int32] {
    entries.values.filter { $0.until.map { $0 <= now } ?? false }.map { $0.descriptor }
  }
}

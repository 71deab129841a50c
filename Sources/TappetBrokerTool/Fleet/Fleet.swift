// All kiosks known to a broker, sorted by alert or by name.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages

/// A kiosk with its most severe alert.
struct FleetRow {
  var board: FleetBoard
  /// `nil` if there is no alert.
  var trouble: FleetAlert?
}

/// The kiosks of a broker.
///
/// They are sorted by name only after a kiosk is added or removed, because ten thousand kiosks may be redrawn twice a
/// second.
struct Fleet {
  /// The topics on which kiosks publish their status and state.
  static let filters = ["tappet/+/status", "tappet/+/state"]

  /// QoS of the subscriptions: at 1, mosquitto drops retained messages that exceed its queue (`max_queued_messages`).
  static let qos: Int32 = 0

  private var boards: [FleetBoard] = []
  private var places: [String: Int] = [:]
  /// Indexes sorted by name; `nil` after a kiosk was added or removed.
  private var order: [Int]?
  /// Client id of a kiosk that is added even if the limit is reached.
  private let own: String?
  /// Whether the number of kiosks exceeds the limit.
  private(set) var isFull = false

  init(own: String? = nil) { self.own = own }

  var count: Int { boards.count }

  mutating func take(_ message: LinkMessage) {
    guard let (clientID, part) = Self.parts(of: message.topic), part == "status" || part == "state" else { return }
    guard let place = place(of: clientID) else { return isFull = true }
    if part == "status" {
      boards[place].take(status: message.payload)
    } else {
      boards[place].take(state: message.payload)
    }
    if boards[place].isGone { remove(place) }
  }

  /// Returns the client id and the last part of a topic; `nil` if the topic has a different form.
  static func parts(of topic: String) -> (clientID: String, part: Substring)? {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "tappet" ? (String(parts[1]), parts[2]) : nil
  }

  /// Returns the index of a kiosk, adding it if there is space.
  private mutating func place(of clientID: String) -> Int? {
    if let place = places[clientID] { return place }
    guard boards.count < Limits.fleetBoardsMax || clientID == own else { return nil }
    places[clientID] = boards.count
    boards.append(FleetBoard(clientID))
    order = nil
    return boards.count - 1
  }

  /// Removes a kiosk; the last kiosk moves to its index.
  private mutating func remove(_ place: Int) {
    places[boards[place].clientID] = nil
    boards.swapAt(place, boards.count - 1)
    boards.removeLast()
    if place < boards.count { places[boards[place].clientID] = place }
    order = nil
  }

  // MARK: Order

  /// Returns the indexes sorted by name.
  private mutating func ordered() -> [Int] {
    if let order { return order }
    let order = boards.indices.sorted { boards[$0].clientID < boards[$1].clientID }
    self.order = order
    return order
  }

  /// Returns the indexes of all kiosks with their ranks, sorted by severity of the alert and then by name.
  mutating func ranked(at unixMilliseconds: Int64) -> [(place: Int, rank: Int)] {
    var kinds = [[Int]](repeating: [], count: FleetAlert.rankOfNone + 1)
    for place in ordered() { kinds[boards[place].rank(at: unixMilliseconds)].append(place) }
    return kinds.enumerated().flatMap { rank, places in places.map { (place: $0, rank: rank) } }
  }

  /// Returns the indexes of all kiosks with their ranks, sorted by name.
  mutating func named(at unixMilliseconds: Int64) -> [(place: Int, rank: Int)] {
    ordered().map { (place: $0, rank: boards[$0].rank(at: unixMilliseconds)) }
  }

  /// Returns the kiosk at an index.
  func row(_ place: Int, at unixMilliseconds: Int64) -> FleetRow {
    FleetRow(board: boards[place], trouble: boards[place].trouble(at: unixMilliseconds))
  }

  /// Returns the name of the kiosk at an index.
  func clientID(_ place: Int) -> String { boards[place].clientID }

  /// Returns all kiosks, sorted by severity of the alert and then by name.
  mutating func sorted(at unixMilliseconds: Int64) -> [FleetRow] {
    ranked(at: unixMilliseconds).map { row($0.place, at: unixMilliseconds) }
  }

  /// Returns the kiosks that are not connected, or have not published their state for longer than `time`.
  mutating func silent(for time: Duration, at unixMilliseconds: Int64) -> [FleetRow] {
    sorted(at: unixMilliseconds).filter { row in
      row.board.isOnline != true || row.board.silence(at: unixMilliseconds).map { $0 > time } ?? false
    }
  }

  /// Returns the totals as a sentence.
  func summary(at unixMilliseconds: Int64) -> String {
    let troubled = boards.count { $0.rank(at: unixMilliseconds) < FleetAlert.rankOfNone }
    let offline = boards.count { $0.isOnline != true }
    return "\(plural(count, "kiosk")), \(troubled) with problems, \(offline) not connected"
  }
}

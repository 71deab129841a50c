// All kiosks that a broker knows, sorted by trouble or by name.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore

/// A kiosk with the worst of what is wrong with it.
struct FleetRow {
  var board: FleetBoard
  /// `nil` when nothing is wrong.
  var trouble: FleetAlert?
}

/// The kiosks of a broker.
///
/// They are sorted by name only when one comes or goes: a picture of ten thousand is drawn twice a second.
struct Fleet {
  /// The topics at which kiosks tell about themselves.
  static let filters = ["tappet/+/status", "tappet/+/state"]

  /// With QoS 1 mosquitto drops the retained messages for which its queue (`max_queued_messages`) has no room.
  static let qos: Int32 = 0

  private var boards: [FleetBoard] = []
  private var places: [String: Int] = [:]
  /// Places in the order of the names; `nil` after a kiosk came or went.
  private var order: [Int]?
  /// Whether there are more than can be counted.
  private(set) var isFull = false

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

  /// The client id and the last part of a topic; `nil` for one of another form.
  static func parts(of topic: String) -> (clientID: String, part: Substring)? {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "tappet" ? (String(parts[1]), parts[2]) : nil
  }

  /// The place of a kiosk, a new one unless there is no room.
  private mutating func place(of clientID: String) -> Int? {
    if let place = places[clientID] { return place }
    guard boards.count < Limits.fleetBoardsMax else { return nil }
    places[clientID] = boards.count
    boards.append(FleetBoard(clientID))
    order = nil
    return boards.count - 1
  }

  /// The last one takes its place.
  private mutating func remove(_ place: Int) {
    places[boards[place].clientID] = nil
    boards.swapAt(place, boards.count - 1)
    boards.removeLast()
    if place < boards.count { places[boards[place].clientID] = place }
    order = nil
  }

  // MARK: Order

  /// The places in the order of the names.
  private mutating func ordered() -> [Int] {
    if let order { return order }
    let order = boards.indices.sorted { boards[$0].clientID < boards[$1].clientID }
    self.order = order
    return order
  }

  /// Returns the places of all kiosks with their ranks: those with the worst trouble first, each kind by name.
  mutating func ranked(at unixMilliseconds: Int64) -> [(place: Int, rank: Int)] {
    var kinds = [[Int]](repeating: [], count: FleetAlert.rankOfNone + 1)
    for place in ordered() { kinds[boards[place].rank(at: unixMilliseconds)].append(place) }
    return kinds.enumerated().flatMap { rank, places in places.map { (place: $0, rank: rank) } }
  }

  /// The same in the order of the names.
  mutating func named(at unixMilliseconds: Int64) -> [(place: Int, rank: Int)] {
    ordered().map { (place: $0, rank: boards[$0].rank(at: unixMilliseconds)) }
  }

  /// The kiosk at a place.
  func row(_ place: Int, at unixMilliseconds: Int64) -> FleetRow {
    FleetRow(board: boards[place], trouble: boards[place].trouble(at: unixMilliseconds))
  }

  /// The name of the kiosk at a place.
  func clientID(_ place: Int) -> String { boards[place].clientID }

  /// Returns all kiosks, those with the worst trouble first, each kind by name.
  mutating func sorted(at unixMilliseconds: Int64) -> [FleetRow] {
    ranked(at: unixMilliseconds).map { row($0.place, at: unixMilliseconds) }
  }

  /// Returns the kiosks that are not connected, or have told no state for longer than `time`.
  mutating func silent(for time: Duration, at unixMilliseconds: Int64) -> [FleetRow] {
    sorted(at: unixMilliseconds).filter { row in
      row.board.isOnline != true || row.board.silence(at: unixMilliseconds).map { $0 > time } ?? false
    }
  }

  /// The sums in a sentence.
  func summary(at unixMilliseconds: Int64) -> String {
    let troubled = boards.count { $0.rank(at: unixMilliseconds) < FleetAlert.rankOfNone }
    let offline = boards.count { $0.isOnline != true }
    return "\(count) \(count == 1 ? "kiosk" : "kiosks"), \(troubled) with trouble, \(offline) not connected"
  }
}

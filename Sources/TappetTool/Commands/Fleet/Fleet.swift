// All kiosks that a broker knows, sorted by trouble.

import TappetBroker
import TappetConfig
import TappetCore

/// A kiosk with the worst of what is wrong with it.
struct FleetRow {
  var board: FleetBoard
  /// `nil` when nothing is wrong.
  var trouble: FleetTrouble?

  /// The place in a list that begins with the worst.
  fileprivate var rank: Int { trouble?.rank ?? .max }
}

/// The kiosks of a broker.
struct Fleet {
  /// The topics at which kiosks tell about themselves.
  static let filters = ["tappet/+/status", "tappet/+/state"]

  private var boards: [String: FleetBoard] = [:]
  /// Whether there are more than can be counted.
  private(set) var isFull = false

  var count: Int { boards.count }

  mutating func take(_ message: LinkMessage) {
    let parts = message.topic.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    let clientID = String(parts[1])
    var board = boards[clientID] ?? FleetBoard(clientID)
    if parts[2] == "status" { board.take(status: message.payload) } else { board.take(state: message.payload) }
    guard boards[clientID] != nil || boards.count < Limits.fleetBoardsMax else { return isFull = true }
    boards[clientID] = board.isGone ? nil : board
  }

  /// Returns all kiosks, those with the worst trouble first, each kind by name.
  func sorted(at unixMilliseconds: Int64) -> [FleetRow] {
    boards.values.map { FleetRow(board: $0, trouble: $0.trouble(at: unixMilliseconds)) }.sorted {
      $0.rank == $1.rank ? $0.board.clientID < $1.board.clientID : $0.rank < $1.rank
    }
  }

  /// Returns the kiosks that are not connected, or have told no state for longer than `time`.
  func silent(for time: Duration, at unixMilliseconds: Int64) -> [FleetRow] {
    sorted(at: unixMilliseconds).filter { row in
      row.board.isOnline != true || row.board.silence(at: unixMilliseconds).map { $0 > time } ?? false
    }
  }
}

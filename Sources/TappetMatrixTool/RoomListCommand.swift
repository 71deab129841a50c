// tappet matrix list: the kiosk's rooms and invitations, read with one request.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

extension Command {
  static var roomList: Command {
    Command(
      words: "matrix list", section: .rooms, summary: "list the rooms that the kiosk has joined",
      options: [
        CommandOption("by-space", "list each room under its space, newest message first, with unread counts"), .json,
      ],
      details: """
        Lists the rooms: id, address, name, and whether a room is a space or is encrypted. Invitations are listed
        last, with their sender; use 'tappet matrix join' to accept an invitation. With --by-space, each room is
        listed under its space, followed by the rooms of the space that the kiosk has not joined; the counts of a
        space are the sums over its rooms. A space whose other rooms cannot be read is reported, and the rest is
        listed.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let progress = Progress("Reading the rooms")
        defer { progress.end() }
        client.whileWaiting { progress.show() }
        let table = try RoomTable.read(client)
        let list = RoomList(table, client, bySpace: arguments.has("by-space"), progress)
        progress.end()
        if let report = arguments.report { report.set(list.json) } else { list.print() }
        guard list.failures.isEmpty else {
          throw .refused("the rooms of \(plural(list.failures.count, "space")) could not be read; see the list above")
        }
      })
  }
}

extension RoomTable {
  /// Requests all rooms, invitations and counts.
  static func read(_ client: HomeserverClient, withTexts: Bool = false) throws(CommandFailure) -> RoomTable {
    var table = RoomTable()
    guard table.read(try client.content(RoomTableRequest.path(withTexts: withTexts))) else {
      throw malformed(client.place)
    }
    return table
  }

  static func malformed(_ place: String) -> CommandFailure {
    .failed(
      "the response of \(place) about the rooms is damaged, or larger than \(Limits.homeserverAnswerSizeMax >> 20) MB",
      "room-server-unusable")
  }
}

/// The output of the command.
private struct RoomList {
  private let bySpace: Bool
  private let invitations: [Invitation]
  private var entries: [ListedEntry]
  /// The spaces whose other rooms could not be read.
  private(set) var failures: [(id: String, failure: CommandFailure)] = []

  init(_ table: RoomTable, _ client: HomeserverClient, bySpace: Bool, _ progress: Progress) {
    self.bySpace = bySpace
    invitations = table.orderedInvitations
    entries = bySpace ? ListedEntry.entries(table.ordered) : table.ordered.map { ListedEntry(room: $0) }
    guard bySpace else { return }
    for place in entries.indices {
      let space = entries[place].room
      let isKnown = { (id: String) in table.rooms[id] != nil || table.invitations[id] != nil }
      // Names of rooms that the kiosk has not joined are in no response to /sync.
      guard space.children.contains(where: { !isKnown($0) }) else { continue }
      progress.text = "Reading the rooms of space \(space.title)"
      do throws(CommandFailure) {
        entries[place].others = try client.rooms(of: space.id).filter { !isKnown($0.id) }
      } catch { failures.append((space.id, error)) }
    }
  }

  func print() {
    if entries.isEmpty { Output.printError("No rooms joined yet; use 'tappet matrix join ROOM' to join a room.") }
    for entry in entries { for line in bySpace ? entry.lines : [entry.room.line] { Output.print(line) } }
    for (id, failure) in failures { Output.print("failed  \(id.escaped)  \(failure.sentence ?? "")") }
    for invitation in invitations { Output.print(invitation.line) }
  }

  var json: JSON {
    .object([
      "rooms": .array(entries.flatMap { $0.json }), "invitations": .array(invitations.map { $0.json }),
      "failures": .array(
        failures.map { (id, failure) in
          .object([
            "id": .string(id), "code": .string(failure.code ?? FailureCode.failed),
            "text": .string(failure.sentence ?? ""),
          ])
        }),
    ])
  }
}

/// A line about the progress of a command, shown on a terminal if it takes more than a second.
final class Progress {
  var text: String
  private let began = Instant.now()
  private var isShown = false

  init(_ text: String) { self.text = text }

  /// Shows the text and the elapsed time.
  func show() {
    let elapsed = Instant.now() - began
    guard isatty(2) == 1, elapsed >= .seconds(1) else { return }
    isShown = true
    Output.printErrorInPlace("\(text) … \(elapsed.brief)")
  }

  /// Removes the text from the terminal.
  func end() {
    if isShown { Output.printErrorInPlace("") }
    isShown = false
  }
}

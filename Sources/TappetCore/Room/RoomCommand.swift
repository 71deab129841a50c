// Parses lines in rooms as commands for the kiosk. Pure decision logic.
//
//   !garage          runs the action
//   !gate pulse      drives the output: on, off, pulse, toggle
//   !status, !help   requests the kiosk's state and its commands in this room
//   !history         requests the last rows of the tap log
//   !suspend NAME    refuses all tags of a person, where the room manages people
//   !resume NAME     accepts them again
//
// Phones capitalize the first letter and add white space, so neither matters; a reply starts with the quoted lines.

/// The sender of a command in a room, and its event.
package struct RoomSender: Hashable, Sendable {
  /// The user id, `@name:server`.
  package var user: String
  package var event: String
  /// The sender's power level in the room; `nil` if it is unknown.
  package var power: Int64?

  package init(user: String, event: String, power: Int64? = nil) {
    self.user = user
    self.event = event
    self.power = power
  }
}

extension CommandPlan {
  /// Whether the commands are received in a room.
  package var isRoom: Bool { if case .room = trust { true } else { false } }

  /// Returns the command in a line; `nil` if the line is not for this kiosk, and may be for a different program.
  func content(of line: String) -> CommandArrival.Content? {
    let words = line.withoutQuotedLines.unicodeScalars.split { $0.isLeftAtEnds }.map { String(Substring($0)) }
    guard let first = words.first, first.begins(with: "!") else { return nil }
    let typed = String(Substring(first.utf8.dropFirst())).composed
    let name = Self.known(typed, among: actions + outputs)
    if words.count == 1 {
      if actions.contains(name) { return .request(CommandRequest(.target(.action(name)))) }
      if outputs.contains(name) { return .malformed }
      if ["status", "help"].contains(name.asciiLowercased) { return .request(CommandRequest(.target(.status))) }
    }
    guard outputs.contains(name) else { return aboutStore(name.asciiLowercased, words.dropFirst()) }
    guard words.count == 2 else { return nil }
    guard let request = OutputRequest(ignoringCase: words[1]) else { return .malformed }
    return .request(CommandRequest(.target(.output(OutputOrder(output: name, request: request)))))
  }

  /// Returns the name that was typed, or the only one that differs from it in case.
  private static func known(_ typed: String, among names: [String]) -> String {
    if names.contains(typed) { return typed }
    let alike = names.filter { $0.asciiLowercased == typed.asciiLowercased }
    return Set(alike).count == 1 ? alike[0] : typed
  }

  /// Returns a command about data in the store: the last taps, or a person, whose name may consist of several words.
  private func aboutStore(_ word: String, _ rest: ArraySlice<String>) -> CommandArrival.Content? {
    let name = rest.joined(separator: " ")
    switch word {
    case "history": return name.isEmpty ? .request(CommandRequest(.target(.history))) : nil
    case "suspend", "resume":
      if name.isEmpty { return managesPeople ? .malformed : nil }
      return .request(CommandRequest(.target(.person(name, isSuspended: word == "suspend"))))
    case _: return nil
    }
  }
}

extension String {
  /// The text without the lines that a client quotes at the start of a reply, each after `> `, up to an empty line.
  fileprivate var withoutQuotedLines: String {
    guard begins(with: "> ") else { return self }
    let lines = utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    let rest = lines.drop { $0.first == UInt8(ascii: ">") }
    return rest.map { String(Substring($0)) }.joined(separator: "\n")
  }
}

// The process that serves rooms, tappet-matrix: its configuration, and the kiosk's replies.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

extension Runtime {
  func startRooms() {
    guard let matrix = configuration.matrix else { return inbox.append(.rooms(.notStarted(code: EINVAL))) }
    do throws(SystemError) {
      try helpers.rooms.start(MatrixProgram.path, "--socket", [], reactor, opensSecrets: matrix.encryption != nil)
    } catch {
      return inbox.append(.rooms(.notStarted(code: error.code)))
    }
    helpers.rooms.send(RoomOrder.session(path: matrix.sessionFile, ca: matrix.caFile ?? "").encode())
    if let encryption = matrix.encryption {
      helpers.rooms.send(RoomOrder.encrypt(encryption, state: configuration.stateFolder).encode())
    }
    if let will = matrix.lastWill {
      helpers.rooms.send(RoomOrder.will(will, mark: kiosk.settings.kioskName).encode())
    }
    if let unread = matrix.unread { helpers.rooms.send(RoomOrder.unread(room: unread).encode()) }
    if !matrix.inviters.isEmpty { helpers.rooms.send(RoomOrder.invitations.encode()) }
    for plan in configuration.commands {
      guard case .room(let commanders) = plan.trust else { continue }
      let asks = configuration.actions.contains { $0.confirmRoom == plan.topic }
      helpers.rooms.send(RoomOrder.room(plan.topic, readsPowers: commanders.powerLevel != nil, asks: asks).encode())
      if matrix.encryption == nil { continue }
      var users = commanders.users
      while !users.isEmpty {
        helpers.rooms.send(RoomOrder.commanders(Array(users.prefix(Limits.roomUsersPerOrder))).encode())
        users.removeFirst(min(users.count, Limits.roomUsersPerOrder))
      }
    }
    helpers.rooms.send(RoomOrder.begin(position: kiosk.roomPosition).encode())
  }

  func roomsChanged(_ notice: HelperNotice<RoomMessage>) {
    switch notice {
    case .message(let message): feed(.rooms(.message(message)))
    case .malformed: feed(.rooms(.malformed))
    case .ended(let end): feed(.rooms(.ended(end)))
    }
  }

  /// Replies in the room: a reaction means that the command was accepted or done; otherwise, a text states the reason.
  func answer(_ reply: CommandReply, event: String) {
    let address = reply.address
    func react(_ form: RoomAnswerForm, _ text: String) {
      helpers.rooms.send(RoomOrder.answer(room: address.command, event: event, form, text: text).encode())
    }
    switch reply.result {
    case .done where address.target == .status:
      self.reply(to: address, kiosk.status.roomText(configuration, address.command))
    case .accepted: react(.progress, "\u{23F3}")
    case .done: react(.reaction, "\u{2705}")
    case .refused(let refusal): self.reply(to: address, "Refused: " + refusal.sentence(topic: address.command) + ".")
    case .expired: self.reply(to: address, "The message was not sent in time, and will not be sent.")
    case .interrupted:
      self.reply(
        to: address, "The kiosk restarted before it could report the outcome. Check it before you repeat the command.")
    }
  }

  /// Asks in a room for permission to perform an action.
  func ask(_ question: RoomQuestion) {
    helpers.rooms.send(RoomOrder.ask(number: question.number, room: question.room, text: question.text).encode())
  }

  /// Replies to a message in a room.
  func reply(to address: CommandReply.Address, _ text: String) {
    guard case .room(let event) = address.destination else { return }
    helpers.rooms.send(RoomOrder.answer(room: address.command, event: event, .reply, text: text).encode())
  }
}

/// Location of the tappet-matrix program.
package enum MatrixProgram {
  /// `TAPPET_MATRIX` if set, otherwise the installed program.
  package static var path: String {
    if let path = secure_getenv("TAPPET_MATRIX") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-matrix")
  }
}

// The ledger of commands from rooms, by which a command acts at most once and is always answered. Pure decision logic.
//
//   1. tappet-matrix passes on the commands of one answer from the homeserver, then the position after that
//      answer. It polls again only when the kiosk lets it.
//   2. The kiosk commits the position together with a row for each command that may act or gets a reply.
//   3. It executes or refuses the commands, and answers each in the room.
//   4. When the homeserver has the final answer, the row is marked as answered. Until then, the answer is sent again:
//      the homeserver recognizes it by its transaction.
//
// A kiosk that is killed before the commit receives the same commands again, and none has acted. If it is killed later,
// the next one finds the unanswered rows: it executes none of them, and answers that their outcome is unknown.

/// A command in the ledger.
package struct RecordedCommand: Hashable, Sendable {
  /// The room as configured.
  package var room: String
  /// The id of the command's event.
  package var event: String
  /// The time at which the command was sent, in seconds since 1970.
  package var unixSeconds: Int64
  /// Whether the homeserver has the final answer.
  package var isAnswered: Bool

  package init(room: String, event: String, unixSeconds: Int64, isAnswered: Bool = false) {
    self.room = room
    self.event = event
    self.unixSeconds = unixSeconds
    self.isAnswered = isAnswered
  }
}

/// The position in the homeserver's events, and the commands that are in progress.
struct RoomLedger: Sendable {
  /// A command that is executed or refused after the commit, so that none is executed that was refused before a crash.
  struct Taken: Sendable {
    var address: CommandReply.Address
    var user: String
    var row: RecordedCommand
    var refusal: CommandRefusal?
    /// Whether a refused command gets a reply.
    var isReplied = false
    /// Whether the ledger has room for the command.
    var fits = true

    var by: Originator { .user(user, room: row.room) }

    /// Whether the command is answered in any case, and needs a row for that.
    var isRecorded: Bool { fits && (refusal == nil || isReplied) }
  }

  private struct Open: Sendable {
    var row: RecordedCommand
    /// The final answer, until the homeserver has it.
    var answer: CommandReply?
    /// Time at which the answer was last sent; `nil` if the room could not be written to yet.
    var sentAt: Instant?
  }

  /// Position of the last commit; `nil` if there is none.
  private var position: String?
  /// The commands since the last position, which are not checked yet.
  private var heard: [(arrival: CommandArrival, line: RoomLine)] = []
  /// The commands of the commit in progress, and the position after them.
  private var committing: (commands: [Taken], position: String)?
  /// A position that was passed on during a commit, by the successor of a process that ended.
  private(set) var nextPosition: String?
  private var open: [Open] = []
  /// Whether the process has handled a response from the homeserver.
  private var hasHandled = false
  /// Number of processes in a row that died without having handled a response.
  private var deathCount = 0

  init() {}

  /// Creates the ledger from the rows on the disk, whose outcome is unknown.
  init(position: String?, _ rows: [RecordedCommand]) {
    self.position = position
    open = rows.filter { !$0.isAnswered }.map { Open(row: $0, answer: Self.interruption(of: $0)) }
  }

  private static func interruption(of row: RecordedCommand) -> CommandReply {
    let address = CommandReply.Address(command: row.room, destination: .room(event: row.event))
    return CommandReply(address: address, result: .interrupted)
  }

  /// Position from which a process continues; `nil` means the present.
  ///
  /// It is after the lines of a commit in progress: those act or are refused when the commit ends, and a process that
  /// started from the present, as a new device does from another's position, would miss what is written meanwhile.
  var start: String? { committing?.position ?? position }

  /// Whether a commit is in progress.
  var isCommitting: Bool { committing != nil }

  /// Number of commands that may be recorded with the next commit.
  ///
  /// An answer that waits for its room takes no place, as the room may never have commands again.
  var freeCount: Int { Limits.roomCommandsMax - open.count { $0.answer == nil || $0.sentAt != nil } }

  /// Keeps a command until its position is passed on, unless it is already in progress.
  mutating func hear(_ arrival: CommandArrival, _ line: RoomLine) {
    let rows = (committing?.commands ?? []).map { $0.row } + open.map { $0.row }
    if !rows.contains(where: { $0.event == line.event }) { heard.append((arrival, line)) }
  }

  /// Returns the commands up to a position, or `nil` until the commit in progress has ended.
  mutating func commands(until next: String) -> [(arrival: CommandArrival, line: RoomLine)]? {
    nextPosition = isCommitting ? next : nil
    if isCommitting { return nil }
    defer { heard = [] }
    return heard
  }

  /// Returns the rows to commit with the position; `nil` if nothing is to be committed.
  mutating func commit(_ commands: [Taken], position next: String) -> [RecordedCommand]? {
    if commands.isEmpty, position != nil { return nil }
    committing = (commands, next)
    return commands.compactMap { $0.isRecorded ? $0.row : nil }
  }

  /// Returns the commands of the commit, which may be executed if it succeeded.
  mutating func committed(_ isGood: Bool) -> [Taken] {
    guard let (commands, next) = committing else { return [] }
    committing = nil
    if isGood {
      position = next
      open += commands.compactMap { $0.isRecorded ? Open(row: $0.row) : nil }
    }
    return commands
  }

  /// Records that the process has handled a response, or the lack of one.
  mutating func processHandled() { (hasHandled, deathCount) = (true, 0) }

  /// Forgets the commands of a process that ended before it passed on their position: its successor passes them on.
  ///
  /// If processes die of the response at this position, their successor starts from the present.
  mutating func processEnded(byDeath: Bool) {
    (heard, nextPosition) = ([], nil)
    if byDeath, !hasHandled { deathCount += 1 }
    if deathCount >= Limits.roomDeathsMax { (position, deathCount) = (nil, 0) }
    hasHandled = false
  }

  /// Keeps the final answers among the effects, in case they have to be sent again.
  mutating func recordAnswers(in effects: [Effect], at now: Instant) {
    if open.isEmpty { return }
    for effect in effects {
      switch effect {
      case .reply(let reply) where reply.result != .accepted: keep(reply, at: now)
      // The answer comes from the store.
      case .serve(let address, _): keep(CommandReply(address: address, result: .interrupted), at: now)
      case _: break
      }
    }
  }

  private mutating func keep(_ reply: CommandReply, at now: Instant) {
    guard case .room(let event) = reply.address.destination else { return }
    guard let place = open.firstIndex(where: { $0.row.event == event }) else { return }
    (open[place].answer, open[place].sentAt) = (reply, now)
  }

  /// Keeps the answer to a command whose room no longer accepts commands, until the room does again.
  mutating func interrupt(_ row: RecordedCommand) {
    guard let place = open.firstIndex(where: { $0.row.event == row.event }) else { return }
    open[place].answer = Self.interruption(of: row)
  }

  /// Returns the answers that the homeserver has not acknowledged, for a room that can be written to again.
  func answers(in room: String) -> [CommandReply] {
    open.compactMap { $0.row.room == room ? $0.answer : nil }
  }

  /// Returns the answers that the homeserver has not acknowledged within a minute.
  func lateAnswers(at now: Instant) -> [CommandReply] {
    open.compactMap { command in
      command.sentAt.map { now - $0 >= Limits.roomAnswerAgain } == true ? command.answer : nil
    }
  }

  /// Records that the homeserver has the final answer; returns whether the command was open.
  mutating func settle(_ event: String) -> Bool {
    guard let place = open.firstIndex(where: { $0.row.event == event }) else { return false }
    open.remove(at: place)
    return true
  }
}

extension Kiosk {
  /// Position from which tappet-matrix continues; `nil` means the present.
  package var roomPosition: String? { listening.ledger.start }

  /// Checks the commands up to a position and commits them, or lets the process poll again if there are none.
  ///
  /// An unauthorized sender's command is refused without a commit.
  mutating func roomBatchEnded(_ position: String, at now: Moment) -> [Effect] {
    guard let heard = listening.ledger.commands(until: position) else { return [] }
    var effects: [Effect] = []
    var taken: [RoomLedger.Taken] = []
    for (arrival, line) in heard {
      guard let index = intake.gate.index(of: arrival.topic) else { continue }
      let row = RecordedCommand(room: line.room, event: line.event, unixSeconds: line.unixMilliseconds / 1000)
      var command = RoomLedger.Taken(address: intake.gate.address(of: arrival, index), user: line.user, row: row)
      do throws(CommandRefusal) {
        command.address.target = try intake.gate.judge(
          arrival, index, tapPolicy.indexes, settings, clockIsGood: clockIsGood, at: now
        ).target
        if taken.count >= listening.ledger.freeCount { throw .memoryFull }
      } catch {
        if error == .stranger {
          effects += commandRefused(error, index, command.address, by: command.by, at: now)
          continue
        }
        command.refusal = error
        command.isReplied = intake.gate.mayReply(to: error, on: index, command.address.destination, at: now.instant)
      }
      command.fits = taken.count < listening.ledger.freeCount
      taken.append(command)
    }
    guard let rows = listening.ledger.commit(taken, position: position) else { return effects + [.pollRooms] }
    return effects + [.store(.recordRoomCommands(rows, position: position))]
  }

  /// Executes the commands that are committed, and refuses the others.
  mutating func roomCommandsRecorded(_ fault: StoreFault?, at now: Moment) -> [Effect] {
    var effects = fault.map { delivery.store.failed($0, at: now.instant) } ?? delivery.store.succeeded()
    for command in listening.ledger.committed(fault == nil) {
      guard let index = intake.gate.index(of: command.row.room) else {
        listening.ledger.interrupt(command.row)
        continue
      }
      do throws(CommandRefusal) {
        if let fault { throw .action(.notStored(action: command.address.target?.text ?? "the command", fault)) }
        if let refusal = command.refusal { throw refusal }
        if let target = command.address.target {
          try intake.gate.checkAgain(target, sentAt: command.row.unixSeconds, index, settings, at: now)
        }
        effects += try commandProved(command.address, index, by: command.by, at: now)
      } catch {
        effects += commandRefused(
          error, index, command.address, by: command.by, isReplied: command.refusal == nil || command.isReplied,
          at: now)
      }
    }
    return effects + (listening.ledger.nextPosition.map { roomBatchEnded($0, at: now) } ?? [.pollRooms])
  }

  /// Records that the homeserver has the final answer to a command.
  mutating func roomCommandSettled(_ event: String) -> [Effect] {
    listening.ledger.settle(event) ? [.store(.settleRoomCommand(event))] : []
  }
}

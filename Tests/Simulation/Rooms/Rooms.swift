// Commands from a room: tappet-matrix, what people and strangers write there, and the rules.
//   - A process listens as long as a room has commands, one at a time.
//   - A line acts only if a user of the room wrote it, or somebody with the power level, and lately.
//   - It acts when it is on the disk, once in all lives, and none is polled for before that.
//   - A line that gets an answer was on the disk first, and is answered in the end, in whatever life.
//   - A question is asked where it is heard, one at a time, and ends with its time or its room. The action is done at
//     the first yes to this very question of somebody who may, and once.
//   - People are suspended only where the room may do that; the store is asked for nothing else.

import TappetCore

extension Cast {
  static let room = CommandPlan(
    topic: "#door:h", trust: .room(RoomCommanders(users: ["@ann:h"], powerLevel: 50)), window: .seconds(30),
    actions: ["light", "garage"], outputs: ["up", "lamp"], perMinute: 60)

  /// The same room, where people may be suspended.
  static let desk: CommandPlan = {
    var plan = room
    plan.managesPeople = true
    return plan
  }()
}

/// The process that listens, as the world has it.
struct RoomBook {
  enum Process { case none, starting, ready, ending }

  var process = Process.none
  /// The last line of a user.
  var last: (line: RoomLine, allowed: CommandBook.Allowed)?
  /// The question that is open.
  var question: (number: UInt64, until: Instant)?
  /// The number of the last question that was answered.
  var lastQuestion: UInt64 = 0
  /// The line that was passed on last, and the position after it.
  var batch: (line: RoomLine, allowed: CommandBook.Allowed?, position: Int)?
  /// Whether the process waits until it may poll.
  var isWaiting = false
  /// The lines whose commit was asked for, in order.
  var recording: [CommandBook.Allowed?] = []
  /// The events that have acted.
  var acted: Set<String> = []
  /// The last few lines that have acted in this life, newest last.
  var acts: [(line: RoomLine, allowed: CommandBook.Allowed?)] = []
  /// The last line that has acted in the former life and was answered.
  var former: (line: RoomLine, allowed: CommandBook.Allowed?)?
  /// The last answer to each event; the same may be sent again.
  var told: [String: CommandReply.Result] = [:]
  /// The events whose final answers the process has.
  var answered: [String] = []
  /// Whether the answer of the current event allows one act.
  var allowsAct = false
  /// Whether the process was ordered to cancel the last will.
  var isWillCancelled = false
  /// The unread messages in the space of the configuration, once they have been counted.
  var unread: RoomUnread?
  /// The user who may, and has said yes in the current event.
  var confirmer: String?
}

extension RoomBook {
  /// Another kiosk starts, which knows of the former lines what the disk knows.
  mutating func restart(_ recorded: [RecordedCommand]) {
    process = .none
    (answered, recording, unread, question) = ([], [], nil, nil)
    acted.formIntersection(recorded.map { $0.event })
    let known = Set(recorded.filter { $0.isAnswered }.map { $0.event })
    former = acts.last { known.contains($0.line.event) }
    acts = []
  }
}

extension World {
  /// Whether the configuration has a room with commands.
  var hearsRooms: Bool { settings.commands.contains { $0.isRoom } || !settings.rooms.inviters.isEmpty }

  /// The process starts, or the homeserver has what it was answered.
  func roomsStart() {
    if room.process == .ready {
      settleAnswers()
      if room.process == .ready { answerJoin(nil) }
      if room.process == .ready { tell(.rooms(.message(.will(room.isWillCancelled ? .cancelled : .scheduled)))) }
      if room.process == .ready { tell(.rooms(.message(.listening))) }
      return
    }
    guard room.process == .starting else { return }
    room.process = .ready
    room.isWaiting = false
    tell(.rooms(.message(.ready)))
    tell(.rooms(.message(.access(room: Cast.room.topic, .open))))
    tell(.rooms(.message(.listening)))
    guard room.process == .ready, let batch = room.batch else { return }
    let known = kiosk.roomPosition.flatMap { Int($0) }
    if let known, known < batch.position { passOn(batch.line, batch.allowed, position: batch.position) }
    if known == nil { tellBatch(position: batch.position) }
    // A homeserver may return again what acted in the former life.
    guard room.process == .ready, !room.isWaiting, let (line, allowed) = room.former else { return }
    room.former = nil
    passOn(line, allowed, position: batch.position + 1)
  }

  private func settleAnswers() {
    let events = room.answered
    room.answered = []
    for event in events where room.process == .ready { tell(.rooms(.message(.settled(event: event)))) }
  }

  /// The process passes a line on, which does not act before it is on the disk, and the position after it.
  private func passOn(_ line: RoomLine, _ allowed: CommandBook.Allowed?, position: Int) {
    room.batch = (line, allowed, position)
    tell(.rooms(.message(.heard(line))))
    if room.process == .ready { tellBatch(position: position) }
  }

  private func tellBatch(position: Int) {
    room.isWaiting = true
    tell(.rooms(.message(.batch(position: String(position)))))
  }

  /// The process is not started (0), ends (1), sends nonsense (2), or its session is refused (3).
  func roomsEnd(_ number: Int) {
    let before = room.process
    guard before != .none else { return }
    if number % 4 == 2 {
      if before == .ready { tell(.rooms(.malformed)) }
      return
    }
    if number % 4 == 3, before == .ready {
      tell(.rooms(.message(.failed(.trouble(.tokenRefused, code: 401)))))
      guard room.process == .ready else { return }
    }
    room.process = .none
    room.answered = []
    invitations.restart()
    let end = number % 4 == 3 ? ProcessEnd.exited(ProcessEnd.needsSuccessor) : .signaled(9)
    tell(.rooms(before == .starting && number % 4 == 0 ? .notStarted(code: 2) : .ended(end)))
    if room.question != nil { fail("a question is open, and nobody listens") }
  }

  private func isFresh(_ line: RoomLine) -> Bool { abs(now.unixSeconds - line.unixMilliseconds / 1000) <= 30 }

  /// Whether the room is configured to command this.
  private func mayBeAsked(_ target: CommandTarget?) -> Bool {
    if case .person = target { return settings.commands.contains { $0.isRoom && $0.managesPeople } }
    return hearsRooms
  }

  /// A line: of a user, or of somebody with the power level, in three of eight cases; else the last one once more (3),
  /// of a stranger (4), late (5), early (6), or nobody's command (7).
  func roomSays(_ number: Int) {
    guard room.process == .ready, !room.isWaiting else { return }
    var lines: [(text: String, target: CommandTarget)] = Cast.room.actions.map { ("!" + $0, .action($0)) }
    for name in Cast.room.outputs {
      for request in OutputRequest.allCases {
        lines.append(("!\(name) \(request.rawValue)", .output(OutputOrder(output: name, request: request))))
      }
    }
    lines.append(("!history", .history))
    lines.append(("!suspend Ben  Smith", .person("Ben Smith", isSuspended: true)))
    lines.append(("!resume Ben", .person("Ben", isSuspended: false)))
    let (text, target) = lines[number / 8 % lines.count]
    if number % 8 == 3 {
      // It may have been refused before.
      guard let (line, allowed) = room.last else { return }
      return passOn(line, allowed, position: (room.batch?.position ?? 0) + 1)
    }
    let seconds: Int64 = number % 8 == 5 ? -40 : number % 8 == 6 ? 40 : -Int64(random.next() % 4)
    let isStranger = number % 8 == 4
    let isUser = !isStranger && random.next() % 2 == 0
    let levels: [Int64?] = isStranger || isUser ? [nil, 0, 49, -100] : [50, 51, 100, RoomPowers.creator]
    let power = levels[Int(random.next() % 4)]
    let line = RoomLine(
      room: Cast.room.topic, event: "$\(random.next())", user: isUser ? "@ann:h" : "@eve:h",
      unixMilliseconds: now.unixMilliseconds + seconds * 1000, power: power,
      text: number % 8 == 7 ? "!weather today" : text)
    var allowed = CommandBook.Allowed(topic: Cast.room.topic, target: target, proof: line.event)
    allowed.sentAt = line.unixMilliseconds / 1000
    let isCommand = !isStranger && number % 8 != 7
    if number % 8 < 3 { room.last = (line, allowed) }
    passOn(line, isCommand ? allowed : nil, position: (room.batch?.position ?? 0) + 1)
  }

  /// An answer to the question in the room; Step.swift has the numbers.
  func roomReacts(_ number: Int) {
    guard room.process == .ready else { return }
    let asked = room.question
    let isStranger = number % 8 == 4 || number % 8 == 6
    let isUser = !isStranger && random.next() % 2 == 0
    let question = number % 8 == 5 ? random.next() : number % 8 == 7 ? room.lastQuestion : asked?.number ?? 0
    let answer = RoomAnswer(
      question: question, user: isUser ? "@ann:h" : "@eve:h",
      power: isUser || number % 8 == 4 ? nil : number % 8 == 6 ? 49 : 50, isYes: number % 8 != 3)
    let isTimely = asked.map { $0.number == question && now.instant < $0.until } ?? false
    room.confirmer = isTimely && !isStranger && answer.isYes ? answer.user : nil
    room.allowsAct = room.confirmer != nil
    if asked != nil { room.lastQuestion = question }
    tell(.rooms(.message(.answered(answer))))
    (room.confirmer, room.allowsAct) = (nil, false)
  }

  // MARK: Rules

  /// A commit of lines is asked for.
  func judgeRecorded(_ rows: [RecordedCommand]) {
    if rows.count > 1 { fail("\(rows.count) lines are to be recorded, and one was passed on") }
    guard let row = rows.first else { return room.recording.append(nil) }
    guard let (line, allowed, _) = room.batch, line.event == row.event else {
      return fail("a line is to be recorded that was not passed on")
    }
    if line.user != "@ann:h", line.power ?? 0 < 50 { fail("a stranger's line is to be recorded") }
    let mayAct = isFresh(line) && mayBeAsked(allowed?.target)
    if mayAct, clockIsGood, room.acted.contains(line.event) { fail("a line that has acted is to be recorded again") }
    room.recording.append(mayAct ? allowed : nil)
  }

  /// A line acts.
  func judgeActing(_ event: String) {
    if !disk.roomEvents.contains(event) { fail("a line acts that was never on the disk") }
    if !room.acted.insert(event).inserted { fail("a line acts twice") }
    if let (line, allowed, _) = room.batch, line.event == event { room.acts = room.acts.suffix(7) + [(line, allowed)] }
  }

  /// A line is answered; one of eight answers never reaches the homeserver.
  func judgeAnswer(to event: String, _ result: CommandReply.Result) {
    room.told[event] = result
    let isNotStored: Bool
    if case .refused(.action(.notStored)) = result { isNotStored = true } else { isNotStored = false }
    if !isNotStored, !disk.roomEvents.contains(event) { fail("a line is answered that was never on the disk") }
    if room.process == .ready, result != .accepted, random.next() % 8 != 0 { room.answered.append(event) }
  }

  /// Whether a line is on its way to the disk, or recorded without a final answer, in a room that has commands.
  var owesAnswer: Bool { hearsRooms && (room.process != .ready || room.isWaiting || isLineUnanswered) }

  /// Whether a recorded line gets its final answer only when its room has commands again.
  var owesLateAnswer: Bool { !hearsRooms && isLineUnanswered }

  private var isLineUnanswered: Bool {
    disk.roomCommands.contains { !$0.isAnswered && !disk.settling.contains($0.event) }
  }

  func judgeAsked(_ question: RoomQuestion) {
    if room.process != .ready { fail("a question was asked, and nobody listens") }
    if room.question != nil { fail("two questions at a time") }
    room.question = (question.number, now.instant + question.within)
  }

  func judgeEnd(of number: UInt64, _ end: RoomQuestionEnd) {
    if room.question?.number != number { fail("a question ended that is not open") }
    if case .confirmed(let user) = end, user != room.confirmer {
      fail("a question counts as confirmed by \(user), who has not said yes, or may not")
    }
    if end == .unanswered, let until = room.question?.until, now.instant < until { fail("a question ended early") }
    room.question = nil
  }

  /// An action happens that is confirmed in a room.
  func judgeConfirmed(_ action: Action) {
    if !room.allowsAct { fail("\(action.name) happened, and nobody in the room has allowed it") }
    room.allowsAct = false
  }

  /// The store is asked for something that a line wants.
  func judgeServed(_ target: CommandTarget?) {
    guard commands.isAccepted, let allowed = commands.allowed, allowed.target == target else {
      return fail("the store was asked for \(target?.text ?? "nothing"), and no line may want that")
    }
    switch allowed.target {
    case .history, .person: break
    case .action, .output, .timedOpening, .report, .status, .check:
      fail("the store was asked for \(allowed.target.text)")
    }
  }

  /// The last will is cancelled before the process ends for good.
  func judgeWill(ending: Bool) {
    if ending, settings.rooms.will != nil, !room.isWillCancelled {
      fail("the kiosk stops in an orderly way, and its last will stays pending")
    }
  }

  func performRooms(_ effect: Effect) {
    switch effect {
    case .start(.rooms):
      if room.process != .none { fail("a second process was to listen in rooms") }
      if !hearsRooms { fail("a process was to listen in rooms, and none has commands") }
      room.process = .starting
      room.isWillCancelled = false
    case .stop(.rooms), .kill(.rooms):
      if room.process == .none { fail("a process that listens was to end although none runs") }
      if case .stop = effect { judgeWill(ending: room.process == .ready && isStopping) }
      room.process = .ending
    case .cancelWill:
      if room.process != .ready { fail("a last will is to be cancelled, and nobody listens") }
      room.isWillCancelled = true
    case .pollRooms:
      if let batch = room.batch, batch.allowed != nil, room.isWaiting, !room.recording.isEmpty {
        fail("more lines are polled for before the last one is on the disk")
      }
      room.isWaiting = false
    case _: break
    }
  }
}

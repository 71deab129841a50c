// The order of commands: of two commands that change the same thing, the older one never acts after the newer one,
// whatever topics, rooms and actions they pass through. Pure decision logic.

/// The times of the newest commands.
///
/// Among the senders of one key, a command counts as sent at the time that it states. Compared with a command under a
/// different key, it counts as sent no later than it arrived, so that no sender can outdate the commands of others.
struct CommandOrder: Sendable {
  private struct Newest: Sendable {
    var sentAt: Int64
    /// The window of its topic, in seconds: a time further ahead was accepted while the clock was wrong.
    var window: Int64
  }

  /// The newest command for each subject, and for each subject and key.
  private var newest: [String: Newest] = [:]

  /// Accepts a command that changes these subjects, unless a newer command has changed one of them.
  mutating func accept(
    _ subjects: [String], sentAt: Int64, key: String, window: Int64, at now: Moment
  ) throws(CommandRefusal) {
    if isOvertaken(subjects, sentAt: sentAt, key: key, at: now) { throw .overtaken }
    record(subjects, sentAt: sentAt, key: key, window: window, at: now)
  }

  /// Records a command that changes these subjects.
  mutating func record(_ subjects: [String], sentAt: Int64, key: String, window: Int64, at now: Moment) {
    if newest.count >= Limits.commandSubjectsMax {
      newest = newest.filter { $0.value.sentAt >= now.unixSeconds - Limits.commandWindowMax.wholeMilliseconds / 1000 }
    }
    for subject in subjects {
      raise(subject, to: Newest(sentAt: min(sentAt, now.unixSeconds), window: 0), at: now)
      raise(Self.place(subject, key), to: Newest(sentAt: sentAt, window: window), at: now)
    }
  }

  /// Whether a newer command has changed one of the subjects.
  func isOvertaken(_ subjects: [String], sentAt: Int64, key: String, at now: Moment) -> Bool {
    subjects.contains { isOlder(sentAt, $0, at: now) || isOlder(sentAt, Self.place($0, key), at: now) }
  }

  private static func place(_ subject: String, _ key: String) -> String { subject + "\n" + key }

  private func isOlder(_ sentAt: Int64, _ place: String, at now: Moment) -> Bool {
    newest[place].map { sentAt < $0.sentAt && $0.sentAt <= now.unixSeconds + $0.window } ?? false
  }

  private mutating func raise(_ place: String, to value: Newest, at now: Moment) {
    if !isOlder(value.sentAt, place, at: now) { newest[place] = value }
  }
}

extension KioskSettings {
  /// Returns what a command changes: outputs, an action, a person.
  ///
  /// The outputs of an interlock group are one subject, because switching one on switches the others off; so are the
  /// three outputs of a topic that emulates the firmware.
  func subjects(of target: CommandTarget, on plan: CommandPlan) -> [String] {
    switch target {
    case .report, .status, .check, .history: return []
    case .person(let name, _): return ["person " + name]
    case .action(let name):
      let action = actions.first { $0.name == name }
      return ["action " + name] + (action?.outputs ?? []).map { subject(ofOutput: $0.output) }
    case .output(let order):
      let role = plan.firmware.map { [$0.open, $0.stop, $0.close] }
      return (role ?? [order.output]).map { subject(ofOutput: $0) }
    case .timedOpening:
      return plan.firmware.map { [$0.open, $0.stop, $0.close].map { subject(ofOutput: $0) } } ?? []
    }
  }

  private func subject(ofOutput name: String) -> String {
    panel.outputs.first { $0.name == name }?.interlock.map { "interlock " + $0 } ?? "output " + name
  }
}

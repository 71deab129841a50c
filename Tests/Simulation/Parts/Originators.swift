// The rule of `by`: each entry names whoever caused it, and no one else.
//   - A tap is its tag's, and a press its button's or the program's, unless a user in the room has confirmed it.
//   - A command is its topic's, a line in the room its user's, and an alarm its door's.
//   - The message and the webhook of one tap name the same.

import TappetCore

extension World {
  /// The user whose line acts in the current event; `nil` if another line was passed on since.
  var lineUser: String? {
    room.batch.flatMap { line, _, _ in line.event == commands.allowed?.proof ? line.user : nil }
  }

  func judgeOriginator(_ entry: OutboxEntry, _ action: Action, after event: Event) {
    if let half = entry.forWebhook, half.by != entry.by { fail("\(action.name) and its webhook name different people") }
    let isRight: Bool
    switch entry.trigger {
    case .tag where action.confirmRoom != nil, .button where action.confirmRoom != nil:
      let user = room.confirmer.map { Originator.user($0, room: Cast.room.topic, confirming: entry.trigger) }
      isRight = entry.by == user
    case .tag: isRight = entry.by == .tag
    case .button: isRight = isPresser(entry.by, of: action.name, after: event)
    case .command:
      let topic = commands.allowed?.topic ?? ""
      let user = lineUser.map { Originator.user($0, room: topic) }
      isRight = topic == Cast.room.topic ? user == nil || entry.by == user : entry.by == .command(topic: topic)
    case .inventory: isRight = entry.by == .kiosk
    case .input: isRight = Cast.doors.contains { $0.onForced == action.name && entry.by == .input($0.name) }
    }
    if !isRight { fail("\(action.name) was caused by someone other than \(entry.by?.text ?? "its tag")") }
  }

  private func isPresser(_ by: Originator?, of action: String, after event: Event) -> Bool {
    let panel = settings.panel
    switch by {
    case .program:
      switch event {
      // The press that ended a stocktake is performed when the end is on the disk.
      case .panel(.asked), .inventory: return true
      case _: return false
      }
    case .button(let name):
      let chords = panel.chords.filter { $0.action == action }
      return panel.buttons.contains { $0.name == name && $0.gestures.actions.contains(action) }
        || chords.contains { panel.buttons[$0.first].name + " + " + panel.buttons[$0.second].name == name }
    case _: return false
    }
  }
}

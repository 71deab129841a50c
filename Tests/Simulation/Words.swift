// Events and effects in words, for a person who follows a story.

import TappetCore
import TappetRooms

extension World {
  func line(_ event: Event, _ effects: [Effect]) -> String {
    let milliseconds = now.instant.nanoseconds / 1_000_000
    return "\(milliseconds) ms  \(brief(event)) → \(words(effects))"
  }

  func words(_ effects: [Effect]) -> String { effects.map { word($0) }.joined(separator: ", ") }

  private func word(_ effect: Effect) -> String {
    switch effect {
    case .publish(let entry, _): "publish \(entry.action) #\(entry.sequence)"
    case .store(.append(let entry)): "store \(entry.action)"
    case .store(.countUse(_, let ticket)): "count \(ticket)"
    case .store(.fetch(let destination, let after, _, let clockIsGood, _)):
      "fetch for the \(destination) after \(after)" + (clockIsGood ? "" : " without a clock")
    case .store(.fetchExpired(let destination, _, let clockIsGood, let excluding)):
      "expire for the \(destination)" + (clockIsGood ? "" : " without a clock")
        + (excluding.isEmpty ? "" : " but \(excluding.count)")
    case .light(let light): "light \(light.name)"
    case .report(let report): "“\(brief(report))”"
    case .post(let entry, _, _): "post \(entry.action) #\(entry.sequence)"
    case .postEdit(let edit, _): "edit \(edit.action)"
    case .start, .stop, .kill, .connect, .recordFallback, .recordBroker, .disconnect, .store, .setOutput, .reply,
      .serve,
      .announce, .applySite, .tagJob, .showTag, .orderInventory, .askRoom, .pollRooms, .joinRoom, .cancelWill,
      .endQuestion, .retryPanel, .pauseButton, .resumeButton, .finish:
      brief(effect)
    }
  }

  /// A value's description without what it holds in depth.
  private func brief(_ value: some Any) -> String {
    var text = "\(value)".replacing("TappetCore.", with: "")
    if text.utf8.count > 90, let end = text.firstIndex(of: "(") { text = text[..<end] + "(…)" }
    return text
  }
}

extension RoomSession.Event {
  var words: String {
    switch self {
    case .answered(let channel, .answered(let status, _, let body)):
      "\(channel): \(status) \(String(decoding: body, as: UTF8.self))"
    case .answered(let channel, .failed(let trouble, _)): "\(channel): \(trouble)"
    case .ordered(let order): "\(order)".replacing("TappetCore.", with: "")
    case .opened, .timerFired, .abandoned: "\(self)".replacing("TappetCore.", with: "")
    }
  }
}

extension RoomSession.Step {
  var words: String {
    guard case .request(let channel, let call) = self else { return "\(self)".replacing("TappetCore.", with: "") }
    let path = call.path ?? ""
    let since = path.split(separator: "&").first { $0.starts(with: "since=") } ?? ""
    return "\(channel): " + path.prefix { $0 != "?" } + " " + since
  }
}

// Events and effects in words, for a person who follows a story.

import TappetCore

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
    case .postWebhook(let entry, _): "post \(entry.action) #\(entry.sequence)"
    case .postEdit(let edit): "edit \(edit.action)"
    case .start, .stop, .kill, .connect, .recordFallback, .recordBroker, .disconnect, .store, .setOutput, .reply,
      .serve,
      .announce, .applySite, .orderInventory, .askRoom, .pollRooms, .joinRoom, .cancelWill, .endQuestion, .retryPanel,
      .pauseButton, .resumeButton, .finish:
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

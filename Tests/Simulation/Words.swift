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
    case .store(let entry): "store \(entry.action)"
    case .countUse(_, let ticket): "count \(ticket)"
    case .fetch(let after, _, let clockIsGood): "fetch after \(after)" + (clockIsGood ? "" : " without a clock")
    case .fetchExpired(let clockIsGood, let spared):
      "expire" + (clockIsGood ? "" : " without a clock") + (spared.isEmpty ? "" : " but \(spared.count)")
    case .light(let light): "light \(light.name)"
    case .report(let report): "“\(brief(report))”"
    case .postWebhook(let entry, _): "post \(entry.action) #\(entry.sequence)"
    case .startReader, .killReader, .stopReader, .connect, .noteFallback, .forgetFallbacks, .noteBroker, .noteCloses,
      .noteTimedOpening, .noteWrongCodes, .disconnect,
      .forget, .drop, .checkStore, .noteSecretUse, .setOutput, .reply, .serve, .announce, .startWebhooks, .stopWebhooks,
      .applySite, .startInventory, .stopInventory, .killInventory, .orderInventory, .startRooms, .stopRooms, .killRooms,
      .askRoom, .endQuestion,
      .killWebhooks, .forgetWebhooks, .giveUpWebhook, .fetchWebhooks, .fetchExpiredWebhooks,
      .retryPanel, .pauseButton, .resumeButton, .finish:
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

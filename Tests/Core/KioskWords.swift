// Effects as short words, for scripts to compare: `publish light`, `light accepted`, `report delivered light`.

@testable import TappetCore

extension Effect {
  var words: String {
    switch self {
    case .startReader: "start reader"
    case .killReader: "kill reader"
    case .stopReader: "stop reader"
    case .connect(let endpoint, let mqtt5):
      "connect \(endpoint)" + (mqtt5 == .absent ? " with 3.1.1" : mqtt5 == .present ? " with 5" : "")
    case .noteFallback(let endpoint, let until): "note fallback \(endpoint) until \(until)"
    case .forgetFallbacks: "forget fallbacks"
    case .noteTimedOpening(let topic, let closesAt):
      "note " + topic + (closesAt.map { " closes at \($0.nanoseconds / 1_000_000)" } ?? " closed")
    case .noteWrongCodes(let count): "note wrong codes \(count)"
    case .noteBroker(let endpoint): "note broker \(endpoint)"
    case .disconnect: "disconnect"
    case .publish(let entry, _): "publish \(entry.action)"
    case .store(let entry): "store \(entry.action)"
    case .countUse(_, let ticket): "count \(ticket)"
    case .forget: "forget"
    case .noteCloses(let counts): "closes \(counts.map { String($0.count) }.joined(separator: " "))"
    case .fetch(let after, _, let clockIsGood): "fetch after \(after)" + (clockIsGood ? "" : " without a clock")
    case .fetchExpired(let clockIsGood, let spared):
      "expire" + (clockIsGood ? "" : " without a clock") + (spared.isEmpty ? "" : " but \(spared.count)")
    case .drop(let id, let spared):
      (id == nil ? "drop all" : "drop one") + (spared.isEmpty ? "" : " but \(spared.count)")
    case .startWebhooks: "start webhooks"
    case .stopWebhooks: "stop webhooks"
    case .killWebhooks: "kill webhooks"
    case .postWebhook(let entry, _): "post \(entry.action)"
    case .forgetWebhooks: "forget webhook"
    case .giveUpWebhook(let entry, _, _): "give up \(entry.action)"
    case .fetchWebhooks(let after, _, let clockIsGood, let resting):
      "fetch webhooks after \(after)" + (clockIsGood ? "" : " without a clock")
        + (resting.isEmpty ? "" : " but \(resting.joined(separator: " "))")
    case .fetchExpiredWebhooks(let clockIsGood, let spared):
      "expire webhooks" + (clockIsGood ? "" : " without a clock") + (spared.isEmpty ? "" : " but \(spared.count)")
    case .startInventory: "start inventory"
    case .stopInventory: "stop inventory"
    case .killInventory: "kill inventory"
    case .startRooms: "start rooms"
    case .stopRooms: "stop rooms"
    case .killRooms: "end rooms"
    case .askRoom(let question): "ask \(question.room): \(question.who.map { $0 + " " } ?? "")\(question.title)"
    case .endQuestion(_, let end): "end question \(end)"
    case .orderInventory(let order): "order \(order.words)"
    case .checkStore: "check store"
    case .applySite(let bundle): "apply people \(bundle.version)"
    case .noteSecretUse(let id, _, _): "note \(id)"
    case .light(let light): "light \(light.name)"
    case .setOutput(let index, let isOn): "output \(index) \(isOn ? "on" : "off")"
    case .reply(let reply): "reply \(reply.words)"
    case .serve(let address, _): "serve \(address.wish?.text ?? "-") to \(address.destination.words)"
    case .announce(let announcement): "announce \(announcement.words)"
    case .retryPanel: "retry panel"
    case .pauseButton(let button): "pause \(button)"
    case .resumeButton(let button): "resume \(button)"
    case .report(let report): "report \(report.words)"
    case .finish: "finish"
    }
  }

  var storedEntry: OutboxEntry? { if case .store(let entry) = self { entry } else { nil } }

  var publishedEntry: OutboxEntry? { if case .publish(let entry, _) = self { entry } else { nil } }

  var shownLight: Light? { if case .light(let light) = self { light } else { nil } }

  var retryIn: Duration? {
    switch self {
    case .report(.linkFailed(_, _, let delay)), .report(.linkLost(_, _, let delay)): delay
    default: nil
    }
  }
}

extension InventoryOrder {
  var words: String {
    switch self {
    case .begin(let scanner): "begin \(scanner)"
    case .lookUp(_, let key): "look up \(key.uid.map { Hex.encode($0.bytes) } ?? key.code)"
    case .move(_, _, _, let who): "move by \(who)"
    case .lend(_, _, let person, _): "lend to \(person)"
    case .takeBack(_, _, let who): "take back from \(who)"
    case .passedOn(let number): "passed on \(number)"
    case .passedLow: "passed low"
    }
  }
}

extension Announcement {
  var words: String {
    switch self {
    case .firmwareReport(let topic): topic
    case .state: "state"
    case .check(let nonce): "check \(nonce)"
    case .discovery: "discovery"
    case .output(let index, let isOn): "output \(index) \(isOn ? "on" : "off")"
    case .gesture(let button, let gesture): "\(gesture.name) \(button)"
    case .chord(let index): "chord \(index)"
    case .tap(let news): "tap \(news.words)"
    }
  }
}

extension TapNews {
  var words: String {
    let word =
      switch kind {
      case .accepted(let uid): uid == nil ? "accepted" : "scanned"
      case .queued: "queued"
      case .delivered: "delivered"
      case .refused: "refused"
      case .expired: "expired"
      case .undeliverable: "undeliverable"
      }
    return word + (action.map { " " + $0 } ?? "")
  }
}

extension Report {
  var words: String {
    switch self {
    case .readerReady(let device): "reader ready \(device)"
    case .readerLost(let loss): "reader lost \(loss.words)"
    case .refused(_, _, let refusal, _): "refused \(refusal.words)"
    case .ignored(_, _, .held, _): "held"
    case .ignored(_, _, .cooldown(let remaining), _): "cooldown \(remaining.wholeMilliseconds)"
    case .refusedMore(let count): "refused \(count) more"
    case .accepted(let entry, _): "accepted \(entry.action)"
    case .performed(let action, _, _, _): "performed \(action)"
    case .outputSwitched(let index, let isOn, let reason): "output \(index) \(isOn ? "on" : "off") \(reason.word)"
    case .outputWaits(let index, let wait, _): "output \(index) waits \(wait.wholeMilliseconds)"
    case .outputRefused(let order, _, let refusal): "output \(order.output) refused \(refusal)"
    case .queued(let entry, .linkDown): "queued \(entry.action) for the link"
    case .queued(let entry, .clockUnknown): "queued \(entry.action) for the clock"
    case .queued(let entry, .webhookFails): "queued \(entry.action) for its webhook"
    case .queued(let entry, .homeAssistantAway): "queued \(entry.action) for Home Assistant"
    case .queued(let entry, .behindOthers(let count)): "queued \(entry.action) behind \(count)"
    case .delivered(let entry, _): "delivered \(entry.action)"
    case .deliveredUnheard(let entry, _): "delivered \(entry.action) unheard"
    case .deliveredOfMany(let entry): "delivered \(entry.action) of many"
    case .deliveredMore(let count): "delivered \(count) more"
    case .expired(let entry): "expired \(entry.action)"
    case .dropped(let entry): "dropped \(entry.action)"
    case .droppedOfMany(let entry): "dropped \(entry.action) of many"
    case .droppedMore(let count): "dropped \(count) at once"
    case .undeliverable(let entry, let code): "undeliverable \(entry.action)" + (code.map { " \($0)" } ?? "")
    case .webhookWaits(let action, let fault, _): "webhook waits \(action) \(fault.words)"
    case .webhookBack(let action): "webhook back \(action)"
    case .webhookGivenUp(let entry, let reason): "given up \(entry.action) \(reason.number)"
    case .webhooksLost(let loss): "webhooks lost \(loss.words)"
    case .webhooksBack: "webhooks back"
    case .inventory(let report): "\(report.result?.rawValue ?? "holds") \(report.thing?.name ?? report.who)"
    case .inventoryLost(let loss): "inventory lost \(loss.words)"
    case .inventoryBack: "inventory back"
    case .scanner(let code): "scanner \(code)"
    case .linkUp(let endpoint, let usesFallback): "link up \(endpoint)" + (usesFallback ? " with 3.1.1" : "")
    case .linkWithoutRetained(let endpoint): "without retained \(endpoint)"
    case .linkFellBack(let endpoint, _, let duration): "fell back \(endpoint) for \(duration.wholeMilliseconds)"
    case .linkFailed(let endpoint, _, _): "link failed \(endpoint)"
    case .linkLost(let endpoint, _, _): "link lost \(endpoint)"
    case .linkStorm(let losses, let rest): "storm \(losses) rest \(rest.wholeMilliseconds)"
    case .setAside(let entry, let endpoint): "set aside \(entry.action) at \(endpoint)"
    case .linkClosed: "link closed"
    case .clockGood: "clock good"
    case .clockUnknown: "clock unknown"
    case .certificateExpiring(let days): "certificate ends in \(days)"
    case .certificatesGood: "certificates good"
    case .storeTrouble(let fault): "store trouble \(fault)"
    case .storeRecovered: "store recovered"
    case .outboxRestored(let count): "restored \(count)"
    case .stopping(let count): "stopping \(count)"
    case .panelLost(let part, let fault): "panel lost \(part) \(fault)"
    case .panelRecovered(let part): "panel recovered \(part)"
    case .buttonStuck(let button): "stuck \(button)"
    case .buttonChattering(let button): "chattering \(button)"
    case .buttonRecovered(let button): "recovered \(button)"
    case .panelLocked: "locked"
    case .panelUnlocked(let trigger): "unlocked by \(trigger)"
    case .codeRefused(let wait): "code refused \(wait.wholeMilliseconds)"
    case .commandAccepted(let topic, let wish, _): "command \(wish.text) on \(topic)"
    case .commandRefused(_, _, let refusal, _): "command refused \(refusal)"
    case .roomAccess(let room, let access): "\(room) \(access)"
    case .roomsFailing(let fault): "rooms fail \(fault)"
    case .roomsListening: "rooms listen"
    case .roomsLost(let loss): "rooms lost \(loss)"
    case .roomsBack: "rooms back"
    case .siteApplied(let record): "people \(record.version)"
    case .siteRefused(let refusal): "people refused \(refusal)"
    case .siteDenied: "site denied"
    case .commandsRefusedMore(let count): "\(count) more commands refused"
    case .commandsSubscribed(let topic, let isGranted): "\(topic) \(isGranted ? "subscribed" : "denied")"
    case .confirming(let action, let trigger, let within, let room):
      "confirming \(action) by \(trigger) within \(within.wholeMilliseconds)" + (room.map { " in " + $0 } ?? "")
    case .confirmationEnded(let action, let end): "not confirmed \(action) \(end)"
    }
  }
}

extension ReaderLoss {
  var words: String {
    switch self {
    case .fault(let fault, let code): "\(fault) \(code)"
    case .ended(.exited(let status)): "exited \(status)"
    case .ended(.signaled(let number)): "signaled \(number)"
    case .silent: "silent"
    case .malformed: "malformed"
    case .notStarted(let code): "not started \(code)"
    }
  }
}

extension TapRefusal {
  var words: String {
    switch self {
    case .unreadable(let fault): "unreadable \(fault)"
    case .content(let error): "content \(error)"
    case .malformedURL(let error): "url \(error)"
    case .noSuchAction(let index): "no action \(index)"
    case .noTagConfigured(let action): "no tag for \(action)"
    case .invalidSignature(let action): "forged \(action)"
    case .strayIndex(let index, let action, let isConfigured):
      "stray \(index) of \(action)\(isConfigured ? "" : ", gone")"
    case .copiedURL(let action): "copied \(action)"
    case .personSuspended(let action, let person): "suspended \(person) at \(action)"
    case .wrongTime(let action, let fault): "wrong time \(fault) for \(action)"
    case .limitedPerson(let action, let person, let fault): "wrong time \(fault) of \(person) for \(action)"
    case .usedUp(let action, let person): "used up \(person) at \(action)"
    case .commandOfLimitedPerson(let action): "limited person at \(action)"
    case .webhookAway(let action): "webhook away \(action)"
    case .nobodyToAsk(let action): "nobody to ask about \(action)"
    case .brokerAway(let action): "broker away \(action)"
    case .outboxFull(let action, let count, let size): "full \(action) \(count) \(size)"
    case .notInInventory(let action, let fault): "not in inventory \(action) \(fault)"
    case .notStored(let action, let fault): "not stored \(action) \(fault)"
    case .panelLocked: "panel locked"
    case .tooMany(let wait): "too many, wait \(wait.wholeMilliseconds)"
    }
  }
}

extension CommandReply {
  fileprivate var words: String {
    let words =
      switch result {
      case .accepted: "accepted"
      case .done: "done"
      case .expired: "expired"
      case .refused(let refusal): "refused \(refusal)"
      }
    return "\(address.id ?? "-") \(words) to \(address.destination.words)"
  }
}

extension CommandReply.Destination {
  fileprivate var words: String {
    switch self {
    case .nobody: "nobody"
    case .topic(let topic): topic
    case .test: "the test"
    case .room(let event): event
    }
  }
}

extension OutputReason {
  fileprivate var word: String {
    switch self {
    case .asked(.action(let name, _)): "by " + name
    case .asked(.person): "by a person"
    case .asked(.program): "by the program"
    case .asked(.command(let topic)): "by " + topic
    case .asked(.start): "at the start"
    case .pulseOver: "pulse over"
    case .limit: "limit"
    case .interlock: "interlock"
    case .linkLost: "link lost"
    case .closing: "closing"
    }
  }
}

extension WebhookFault {
  var words: String {
    switch self {
    case .status(let status): "\(status)"
    case .trouble(let trouble, _): "\(trouble)"
    }
  }
}

extension HelperLoss {
  var words: String {
    switch self {
    case .ended: "ended"
    case .silent: "silent"
    case .malformed: "malformed"
    case .notStarted: "not started"
    }
  }
}

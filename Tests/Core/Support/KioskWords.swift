// Effects as short words, for scripts to compare: `publish light`, `light accepted`, `report delivered light`.

@testable import TappetCore

extension Effect {
  var words: String {
    switch self {
    case .start(let helper): "start \(helper)"
    case .stop(let helper): "stop \(helper)"
    case .kill(let helper): "kill \(helper)"
    case .connect(let endpoint, let mqtt5):
      "connect \(endpoint)" + (mqtt5 == .absent ? " with 3.1.1" : mqtt5 == .present ? " with 5" : "")
    case .recordFallback(let endpoint, let until): "note fallback \(endpoint) until \(until)"
    case .recordBroker(let endpoint): "note broker \(endpoint)"
    case .disconnect: "disconnect"
    case .publish(let entry, _): "publish \(entry.action)"
    case .store(let request): request.words
    case .post(let entry, _, _): "post \(entry.action)"
    case .postEdit(let edit, _): "edit \(edit.action) \(edit.outcome)"
    case .pollRooms: "poll rooms"
    case .joinRoom(let room): "join \(room)"
    case .cancelWill: "cancel will"
    case .askRoom(let question): "ask \(question.room): \(question.who.map { $0 + " " } ?? "")\(question.title)"
    case .endQuestion(_, let end): "end question \(end)"
    case .orderInventory(let order): "order \(order.words)"
    case .tagJob(let step): "tag " + step.words
    case .showTag(.read(let reading)): "show tag \(Hex.encode(reading.uid.bytes))"
    case .showTag(.faulted(_, _, let fault)): "show \(fault)"
    case .applySite(let bundle): "apply people \(bundle.version)"
    case .light(let light): "light \(light.name)"
    case .setOutput(let index, let isOn): "output \(index) \(isOn ? "on" : "off")"
    case .reply(let reply): "reply \(reply.words)"
    case .serve(let address, _): "serve \(address.target?.text ?? "-") to \(address.destination.words)"
    case .announce(let announcement): "announce \(announcement.words)"
    case .retryPanel: "retry panel"
    case .pauseButton(let button): "pause \(button)"
    case .resumeButton(let button): "resume \(button)"
    case .report(let report): "report \(report.words)"
    case .finish: "finish"
    }
  }

  var storedEntry: OutboxEntry? { if case .store(.append(let entry)) = self { entry } else { nil } }

  var publishedEntry: OutboxEntry? { if case .publish(let entry, _) = self { entry } else { nil } }

  var shownLight: Light? { if case .light(let light) = self { light } else { nil } }

  var retryIn: Duration? {
    switch self {
    case .report(.link(.failed(_, _, let delay))), .report(.link(.lost(_, _, let delay))): delay
    default: nil
    }
  }
}

extension TagJob.Step {
  fileprivate var words: String {
    switch self {
    case .order(let order): "order \(Hex.encode(order.uid.bytes))"
    case .save(let secret, _): "save \(secret.action)"
    case .notify(let notice): "notice \(notice)"
    case .end(.done(_, let secret, _)): "done" + (secret.map { " \($0.action)" } ?? "")
    case .end(.doneUnprotected(_, let secret, _)): "done \(secret.action) without a password"
    case .end(.notSaved): "not saved"
    case .end(.failed(_, let failure)): "failed \(failure)"
    }
  }
}

extension StoreRequest {
  fileprivate var words: String {
    switch self {
    case .append(let entry): "store \(entry.action)"
    case .countUse(_, let ticket): "count \(ticket)"
    case .remove(let destination, _, let event):
      "forget" + (destination == .webhook ? " webhook" : "") + (event.map { " as \($0)" } ?? "")
    case .fetchEdit(let done): "fetch edit" + (done == nil ? "" : " without its last")
    case .recordOutcome(_, let outcome): "record outcome \(outcome)"
    case .giveUp(let entry, _, _): "give up \(entry.action)"
    case .retry(let order): "retry \(order.id?.hex ?? "all")"
    case .recordWebhook(let action, _): "note that \(action) works"
    case .fetch(let destination, let after, _, let clockIsGood, let resting):
      "fetch " + (destination == .webhook ? "webhooks " : "") + "after \(after)"
        + (clockIsGood ? "" : " without a clock")
        + (resting.isEmpty ? "" : " but \(resting.joined(separator: " "))")
    case .fetchExpired(let destination, _, let clockIsGood, let excluded):
      "expire" + (destination == .webhook ? " webhooks" : "") + (clockIsGood ? "" : " without a clock")
        + (excluded.isEmpty ? "" : " but \(excluded.count)")
    case .drop(let id, let excluded):
      (id == nil ? "drop all" : "drop one") + (excluded.isEmpty ? "" : " but \(excluded.count)")
    case .check: "check store"
    case .recordSecretUse(let id, _, _): "note \(id)"
    case .forgetFallbacks: "forget fallbacks"
    case .recordCloses(let counts): "closes \(counts.map { String($0.count) }.joined(separator: " "))"
    case .recordTimedOpening(let topic, let opening):
      "note " + topic + (opening?.stopsAt.map { " stops at \($0.nanoseconds / 1_000_000)," } ?? "")
        + (opening.map { " closes at \($0.closesAt.nanoseconds / 1_000_000)" } ?? " closed")
    case .recordWrongCodes(let count): "note wrong codes \(count)"
    case .recordRoomCommands(let rows, let position): "record \(rows.map { $0.event }) until \(position)"
    case .settleRoomCommand(let event): "settle \(event)"
    case .recordFallback, .recordBroker, .recordAnnounced, .recordTime, .recordTap, .keepHistory: "\(self)"
    }
  }
}

extension InventoryOrder {
  var words: String {
    switch self {
    case .begin(let scanner, let layout): "begin \(scanner) \(layout)"
    case .lookUp(_, let key): "look up \(key.uid.map { Hex.encode($0.bytes) } ?? key.code)"
    case .move(_, _, _, let who): "move by \(who)"
    case .lend(_, _, let person, _): "lend to \(person)"
    case .takeBack(_, _, let who): "take back from \(who)"
    case .passedOn(let number): "passed on \(number)"
    case .passedLow: "passed low"
    case .passedOverdue: "passed overdue"
    case .follow(let lists, let overdue, let clockIsGood):
      "follow" + (lists ? " lists" : "") + (overdue ? " overdue" : "") + (clockIsGood ? " by the clock" : "")
    case .adjust(_, let adjustment, let who): "adjust by \(adjustment.pieces) by \(who)"
    case .endStocktake(_, _, let isKept): isKept ? "write count" : "discard count"
    case .see(_, _, let role, _, let who): "see as \(role) by \(who)"
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
    case .input(let index, let state, let since):
      "input \(index) \(state.level.name) \(state.cause.name)" + (state.isHeldOpen ? " too long" : "")
        + (since.map { " since \($0)" } ?? "")
    case .alarm(let name, let alarm): "\(name) \(alarm.name)"
    case .chord(let index): "chord \(index)"
    case .tap(let news): "tap \(news.words)"
    case .inventoryList(let list): "list of \(list.count)"
    case .touch(let touch): "touch \(touch.words)"
    }
  }
}

extension TouchTransition {
  var words: String {
    switch kind {
    case .done(let result): "\(result.rawValue) \(thing?.name ?? "nothing")"
    case .person: "person \(who)"
    case .number: "number \(pieces ?? 0)"
    case .refused(let fault): "refused \(fault)"
    }
  }
}

extension TapTransition {
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

/// Returns a case and its values as they are in the source: `certificateExpiring 14`.
private func spelled(_ report: Any) -> String {
  guard let payload = Mirror(reflecting: report).children.first, let name = payload.label else { return "\(report)" }
  let tuple = Mirror(reflecting: payload.value)
  let values = tuple.displayStyle == .tuple ? tuple.children.map { $0.value } : [payload.value]
  return ([name] + values.map { ($0 as? Duration).map { "\($0.wholeMilliseconds)" } ?? "\($0)" })
    .joined(separator: " ")
}

extension Report {
  var words: String {
    switch self {
    case .reader(.ready(let device)): "reader ready \(device)"
    case .reader(.lost(let loss)): "reader lost \(loss.words)"
    case .tap(.refused(_, _, let refusal, _)): "refused \(refusal.words)"
    case .tap(.ignored(_, _, .held, _)): "held"
    case .tap(.ignored(_, _, .cooldown(let remaining), _)): "cooldown \(remaining.wholeMilliseconds)"
    case .tap(.refusedMore(let count)): "refused \(count) more"
    case .entry(.accepted(let entry, _)): "accepted \(entry.action)"
    case .tap(.performed(let action, _, _, _)): "performed \(action)"
    case .output(.switched(let index, let isOn, let reason)): "output \(index) \(isOn ? "on" : "off") \(reason.word)"
    case .output(.waits(let index, let wait, _)): "output \(index) waits \(wait.wholeMilliseconds)"
    case .output(.refused(let order, _, let refusal)): "output \(order.output) refused \(refusal.words)"
    case .input(let report): report.words
    case .entry(.queued(let entry, .linkDown)): "queued \(entry.action) for the link"
    case .entry(.queued(let entry, .clockUnknown)): "queued \(entry.action) for the clock"
    case .entry(.queued(let entry, .brokerRefuses(let code))): "queued \(entry.action), refused for now \(code)"
    case .entry(.queued(let entry, .retried)): "queued \(entry.action) again"
    case .entry(.queued(let entry, .webhookFails)): "queued \(entry.action) for its webhook"
    case .entry(.queued(let entry, .homeAssistantAway)): "queued \(entry.action) for Home Assistant"
    case .entry(.queued(let entry, .behindOthers(let count))): "queued \(entry.action) behind \(count)"
    case .entry(.delivered(let entry, _, let isHeard)): "delivered \(entry.action)" + (isHeard ? "" : " unheard")
    case .entry(.deliveredOfMany(let entry, _)): "delivered \(entry.action) of many"
    case .entry(.deliveredMore(let count)): "delivered \(count) more"
    case .entry(.expired(let entry)): "expired \(entry.action)"
    case .entry(.dropped(let entry)): "dropped \(entry.action)"
    case .entry(.droppedOfMany(let entry)): "dropped \(entry.action) of many"
    case .entry(.droppedMore(let count)): "dropped \(count) at once"
    case .entry(.undeliverable(let entry, let code)): "undeliverable \(entry.action)" + (code.map { " \($0)" } ?? "")
    case .webhook(.waits(let action, let fault, _)): "webhook waits \(action) \(fault.words)"
    case .webhook(.back(let action)): "webhook back \(action)"
    case .entry(.givenUp(let entry, let reason)): "given up \(entry.action) \(reason.number)"
    case .helper(let helper, .lost(let loss)): "\(helper) lost \(loss.words)"
    case .helper(let helper, .back): "\(helper) back"
    case .job(let report):
      "\(report.change.rawValue) \(report.action)"
        + (report.missing.map { " without \($0.items.map { $0.name })" } ?? "")
    case .inventory(let report):
      "\(report.result?.rawValue ?? "holds") \(report.thing?.name ?? report.pieces.map { "\($0)" } ?? report.who)"
        + (report.isMisplaced ? " from elsewhere" : "")
    case .scanner(let code): "scanner \(code)"
    case .link(.connected(let endpoint, let usesFallback)): "link up \(endpoint)" + (usesFallback ? " with 3.1.1" : "")
    case .link(.withoutRetained(let endpoint)): "without retained \(endpoint)"
    case .link(.didFallBack(let endpoint, _, let duration)): "fell back \(endpoint) for \(duration.wholeMilliseconds)"
    case .link(.failed(let endpoint, _, _)): "link failed \(endpoint)"
    case .link(.lost(let endpoint, _, _)): "link lost \(endpoint)"
    case .link(.storm(let losses, let rest)): "storm \(losses) rest \(rest.wholeMilliseconds)"
    case .entry(.setAside(let entry, let endpoint)): "set aside \(entry.action) at \(endpoint)"
    case .link(.closed): "link closed"
    case .clock(let report): "clock \(spelled(report))"
    case .store(let report): "store \(spelled(report))"
    case .panel(let report): "panel \(spelled(report))"
    case .room(.edited(let edit)): "edited \(edit.action)"
    case .room(.editDropped(let edit, _)): "edit of \(edit.action) dropped"
    case .room(.will(let state)): "will \(state)"
    case .room(.unread(let unread)): "unread \(unread)"
    case .room(.unreadable(let line)): "unreadable \(line.reason) of \(line.user) in \(line.room)"
    case .room(.joined(let invitation, nil)): "joined \(invitation.room) for \(invitation.user)"
    case .room(.joined(let invitation, let fault?)): "not joined \(invitation.room): \(fault)"
    case .room(let report): "room \(spelled(report))"
    case .outboxRestored(let count): "restored \(count)"
    case .stopping(let count): "stopping \(count)"
    case .command(.accepted(let topic, let target, _)): "command \(target.text) on \(topic)"
    case .command(.refused(_, _, let refusal, _)): "command refused \(refusal)"
    case .site(.applied(let record)): "people \(record.version)"
    case .site(.refused(let refusal)): "people refused \(refusal)"
    case .site(.denied): "site denied"
    case .command(.refusedMore(let count)): "\(count) more commands refused"
    case .command(.subscribed(let topic, let isGranted)): "\(topic) \(isGranted ? "subscribed" : "denied")"
    case .tap(.confirming(let action, let trigger, let within, let room)):
      "confirming \(action) by \(trigger) within \(within.wholeMilliseconds)" + (room.map { " in " + $0 } ?? "")
    case .tap(.confirmationEnded(let action, let end)): "not confirmed \(action) \(end)"
    }
  }
}

extension ReaderLoss {
  var words: String {
    switch self {
    case .fault(let fault, let code): "\(fault) \(code)"
    case .ended(.exited(let status)): "exited \(status)"
    case .ended(.signaled(let number)): "signal \(number)"
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
    case .unmet(let action, let unmet):
      "\(action) requires \(unmet.requirement.input) \(unmet.requirement.level.name), not \(unmet.level.name)"
    case .usedUp(let action, let person): "used up \(person) at \(action)"
    case .commandOfLimitedPerson(let action): "limited person at \(action)"
    case .webhookAway(let action): "webhook away \(action)"
    case .nobodyToAsk(let action): "nobody to ask about \(action)"
    case .brokerAway(let action): "broker away \(action)"
    case .outboxFull(let action, let count, let size): "full \(action) \(count) \(size)"
    case .notInInventory(let action, let fault, let code):
      "not in inventory \(action) \(fault)" + (code.map { " \($0)" } ?? "")
    case .notStored(let action, let fault): "not stored \(action) \(fault)"
    case .panelLocked: "panel locked"
    case .needsProof(let action): "no proof for \(action)"
    case .tooLate(let age): "\(age.wholeMilliseconds) ms late"
    case .tooMany(let wait, _): "too many, wait \(wait.wholeMilliseconds)"
    }
  }
}

extension OutputRefusal {
  fileprivate var words: String {
    if case .unmet(let unmet) = self { "unmet \(unmet.requirement.input)" } else { "\(self)" }
  }
}

extension CommandReply {
  fileprivate var words: String {
    let words =
      switch result {
      case .accepted: "accepted"
      case .done: "done"
      case .expired: "expired"
      case .interrupted: "interrupted"
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

extension InputReport {
  fileprivate var words: String {
    switch change {
    case .opened(let cause): "\(name) opened \(cause.name)"
    case .closed(let cause, let time, let wasHeldOpen):
      "\(name) closed \(cause.name)" + (time.map { " after \($0.wholeMilliseconds)" } ?? "")
        + (wasHeldOpen ? ", at last" : "")
    case .heldOpen(let time): "\(name) held open for \(time.wholeMilliseconds)"
    case .notEntered: "\(name) not entered"
    }
  }
}

extension OutputReason {
  fileprivate var word: String {
    switch self {
    case .asked(.action(let name, _)): "by " + name
    case .asked(.request(.tool)): "by a person"
    case .asked(.request(.program)): "by the program"
    case .asked(.request(.command(let topic, _, _))), .asked(.request(.user(_, let topic, _))): "by " + topic
    case .asked(.request(.kiosk)): "at the start"
    case .asked(.request(.input(let name))): "by exit \(name)"
    case .asked(.request(let by)): "by \(by.text ?? "a tag")"
    case .pulseOver: "pulse over"
    case .relocked: "relocked"
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

// Configuration of a kiosk by function calls (tappet.h, "kiosk"): settings are checked one by one, and all at start.

import CPlatform
import CTappet
import TappetConfig
import TappetCore
import TappetMessages

/// The settings made so far.
struct KioskSetup {
  var configuration = KioskConfiguration.bare()
  var secrets: [TagSecret] = []

  private var actions: [Action] { configuration.actions }

  /// Names of all actions.
  var actionNames: [String] { actions.map { $0.name } }

  /// Adds an action, unless its name or index is in use.
  mutating func add(_ given: UnsafePointer<tappet_kiosk_action>) throws(Failure) {
    guard given.pointee.size >= MemoryLayout<tappet_kiosk_action>.size else {
      throw Failure(.argument, "the action's size is not set to sizeof(struct tappet_kiosk_action)")
    }
    guard actions.count < Limits.actionsMax else {
      throw Failure(.limit, "a kiosk can have at most \(Limits.actionsMax) actions")
    }
    let action = try KioskSetup.action(given.pointee, position: Int64(actions.count))
    guard !actions.contains(where: { $0.name == action.name }) else {
      throw Failure(.argument, "another action is already named '\(action.name)'")
    }
    guard !actions.contains(where: { $0.index == action.index }) else {
      throw Failure(.argument, "another action already has the index \(action.index); indexes must be unique")
    }
    configuration.actions.append(action)
  }

  private static func action(_ given: tappet_kiosk_action, position: Int64) throws(Failure) -> Action {
    guard let name = text(given.name, sizeMax: Limits.actionNameSizeMax)?.nameForm, !name.isEmpty else {
      throw Failure(.argument, "the action's name must be 1 to 64 bytes of UTF-8")
    }
    if let fault = name.nameFault(sizeMax: Limits.actionNameSizeMax) {
      throw Failure(.argument, fault.sentence(of: "action's name"))
    }
    guard hasRoom(for: given.topic, sizeMax: Limits.topicSizeMax),
      hasRoom(for: given.message, sizeMax: Limits.messageSizeMax)
    else { throw Failure(.memory) }
    let title = given.title == nil ? name : shortText(given.title, sizeMax: Limits.actionTitleSizeMax)
    guard let title else { throw Failure(.argument, "the title of '\(name)' must be 1 to 128 bytes on one line") }
    guard let topic = text(given.topic, sizeMax: Limits.topicSizeMax), Action.isTopic(topic) else {
      throw Failure(
        .argument, "the topic of '\(name)' cannot contain '+', '#' or control characters, or start with '$SYS/'")
    }
    guard let message = text(given.message, sizeMax: Limits.messageSizeMax) else {
      throw Failure(.argument, "the message of '\(name)' must be at most 65536 bytes of UTF-8")
    }
    guard let template = PayloadTemplate(configured: message), PayloadTemplate(configured: topic, format: .text) != nil
    else { throw Failure(.argument, "the topic or message of '\(name)' contains '%{' with an unknown placeholder") }
    let policies: [OfflinePolicy?] = [nil, .queue, .drop]
    let (expires, cooldown) = (given.expires_milliseconds, given.cooldown_milliseconds)
    guard policies.indices.contains(Int(given.offline.rawValue)), given.index >= -1,
      (0...Limits.expiresAfterMax.wholeMilliseconds).contains(expires),
      (-1...Limits.cooldownMax.wholeMilliseconds).contains(cooldown),
      (0...Limits.confirmMax.wholeMilliseconds).contains(given.confirm_milliseconds)
    else {
      throw Failure(
        .argument, "a value of '\(name)' is out of range: index, offline, expires, cooldown or confirm")
    }
    return Action(
      name: name, title: title, index: given.index == -1 ? position : given.index, isIndexGiven: given.index != -1,
      topic: topic, message: template, offline: policies[Int(given.offline.rawValue)],
      expiresAfter: expires == 0 ? nil : .milliseconds(expires),
      cooldown: cooldown == 0 ? .seconds(2) : .milliseconds(max(0, cooldown)), isRetained: given.is_retained,
      confirmWithin: given.confirm_milliseconds == 0 ? nil : .milliseconds(given.confirm_milliseconds),
      unlocksPanel: given.unlocks_panel)
  }

  /// Returns the name of an existing action.
  private func actionName(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> String {
    let name = text(pointer, sizeMax: Limits.actionNameSizeMax)?.nameForm
    guard let name, actions.contains(where: { $0.name == name }) else {
      throw Failure(.argument, "there is no action with this name; add it first")
    }
    return name
  }

  /// Adds a secret to an action.
  mutating func addSecret(_ action: UnsafePointer<CChar>?, _ key: UnsafePointer<UInt8>?) throws(Failure) {
    guard let key = tagKey(key) else { throw Failure(.argument, "the key is NULL") }
    let name = try actionName(action)
    let count = secrets.count { $0.action == name }
    guard count < configuration.secretsPerActionMax else {
      throw Failure(.limit, "'\(name)' already has \(count) secrets, the maximum")
    }
    let index = actions.first { $0.name == name }?.index ?? 0
    secrets.append(TagSecret(id: "", action: name, index: index, key: key, createdUnixSeconds: 0, label: nil))
  }

  /// Checks the mandatory settings of a kiosk.
  func check() throws(Failure) {
    guard configuration.broker != nil || !actions.isEmpty && actions.allSatisfy({ $0.topic == nil }) else {
      throw Failure(.configuration, "no broker is set; call tappet_kiosk_set_broker or tappet_kiosk_load")
    }
    if let sentence = configuration.foreignZoneSentence { throw Failure(.configuration, sentence) }
    guard !actions.isEmpty else {
      throw Failure(.configuration, "no action is set; call tappet_kiosk_add_action or tappet_kiosk_load")
    }
    if configuration.timestampKey == nil, !configuration.storesTimestampKey,
      let action = actions.first(where: { $0.message.usesTimestamp })
    {
      throw Failure(.configuration, "the message of '\(action.name)' uses %T, but no timestamp key is set")
    }
  }
}

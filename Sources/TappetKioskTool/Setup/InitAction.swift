// tappet init: the first action and the state folder.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore

extension SetupWizard {
  func askAction() throws(CommandFailure) {
    start("The first action")
    try resolve("action", "Name", default: "light") { (answer) throws(CommandFailure) in
      if let first = answer.utf8.first, "{[\"".utf8.contains(first) {
        return "this looks like a message, which is a later question; enter a name, such as light"
      }
      files.draft.actions[0].name = answer
      if !isWithoutBroker { files.draft.actions[0].effect = nil }
      return try mistake(in: "the name")
    }
  }

  func askMessage() throws(CommandFailure) {
    if files.draft.actions[0].effect == .output { return }
    let usual = isWithoutBroker ? "Somebody is here (%{time})." : "toggle"
    try resolve("message", "Message (%T: a timestamp token, %I: a unique id)", default: usual) {
      (answer) throws(CommandFailure) in
      files.draft.actions[0].message = answer
      if !PayloadTemplate(answer).usesTimestamp {
        files.timestampKey = nil
      } else if files.timestampKey == nil {
        try askTimestampKey()
        askClock()
      }
      return try mistake(in: "the message")
    }
  }

  func askTopic() throws(CommandFailure) {
    if isWithoutBroker { return }
    let canBeNone = files.draft.panel.relay != nil
    let topic = "home/" + files.draft.actions[0].name + "/set"
    let usual = Action.isTopic(topic) ? topic : "home/light/set"
    let choices = Choices("Topic", [("none", "No topic: it only switches the output")], other: "Topic")
    try resolve("topic", canBeNone ? "Topic (or 'none')" : "Topic", default: usual, canBeNone ? choices : nil) {
      (answer) throws(CommandFailure) in
      if canBeNone, answer == "none" {
        files.draft.actions[0].effect = .output
        return nil
      }
      guard Action.isTopic(answer) else {
        return "a topic must not contain '+', '#' or control characters, or start with '$SYS/' or '$share/'"
      }
      files.draft.actions[0].effect = .topic(answer)
      return try mistake(in: "the topic")
    }
  }

  private func askTimestampKey() throws(CommandFailure) {
    let question = "Key for %T (a file with 32 hexadecimal digits, or 'new' to create a key)"
    let choices = Choices(
      "Key for %T", [("new", "Create a key")], other: "A file on this board with 32 hexadecimal digits")
    try resolve("timestamp-key", question, default: "new", choices) { answer in
      if answer == "new" {
        guard var bytes = try? LibCrypto.random(count: 16) else { return SharedSentence.noRandomness }
        defer { LibCrypto.wipe(&bytes) }
        var digits = Array((Hex.encode(bytes) + "\n").utf8)
        files.timestampKey = SecretBytes(taking: &digits)
        return nil
      }
      guard let line = try? Prompt.line(from: answer, question: "", what: "key") else {
        return "\(answer) cannot be read"
      }
      guard line.withBytes({ TimestampKey(hex: Array($0)[...]) }) != nil else {
        return "\(answer) does not contain 32, 48 or 64 hexadecimal digits"
      }
      sources.append(answer)
      files.timestampKey = line
      return nil
    }
  }

  private func askClock() {
    guard !files.draft.trustsClock, !SystemClock().isSynchronized() else { return }
    inform("  This board's clock is not synchronized; messages with %T stay pending until a time service sets it.")
    files.draft.trustsClock = prompt?.confirm("Trust the clock as it is?", default: false) ?? false
  }

  /// Returns an error message about the answer just given, which `what` names.
  func mistake(in what: String) throws(CommandFailure) -> String? {
    let configuration: KioskConfiguration
    switch try files.trial() {
    case .loaded(let loaded): configuration = loaded
    case .refused(let problems): return problems.first?.reason(of: what)
    }
    guard let preset, let broker = configuration.broker else { return nil }
    return preset.objections(to: broker, actions: configuration.actions).first {
      switch $0 {
      case .topicTooLong, .topicTooDeep, .messageTooLong: true
      case .clientIDTooLong, .keepalive, .certificateMissing: false
      }
    }?.sentence(preset.title)
  }

  /// Prompts for the database's folder; an existing database is opened to detect errors.
  func askState() throws(CommandFailure) {
    start("Where the kiosk keeps its data")
    try resolve("state", "Folder (relative to the configuration)", default: files.usualState) {
      (answer) throws(CommandFailure) in
      files.draft.state = answer == "/var/lib/tappet" ? nil : answer
      if let mistake = try mistake(in: "the folder") { return mistake }
      let configuration = try files.configuration()
      guard access(configuration.stateFolder + "/tappet.db", F_OK) == 0 else { return nil }
      return stateMistake(configuration)
    }
  }

  func stateMistake(_ configuration: KioskConfiguration) -> String? {
    do throws(SecretStoreError) {
      _ = try files.openStore(configuration)
      return nil
    } catch { return error.sentence }
  }
}

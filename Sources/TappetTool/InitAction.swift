// tappet init: the first action, the state folder, and the files.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

extension Setup {
  func askAction() -> Step {
    begin("The first action")
    let name = settle("action", "Its name", usual: "light") { answer in
      self.files.draft.actions[0].name = answer
      self.files.draft.actions[0].topic = "home/" + answer + "/set"
      return self.actionTrouble()
    }
    guard case .done = name else { return name }
    let topic = settle("topic", "Its topic", usual: files.draft.actions[0].topic) { answer in
      guard Action.isTopic(answer) else { return "a topic is text without '+' and '#' that does not begin with '$'" }
      self.files.draft.actions[0].topic = answer
      return self.actionTrouble()
    }
    guard case .done = topic else { return topic }
    return settle("message", "Its message (%T: a timestamp token, %I: a unique id)", usual: "toggle") { answer in
      self.files.draft.actions[0].message = answer
      if PayloadTemplate(answer).usesTimestamp, self.files.timestampKey == nil {
        guard case .done = self.askTimestampKey() else { return "%T needs a timestamp key" }
        self.askClock()
      }
      return self.actionTrouble()
    }
  }

  private func askTimestampKey() -> Step {
    settle("timestamp-key", "The key for %T (a file with 32 hex digits; 'new': make one)", usual: "new") { answer in
      if answer == "new" {
        guard var bytes = try? LibCrypto.random(count: 16) else { return "the system has no random numbers" }
        defer { LibCrypto.wipe(&bytes) }
        var digits = Array((Hex.encode(bytes) + "\n").utf8)
        self.files.timestampKey = SecretText.taking(&digits)
        return nil
      }
      guard var line = QuietInput.line(path: answer, prompt: "") else { return "\(answer) cannot be read" }
      defer { LibCrypto.wipe(&line) }
      guard TimestampKey(hex: line[...]) != nil else { return "\(answer) must hold 32, 48 or 64 hex digits" }
      self.sources.append(answer)
      self.files.timestampKey = line.withUnsafeBytes { SecretText(copying: $0) }
      return nil
    }
  }

  private func askClock() {
    guard !files.draft.trustsClock, !SystemClock().isSynchronised() else { return }
    say("  The kernel calls this board's clock unsynchronised; messages with %T wait until a time service has set it.")
    files.draft.trustsClock = interview?.confirm("Trust the clock as it is?", usual: false) ?? false
  }

  private func actionTrouble() -> String? {
    guard let configuration = files.trial() else { return "this cannot stand in a configuration" }
    guard let preset else { return nil }
    return preset.objections(to: configuration.broker, actions: configuration.actions).first {
      switch $0 {
      case .topicTooLong, .topicTooDeep, .messageTooLong: true
      case .clientIDTooLong, .keepalive, .certificateMissing: false
      }
    }?.sentence(preset.title)
  }

  /// Where the database is; one that is there is opened, so that what is wrong with it shows.
  func askState() -> Step {
    begin("The state folder: database and sealing key")
    let usual = access("/var/lib", W_OK) == 0 && files.path.begins(with: "/etc/") ? "/var/lib/tappet" : "state"
    return settle("state", "Folder (relative: beside the configuration)", usual: usual) { answer in
      self.files.draft.state = answer == "/var/lib/tappet" ? nil : answer
      guard let configuration = self.files.trial() else { return "this cannot be a folder" }
      guard access(configuration.stateFolder + "/tappet.db", F_OK) == 0 else { return nil }
      return self.stateTrouble(configuration)
    }
  }

  private func stateTrouble(_ configuration: Configuration) -> String? {
    do throws(VaultError) {
      _ = try files.openVault(configuration)
      return nil
    } catch { return error.sentence }
  }

  func write() -> Step {
    begin("Writing")
    guard let configuration = files.trial() else { return .stop(files.trialStatus) }
    if files.interview.wasInterrupted() { return .stop(.refused) }
    let present = files.targets.filter { access($0, F_OK) == 0 && !sources.contains($0) }
    if !present.isEmpty, !arguments.has("force") {
      let list = present.joined(separator: ", ")
      guard let interview else {
        Output.complain("tappet init: \(list) would be replaced; say so by --force; nothing was written")
        return .stop(.refused)
      }
      guard interview.confirm("Replace \(list)?", usual: false) == true else {
        if !interview.isOver { Output.complain("Nothing was written.") }
        return .stop(.refused)
      }
    }
    do throws(FileSetError) {
      let prepared = try files.prepare()
      if let wrong = stateTrouble(configuration) {
        Output.complain("tappet init: \(wrong); nothing was written")
        return .stop(.failure)
      }
      try files.commit(prepared)
    } catch {
      Output.complain("tappet init: \(error.path) cannot be written: \(error.error.text); nothing was changed")
      return .stop(.failure)
    }
    for target in files.targets { Output.print("wrote " + target) }
    return .done
  }
}

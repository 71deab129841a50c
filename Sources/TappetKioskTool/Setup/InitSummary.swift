// tappet init: the summary of the answers, the consent to write them, and the files. Secrets are never shown.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetTLS

extension SetupWizard {
  /// Shows a summary, asks for consent, and writes the files.
  ///
  /// Shows the summary again, with the same answers, if writing fails or another program has changed a file.
  func write() throws(CommandFailure) {
    let configuration = try files.configuration()
    if files.prompt.isOver { throw .reported(.refused) }
    while true {
      files.previous = files.existingConfiguration
      let replaced = files.existingTargets
      try requireConsent(to: files.targets, summary(configuration))
      do throws(CommandFailure) {
        let prepared = try files.stageAll()
        if let mistake = stateMistake(configuration) { throw .failed("\(mistake); nothing was written") }
        if files.existingTargets.contains(where: { !replaced.contains($0) }) || files.isConfigurationNewer {
          Output.printError("  Another program has just written one of these files.")
          continue
        }
        try files.commit(prepared)
        break
      } catch {
        guard prompt != nil, let sentence = error.sentence else { throw error }
        Output.printError("  " + sentence)
      }
    }
    for target in files.targets { Output.print("wrote " + target) }
  }

  /// Shows a summary, and asks until the user agrees, or ends the dialogue; without a prompt, only replacing files
  /// needs `--force`.
  func requireConsent(to targets: [String], _ summary: [(subject: String, text: String)]) throws(CommandFailure) {
    let replaced = arguments.has("force") ? [] : targets.filter { access($0, F_OK) == 0 && !sources.contains($0) }
    let list = replaced.joined(separator: ", ")
    guard let prompt else {
      if replaced.isEmpty { return }
      throw .refused("nothing was written: \(list) would be replaced; use --force to replace existing files")
    }
    start("What will be written" + (Dialogue.current == nil ? " ('<' returns to the last question)" : ""))
    for (subject, text) in summary + [("Files", targets.joined(separator: ", "))] { inform("  \(subject): \(text)") }
    let question = replaced.isEmpty ? "Write these files?" : "Write these files, and replace \(list)?"
    while let agrees = prompt.confirm(question, default: replaced.isEmpty) {
      if agrees { return }
      let way =
        Dialogue.current == nil
        ? "Enter '<' to return to the questions, or press Ctrl-C to discard them." : "Back returns to the questions."
      inform("  Nothing was written. " + way)
    }
    throw .reported(.refused)
  }

  /// Returns the lines of the summary, each with its subject; no line contains a secret.
  private func summary(_ configuration: KioskConfiguration) -> [(subject: String, text: String)] {
    var lines: [(subject: String, text: String)] = [("Broker", brokerSummary)]
    if usesTLS {
      lines.append(("Broker's CA", files.authorityPEM == nil ? "the system's trust store" : ConfigTemplate.ca))
      lines.append(
        ("Certificate", files.identity.map { $0.commonName?.quoted ?? ConfigTemplate.certificate } ?? "none"))
    }
    lines.append(("Reader", files.draft.reader ?? "the first that libnfc finds"))
    let panel = files.draft.panel
    let parts = [
      panel.profile.map { "profile \($0)" }, panel.simulator.map { "virtual, at \($0)" },
      panel.led.map { "status LED \($0)" }, panel.button.map { "button \($0)" },
      panel.relay.map { "output \($0), on for 1 s" },
    ].compactMap { $0 }
    lines.append(("Panel", parts.isEmpty ? "none" : parts.joined(separator: ", ")))
    for action in files.draft.actions { lines.append(("Action '\(action.name)'", action.summary)) }
    if files.timestampKey != nil {
      let clock = files.draft.trustsClock ? ", even if the clock is not synchronized" : ""
      lines.append(("Key for %T", ConfigTemplate.timestampKey + clock))
    }
    lines.append(("State folder", configuration.stateFolder))
    switch firstSecret {
    case .later: break
    case .share: lines.append(("First tag", "written by the phone app, with the share code entered"))
    case .tag: lines.append(("First tag", "written next"))
    }
    if let previous = files.previous {
      let lost = ConfigurationParser.keys(of: previous, missingIn: Array(files.draft.text.utf8))
      if !lost.isEmpty { lines.append(("Not kept", lost.joined(separator: ", "))) }
      lines.append(("Copy of the old file", files.copy))
    }
    return lines
  }

  var brokerSummary: String {
    guard let url = files.draft.url else { return "none" }
    let user = files.draft.username.map { ", user \($0) with a password" } ?? ""
    return "\(url), client id \(files.draft.clientID)\(user)\(usesTLS ? "" : ", without TLS")"
  }
}

extension ConfigTemplate.Action {
  /// The effect of a tap, without the path of a web server's URL, which may be secret.
  fileprivate var summary: String {
    let place =
      switch effect {
      case .topic(let topic): "the topic \(topic)"
      case .room(let room): "the room \(room)"
      case .webServer(let url): WebhookURL(url)?.origin ?? "its URL"
      case .output, nil: ""
      }
    return place.isEmpty ? "only drives the output" : "sends '\(message.escaped)' to \(place)"
  }
}

// tappet init, run again: the values in the existing kiosk.yaml are the defaults. Keys that init does not prompt for
// are not carried over, and a message reports this; the old file is kept as a backup.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

extension SetupWizard {
  /// Loads the defaults from the existing file, if it is readable.
  func startFromExistingFile() {
    guard access(files.path, F_OK) == 0 else { return }
    guard case .loaded(let configuration) = ConfigurationParser.load(path: files.path, files: .ignored) else {
      return inform("  \(files.path) already exists, but has errors, so it provides no defaults.")
    }
    inform("  The defaults come from \(files.path). Other keys are kept only in a copy of the file.")
    earlier = answers(of: configuration)
    otherActions = configuration.actions.dropFirst().compactMap { action in
      // An action without a topic drives outputs or has a webhook; init prompts for neither.
      guard let topic = action.topic else { return nil }
      return ConfigTemplate.Action(
        name: action.name, title: action.title == action.name ? nil : action.title, index: action.index,
        effect: .topic(topic), message: action.message.text)
    }
    files.draft.actions += otherActions
    if let first = configuration.actions.first { files.draft.actions[0].index = first.index }
    if !configuration.checksClock { files.draft.trustsClock = true }
  }

  private func answers(of configuration: KioskConfiguration) -> [(option: String, answer: String)] {
    var answers: [(option: String, answer: String)] = []
    func add(_ option: String, _ answer: String?) { if let answer { answers.append((option, answer)) } }
    let broker = configuration.broker
    add("url", broker.map { $0.endpoints.first?.text } ?? "none")
    add("client-id", broker?.clientID)
    add("username", broker?.username)
    add("ca", broker?.caFile)
    add("certificate", broker?.certificateFile)
    add("private-key", broker?.privateKeyFile)
    add("reader", configuration.reader.map { $0.device } ?? "none")
    let panel = configuration.panel
    add("profile", panel.simulator == nil ? panel.profile : Self.virtualPanel)
    add("panel-simulator", panel.simulator)
    for indicator in panel.indicators where indicator.output == .status {
      if case .line(let line) = indicator.target { add("led", line.address.text) }
    }
    add("button", panel.buttons.first?.line.address.text)
    if let action = configuration.actions.first {
      add("action", action.name)
      let relay = panel.outputs.first { $0.plan.name == action.outputs.first?.output }
      if case .line(let line)? = relay?.target { add("relay", line.address.text) }
      if let topic = action.topic {
        add("topic", topic)
        add("message", action.message.text)
      } else if let post = configuration.matrix?.posts.first(where: { $0.action == action.name }) {
        add("send-to", post.room)
        // The body of a message to a room is its event, as JSON.
        add("message", JSON(decoding: Array((action.webhookBody?.text ?? "").utf8))?["body"]?.text)
      } else if let endpoint = configuration.webhooks.first(where: { $0.action == action.name }) {
        if case .text(let url) = endpoint.url { add("send-to", url) }
        add("message", action.webhookBody?.text)
      } else if case .line? = relay?.target {
        add("topic", "none")
        add("send-to", "none")
      }
    }
    let key = files.folder + "/" + ConfigTemplate.timestampKey
    if access(key, F_OK) == 0 { add("timestamp-key", key) }
    // As in the file, relative to its folder.
    let (state, folder) = (configuration.stateFolder, files.folder + "/")
    add("state", state.begins(with: folder) ? String(state.dropFirst(folder.count)) : state)
    return answers
  }
}

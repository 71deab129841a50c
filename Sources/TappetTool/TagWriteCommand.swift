// tappet tag write: a new secret, and a tag that acts with it.

import TappetCore
import TappetDevices
import TappetRuntime

enum TagWriteCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .json, .timeout, CommandOption(name: "label", takesValue: true), CommandOption(name: "with-key"),
      CommandOption(name: "protect"),
    ]
    switch Arguments.parse(words, command: "tag write", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let name = arguments.operands.first else {
        Output.complain("tappet tag write: say for which action")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let limit = arguments.tagTimeout(command: "tag write") else { return .usage }
      guard let action = configuration.actions.first(where: { $0.name == name }) else {
        let known = configuration.actions.map { $0.name }
        Output.complain("tappet tag write: \(TagJobRefusal.noSuchAction(name, known: known).sentence)")
        return .refused
      }
      return write(
        action, label: arguments.value("label"), configuration, carriesKey: arguments.has("with-key"),
        protects: arguments.has("protect"), limit: limit, asJSON: arguments.has("json"))
    }
  }

  /// Says what to do, waits for the tag, writes it, reads it back, saves the secret, and tells the result.
  static func write(
    _ action: Action, label: String?, _ configuration: Configuration, carriesKey: Bool = false,
    protects: Bool = false, limit: Duration = .seconds(60), asJSON: Bool = false
  ) -> ExitStatus {
    var request = TagJobRequest(.write)
    request.action = action.name
    request.label = label
    request.carriesKey = carriesKey
    request.protects = protects
    if carriesKey {
      Output.complain("This tag will carry its key: whoever reads it can copy it. Keep it away from others.")
    }
    return TagJobSession.run(request, configuration, limit: limit, asJSON: asJSON)
  }
}

extension CommandOption {
  static let timeout = CommandOption(name: "timeout", takesValue: true)
  static let yes = CommandOption(name: "yes")
}

extension Arguments {
  /// How long a tag is waited for; nil after a complaint.
  func tagTimeout(command: String, defaultSeconds: Int64 = 60) -> Duration? {
    guard let text = value("timeout") else { return .seconds(defaultSeconds) }
    guard let seconds = Int64(text), (1...3600).contains(seconds) else {
      Output.complain("tappet \(command): --timeout takes whole seconds from 1 to 3600")
      return nil
    }
    return .seconds(seconds)
  }
}

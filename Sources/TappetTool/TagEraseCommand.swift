// tappet tag erase: an empty tag, which anybody may write.

import TappetCore
import TappetRuntime

enum TagEraseCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "tag erase", options: [.config, .json, .timeout]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let limit = arguments.tagTimeout(command: "tag erase") else { return .usage }
      return TagJobSession.run(TagJobRequest(.erase), configuration, limit: limit, asJSON: arguments.has("json"))
    }
  }
}

// tappet tag format: a tag that lacks its capability container gets one. It cannot be undone, so it asks.

import TappetCore
import TappetRuntime

enum TagFormatCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "tag format", options: [.config, .json, .timeout, .yes]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let limit = arguments.tagTimeout(command: "tag format") else { return .usage }
      let question = "The capability container cannot be taken off the tag again. Type 'format' to go on: "
      guard arguments.has("yes") || Question.isAnswered("format", question, command: "tag format") else {
        return .refused
      }
      return TagJobSession.run(TagJobRequest(.format), configuration, limit: limit, asJSON: arguments.has("json"))
    }
  }
}

// tappet tag lock: a tag that nobody can write any more. It cannot be undone, so it asks.

import TappetCore
import TappetRuntime

enum TagLockCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "tag lock", options: [.config, .json, .timeout, .yes]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let limit = arguments.tagTimeout(command: "tag lock") else { return .usage }
      let question = "Locking cannot be undone: the tag can never be written again. Type 'lock' to go on: "
      guard arguments.has("yes") || Question.isAnswered("lock", question, command: "tag lock") else {
        return .refused
      }
      return TagJobSession.run(TagJobRequest(.lock), configuration, limit: limit, asJSON: arguments.has("json"))
    }
  }
}

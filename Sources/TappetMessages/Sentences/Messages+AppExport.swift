// Sentences for errors in the app's settings.

import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

extension AppExportProblem {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .unreadable(let error): "the file cannot be read: \(error.text)"
      case .tooLarge: "the file is larger than \(Limits.appSettingsSizeMax) bytes, the maximum for the app's settings"
      case .notJSON: "the file is not valid JSON, or is truncated; copy the app's settings again"
      case .notSettings(let missing):
        "the file is JSON, but matches neither format of the app's settings: '\(missing)' is missing"
      case .wrongType(let place, let expected): "'\(place)' must be \(expected)"
      case .empty(let place): "'\(place)' is empty; set it in the app, and copy its settings again"
      case .notAnEndpoint(let text): "'endpoint' is not a usable host: '\(text)'"
      case .notAClientID(let text):
        "'clientID' is not valid here: '\(text)' contains '/', '+' or '#', or is longer than "
          + "\(Limits.clientIDSizeMax) bytes"
      case .notATimestampKey: "'timestampKey' must be 32, 48 or 64 hex digits long"
      case .certificate(let problem): problem.sentence
      case .notATopic(let place, let title, let topic):
        "'\(title)' (\(place)) was left out: "
          + (topic.isEmpty ? "it has no topic" : "messages cannot be published to its topic '\(topic)'")
      case .timestampWithoutKey(let place, let title):
        "'\(title)' (\(place)) was left out: its message uses %T, but there is no 'timestampKey'"
      case .textTooLong(let place, let max): "'\(place)' is longer than \(max) bytes"
      case .notASecret(let place): "'\(place)' contains no secret of 64 hex digits"
      case .tooManySecrets(let place, let count):
        "'\(place)' contains \(count) secrets; the maximum is \(Limits.appSecretsPerActionMax)"
      case .noActions:
        "the settings contain no action that can be performed here; set one up in the app, and copy its settings again"
      }
    }
  }
}

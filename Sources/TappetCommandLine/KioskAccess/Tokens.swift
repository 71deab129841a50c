// Access to the timestamp key, for the commands.

import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

package enum Tokens {
  package static func digits(_ path: String?) throws(CommandFailure) -> SecretBytes {
    try Prompt.privateLine(from: path, question: "Timestamp key", what: "key")
  }

  /// Returns the key from the file specified with --key-file, otherwise the configured key.
  @export(interface)
  package static func key(_ arguments: Arguments) throws(CommandFailure) -> TimestampKey {
    if let path = arguments.value("key-file") {
      guard let key = key(try digits(path)) else {
        throw .failed("\(path) does not contain a key of 32, 48 or 64 hexadecimal digits")
      }
      return key
    }
    let configuration = try KioskAccess.load(arguments, files: .used)
    if configuration.storesTimestampKey {
      let answer = try SecretClient(configuration).ask(.revealValue(SecretStore.timestampKeyName))
      guard let key = answer.secretPayload.flatMap({ key($0) }) else { throw .malformedAnswer }
      return key
    }
    guard let key = configuration.timestampKey else {
      throw .refused("the configuration contains no timestamp_key; add one, or specify --key-file FILE")
    }
    return key
  }

  private static func key(_ digits: SecretBytes) -> TimestampKey? {
    digits.withBytes { TimestampKey(hex: Array($0)[...]) }
  }
}

// tappet token: timestamp tokens by hand, for looking into a receiver that refuses them.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum TokenCommand {
  private static let keyFile = CommandOption(name: "key-file", takesValue: true)

  static func seal(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, keyFile, CommandOption(name: "time", takesValue: true)]
    switch Arguments.parse(words, command: "token seal", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let time = Int64(arguments.value("time") ?? String(SystemClock().now().unixSeconds)) else {
        Output.complain("tappet token seal: --time takes whole seconds since 1970")
        return .usage
      }
      switch key(arguments) {
      case .failure(let stop): return stop.status
      case .success(let key):
        guard let token = try? TimestampToken.seal(unixSeconds: time, key: key) else {
          Output.complain("tappet token seal: a token holds times from 0 to 4294967295 (1970 to 2106), not \(time)")
          return .refused
        }
        Output.print(token)
        return .success
      }
    }
  }

  static func open(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, .json, keyFile]
    switch Arguments.parse(words, command: "token open", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let token = arguments.operands.first else {
        Output.complain("tappet token open: give the token: 32 hex digits")
        return .usage
      }
      switch key(arguments) {
      case .failure(let stop): return stop.status
      case .success(let key): return show(token, key, asJSON: arguments.has("json"))
      }
    }
  }

  private static func show(_ token: String, _ key: TimestampKey, asJSON: Bool) -> ExitStatus {
    let sealed: Int64
    do throws(TimestampTokenError) { sealed = try TimestampToken.open(token, key: key) } catch {
      Output.complain("tappet token open: \(error.sentence)")
      return .refused
    }
    let age = SystemClock().now().unixSeconds - sealed
    if asJSON {
      Output.print(.object(["unix_seconds": .number(sealed), "age_seconds": .number(age)]))
    } else {
      Output.print("\(sealed)  \(age) s old")
    }
    return .success
  }

  private static func key(_ arguments: Arguments) -> Result<TimestampKey, Arguments.Stop> {
    guard let path = arguments.value("key-file") else {
      guard let configuration = Settings.load(arguments) else {
        return .failure(Arguments.Stop(status: .configuration))
      }
      if configuration.storesTimestampKey { return storedKey(configuration) }
      guard let key = configuration.timestampKey else {
        Output.complain("tappet token: the configuration has no timestamp_key; add it, or give --key-file FILE")
        return .failure(Arguments.Stop(status: .refused))
      }
      return .success(key)
    }
    do throws(SecretRefusal) {
      var digits = try line(path)
      defer { LibCrypto.wipe(&digits) }
      if let key = TimestampKey(hex: digits[...]) { return .success(key) }
      throw SecretRefusal(sentence: "\(path) holds no key of 32, 48 or 64 hex digits", status: .failure)
    } catch { return .failure(Arguments.Stop(status: SecretCommand.complain("token", error))) }
  }

  private static func storedKey(_ configuration: Configuration) -> Result<TimestampKey, Arguments.Stop> {
    do throws(SecretRefusal) {
      let name = JSON.Member.text("name", Vault.timestampKeyName)
      let answer = try SecretDoor(configuration: configuration).ask("value-reveal", name)
      var digits = answer.enclosure?.withBytes { Array($0) } ?? []
      defer { LibCrypto.wipe(&digits) }
      if let key = TimestampKey(hex: digits[...]) { return .success(key) }
      throw SecretRefusal(sentence: "the kiosk's answer makes no sense", status: .failure)
    } catch { return .failure(Arguments.Stop(status: SecretCommand.complain("token", error))) }
  }

  private static func line(_ path: String?) throws(SecretRefusal) -> [UInt8] {
    try QuietInput.privateLine(path: path, prompt: "Timestamp key (it is not shown): ", what: "key")
  }

  // MARK: key

  /// Puts the timestamp key into the store, sealed, for `timestamp_key: {stored: true}`.
  static func keep(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "token key", options: [.config, keyFile]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("token key") { () throws(SecretRefusal) in
        var digits = try line(arguments.value("key-file"))
        let name = JSON.Member.text("name", Vault.timestampKeyName)
        _ = try SecretDoor(configuration: configuration).ask(
          "value-keep", name, enclosing: SecretBytes(taking: &digits))
        if !configuration.storesTimestampKey {
          Output.complain("It is stored; with 'timestamp_key: {stored: true}' in the configuration it is used.")
        }
      }
    }
  }
}

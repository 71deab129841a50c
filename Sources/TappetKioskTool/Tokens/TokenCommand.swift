// tappet token: creates and checks timestamp tokens manually, to debug a receiver that rejects them.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension Command {
  static var tokenSeal: Command {
    Command(
      words: "token seal", section: .secrets, summary: "create a timestamp token",
      options: [.keyFile, CommandOption("time", "SECONDS", "seconds since 1970 (now)")],
      details: """
        Prints a timestamp token (32 hexadecimal digits) for the current time, or for another time, sealed
        with the configuration's key or the key in --key-file.
        """,
      usageError: {
        $0.value("time").map { Int64($0) == nil } == true ? "--time must be whole seconds since 1970" : nil
      },
      body: .plain { (arguments) throws(CommandFailure) in
        let time = arguments.value("time").flatMap { Int64($0) } ?? SystemClock().now().unixSeconds
        let key = try Tokens.key(arguments)
        guard let token = try? TimestampToken.seal(unixSeconds: time, key: key) else {
          throw .refused("a token can contain times from 0 to 4294967295 (1970 to 2106), not \(time)")
        }
        Output.print(token)
      })
  }

  static var tokenOpen: Command {
    Command(
      words: "token open", section: .secrets, summary: "show the time in a timestamp token",
      operands: [Operand("TOKEN")], options: [.keyFile, .json],
      details: """
        Prints the time in a token, and its age. Exit status 1: the token was sealed with a different key.
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        let key = try Tokens.key(arguments)
        let sealed: Int64
        do throws(TimestampTokenError) { sealed = try TimestampToken.open(arguments.operands[0], key: key) } catch {
          throw .refused(
            error.sentence, error == .notHexadecimal ? FailureCode.tokenMalformed : FailureCode.tokenForeign)
        }
        let age = SystemClock().now().unixSeconds - sealed
        if let report = arguments.report {
          return report.set(.object(["sealed_at": .time(unixSeconds: sealed), "age_seconds": .number(age)]))
        }
        Output.print("\(sealed)  \(age) s old")
      })
  }

  static var tokenKey: Command {
    Command(
      words: "token key", section: .secrets, summary: "store the timestamp key, sealed", options: [.keyFile],
      details: """
        Stores the timestamp key, sealed, for 'timestamp_key: {stored: true}'. It is read from standard
        input (without echo on a terminal) or from --key-file: 32, 48 or 64 hexadecimal digits. A running
        kiosk uses it immediately.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let digits = try Tokens.digits(arguments.value("key-file"))
        _ = try SecretClient(configuration).ask(.keepTimestampKey(digits))
        if !configuration.storesTimestampKey {
          Output.printError("The key is stored; to use it, set 'timestamp_key: {stored: true}' in the configuration.")
        }
      })
  }
}

/// The command line of the simulator: parses options, prints messages and returns exit codes.

import CPlatform
import TappetTag
import TappetPlatform

/// The command line of `tappet-sim`.
enum SimulatorCommandLine {
  /// Exit codes as documented in `--help`.
  enum Exit {
    static let done: Int32 = 0
    static let refused: Int32 = 1
    static let usage: Int32 = 2
    static let system: Int32 = 3
  }

  private enum Choice {
    case options(SimulatorOptions)
    case exit(Int32)
  }

  /// Runs the program; returns its exit code.
  static func run(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    guard let arguments else { return Exit.usage }
    let words = (0..<max(0, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
    if words.count >= 2, words[1] == "ctl" { return control(Array(words.dropFirst(2))) }
    switch parse(count, arguments) {
    case .exit(let code): return code
    case .options(let options): return simulate(options)
    }
  }

  private static func simulate(_ options: SimulatorOptions) -> Int32 {
    do throws(SystemError) {
      let simulator = try SimulatorProcess(options)
      put("ready " + options.link + "\n", to: tp_stdout())
      try simulator.run()
      return Exit.done
    } catch {
      return fail(error)
    }
  }

  // MARK: Client

  private static func control(_ words: [String]) -> Int32 {
    if words.first == "--help" {
      put(help, to: tp_stdout())
      return Exit.done
    }
    guard words.count >= 2 else { return refuse("ctl requires the control socket's path and a command") }
    SignalMask.ignoreFailedWrites()
    do throws(SystemError) {
      let connection = try UnixSocket.connect(to: words[0], .stream, waits: true)
      try connection.descriptor.write(Array(words.dropFirst().joined(separator: " ").utf8) + [0x0A])
      // The simulator sends its response, then closes the connection.
      connection.endSending()
      var answer: [UInt8] = []
      while case let bytes = try connection.descriptor.read(sizeMax: 4096), !bytes.isEmpty { answer += bytes }
      return show(String(decoding: answer, as: UTF8.self))
    } catch { return fail(error, words[0] + ": ") }
  }

  private static func fail(_ error: SystemError, _ place: String = "") -> Int32 {
    put("tappet-sim: \(place)\(error.call): \(error.text)\n", to: tp_stderr())
    return Exit.system
  }

  private static func show(_ answer: String) -> Int32 {
    guard !answer.isEmpty else {
      put("tappet-sim: no response\n", to: tp_stderr())
      return Exit.system
    }
    if answer.hasPrefix("error") {
      put(answer, to: tp_stderr())
      return Exit.refused
    }
    put(answer, to: tp_stdout())
    return Exit.done
  }

  // MARK: Options

  private static func parse(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> Choice {
    var table = LongOptions()
    for (name, letter) in [
      ("link", "l"), ("control", "c"), ("panel", "p"), ("pace", "a"), ("trace", "t"), ("try", "y"),
    ]
      as [(StaticString, Unicode.Scalar)]
    {
      table.add(name, letter, takesValue: true)
    }
    table.add("help", "h")
    table.add("version", "V")
    var options = SimulatorOptions(link: "", control: "")
    while true {
      switch table.next(count, arguments) {
      case .option("l", let value): options.link = value
      case .option("c", let value): options.control = value
      case .option("p", let value): options.panel = value
      case .option("t", let value): options.trace = value
      case .option("a", let value):
        guard value == "on" || value == "off" else { return .exit(refuse("--pace must be on or off")) }
        options.isPaced = value == "on"
      case .option("y", let value):
        guard let milliseconds = Int(value), (1...100).contains(milliseconds) else {
          return .exit(refuse("--try must be a number of milliseconds from 1 to 100"))
        }
        options.tryMilliseconds = milliseconds
      case .option("h", _):
        put(help, to: tp_stdout())
        return .exit(Exit.done)
      case .option:
        put("tappet-sim " + Version.text + "\n", to: tp_stdout())
        return .exit(Exit.done)
      case .missingValue(let word): return .exit(refuse("\(word) requires a value"))
      case .unknown(let word), .operand(let word): return .exit(refuse("unexpected argument '\(word)'"))
      case .end:
        guard !options.link.isEmpty, !options.control.isEmpty else {
          return .exit(refuse("--link and --control are required"))
        }
        return .options(options)
      }
    }
  }

  private static func refuse(_ sentence: String) -> Int32 {
    put("tappet-sim: \(sentence)\nTry 'tappet-sim --help'.\n", to: tp_stderr())
    return Exit.usage
  }

  private static func put(_ text: String, to file: UnsafeMutablePointer<FILE>?) {
    var text = text
    text.withUTF8 { tp_put(file, $0.baseAddress, $0.count) }
  }
}

/// The program's words: options in, sentences and exit codes out.

import CPlatform
import TappetCore

/// `tappet-sim`.
enum SimulatorCommandLine {
  /// Exit codes, as `--help` tells them.
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

  /// Runs the program; the result is its exit code.
  static func run(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    guard let arguments else { return Exit.usage }
    let words = (0..<max(0, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
    if words.count >= 2, words[1] == "ctl" { return tell(Array(words.dropFirst(2))) }
    switch parse(count, arguments) {
    case .exit(let code): return code
    case .options(let options): return simulate(options)
    }
  }

  private static func simulate(_ options: SimulatorOptions) -> Int32 {
    do throws(HostFailure) {
      let simulator = try SimulatorProcess(options)
      put("ready " + options.link + "\n", to: tp_stdout())
      try simulator.run()
      return Exit.done
    } catch {
      put("tappet-sim: " + error.sentence + "\n", to: tp_stderr())
      return Exit.system
    }
  }

  // MARK: As a client

  private static func tell(_ words: [String]) -> Int32 {
    if words.first == "--help" {
      put(help, to: tp_stdout())
      return Exit.done
    }
    guard words.count >= 2 else { return complain("ctl needs the control socket's path and a command") }
    tp_ignore_sigpipe()
    do throws(HostFailure) {
      let connection = try UnixListener.connect(path: words[0])
      var rest = Array(words.dropFirst().joined(separator: " ").utf8) + [0x0A]
      while !rest.isEmpty {
        guard let sent = connection.send(rest) else { throw HostFailure(call: "write", code: EPIPE) }
        rest.removeFirst(sent)
      }
      // The simulator answers all and closes.
      shutdown(connection.number, Int32(tp_shut_write()))
      var answer: [UInt8] = []
      while case .bytes(let bytes) = connection.receive() { answer += bytes }
      return show(String(decoding: answer, as: UTF8.self))
    } catch {
      put("tappet-sim: " + words[0] + ": " + error.sentence + "\n", to: tp_stderr())
      return Exit.system
    }
  }

  private static func show(_ answer: String) -> Int32 {
    guard !answer.isEmpty else {
      put("tappet-sim: no answer\n", to: tp_stderr())
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
    var options = SimulatorOptions(link: "", control: "")
    let known = longOptions
    while true {
      let code = known.withUnsafeBufferPointer { getopt_long(count, arguments, "", $0.baseAddress, nil) }
      if code == -1 { break }
      let value = tp_optarg().map { String(cString: $0) } ?? ""
      switch UInt8(truncatingIfNeeded: code) {
      case UInt8(ascii: "l"): options.link = value
      case UInt8(ascii: "c"): options.control = value
      case UInt8(ascii: "p"): options.panel = value
      case UInt8(ascii: "t"): options.trace = value
      case UInt8(ascii: "a"):
        guard value == "on" || value == "off" else { return .exit(complain("--pace is on or off")) }
        options.isPaced = value == "on"
      case UInt8(ascii: "h"):
        put(help, to: tp_stdout())
        return .exit(Exit.done)
      case UInt8(ascii: "V"):
        put("tappet-sim " + Version.text + "\n", to: tp_stdout())
        return .exit(Exit.done)
      default: return .exit(complain(nil))
      }
    }
    guard tp_optind() >= count else { return .exit(complain("there is a word too many")) }
    guard !options.link.isEmpty, !options.control.isEmpty else {
      return .exit(complain("--link and --control are needed"))
    }
    return .options(options)
  }

  private static var longOptions: [option] {
    func entry(_ name: StaticString, _ letter: Unicode.Scalar, takesValue: Bool) -> option {
      let start = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
      return option(name: start, has_arg: takesValue ? 1 : 0, flag: nil, val: Int32(letter.value))
    }
    return [
      entry("link", "l", takesValue: true), entry("control", "c", takesValue: true),
      entry("panel", "p", takesValue: true), entry("pace", "a", takesValue: true),
      entry("trace", "t", takesValue: true), entry("help", "h", takesValue: false),
      entry("version", "V", takesValue: false), option(name: nil, has_arg: 0, flag: nil, val: 0),
    ]
  }

  private static func complain(_ sentence: String?) -> Int32 {
    if let sentence { put("tappet-sim: " + sentence + "\n", to: tp_stderr()) }
    put("Try 'tappet-sim --help'.\n", to: tp_stderr())
    return Exit.usage
  }

  private static func put(_ text: String, to file: UnsafeMutablePointer<FILE>?) {
    guard let file else { return }
    var text = text
    text.withUTF8 { bytes in _ = fwrite(bytes.baseAddress, 1, bytes.count, file) }
    fflush(file)
  }
}

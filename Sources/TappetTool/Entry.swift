// The two programs of the command line. `tappet` is the kiosk, runs for months, and has in it what that takes; the commands that are
// typed now and then, with the libraries that only they need, are in `libexec/tappet/tappet-tool`, which it becomes for them.

import CPlatform
import TappetCore
import TappetDevices

/// The entry of `tappet`, called by its main.c.
@_cdecl("tappet_main")
public func tappet_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  return Front.run(words(count, arguments), arguments).rawValue
}

/// The entry of `tappet-tool`, called by its main.c.
@_cdecl("tappet_tool_main")
public func tappet_tool_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  return Output.judged(Tool.run(words(count, arguments))).rawValue
}

/// What was typed after the program's name; the process is made ready for secrets.
private func words(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [String] {
  tp_open_standard_descriptors()
  // A core dump would hold the secrets.
  _ = tp_prctl(Int32(PR_SET_DUMPABLE), 0, 0)
  tp_ignore_sigpipe()
  // A limit on a file's size is a full disk, no reason to die.
  tp_ignore_signal(SIGXFSZ)
  return (1..<max(1, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
}

/// What `tappet` does itself.
private enum Front {
  static func run(_ words: [String], _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> ExitStatus {
    let rest = Array(words.dropFirst())
    switch words.first {
    case "--version":
      Output.print("tappet \(Version.text)")
      return Output.judged(.success)
    case "run" where !asksForHelp(rest): return RunCommand.run(rest)
    case "status" where !asksForHelp(rest): return Output.judged(StatusCommand.run(rest))
    default: return becomeTool(arguments)
    }
  }

  /// All of --help stands in tappet-tool.
  private static func asksForHelp(_ words: [String]) -> Bool { words.contains("--help") || words.contains("-h") }

  /// Returns only if it cannot be.
  private static func becomeTool(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> ExitStatus {
    let path = ReaderProcess.locateHelper("tappet-tool")
    do throws(SystemError) { try checked("execv") { execv(path, arguments) } } catch {
      Output.complain("tappet: \(path), which has this command, cannot be started: \(error.text); install Tappet anew")
    }
    return .failure
  }
}

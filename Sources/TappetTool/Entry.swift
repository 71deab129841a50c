// The command-line programs. `tappet` is the kiosk, which runs for months and contains only the code it needs.
// Commands that are used interactively, with their libraries, are in `libexec/tappet/tappet-tool`, which `tappet`
// executes for them.

import CPlatform
import TappetBrokerTool
import TappetCommandLine
import TappetCore
import TappetInventoryTool
import TappetKiosk
import TappetKioskTool
import TappetMatrixTool
import TappetPlatform

private typealias ArgumentVector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Starts `tappet`; called by its main.c.
@_cdecl("tappet_main")
package func tappet_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  return main(prepare(count, arguments), arguments).rawValue
}

/// Starts `tappet-tool`; called by its main.c.
@_cdecl("tappet_tool_main")
package func tappet_tool_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  let words = prepare(count, arguments)
  if let status = HelperPrograms.run(words) { return status.rawValue }
  // Otherwise, a name from a terminal in Latin-1 would be stored with U+FFFD in place of its letters.
  for index in 1..<max(1, Int(count)) {
    guard let word = arguments[index], String(validatingCString: word) == nil else { continue }
    Output.printError("tappet: the argument '\(words[index - 1])' is not UTF-8; set the terminal to UTF-8")
    return ExitStatus.usage.rawValue
  }
  return Output.finalStatus(CommandTable.run(words)).rawValue
}

/// Prepares the process for handling secrets; returns the arguments after the program's name.
private func prepare(_ count: Int32, _ arguments: ArgumentVector) -> [String] {
  tp_open_standard_descriptors()
  // A core dump would contain secrets.
  _ = tp_prctl(Int32(PR_SET_DUMPABLE), 0, 0)
  tp_ignore_sigpipe()
  // Reaching the file size limit is handled like a full disk, and must not terminate the process.
  tp_ignore_signal(SIGXFSZ)
  return (1..<max(1, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
}

/// Runs the built-in commands of `tappet`, or executes the program that contains the other commands.
private func main(_ words: [String], _ arguments: ArgumentVector) -> ExitStatus {
  let (global, rest) = CommandTable.split(words)
  switch rest.first {
  case "--version":
    Output.print("tappet \(Version.text)")
    return Output.finalStatus(.success)
  case "run": return Output.finalStatus(Command.run.run(global + rest.dropFirst()))
  case "status": return Output.finalStatus(Command.status.run(global + rest.dropFirst()))
  default: return becomeTool(arguments)
  }
}

/// Replaces this process with tappet-tool; returns only if it cannot be started.
private func becomeTool(_ arguments: ArgumentVector) -> ExitStatus {
  let path = InstalledPrograms.locate("tappet-tool")
  do throws(SystemError) { try checked("execv") { execv(path, arguments) } } catch {
    Output.printError(
      "tappet: \(path), which provides this command, cannot be started: \(error.text); reinstall Tappet")
  }
  return .failure
}

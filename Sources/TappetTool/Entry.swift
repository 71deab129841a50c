// The programs of the command line. `tappet` is the kiosk: it runs for months and contains only what that needs.
// The commands that are typed now and then, with the libraries that only they need, are in
// `libexec/tappet/tappet-tool`, which `tappet` becomes for them.

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

/// The entry of `tappet`, called by its main.c.
@_cdecl("tappet_main")
package func tappet_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  return main(prepare(count, arguments), arguments).rawValue
}

/// The entry of `tappet-tool`, called by its main.c.
@_cdecl("tappet_tool_main")
package func tappet_tool_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let arguments else { return ExitStatus.usage.rawValue }
  let words = prepare(count, arguments)
  if words.first == InventoryHelper.option { return InventoryHelperProgram.serve(words).rawValue }
  return Output.finalStatus(CommandTable.run(words)).rawValue
}

/// Readies the process for secrets; returns what was typed after the program's name.
private func prepare(_ count: Int32, _ arguments: ArgumentVector) -> [String] {
  tp_open_standard_descriptors()
  // A core dump would contain the secrets.
  _ = tp_prctl(Int32(PR_SET_DUMPABLE), 0, 0)
  tp_ignore_sigpipe()
  // A limit on a file's size is like a full disk, and no reason to die.
  tp_ignore_signal(SIGXFSZ)
  return (1..<max(1, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
}

/// Runs the commands of `tappet` itself, or becomes the program that has the others.
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

/// Returns only if the program cannot be started.
private func becomeTool(_ arguments: ArgumentVector) -> ExitStatus {
  let path = InstalledPrograms.locate("tappet-tool")
  do throws(SystemError) { try checked("execv") { execv(path, arguments) } } catch {
    Output.printError(
      "tappet: \(path), which has this command, cannot be started: \(error.text); install Tappet again")
  }
  return .failure
}

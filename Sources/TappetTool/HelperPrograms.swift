// The programs that other processes start with a socket, and users never: tappet-inventory, a kiosk's inventory process
// and the same for its page; the process for a request of the page; and the 'tappet init' of 'tappet init --web'.

import CPlatform
import TappetBrokerTool
import TappetCommandLine
import TappetCore
import TappetInventory
import TappetInventoryTool
import TappetKiosk
import TappetKioskTool
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The helper programs that are part of tappet-tool.
enum HelperPrograms {
  /// Runs the program that the first word selects, until the kiosk closes the socket; `nil` if the word selects none.
  static func run(_ words: [String]) -> ExitStatus? {
    switch words.first {
    case InventoryHelper.option, InventoryHelper.pageOption:
      guard let (parent, folder) = arguments(words, "--state", name: "tappet-inventory") else { return .usage }
      return serveInventory(parent, folder, forPage: words[0] == InventoryHelper.pageOption)
    case ToolHost.option:
      guard let (parent, path) = arguments(words, "--config", name: "tappet-page") else { return .usage }
      // Otherwise, it could publish after the browser has lost the kiosk, which starts it from its main thread.
      _ = tp_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL), 0)
      // If memory runs out, this process ends, and not the kiosk.
      try? FileDescriptor.open("/proc/self/oom_score_adj", O_WRONLY).write(Array("1000".utf8))
      perform(PageReport(to: parent), path)
      return .success
    case SetupHost.option:
      guard words.count > 2, let parent = Int32(words[1]).flatMap({ UnixSocket.toParent($0) }) else {
        Output.printError("tappet: '\(words[0])' is an internal option; use 'tappet init --web' to start this program")
        return .usage
      }
      Dialogue.current = Dialogue(parent)
      let status = CommandTable.run(Array(words[2...]))
      Dialogue.current?.end(status.rawValue)
      return status
    case _: return nil
    }
  }

  private static func perform(_ report: PageReport, _ path: String) {
    guard let request = ToolRequest(from: report.parent) else { return }
    report.finish { () throws(CommandFailure) in
      guard case .backup(let passphrase) = request else {
        return try PageBrokerService(report: report, configuration: path).perform(request)
      }
      return try PageBackup.make(passphrase, configuration: path, report)
    }
  }

  /// Returns the socket and the value of the option in `--…-socket FD OPTION VALUE`, and names the process.
  private static func arguments(_ words: [String], _ option: String, name: String) -> (UnixSocket, String)? {
    guard words.count == 4, words[2] == option, let number = Int32(words[1]), let parent = UnixSocket.toParent(number)
    else {
      Output.printError("\(name): '\(words[0])' is an internal option; use 'tappet run' to start this program")
      return nil
    }
    // The process name in log lines and `ps`.
    name.withCString { _ = tp_prctl(Int32(PR_SET_NAME), UInt(bitPattern: $0), 0) }
    return (parent, words[3])
  }

  private static func serveInventory(_ parent: UnixSocket, _ folder: String, forPage: Bool) -> ExitStatus {
    do throws(DatabaseError) {
      if forPage {
        var service = try StockService(parent: parent, folder: folder)
        try service.run()
      } else {
        try InventoryService(parent: parent, folder: folder).run()
      }
      return .success
    } catch {
      Output.printError("tappet-inventory: " + error.sentence)
      return .failure
    }
  }
}

// tappet-inventory, a kiosk's inventory process, and the same for its page: started by 'tappet run' with a socket,
// never by a user.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetInventory
import TappetInventoryTool
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The program tappet-inventory, which serves its parent over a socket.
enum InventoryHelperProgram {
  /// Serves the parent until it closes the socket; `words` are `--inventory-socket FD --state FOLDER`, or
  /// `--stock-socket` for the page.
  static func serve(_ words: [String]) -> ExitStatus {
    guard words.count == 4, words[2] == "--state", let number = Int32(words[1]),
      let parent = UnixSocket.toParent(number)
    else {
      Output.printError("tappet-inventory: '\(words[0])' is an internal option; use 'tappet run' to start this program")
      return .usage
    }
    // The process name in log lines and `ps`.
    "tappet-inventory".withCString { _ = tp_prctl(Int32(PR_SET_NAME), UInt(bitPattern: $0), 0) }
    do throws(DatabaseError) {
      if words[0] == InventoryHelper.pageOption {
        try StockService(parent: parent, folder: words[3]).run()
      } else {
        try InventoryService(parent: parent, folder: words[3]).run()
      }
      return .success
    } catch {
      Output.printError("tappet-inventory: " + error.sentence)
      return .failure
    }
  }
}

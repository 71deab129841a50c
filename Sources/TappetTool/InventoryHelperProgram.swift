// tappet-inventory, a kiosk's inventory process: started by 'tappet run' with a socket, never by a user.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetInventory
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// tappet-inventory behind a socket.
enum InventoryHelperProgram {
  /// Serves the parent until it closes the socket: `--inventory-socket FD --state FOLDER`.
  static func serve(_ words: [String]) -> ExitStatus {
    guard words.count == 4, words[2] == "--state", let number = Int32(words[1]),
      let parent = UnixSocket.toParent(number)
    else {
      Output.printError("tappet-inventory: '\(words[0])' is for 'tappet run', which starts it")
      return .usage
    }
    // The process name in log lines and `ps`.
    "tappet-inventory".withCString { _ = tp_prctl(Int32(PR_SET_NAME), UInt(bitPattern: $0), 0) }
    do throws(DatabaseError) {
      try InventoryService(parent: parent, folder: words[3]).run()
      return .success
    } catch {
      Output.printError("tappet-inventory: " + error.sentence)
      return .failure
    }
  }
}

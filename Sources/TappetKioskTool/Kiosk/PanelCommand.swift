// tappet panel lock: locks the buttons of the running kiosk immediately.

import TappetCommandLine
import TappetJSON
import TappetKiosk

extension Command {
  static var panelLock: Command {
    Command(
      words: "panel lock", section: .running, summary: "lock the buttons immediately",
      details: """
        Locks the running kiosk's buttons, just as they lock automatically after 'lock_after'. A tag of an
        action with 'unlock: true', or the code, unlocks them again. Exit status: 0 the buttons are locked; 1
        this panel has no lock; 4 no kiosk is running.
        """,
      body: .running { (_, configuration) throws(CommandFailure) in
        let answer = try KioskClient(configuration: configuration).ask(.lockPanel)
        guard answer["locked"] == .bool(true) else {
          throw .refused("this panel has no lock; set 'lock_after' and 'unlock_code' under 'panel:'")
        }
      })
  }
}

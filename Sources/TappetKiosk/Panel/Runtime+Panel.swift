// Integration of the panel: opened with the board profile, and replaced when the configuration changes; keys that act
// as its buttons.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

extension Runtime {
  func openPanel(_ profile: BoardProfile?) throws(SystemError) {
    panel.onEvent = calling(self) { $0.feed(.panel($1)) }
    panel.onLevels = calling(self) { if !$0.inbox.isHandling { $0.showView() } }
    try panel.open(profile: profile, isWatched: observers.onChange != nil)
  }

  /// Replaces the lines with those of the new configuration.
  func replacePanel(_ profile: BoardProfile?) {
    panel.close()
    do throws(SystemError) {
      panel = try RuntimePanel(configuration, reactor: reactor, trace: panel.trace)
      panel.show(kiosk.status.light, at: now().instant)
      try openPanel(profile)
    } catch {
      log(LogRecord(.error, "panel-lost", "the panel cannot be opened: " + error.call + " failed: " + error.text))
    }
  }

  /// Loads the board profile; if it cannot be loaded, each line that needs the profile fails with its own error.
  func loadProfile() -> BoardProfile? {
    guard let name = configuration.panel.profile, configuration.panel.simulator == nil else { return nil }
    do throws(BoardProfileError) { return try BoardProfile.load(name: name) } catch {
      for sentence in error.sentences { log(LogRecord(.error, "profile-unusable", sentence)) }
      return nil
    }
  }

  /// Reports that the key for the button with the given index was pressed or released.
  package func key(_ button: Int, isDown: Bool) {
    guard configuration.panel.buttons.indices.contains(button) else { return }
    feed(.panel(.key(button: button, isDown: isDown, at: now().instant)))
  }
}

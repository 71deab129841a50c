// The panel: opened with the board's pins, and anew with another configuration; keys that stand for its buttons.

import CPlatform
import TappetCore
import TappetDevices

extension Runtime {
  func openPanel() throws(SystemError) {
    panel.onEvent = { [unowned(unsafe) self] in self.feed(.panel($0)) }
    panel.onLevels = { [unowned(unsafe) self] in
      self.view.levels = self.panel.on
      if let light = self.panel.shown { self.view.light = light }
      if !self.isHandling { self.onChange?(self.view) }
    }
    try panel.open(profile: profile, isWatched: onChange != nil)
  }

  /// The lines of the configuration in the place of those before.
  func replacePanel() {
    panel.close()
    do throws(SystemError) {
      panel = try RuntimePanel(configuration.panel, reactor: reactor, trace: trace)
      if let light { panel.show(light, at: now().instant) }
      try openPanel()
    } catch {
      say(Line(.error, "panel-lost", "the panel cannot be opened: " + error.call + " failed: " + error.text))
    }
  }

  /// The board's pins; without them the lines that need them fail, each with its sentence.
  func loadProfile() -> BoardProfile? {
    guard let name = configuration.panel.profile, configuration.panel.simulator == nil else { return nil }
    do throws(BoardProfileError) { return try BoardProfile.load(name: name) } catch {
      for sentence in error.sentences { say(Line(.error, "profile-unusable", sentence)) }
      return nil
    }
  }

  /// A key that stands for the button of this index was pressed or released.
  public func key(_ button: Int, isDown: Bool) {
    guard configuration.panel.buttons.indices.contains(button) else { return }
    feed(.panel(.key(button: button, isDown: isDown, at: now().instant)))
  }
}

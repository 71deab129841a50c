// tappet run: the kiosk itself, with a live view on a terminal.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum RunCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, CommandOption(name: "light-trace", takesValue: true), CommandOption(name: "plain"),
    ]
    switch Arguments.parse(words, command: "run", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return run(configuration, arguments)
    }
  }

  private static func run(_ configuration: Configuration, _ arguments: Arguments) -> ExitStatus {
    do throws(RuntimeError) {
      let runtime = try Runtime(configuration, lightTracePath: arguments.value("light-trace"))
      let path = arguments.value("config") ?? Settings.defaultPath
      runtime.loadConfiguration = { ConfigFile.load(path: path) }
      guard isatty(1) == 1, !arguments.has("plain") else {
        try runtime.run()
        return .success
      }
      let screen = LiveView()
      runtime.onLine = { _ in }  // The view shows the lines; a log between them would tear it.
      runtime.onChange = { screen.draw($0) }
      defer { screen.close() }
      if screen.openKeyboard() {
        try? runtime.watch(0) {
          if screen.readKeys({ runtime.key($0, isDown: $1) }) { return }
          // The window was closed: nobody sees this kiosk any more, and SIGHUP means something else to it.
          runtime.unwatch(0)
          runtime.stop()
        }
      }
      try runtime.run()
      return .success
    } catch {
      Output.complain("tappet run: \(error.sentence)")
      return .failure
    }
  }
}

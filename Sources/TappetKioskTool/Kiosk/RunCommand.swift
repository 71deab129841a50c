// tappet run: the kiosk itself, with a live view on a terminal.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetKiosk
import TappetMessages
import TappetPlatform

extension Command {
  package static var run: Command {
    @export(interface) get {
      Command(
        words: "run", section: .running, summary: "run the kiosk",
        options: [
          CommandOption(
            "light-trace", "FILE", .file, "append every light and level to this file, with its monotonic time"),
          CommandOption("plain", "write a log instead of showing the live view"),
        ],
        details: """
          Runs the kiosk until SIGTERM or Ctrl-C; a second SIGTERM or Ctrl-C stops it immediately. On a
          terminal, it shows the lights as they blink, the parts and the last taps; the keys 1 to 9 press the
          buttons, 'q' quits, and '?' shows the keys. Otherwise, or with --plain, it logs to standard error:
          with priorities to the journal, otherwise with times.
          Each line of the --light-trace file is NANOSECONDS LIGHT or NANOSECONDS OUTPUT=0|1.
          """,
        body: .plain { (arguments) throws(CommandFailure) in
          do throws(CommandFailure) {
            let configuration = try KioskAccess.load(arguments, files: .tolerated)
            do throws(RuntimeError) { try run(configuration, arguments) } catch { throw .failed(error.sentence) }
          } catch {
            // A kiosk that was killed may have left an output on, which this one does not get to switch off.
            _ = SafeOutputs.restore(stateFolder: ConfigurationParser.stateFolder(path: KioskAccess.path(arguments)))
            throw error
          }
        })
    }
  }

  private static func run(_ configuration: KioskConfiguration, _ arguments: Arguments) throws(RuntimeError) {
    let runtime = try Runtime(configuration, lightTracePath: arguments.value("light-trace"))
    let path = KioskAccess.path(arguments)
    runtime.observers.configurationPath = path
    runtime.observers.onReload = { ConfigurationParser.load(path: path, files: .required) }
    runtime.observers.onConnected = { Memory.giveBack() }
    guard isatty(1) == 1, !arguments.has("plain") else { return try runtime.run() }
    let screen = LiveView()
    runtime.observers.onRecord = { _ in }  // The view shows the lines; log output would corrupt it.
    runtime.observers.onChange = { screen.draw($0) }
    defer { screen.close() }
    var keyboard: Watch?
    if screen.openKeyboard() {
      keyboard = try? runtime.watch(0) {
        switch screen.readKeys({ runtime.key($0, isDown: $1) }) {
        case .buttons: break
        case .redraw: screen.draw(runtime.view)
        case .quit: runtime.stop()
        case .gone:
          // The window was closed, so the view is no longer visible; SIGHUP has a different meaning for the kiosk.
          keyboard = nil
          runtime.stop()
        }
      }
    }
    defer { withExtendedLifetime(keyboard) {} }
    try runtime.run()
  }
}

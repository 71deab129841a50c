// tappet check: tests everything that the kiosk needs by using it, and prints one line per test.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

extension Command {
  static var check: Command {
    Command(
      words: "check", section: .running, summary: "check everything that the kiosk needs",
      options: [
        CommandOption("config-only", "check only the configuration and the files specified in it"),
        CommandOption("running", "query the running kiosk instead").orElse,
        CommandOption("deliver", "also send a test message to each action's topic").orElse, .yes, .json,
      ],
      details: """
        Checks kiosk.yaml as it is on disk, and everything that it refers to: the timestamp key, the
        certificates and their remaining days, the secrets, the state folder, the clock, the reader, the broker
        and the web servers. Prints one line for each, with any fault and its remedy. A running kiosk is not
        disturbed: its reader is not used, and the connection to the broker uses a client id that ends with
        '-check' and publishes nothing. A web server receives a request for '/', not for the webhook's URL.
        Except with --running, root first switches to the owner of the state folder, as the kiosk does. The
        panel's lines are requested and released, or only inspected while a kiosk is running; with
        'panel.profile', the board's header is drawn, including the reader's wires.
        --config-only opens no device and no connection: for scripts, and before a reload. --running shows the
        state of each part of the running kiosk.
        --deliver asks for confirmation (not with --yes), then sends a test message to the topic of each action,
        and subscribes to the topic to receive the message back. Other subscribers also receive it.
        Exit status: 0 nothing is wrong; 1 something is wrong; 3 the configuration has errors; 4 no kiosk is
        running, with --running. A line that starts with 'note' is neither good nor bad: something was not
        tried, or is still missing. A certificate that is about to expire is not a fault yet: its line shows the
        remaining days.
        """,
      usageError: { arguments in
        let chosen = ["config-only", "running", "deliver"].filter { arguments.has($0) }
        return chosen.count > 1 ? "--\(chosen[0]) and --\(chosen[1]) cannot be combined" : nil
      },
      body: .plain { (arguments) throws(CommandFailure) in
        var checkup = CheckReport(printsLines: !arguments.asJSON)
        if arguments.has("running") {
          try checkup.askKiosk(try KioskAccess.loadRunning(arguments))
        } else {
          try checkup.check(arguments)
        }
        arguments.report?.set(checkup.json)
        if !checkup.isGood { throw .found }
      })
  }
}

extension CheckReport {
  fileprivate mutating func check(_ arguments: Arguments) throws(CommandFailure) {
    let path = KioskAccess.path(arguments)
    // Root can read a file that is not installed yet, for example during Ansible's validation; the kiosk's user may
    // not be able to.
    let text = ConfigurationParser.text(path: path)
    try becomeOwner(of: try KioskAccess.load(arguments, text: text).stateFolder)
    let configuration = try KioskAccess.load(arguments, files: .required, text: text)
    if arguments.has("config-only") { return checkFiles(configuration) }
    do throws(SystemError) { try checked("access") { access(path, R_OK) } } catch {
      note(
        "config", .bad,
        "the kiosk's user cannot read \(path): \(error.text); "
          + "make it readable by that user's group (chgrp, chmod 640)")
    }
    let delivers = arguments.has("deliver")
    if delivers { try CheckReport.requireConsentToDeliver(configuration, arguments) }
    checkAll(configuration, path: path, delivers: delivers)
  }

  /// Notes that no action is ever triggered, except by a program on this machine.
  mutating func checkTriggers(_ configuration: KioskConfiguration) {
    let inventory = configuration.inventory
    guard configuration.reader == nil, configuration.panel.buttons.isEmpty, inventory?.scanner == nil,
      inventory?.plan.lowStockAction == nil, inventory?.plan.overdueAction == nil,
      configuration.homeAssistant.map({ $0.actions.isEmpty && $0.outputs.isEmpty }) ?? true,
      configuration.web.map({ $0.panel.isEmpty }) ?? true,
      configuration.commands.allSatisfy({ $0.actions.isEmpty && $0.outputs.isEmpty })
    else { return }
    note(
      "triggers", .note,
      "nothing triggers an action: there is no reader, button, page, command or scanner; remove 'reader: none', or add "
        + "'panel.buttons', 'commands' or 'inventory.scanner', unless a program triggers the actions")
  }

  /// Switches from root to the kiosk's user, so that the broker and the devices are never used as root, and missing
  /// permissions are detected.
  private mutating func becomeOwner(of folder: String) throws(CommandFailure) {
    do throws(SystemError) {
      guard let user = try ProcessUser.become(ownerOf: folder) else { return }
      note("user", .good, "\(user), the owner of \(folder): the checks run as this user")
    } catch { throw .failed("\(folder) belongs to a user that this process cannot switch to: \(error.text)") }
  }
}

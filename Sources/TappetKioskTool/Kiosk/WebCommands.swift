// tappet web: the devices that may use the page.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetQR

extension Command {
  static var webPair: Command {
    Command(
      words: "web pair", section: .running, summary: "let a browser use the page",
      operands: [Operand("NAME")],
      options: [
        CommandOption(
          "level", "LEVEL", .word(PageLevel.allCases.map { $0.name }), "look, press (the default) or manage")
      ],
      details: """
        Prints a code, which pairs one browser when it is typed into the kiosk's page within five minutes. Once
        a browser has opened the page, it also prints the page's address and, on a terminal, a QR code that
        opens it on a phone; if the page is served on this machine only, the ssh command that reaches it. The
        level 'look' shows the panel; 'press' also presses its buttons; 'manage' also shows the log of taps,
        writes tags, and manages people and devices. Only root and the kiosk's own user can pair devices. Exit
        status: 0 the code is valid; 1 the name cannot be used; 2 the level cannot be used; 4 the kiosk has no
        page, or is not running.
        """,
      example: "tappet web pair 'Hall tablet' --level press",
      usageError: { arguments in
        let level = arguments.value("level") ?? "press"
        return PageLevel(name: level) == nil ? "--level must be look, press or manage" : nil
      },
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let level = PageLevel(name: arguments.value("level") ?? "press") ?? .press
        let client = KioskClient(configuration: configuration)
        let request = KioskRequest.offerPairing(name: arguments.operands[0], level: level)
        let answer = try client.ask([request]) { () throws(CommandFailure) in
          throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
        }
        guard let digits = answer.secretPayload?.withBytes({ String(decoding: $0, as: UTF8.self) }) else {
          throw .malformedAnswer
        }
        Output.print("\(digits.prefix(4)) \(digits.dropFirst(4))")
        let minutes = plural((answer.json["seconds"]?.wholeNumber ?? 0) / 60, "minute")
        let place = PageAddress(answer.json, host: pageHost(configuration))
        if let address = place.address {
          showAddress(address + "/pair", digits, minutes)
        } else {
          Output.printError(place.way + " within \(minutes).")
        }
        if let fingerprint = answer.json["certificate"]?.text {
          Output.printError(
            "The browser warns about the certificate the first time. Compare its SHA-256 in the browser's details with "
              + "\(fingerprint.escaped).")
        }
        if let former = answer.json["replaced"]?.text {
          Output.printError("The code for \(former.quoted) is no longer valid.")
        }
      })
  }

  /// The name or address under which browsers reach this machine.
  static func pageHost(_ configuration: KioskConfiguration) -> String {
    configuration.web?.names.first ?? NetworkIdentity.current().ipv4
  }

  /// Shows where to type the code; a phone that scans the QR code has it filled in.
  private static func showAddress(_ address: String, _ digits: String, _ minutes: String) {
    let way = "Open \(address) in the browser, and type this code within \(minutes)"
    guard isatty(1) == 1, let code = try? QRCode(Array("\(address)#\(digits)".utf8)),
      TerminalSize.current().map({ $0.columns >= code.width }) ?? false
    else { return Output.printError(way + ".") }
    Output.printError(way + "; or scan it with a phone:")
    for line in code.inkLines { Output.write(line + "\n") }
  }

  static var webPassword: Command {
    Command(
      words: "web password", section: .running, summary: "set the password for keys and removals on the page",
      options: [
        CommandOption("password-file", "FILE", .file, "file whose first line is the password (mode 0600)")
      ],
      details: """
        Sets the password that a device of the level 'manage' must enter on the page before it writes a tag,
        shows a key, removes something, makes a backup or publishes: 12 to 128 bytes. It is read from standard
        input (without echo on a terminal) or from --password-file: one line. Only its hash is stored. Only root
        and the kiosk's own user can set it.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let password = try Prompt.privateLine(
          from: arguments.value("password-file"), question: "Password for the page", what: "password",
          sizeMax: Limits.pagePasswordSizeMax)
        _ = try SecretClient(configuration).ask(.keepPagePassword(password))
        Output.printError("The page's password is set.")
      })
  }

  static var webList: Command {
    Command(
      words: "web list", section: .running, summary: "list the browsers that may use the page", options: [.json],
      details: "Lists the paired devices: name, level, when they were paired, and the last day of their use (UTC).",
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let devices = try SecretClient(configuration).ask(.listPageDevices).json["devices"]?.elements ?? []
        if let report = arguments.report {
          return report.set(.object(["devices": .array(devices.map { $0.timed([("paired", "paired_at")]) })]))
        }
        if devices.isEmpty { Output.printError("No devices yet; use 'tappet web pair' to pair a device.") }
        for device in devices {
          let paired = (device["paired"]?.wholeNumber ?? 0) * 1000
          Output.print(
            ("\(device["device"]?.text ?? "")  \(device["level"]?.text ?? "")  since "
              + WallTime.brief(unixMilliseconds: paired, now: SystemClock().now().unixMilliseconds)
              + (device["last_used_on"]?.text.map { ", last used on \($0)" } ?? "")).escaped)
        }
      })
  }

  static var webRemove: Command {
    Command(
      words: "web remove", section: .running, summary: "end a browser's access to the page",
      operands: [Operand("NAME")],
      details: """
        Removes a paired device. Its open pages end within a second, and its cookie is refused from now on.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try SecretClient(configuration).ask(.removePageDevice(arguments.operands[0])).json
        Output.printError("Removed: \(answer["device"]?.text ?? "").")
      })
  }
}

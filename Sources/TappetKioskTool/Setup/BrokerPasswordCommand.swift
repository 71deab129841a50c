// tappet broker password: sets the broker's password. It is never passed as an argument, because every user of the
// machine can read arguments.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetStore

extension Command {
  static var brokerPassword: Command {
    Command(
      words: "broker password", section: .setup, summary: "store the broker's password, sealed",
      options: [
        CommandOption("password-file", "FILE", .file, "file whose first line is the password (mode 0600)")
      ],
      details: """
        Stores the password for the broker, sealed, for 'password: {stored: true}'. It is read from
        standard input (without echo on a terminal) or from --password-file: one line. A running kiosk
        uses it the next time it connects.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let password = try Prompt.privateLine(
          from: arguments.value("password-file"), question: "Password for the broker", what: "password",
          sizeMax: Limits.brokerPasswordSizeMax)
        _ = try SecretClient(configuration).ask(.keepBrokerPassword(password))
        if !configuration.storesPassword {
          Output.printError("The password is stored; to use it, set 'password: {stored: true}' in 'broker'.")
        }
      })
  }
}

// tappet broker password: sets the password, which is never an argument, since every user of the machine can read
// those.

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
        CommandOption("password-file", "FILE", .file, "a file with the password; only its owner may read it")
      ],
      details: """
        Stores the password for the broker, sealed, for 'password: {stored: true}'. It is read from
        standard input (a terminal does not show it) or from --password-file: one line. A running kiosk
        uses it at its next attempt to connect.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let password = try Prompt.privateLine(
          from: arguments.value("password-file"), question: "Password for the broker", what: "password",
          sizeMax: Limits.brokerPasswordSizeMax)
        _ = try SecretClient(configuration).ask(.keepBrokerPassword(password))
        if !configuration.storesPassword {
          Output.printError("The password is stored; 'password: {stored: true}' in 'broker' makes use of it.")
        }
      })
  }
}

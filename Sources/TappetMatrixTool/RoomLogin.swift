// tappet matrix login and logout: the kiosk's session at a homeserver, stored in a file that only the kiosk can read.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension Command {
  static var roomLogin: Command {
    Command(
      words: "matrix login", section: .rooms, summary: "log the kiosk in to its homeserver",
      operands: [Operand("USER")],
      options: [
        CommandOption("homeserver", "URL", "URL of the homeserver (default: as published by USER's server)"),
        CommandOption("password-file", "FILE", .file, "file whose first line is the password (mode 0600)"),
        CommandOption("login-token", "read a login token instead of a password"),
      ],
      details: """
        Logs USER (@name:server) in with a password, which is read from standard input (without echo on a
        terminal) or from --password-file and not stored, and writes the session to the file that 'matrix' in
        kiosk.yaml specifies. A second login of the same user uses the same device, unless the keys of its
        encrypted rooms are lost. A running kiosk uses the new session at once. With --login-token, a login token
        created by another client is read instead.
        """,
      example: "tappet matrix login @kiosk:example.org",
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let matrix = try Homeserver.settings(configuration)
        try KioskAccess.requireWritable(matrix.sessionFile, namedBy: KioskAccess.path(arguments))
        let user = arguments.operands[0]
        guard let server = Homeserver.server(of: user) else {
          throw .usage("a user must be '@name:server', not '\(user)'")
        }
        let place = arguments.value("homeserver") ?? server
        let url =
          if let given = arguments.value("homeserver") { try Homeserver.checked(given) } else {
            try Homeserver.discover(server, matrix)
          }
        let client = try HomeserverClient(.text(url), caFile: matrix.caFile, place: place, sendsPassword: true)
        Output.printError("Connecting to \(url) …")
        guard try client.require(.get, "/_matrix/client/versions")["versions"]?.elements != nil else {
          throw HomeserverClient.Answer(status: 200, json: nil).failure(place)
        }
        let isToken = arguments.has("login-token")
        try Homeserver.requireLogin(client, isToken: isToken, place)
        let secret = try Prompt.privateLine(
          from: arguments.value("password-file"), question: isToken ? "Login token" : "Password of \(user)",
          what: isToken ? "login token" : "password", sizeMax: Limits.brokerPasswordSizeMax)
        // Read the former session before its file is overwritten; otherwise, a different user's token stays valid.
        let former = Homeserver.session(matrix).flatMap { $0.user == user ? nil : $0.user }
        let formerClient = try former.map { (_) throws(CommandFailure) in try Homeserver.connect(configuration) }
        let session = try Homeserver.logIn(
          client, user, secret, isToken: isToken, url, Homeserver.device(of: user, matrix, configuration), place)
        do throws(AtomicFilesError) {
          let files = AtomicFiles(isForService: true)
          try files.add(matrix.sessionFile, session.encoded)
          try files.commit()
        } catch { throw error.failure }
        Output.printError("Logged in: \(session.user) at \(session.homeserver), as device \(session.device).")
        if let kiosk = try RunningKiosk.find(configuration), kiosk.ask(.reloadSession)?.json["reloaded"] == nil {
          Output.printError("warning: the running kiosk did not respond; restart it to use the new session")
        }
        if let former, let formerClient, (try? formerClient.logOut())?.hasEndedSession != true {
          Output.printError("warning: the session of \(former) is still valid; end this session in another client.")
        }
      })
  }

  static var roomLogout: Command {
    Command(
      words: "matrix logout", section: .rooms, summary: "end the kiosk's session on its homeserver",
      details: """
        Ends the session at the homeserver and removes the session file. Messages to rooms stay pending until
        the next login, or until they expire.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let matrix = try Homeserver.settings(configuration)
        try KioskAccess.requireWritable(matrix.sessionFile, namedBy: KioskAccess.path(arguments))
        let client = try Homeserver.connect(configuration)
        let answer = try client.logOut()
        guard answer.hasEndedSession else { throw answer.failure("the homeserver") }
        unlink(matrix.sessionFile)
        Output.printError("Logged out.")
      })
  }
}

extension HomeserverClient {
  fileprivate func logOut() throws(CommandFailure) -> Answer {
    try ask(.post, "/_matrix/client/v3/logout", .object([JSON.Member]()))
  }
}

extension HomeserverClient.Answer {
  /// Whether the session has ended, including the case that its token was already invalid.
  fileprivate var hasEndedSession: Bool { status == 200 && json != nil || code == "M_UNKNOWN_TOKEN" }
}

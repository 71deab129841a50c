// tappet matrix login and logout: the kiosk's session at a homeserver, in a file that only the kiosk may read.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension Command {
  static var roomLogin: Command {
    Command(
      words: "matrix login", section: .rooms, summary: "log the kiosk in at its homeserver",
      operands: [Operand("USER")],
      options: [
        CommandOption("homeserver", "URL", "where it is, in place of what the server of USER says"),
        CommandOption("password-file", "FILE", .file, "a file with the password; only its owner may read it"),
        CommandOption("login-token", "read a login token in place of the password"),
      ],
      details: """
        Logs USER (@name:server) in with a password, which is read from standard input (a terminal does not show
        it) or from --password-file and not kept, and writes the session into the file that 'matrix' in
        kiosk.yaml names. A second login of the same user takes the same device, unless the keys of its encrypted
        rooms are lost. A running kiosk uses the new session by itself. --login-token: the line is a token that
        another client made, instead.
        """,
      example: "tappet matrix login @kiosk:example.org",
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let matrix = try Homeserver.settings(configuration)
        try Settings.requireWritable(matrix.sessionFile, namedBy: Settings.path(arguments))
        let user = arguments.operands[0]
        guard let server = Homeserver.server(of: user) else {
          throw .usage("a user is '@name:server', not '\(user)'")
        }
        let place = arguments.value("homeserver") ?? server
        let url =
          if let given = arguments.value("homeserver") { try Homeserver.checked(given) } else {
            try Homeserver.discover(server, matrix)
          }
        let client = try HomeserverClient(.text(url), caFile: matrix.caFile, place: place, sendsPassword: true)
        guard try client.require(.get, "/_matrix/client/versions")["versions"]?.elements != nil else {
          throw HomeserverClient.Answer(status: 200, json: nil).failure(place)
        }
        let isToken = arguments.has("login-token")
        try Homeserver.requireLogin(client, isToken: isToken, place)
        let secret = try Prompt.privateLine(
          from: arguments.value("password-file"), question: isToken ? "Login token" : "Password of \(user)",
          what: isToken ? "login token" : "password", sizeMax: Limits.brokerPasswordSizeMax)
        let session = try Homeserver.logIn(
          client, user, secret, isToken: isToken, url, Homeserver.device(of: user, matrix, configuration), place)
        do throws(AtomicFilesError) {
          let files = AtomicFiles(isForService: true)
          try files.add(matrix.sessionFile, session.encoded)
          try files.commit()
        } catch { throw error.failure }
        Output.printError("Logged in: \(session.user) at \(session.homeserver), as the device \(session.device).")
      })
  }

  static var roomLogout: Command {
    Command(
      words: "matrix logout", section: .rooms, summary: "end the kiosk's session at its homeserver",
      details: """
        Ends the session at the homeserver and removes its file. Messages to rooms wait until the next login, or
        expire.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let matrix = try Homeserver.settings(configuration)
        try Settings.requireWritable(matrix.sessionFile, namedBy: Settings.path(arguments))
        let client = try Homeserver.connect(configuration)
        let answer = try client.ask(.post, "/_matrix/client/v3/logout", .object([JSON.Member]()))
        // A token that is of no use any more is what was wanted.
        guard answer.status == 200 && answer.json != nil || answer.code == "M_UNKNOWN_TOKEN" else {
          throw answer.failure("the homeserver")
        }
        unlink(matrix.sessionFile)
        Output.printError("Logged out.")
      })
  }
}

/// The homeserver, for all commands about rooms.
enum Homeserver {
  /// The part `matrix` of the configuration.
  static func settings(_ configuration: KioskConfiguration) throws(CommandFailure) -> MatrixSettings {
    if let matrix = configuration.matrix { return matrix }
    throw .refused("kiosk.yaml has no 'matrix'; add: matrix: {session: matrix.session}")
  }

  /// The session in its file.
  static func session(_ matrix: MatrixSettings) -> RoomSession? {
    guard case .success(var content) = TextFile.read(matrix.sessionFile, sizeMax: Limits.roomSessionSizeMax) else {
      return nil
    }
    defer { LibCrypto.wipe(&content.bytes) }
    return RoomSession(content.bytes)
  }

  /// The server of the kiosk's user.
  static func server(_ configuration: KioskConfiguration) -> String {
    configuration.matrix.flatMap { session($0) }.flatMap { server(of: $0.user) } ?? ""
  }

  /// A connection with the kiosk's session.
  static func connect(_ configuration: KioskConfiguration) throws(CommandFailure) -> HomeserverClient {
    let matrix = try settings(configuration)
    guard let session = session(matrix) else {
      throw .refused("there is no session in \(matrix.sessionFile); 'tappet matrix login USER' makes one")
    }
    return try HomeserverClient(.file(matrix.sessionFile), caFile: matrix.caFile, place: session.homeserver)
  }

  /// The server's part of a user's or an alias's name.
  static func server(of name: String) -> String? {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), name.isPrintable else { return nil }
    let server = String(name[name.utf8.index(after: colon)...])
    return WebhookURL("https://" + server)?.origin == "https://" + server && name.begins(with: "@") ? server : nil
  }

  /// A homeserver's URL without its last slash.
  static func checked(_ url: String) throws(CommandFailure) -> String {
    let bare = url.utf8.last == UInt8(ascii: "/") ? String(url.dropLast()) : url
    guard let parts = WebhookURL(bare), parts.usesTLS || parts.isLoopback else {
      throw .refused("a homeserver's URL is 'https://HOST', not '\(url.withoutUserInfo)'")
    }
    return bare
  }

  /// Client-server API §4.1: the server says where its homeserver is, or is it itself.
  static func discover(_ server: String, _ matrix: MatrixSettings) throws(CommandFailure) -> String {
    let client = try HomeserverClient(.text("https://" + server), caFile: matrix.caFile, place: server)
    let answer = try client.ask(.get, "/.well-known/matrix/client")
    if answer.status == 404 { return "https://" + server }
    guard answer.status == 200, let url = answer.json?["m.homeserver"]?["base_url"]?.text else {
      throw .failed(
        "\(server) does not say where its homeserver is (status \(answer.status)); give it with --homeserver",
        "room-server-unusable")
    }
    return try checked(url)
  }

  /// The device of the last session, which the next one takes; `nil` for another user, or where its keys are lost:
  /// others would not believe new ones.
  static func device(of user: String, _ matrix: MatrixSettings, _ configuration: KioskConfiguration) -> String? {
    guard let earlier = session(matrix), earlier.user == user else { return nil }
    let hasKeys =
      matrix.encryption == nil
      || MatrixStore.hasKeys(folder: configuration.stateFolder, of: user + " " + earlier.device)
    return hasKeys ? earlier.device : nil
  }

  /// Client-server API §5.5.1: refuses what the homeserver does not have, before it is asked for.
  static func requireLogin(_ client: HomeserverClient, isToken: Bool, _ place: String) throws(CommandFailure) {
    guard let flows = try client.ask(.get, "/_matrix/client/v3/login").json?["flows"]?.elements else { return }
    let types = flows.compactMap { $0["type"]?.text }
    if types.contains(isToken ? "m.login.token" : "m.login.password") { return }
    throw .refused(
      isToken
        ? "\(place) takes no login tokens; log in with a password"
        : "\(place) has no passwords: make a login token in another client, and log in with --login-token",
      "credentials-refused")
  }

  static func logIn(
    _ client: HomeserverClient, _ user: String, _ secret: SecretBytes, isToken: Bool, _ url: String,
    _ device: String?, _ place: String
  ) throws(CommandFailure) -> RoomSession {
    let text = secret.withBytes { String(decoding: $0, as: UTF8.self) }
    var request: [JSON.Member] = []
    func add(_ name: String, _ value: JSON) { request.append(JSON.Member(name: name, value: value)) }
    add("type", .string(isToken ? "m.login.token" : "m.login.password"))
    if isToken {
      add("token", .string(text))
    } else {
      add("identifier", .object(["type": .string("m.id.user"), "user": .string(user)]))
      add("password", .string(text))
    }
    if let device { add("device_id", .string(device)) }
    add("initial_device_display_name", .string("Tappet kiosk"))
    let answer = try client.ask(.post, "/_matrix/client/v3/login", .object(request))
    if answer.status == 403, answer.code == "M_FORBIDDEN" {
      throw .refused(
        "\(place) does not accept this user and \(isToken ? "token" : "password")", "credentials-refused")
    }
    guard answer.status == 200, let found = answer.json?["user_id"]?.text,
      let token = answer.json?["access_token"]?.text,
      let device = answer.json?["device_id"]?.text
    else { throw answer.failure(place) }
    var bytes = Array(token.utf8)
    let session = RoomSession(homeserver: url, user: found, device: device, token: SecretBytes(taking: &bytes))
    // A homeserver that answers something else must not make a file that nobody can read.
    var file = session.encoded.withBytes { Array($0) }
    defer { LibCrypto.wipe(&file) }
    guard RoomSession(file) != nil else { throw HomeserverClient.Answer(status: 200, json: nil).failure(place) }
    return session
  }
}

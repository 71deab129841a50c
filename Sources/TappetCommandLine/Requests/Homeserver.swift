// The homeserver of the kiosk's session, and the requests that commands send to it.

import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetPlatform
import TappetStore

/// The homeserver used by all commands for rooms.
package enum Homeserver {
  /// Returns the `matrix` section of the configuration.
  package static func settings(_ configuration: KioskConfiguration) throws(CommandFailure) -> MatrixSettings {
    if let matrix = configuration.matrix { return matrix }
    throw .refused("kiosk.yaml contains no 'matrix'; add: matrix: {session: matrix.session}")
  }

  /// Loads the session from its file.
  package static func session(_ matrix: MatrixSettings) -> HomeserverSession? {
    guard case .success(var content) = TextFile.read(matrix.sessionFile, sizeMax: Limits.roomSessionSizeMax) else {
      return nil
    }
    defer { LibCrypto.wipe(&content.bytes) }
    return HomeserverSession(content.bytes)
  }

  /// Returns the server part of the kiosk's user name.
  package static func server(_ configuration: KioskConfiguration) -> String {
    configuration.matrix.flatMap { session($0) }.flatMap { server(of: $0.user) } ?? ""
  }

  /// Connects using the kiosk's session.
  package static func connect(_ configuration: KioskConfiguration) throws(CommandFailure) -> HomeserverClient {
    let matrix = try settings(configuration)
    guard let session = session(matrix) else {
      throw .refused("there is no session in \(matrix.sessionFile); use 'tappet matrix login USER' to log in")
    }
    return try HomeserverClient(.session(matrix.sessionFile), caFile: matrix.caFile, place: session.homeserver)
  }

  /// Returns the server part of a user's name.
  package static func server(of name: String) -> String? {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), name.isPrintable else { return nil }
    let server = String(name[name.utf8.index(after: colon)...])
    return WebhookURL("https://" + server)?.origin == "https://" + server && name.begins(with: "@") ? server : nil
  }

  /// Checks a user's name before it is sent to the homeserver.
  @export(interface)
  package static func check(user: String) throws(CommandFailure) {
    guard user.begins(with: "@"), user.utf8.contains(UInt8(ascii: ":")), user.isPrintable else {
      throw .usage("a user must be '@name:server', not '\(user)'")
    }
  }

  /// Validates a homeserver's URL, and returns it without a trailing slash.
  package static func checked(_ url: String) throws(CommandFailure) -> String {
    let bare = url.utf8.last == UInt8(ascii: "/") ? String(url.dropLast()) : url
    guard let parts = WebhookURL(bare), parts.usesTLS || parts.host.isLoopbackHost else {
      throw .refused("a homeserver's URL must be 'https://HOST', not '\(url.withoutUserInfo)'")
    }
    return bare
  }

  /// Returns the homeserver's URL as announced by the server, otherwise the server's own (client-server API §4.1).
  @export(interface)
  package static func discover(_ server: String, _ matrix: MatrixSettings) throws(CommandFailure) -> String {
    let client = try HomeserverClient(.text("https://" + server), caFile: matrix.caFile, place: server)
    let answer: HomeserverClient.Answer
    do throws(CommandFailure) { answer = try client.ask(.get, "/.well-known/matrix/client") } catch {
      var failure = error
      failure.sentence = error.sentence.map { $0 + "; if the homeserver has another URL, specify it with --homeserver" }
      throw failure
    }
    if answer.status == 404 { return "https://" + server }
    guard answer.status == 200, let url = answer.json?["m.homeserver"]?["base_url"]?.text else {
      throw .failed(
        "\(server) does not publish the URL of its homeserver (status \(answer.status)); specify it with --homeserver",
        "room-server-unusable")
    }
    return try checked(url)
  }

  /// Returns the device id of the last session, for reuse by the next; `nil` for a different user, or if the device's
  /// keys are lost, because other users would not trust new keys under that id.
  package static func device(of user: String, _ matrix: MatrixSettings, _ configuration: KioskConfiguration) -> String?
  {
    guard let earlier = session(matrix), earlier.user == user else { return nil }
    let hasKeys =
      matrix.encryption == nil
      || MatrixStore.hasKeys(folder: configuration.stateFolder, of: user + " " + earlier.device)
    return hasKeys ? earlier.device : nil
  }

  /// Refuses a login type that the homeserver does not support, before any prompt (client-server API §5.5.1).
  @export(interface)
  package static func requireLogin(_ client: HomeserverClient, isToken: Bool, _ place: String) throws(CommandFailure) {
    guard let flows = try client.ask(.get, "/_matrix/client/v3/login").json?["flows"]?.elements else { return }
    let types = flows.compactMap { $0["type"]?.text }
    if types.contains(isToken ? "m.login.token" : "m.login.password") { return }
    throw .refused(
      isToken
        ? "\(place) does not support login tokens; log in with a password"
        : "\(place) does not support passwords: create a login token in another client, and log in with --login-token",
      "credentials-refused")
  }

  @export(interface)
  package static func logIn(
    _ client: HomeserverClient, _ user: String, _ secret: SecretBytes, isToken: Bool, _ url: String,
    _ device: String?, _ place: String
  ) throws(CommandFailure) -> HomeserverSession {
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
    // Homeservers ignore the case of what a person types.
    guard found.asciiLowercased == user.asciiLowercased else {
      throw .refused("\(place) logged in \(found.escaped) instead of \(user); the session was discarded")
    }
    var bytes = Array(token.utf8)
    let session = HomeserverSession(homeserver: url, user: found, device: device, token: SecretBytes(taking: &bytes))
    // A malformed response from the homeserver must not result in an unreadable session file.
    var file = session.encoded.withBytes { Array($0) }
    defer { LibCrypto.wipe(&file) }
    guard file.count <= Limits.roomSessionSizeMax, HomeserverSession(file) != nil else {
      throw HomeserverClient.Answer(status: 200, json: nil).failure(place)
    }
    return session
  }

  /// Returns the id of a room.
  @export(interface)
  package static func resolve(_ room: String, _ client: HomeserverClient) throws(CommandFailure) -> String {
    if try checked(room: room).begins(with: "!") { return room }
    let answer = try client.require(.get, "/_matrix/client/v3/directory/room/" + room.percentEncoded)
    guard let id = answer["room_id"]?.text, RoomAddress.isValid(id) else {
      throw HomeserverClient.Answer(status: 200, json: nil).failure("the homeserver")
    }
    return id
  }

  package static func checked(room: String) throws(CommandFailure) -> String {
    guard RoomAddress.isValid(room) else {
      throw .usage("a room must be '#door:example.org' or '!id:example.org', not '\(room)'")
    }
    return room
  }
}

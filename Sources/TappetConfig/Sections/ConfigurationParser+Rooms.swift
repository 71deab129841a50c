// Parser for the `matrix:` section of kiosk.yaml, and the `room` key of an action.

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform

/// The room in which an action posts messages.
package struct RoomPost: Hashable, Sendable {
  package var action: String
  /// The room's address or id: `#alias:server` or `!id:server`.
  package var room: String
  /// Whether the messages are edited to report the outcome of the action's messages to its topic.
  package var reportsOutcome: Bool
}

/// Settings of the kiosk's session on a Matrix homeserver.
package struct MatrixSettings: Hashable, Sendable {
  /// The file written by `tappet matrix login`.
  package var sessionFile: String
  /// The only CA certificates trusted for the homeserver; `nil` means the system's trust store.
  package var caFile: String?
  /// Settings for encrypted rooms; `nil` if the kiosk does not use any.
  package var encryption: RoomEncryption?
  /// The users whose invitations to rooms are accepted.
  package var inviters: [String] = []
  /// The rooms in which actions post, in the order of the actions.
  package var posts: [RoomPost] = []
  /// The message that the homeserver posts if the kiosk is gone; `nil` if there is none.
  package var lastWill: RoomWill?
  /// The address or id of the space or room whose unread messages are shown; `nil` if there is none.
  package var unread: String?

  package init(sessionFile: String, caFile: String? = nil, encryption: RoomEncryption? = nil) {
    self.sessionFile = sessionFile
    self.caFile = caFile
    self.encryption = encryption
  }
}

extension YAMLReader {
  static var matrixKeys: [String] {
    ["session", "ca", "encryption", "accept_invitations_of", "last_will", "unread_of"]
  }

  mutating func matrix(_ node: YAMLNode?) -> MatrixSettings? {
    guard let node, let mapping = mapping(node, keys: Self.matrixKeys),
      let session = required("session", in: mapping), let path = path(session)
    else { return nil }
    checkSession(path, at: session)
    let ca = self.path(mapping["ca"])
    if let ca, let node = mapping["ca"] { checkFile(ca, at: node, isAuthority: true) }
    var settings = MatrixSettings(sessionFile: path, caFile: ca, encryption: encryption(mapping["encryption"]))
    if let node = mapping["accept_invitations_of"] { settings.inviters = roomUsers(node) }
    settings.lastWill = lastWill(mapping["last_will"])
    if let node = mapping["unread_of"] { settings.unread = roomAddress(node, like: "#home:example.org") }
    if let node = mapping["last_will"], settings.encryption?.allowsPlain == false {
      invalid(node, expected: "absent with 'unencrypted: refuse', because the homeserver posts it without encryption")
    }
    return settings
  }

  private mutating func lastWill(_ node: YAMLNode?) -> RoomWill? {
    guard let node, let mapping = mapping(node, keys: ["room", "message", "after", "notify", "mention"]) else {
      return nil
    }
    let after = duration(mapping["after"], min: Limits.roomWillMin, max: Limits.roomWillMax) ?? Limits.roomWillDefault
    guard let roomNode = required("room", in: mapping), let room = roomAddress(roomNode),
      let message = required("message", in: mapping), let text = roomText(message), let call = call(in: mapping)
    else { return nil }
    let body = "{" + call + ",\"body\":\"" + text.jsonEscaped + "\"}"
    if body.utf8.count > Limits.roomWillSizeMax {
      invalid(message, expected: "shorter (with 'mention', at most \(Limits.roomWillSizeMax) bytes as JSON)")
    }
    return RoomWill(room: room, body: body, after: after)
  }

  private mutating func roomAddress(_ node: YAMLNode, like example: String = "#door:example.org") -> String? {
    // Without quotation marks, an alias is a comment.
    if case .scalar("", true) = node.content {
      note(
        .wrongType(expected: "a room's address in quotation marks, such as '\(example)'", found: "nothing"), at: node)
      return nil
    }
    guard let room = text(node) else { return nil }
    if RoomAddress.isValid(room) { return room }
    invalid(node, expected: "a room's address or id, such as '\(example)' or '!id:example.org'")
    return nil
  }

  private mutating func encryption(_ node: YAMLNode?) -> RoomEncryption? {
    guard let node, let mapping = mapping(node, keys: ["devices", "unencrypted"]) else { return nil }
    var encryption = RoomEncryption()
    if let node = mapping["devices"], let word = text(node) {
      if let devices = RoomEncryption.Devices.allCases.first(where: { $0.word == word }) {
        encryption.devices = devices
      } else {
        invalid(node, expected: "all or signed")
      }
    }
    if let node = mapping["unencrypted"], let word = text(node) {
      if word != "allow", word != "refuse" { invalid(node, expected: "allow or refuse") }
      encryption.allowsPlain = word != "refuse"
    }
    return encryption
  }

  private mutating func checkSession(_ path: String, at node: YAMLNode) {
    guard files != .ignored else { return }
    switch TextFile.read(path, sizeMax: Limits.roomSessionSizeMax) {
    // Only room messages depend on the login, so the file may still be missing.
    case .failure(let error) where error.code == ENOENT && files == .used: break
    case .failure(let error): noteFile(.sessionUnreadable(path: path, error), at: node)
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      if content.mode & 0o077 != 0 {
        note(.keyFileOpen(path: path, mode: content.mode), at: node)
      } else if HomeserverSession(content.bytes) == nil {
        noteFile(.sessionMalformed(path: path), at: node)
      }
    }
  }

  /// Returns the template of the request body; `nil` if there is no room, or after an error.
  ///
  /// Adds the room to `matrix.posts`.
  mutating func room(in mapping: YAMLMapping, of action: String?, _ format: MessageFormat?) -> PayloadTemplate? {
    guard let node = mapping["room"] else { return nil }
    if let webhook = mapping["webhook"] { note(.excludes("webhook", other: "room"), at: webhook) }
    if let retain = mapping["retain"], mapping["topic"] == nil {
      note(.needsPartner("retain", partner: "topic"), at: retain.position, mapping.node.place)
    }
    guard let room = roomAddress(node) else { return nil }
    guard matrix != nil else {
      note(.needsPartner("room", partner: "matrix"), at: node.position, mapping.node.place)
      return nil
    }
    var post = RoomPost(action: action ?? "", room: room, reportsOutcome: false)
    if case .scalar(let word, _) = mapping["report"]?.content { post.reportsOutcome = word == "true" }
    matrix?.posts.append(post)
    // An invalid message has already been reported.
    guard let message = mapping["message"], let text = roomText(message) else { return nil }
    guard let call = call(in: mapping) else { return nil }
    let start = "{" + call + ",\"body\":\"" + text.jsonEscaped + "\""
    guard let html = mapping["html"] else {
      return PayloadTemplate(configured: start + "}", format: format == .literal ? .literal : .json)
    }
    guard let markup = markup(html) else { return nil }
    let event = start + ",\"format\":\"org.matrix.custom.html\",\"formatted_body\":\""
    let whole = event + markup.jsonEscaped + "\"}"
    return format == .literal ? PayloadTemplate(whole) : PayloadTemplate(json: whole, markupStart: event.utf8.count)
  }

  /// Checks that the message in the room can be edited to report the outcome of the message to the topic.
  ///
  /// Without a topic, the message in the room is itself the outcome. A token would be sent a second time with the edit.
  mutating func checkReport(in mapping: YAMLMapping, _ body: PayloadTemplate?) {
    guard let node = mapping["report"], mapping["room"] != nil, flag(node) == true else { return }
    if mapping["topic"] == nil {
      note(.needsPartner("report", partner: "topic"), at: node.position, mapping.node.place)
    }
    if body?.usesTimestamp == true { invalid(node, expected: "absent or false for a message with %T") }
  }

  /// Returns the event members that control notifications; a notice (`m.notice`) does not notify anyone.
  ///
  /// If `m.mentions` were missing, an '@room' or a name in the text would notify people.
  private mutating func call(in mapping: YAMLMapping) -> String? {
    let notifies = flag(mapping["notify"])
    guard let node = mapping["mention"] else {
      return "\"msgtype\":\"\(notifies == true ? "m.text" : "m.notice")\",\"m.mentions\":{}"
    }
    if notifies == false { note(.excludes("mention", other: "notify: false"), at: node) }
    let mentions: String
    if case .scalar("room", _) = node.content {
      mentions = "\"room\":true"
    } else {
      let users = roomUsers(node)
      if users.isEmpty { return nil }
      mentions = "\"user_ids\":[" + users.map { "\"" + $0.jsonEscaped + "\"" }.joined(separator: ",") + "]"
    }
    return "\"msgtype\":\"m.text\",\"m.mentions\":{" + mentions + "}"
  }

  /// Checks that commands are allowed in the rooms under `confirm_in`, so that users can answer the question.
  mutating func checkConfirmRooms(_ commands: [CommandPlan]) {
    for node in confirmRooms {
      guard case .scalar(let room, _) = node.content, !commands.contains(where: { $0.isRoom && $0.topic == room })
      else { continue }
      invalid(node, expected: "a room under 'commands', because only users who can send commands there can confirm")
    }
  }

  private mutating func roomText(_ node: YAMLNode) -> String? {
    guard case .scalar(let text, _) = node.content else { return nil }
    if (1...Limits.roomMessageSizeMax).contains(text.utf8.count) { return text }
    invalid(node, expected: "1 to \(Limits.roomMessageSizeMax) bytes long (room message limit)")
    return nil
  }

  /// Reads HTML, which must not contain `%T` and `%I`: only their first occurrence, in the message, is filled in.
  private mutating func markup(_ node: YAMLNode) -> String? {
    guard message(node, hasKey: true, .text) != nil, let text = roomText(node) else { return nil }
    let template = PayloadTemplate(text)
    guard template.usesTimestamp || template.usesID else { return text }
    invalid(node, expected: "HTML without %T and %I, which only 'message' can contain")
    return nil
  }
}

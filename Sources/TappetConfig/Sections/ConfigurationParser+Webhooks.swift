// Parser for the `webhook` key of an action. Errors never contain a URL, because its path and query may be secret.

import TappetCore
import TappetPlatform

extension YAMLReader {
  /// Returns the template of the request body; `nil` if there is no webhook, or after an error.
  ///
  /// Adds the endpoint to `webhooks`.
  mutating func webhook(
    _ node: YAMLNode?, of action: String?, message: PayloadTemplate?, hasKey: Bool, _ format: MessageFormat?
  ) -> PayloadTemplate? {
    let keys = [
      "url", "method", "headers", "body", "timeout", "redirects", "ca", "certificate", "private_key", "secret",
      "allow_http",
    ]
    guard let node, let mapping = mapping(node, keys: keys) else { return nil }
    let allowsPlain = flag(mapping["allow_http"]) ?? false
    let url = webhookURL(required("url", in: mapping), allowsPlain: allowsPlain)
    var endpoint = WebhookEndpoint(action: action ?? "", url: url ?? .text(""))
    endpoint.allowsPlain = allowsPlain
    if let method = choice(mapping["method"], of: WebhookEndpoint.Method.allCases.map { $0.word }) {
      endpoint.method = WebhookEndpoint.Method.allCases[method]
    }
    if let time = duration(mapping["timeout"], min: Limits.webhookTimeoutMin, max: Limits.webhookTimeoutMax) {
      endpoint.timeout = time
    }
    endpoint.redirects = UInt8(clamping: whole(mapping["redirects"], in: 0...Limits.webhookRedirectsMax) ?? 0)
    endpoint.headers = headers(mapping["headers"])
    certificates(in: mapping, at: node, &endpoint)
    endpoint.secretFile = webhookSecret(mapping["secret"])
    let body =
      mapping["body"] == nil ? message ?? PayloadTemplate("") : webhookBody(mapping["body"], hasKey: hasKey, format)
    webhooks.append(endpoint)
    return body
  }

  private mutating func webhookBody(_ node: YAMLNode?, hasKey: Bool, _ format: MessageFormat?) -> PayloadTemplate? {
    if case .scalar("", isPlain: false) = node?.content { return PayloadTemplate("") }
    return message(node, hasKey: hasKey, format == .literal ? .literal : nil)
  }

  private mutating func webhookURL(_ node: YAMLNode?, allowsPlain: Bool) -> WebhookEndpoint.Value? {
    guard let node else { return nil }
    guard case .mapping = node.content else {
      guard let text = text(node), isUsable(text, allowsPlain: allowsPlain, at: node) else { return nil }
      return .text(text)
    }
    guard let path = privateFile(node) else { return nil }
    if let line = firstLine(of: path, at: node),
      !isUsable(String(decoding: line, as: UTF8.self), allowsPlain: allowsPlain, at: node)
    {
      return nil
    }
    return .file(path)
  }

  private mutating func isUsable(_ url: String, allowsPlain: Bool, at node: YAMLNode) -> Bool {
    guard let parts = WebhookURL(url) else {
      note(.badWebhookURL, at: node)
      return false
    }
    if parts.isExposed, !allowsPlain {
      note(.plainWebhook, at: node)
      return false
    }
    return true
  }

  /// Reads the headers: `{Name: value}`, or `{Name: {file: FILE}}`.
  private mutating func headers(_ node: YAMLNode?) -> [WebhookEndpoint.Header] {
    guard let node else { return [] }
    guard case .mapping(let keys, let values) = node.content, keys.count <= Limits.webhookHeadersMax else {
      invalid(node, expected: "at most \(Limits.webhookHeadersMax) headers, such as '{X-Kiosk: door}'")
      return []
    }
    var headers: [WebhookEndpoint.Header] = []
    for (index, key) in keys.enumerated() {
      guard case .scalar(let name, _) = key.content, isHeaderName(name) else {
        invalid(key, expected: "the name of a header that Tappet does not set itself")
        continue
      }
      if headers.contains(where: { $0.name.asciiLowercased == name.asciiLowercased }) {
        note(.duplicateKey(name), at: key)
      }
      guard let value = headerValue(values[index], of: name) else { continue }
      headers.append(WebhookEndpoint.Header(name: name, value: value))
    }
    return headers
  }

  private mutating func headerValue(_ node: YAMLNode, of name: String) -> WebhookEndpoint.Value? {
    if case .mapping = node.content {
      guard let path = privateFile(node) else { return nil }
      _ = firstLine(of: path, at: node)
      return .file(path)
    }
    if ["authorization", "cookie"].contains(name.asciiLowercased) {
      note(.passwordInFile, at: node)
      return nil
    }
    return shortText(node, sizeMax: Limits.webhookHeaderSizeMax).map { .text($0) }
  }

  /// Returns whether a header name is valid (RFC 9110 §5.6.2) and not reserved for libcurl or the delivery guarantee.
  private func isHeaderName(_ name: String) -> Bool {
    let own = ["host", "content-length", "transfer-encoding", "connection", "expect", "idempotency-key"]
    let lower = name.asciiLowercased
    return (1...Limits.webhookHeaderNameSizeMax).contains(name.utf8.count) && !own.contains(lower)
      && !lower.utf8.starts(with: "webhook-".utf8)
      && name.hasOnlyASCIIAlphanumerics(and: "-_")
  }

  private mutating func certificates(in mapping: YAMLMapping, at node: YAMLNode, _ endpoint: inout WebhookEndpoint) {
    endpoint.caFile = certificateFile(mapping["ca"], isAuthority: true)
    endpoint.certificateFile = certificateFile(mapping["certificate"], isAuthority: true)
    endpoint.privateKeyFile = certificateFile(mapping["private_key"], isAuthority: false)
    for (key, partner) in [("certificate", "private_key"), ("private_key", "certificate")] {
      if let value = mapping[key], mapping[partner] == nil {
        note(.needsPartner(key, partner: partner), at: value.position, node.place)
      }
    }
  }

  private mutating func certificateFile(_ node: YAMLNode?, isAuthority: Bool) -> String? {
    guard let node, let path = path(node) else { return nil }
    checkFile(path, at: node, isAuthority: isAuthority)
    return path
  }

  private mutating func webhookSecret(_ node: YAMLNode?) -> String? {
    guard let node else { return nil }
    guard case .mapping = node.content else {
      note(.passwordInFile, at: node)
      return nil
    }
    guard let path = privateFile(node) else { return nil }
    if let line = firstLine(of: path, at: node), WebhookSecret(line) == nil {
      noteFile(.webhookSecretMalformed(path: path), at: node)
    }
    return path
  }

  /// Returns the path in `{file: FILE}`.
  private mutating func privateFile(_ node: YAMLNode) -> String? {
    guard let mapping = mapping(node, keys: ["file"]) else { return nil }
    return path(required("file", in: mapping))
  }

  /// Returns the first line of a secret file; `nil` if files are ignored, or after an error.
  private mutating func firstLine(of path: String, at node: YAMLNode) -> ArraySlice<UInt8>? {
    guard files != .ignored else { return nil }
    let line = privateLine(
      of: path, at: node, sizeMax: Limits.secretFileSizeMax, orNoteEmpty: .unusableLine(path: path, .noValue))
    guard let line, line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      if line != nil { noteFile(.unusableLine(path: path, .unprintable), at: node) }
      return nil
    }
    return line[...]
  }
}

// The promises of a browser's request on its way to the kiosk: any request is refused by tappet-web or becomes one that
// the kiosk decodes, with each text, number and password as the browser sent it, and that browsers may make; and any
// message on the page's socket is refused or within its limits.

import TappetCore
import TappetJSON

/// The page's files, of which the kiosk does not learn.
enum Site { static let paths = ["/style.css"] }

/// One input, three times: as a request (`METHOD /path?query`, then the body), as a message to the kiosk, as a text.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  judge(request: bytes)
  if let request = decoded(bytes) { judge(request, bytes) }
  let text = text(bytes)
  let field = Form(Array("x=%&name=\(text.percentEncoded)".utf8))?["name"]
  promise(field.map { isSame($0, text) } == true, "\(text.quoted) becomes \(field?.quoted ?? "no form")")
  for path in ["/press", "/api/broker/listen", "/api/broker/publish"] {
    judge("POST", path) { ["output", "do"].contains($0) ? "" : text }
  }
  return 0
}

/// The input as a text without NULs, which no form contains.
private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self) }

/// Whether both have the same bytes; Swift also calls texts equal that are only equivalent.
private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

private func content(of secret: SecretBytes?) -> [UInt8] { secret?.withBytes { Array($0) } ?? [] }

private func message(_ bytes: [UInt8]) -> ControlMessage? { bytes.withUnsafeBytes { ControlMessage($0) } }

private func decoded(_ bytes: [UInt8]) -> KioskRequest? { message(bytes).flatMap { try? KioskRequest($0) } }

private func encoded(_ request: KioskRequest) -> [UInt8] {
  ControlMessage.encode(request.message.json, enclosing: request.message.secretPayload)
}

// MARK: A browser's request, and tappet-web's message

private func judge(request bytes: [UInt8]) {
  let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
  let words = lines[0].split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
  let target = (words.count > 1 ? words[1] : []).split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
  let (method, path) = (String(decoding: words[0], as: UTF8.self), String(decoding: target.first ?? [], as: UTF8.self))
  let body = method == "POST" ? lines.dropFirst().first : target.dropFirst().first
  let fields = Array(body ?? [])
  // Others are refused before.
  guard fields.count <= Limits.webBodySizeMax, let form = Form(fields) else { return }
  judge(method, path) { form[$0] }
}

/// Checks a request; `value` returns a field of its form or a parameter of its query.
private func judge(_ method: String, _ path: String, _ value: (String) -> String) {
  guard case .ask(let inquiry) = Inquiry.route(method, path, value) else { return }
  let isHarmless = [.page, .data, .events].contains(inquiry.purpose)
  promise(method == "POST" || isHarmless, "\(path) has an effect without a POST")
  promise(inquiry.message.count <= Limits.controlRequestSizeMax, "\(inquiry.message.count) bytes are sent to the kiosk")
  guard let message = message(inquiry.message), case .object(let members) = message.json, !members.isEmpty else {
    return promise(false, "the kiosk cannot decode \(path)")
  }
  for member in members.dropFirst() { judge(member, value(member.name)) }
  if let secret = message.secretPayload {
    let typed = ["password", "passphrase", "code", "answer"].map { Array(value($0).utf8) }
    promise(typed.contains(content(of: secret)), "a secret becomes another one")
  }
  judge(message, members)
}

/// Checks that a member of the message is what the browser sent.
private func judge(_ member: JSON.Member, _ sent: String) {
  switch member.value {
  case .string(let text): promise(isSame(text, sent), "\(member.name): \(sent.quoted) becomes \(text.quoted)")
  case .null: promise(sent.isEmpty, "\(member.name): \(sent.quoted) is lost")
  case .bool(let flag): promise(flag == (sent == "1") || member.name == "all", "\(member.name) is \(flag)")
  case .number(let number):
    let wanted = Int64(sent) ?? 0
    let isExact = number == wanted || wanted.magnitude > 1 << 53 && number.magnitude == 1 << 53
    promise(isExact && number.signum() == wanted.signum(), "\(member.name): \(wanted) becomes \(number)")
  case .array, .object: promise(false, "\(member.name) has parts")
  }
}

/// Checks what the kiosk makes of tappet-web's message.
private func judge(_ message: ControlMessage, _ members: [JSON.Member]) {
  let name = members[0].value.text ?? ""
  do throws(KioskRequestError) {
    let request = try KioskRequest(message)
    judge(request, encoded(request))
    promise(request.pageAccess != .never || name.begins(with: "setup-"), "a browser may not send '\(name)', but did")
    // The kiosk rewrites a number and a day.
    for member in request.message.json.members where !["request", "before", "until"].contains(member.name) {
      guard let sent = message.json[member.name], let text = sent.text, member.value != .null else { continue }
      promise(isSame(member.value.text ?? "", text), "'\(name)' changes \(member.name)")
    }
    let (sent, received) = (content(of: message.secretPayload), content(of: request.message.secretPayload))
    promise(sent == received, "'\(name)' changes its secret")
  } catch {
    let limited = [
      "press", "web-taps", "web-hours", "web-backup", "stock-lend", "stock-adjust", "broker-listen", "broker-publish",
    ]
    promise(limited.contains(name), "the kiosk refuses '\(name)': \(error.sentence)")
  }
}

// MARK: A message to the kiosk

/// Checks a request that the kiosk has accepted.
private func judge(_ request: KioskRequest, _ message: [UInt8]) {
  let sent = encoded(request)
  promise(decoded(sent).map { encoded($0) } == sent, "a request does not arrive unchanged")
  guard case .page(let request) = request else { return }
  switch request {
  case .enter(let entry):
    let (place, digits) = (entry.place, Array("0123456789ABCDEF:".utf8))
    let isFingerprint = place.certificate.map { $0.utf8.count == 95 && $0.utf8.allSatisfy { digits.contains($0) } }
    promise(isFingerprint ?? true, "the certificate is \(place.certificate?.quoted ?? "")")
    promise((1...65_535).contains(place.port ?? 1) && (place.certificateEnd ?? 0) >= 0, "the place is \(place)")
  case .press(let press): judge(press)
  case .taps(let span), .hours(let span):
    let length = span.times.upperBound - span.times.lowerBound
    promise(span.times.lowerBound >= 0 && (1...90_000_000).contains(length), "a span is \(span.times)")
  case .stock(let request):
    if case .adjust(_, let pieces, let ticket) = request { promise(pieces != 0 && ticket != 0, "an empty adjustment") }
    let who = text(message)
    let inquiry = StockInquiry(request, by: who, number: 7, until: Instant(milliseconds: 9))
    let arrived = StockInquiry(decoding: inquiry.encode())
    promise(arrived?.encode() == inquiry.encode() && isSame(arrived?.who ?? "", who), "an inquiry changes")
  case .tool(.listen(let filter)):
    promise(filter.utf8.count <= 256 && !filter.begins(with: "$share/"), "the filter is \(filter.quoted)")
  case .tool(.publish(let topic, _, _)):
    let isPlain = !topic.unicodeScalars.contains { "+#".unicodeScalars.contains($0) || $0.value < 0x20 }
    promise(isPlain && (1...256).contains(topic.utf8.count) && topic.utf8.first != 0x24, "the topic is \(topic.quoted)")
  case .pair, .again, .state, .watch, .confirm, .cancel, .log, .actions, .writeTag, .tool, .received, .watchSetup,
    .answerSetup:
    break
  }
}

/// Checks that a press acts once, and never late.
private func judge(_ press: PagePress) {
  promise((1...64).contains(press.id.utf8.count), "the id of a press has \(press.id.utf8.count) bytes")
  let now: Int64 = 86_400_000
  var memory = PressMemory(startedAt: Instant(milliseconds: 0))
  let (caller, time) = (PressCaller(number: 1), Instant(milliseconds: press.milliseconds))
  func admission() -> PressMemory.Admission {
    memory.admit(press.id, of: caller, madeAt: time, isForm: press.isForm, at: Instant(milliseconds: now))
  }
  let isNew = admission() == .new
  let age = now.subtractingReportingOverflow(press.milliseconds)
  let isTimely = !age.overflow && (-5_000...(press.isForm ? 30_000 : 5_000)).contains(age.partialValue)
  promise(isNew == isTimely, "a press of \(press.milliseconds) acts at \(now): \(isNew)")
  promise(!isNew || admission() == .repeated, "a press acts twice")
}

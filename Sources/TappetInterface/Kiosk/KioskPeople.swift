// People and their tags from C (tappet.h, "kiosk"): the requests that `tappet person` and `tappet tag learn` make over
// the control socket, with a completion in place of the client.

import CPlatform
import CTappet
import TappetCore
import TappetJSON
import TappetKiosk

/// A request about people or learned tags, and whom to tell its result.
///
/// Unchecked because of the caller's pointers, which are only passed back, on the thread that dispatches.
struct PeopleRequest: @unchecked Sendable {
  /// Which result there is, apart from success.
  enum Kind {
    case change
    /// People are listed page by page, here after `count` of them.
    case list(tappet_kiosk_person_callback?, count: Int64)
  }
  var kind = Kind.change
  /// The request as the control socket has it.
  var json: JSON
  var completion: tappet_kiosk_completion?
  var context: UnsafeMutableRawPointer?
}

/// Requests in the order of their calls.
///
/// The store's thread has the first one.
struct PeopleRequests {
  private var queue: [PeopleRequest] = []
  /// Distinguishes the answer to the first one from those to requests of an earlier run.
  private(set) var number: UInt64 = 0

  /// The request that is to be, or was, passed to the store's thread.
  var first: PeopleRequest? { queue.first }

  /// Appends a request; returns false when too many wait.
  mutating func append(_ request: PeopleRequest) -> Bool {
    guard queue.count < Limits.mailboxCapacity else { return false }
    queue.append(request)
    return true
  }

  /// Puts a request in place of the first one.
  mutating func replaceFirst(by request: PeopleRequest) {
    queue[0] = request
    number += 1
  }

  /// Takes the first request out.
  mutating func takeFirst() -> PeopleRequest {
    number += 1
    return queue.removeFirst()
  }

  /// Takes all requests out.
  mutating func takeAll() -> [PeopleRequest] {
    number += 1
    defer { queue = [] }
    return queue
  }
}

extension KioskObject {
  /// Passes a request to the store's thread as soon as it has answered those before.
  func ask(_ request: PeopleRequest) {
    let isAlone = people.first == nil
    guard people.append(request) else { return complete(request, ErrorCode.limit.rawValue, Self.tooMuch) }
    if isAlone { askFirst() }
  }

  private func askFirst() {
    while let request = people.first, let runtime, !isFreed {
      if runtime.ask(request.json, number: people.number) { return }
      complete(people.takeFirst(), ErrorCode.limit.rawValue, Self.tooMuch)
    }
  }

  /// Reports an answer of the store's thread, or asks for the next page.
  func tell(_ number: UInt64, _ answer: JSON) {
    guard number == people.number, var request = people.first else { return }
    if let sentence = answer["error"]?.text {
      let isRefused = answer["refused"] == .bool(true)
      complete(people.takeFirst(), (isRefused ? ErrorCode.argument : .store).rawValue, sentence)
    } else if case .list(let callback, let before) = request.kind {
      let page = answer["people"]?.elements ?? []
      for person in page where !isFreed { tell(person, callback, request.context) }
      let count = before + Int64(page.count)
      if let next = answer["next"]?.wholeNumber {
        request.kind = .list(callback, count: count)
        request.json = Self.listRequest(from: next)
        people.replaceFirst(by: request)
      } else {
        complete(people.takeFirst(), Int32(clamping: count), nil)
      }
    } else {
      complete(people.takeFirst(), 0, nil)
    }
    askFirst()
  }

  private func tell(_ person: JSON, _ callback: tappet_kiosk_person_callback?, _ context: UnsafeMutableRawPointer?) {
    guard let callback else { return }
    var loan = Loan()
    defer { loan.clear() }
    var facts = tappet_kiosk_person()
    facts.size = MemoryLayout<tappet_kiosk_person>.size
    facts.name = loan.text(person["name"]?.text ?? "")
    facts.tag_count = Int(clamping: person["tags"]?.wholeNumber ?? 0)
    facts.created_unix_seconds = person["created"]?.wholeNumber ?? 0
    facts.is_suspended = person["suspended"] == .bool(true)
    callback(context, &facts)
  }

  /// Reports the end of the run for the requests that have no answer yet.
  func completeRest(_ requests: [PeopleRequest]) {
    for request in requests { complete(request, ErrorCode.state.rawValue, "the kiosk ended before the answer came") }
  }

  private func complete(_ request: PeopleRequest, _ result: Int32, _ sentence: String?) {
    guard let completion = request.completion, !isFreed else { return }
    var loan = Loan()
    defer { loan.clear() }
    completion(request.context, result, sentence.flatMap { loan.text($0) })
  }

  private static let tooMuch = "too much is asked at once; try again"

  // MARK: The caller's arguments

  static func listRequest(from position: Int64) -> JSON {
    .object(["request": .string("person-list"), "from": .number(position)])
  }

  /// A person's name of the caller's; an empty one means nobody where that is allowed.
  fileprivate static func name(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> String {
    guard let name = shortText(pointer, sizeMax: Limits.secretLabelSizeMax) else {
      throw Failure(.argument, "a person's name must have 1 to \(Limits.secretLabelSizeMax) bytes on one line")
    }
    return name
  }

  fileprivate static func uid(_ pointer: UnsafePointer<UInt8>?, _ size: Int) throws(Failure) -> String {
    let digits = withInput(pointer, size, sizeMax: 10) { $0.isEmpty ? nil : Hex.encode(Array($0)) }
    guard let digits = digits ?? nil, TagUID(written: digits) != nil else {
      throw Failure(.argument, "a UID has 4, 7 or 10 bytes")
    }
    return digits
  }
}

/// Makes a request of the caller's arguments and leaves it for the next dispatch.
private func ask(
  _ kiosk: OpaquePointer?, _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?,
  _ kind: PeopleRequest.Kind = .change, _ members: (KioskObject) throws(Failure) -> JSON
) -> Int32 {
  switch Objects.find(kiosk, as: .kiosk) {
  case .failure(let failure): return failure.code.rawValue
  case .success(let found):
    let object = unsafeDowncast(found, to: KioskObject.self)
    do throws(Failure) {
      let json = try members(object)
      return object.post(.people(PeopleRequest(kind: kind, json: json, completion: completion, context: context)))
    } catch { return object.fail(error) }
  }
}

/// Makes a request about one person.
private func ask(
  _ kiosk: OpaquePointer?, _ request: String, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .object(["request": .string(request), "name": .string(try KioskObject.name(name))])
  }
}

/// `tappet_kiosk_list_people`.
@_cdecl("tappet_kiosk_list_people") @implementation
public func tappet_kiosk_list_people(
  _ kiosk: OpaquePointer?, _ callback: tappet_kiosk_person_callback?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context, .list(callback, count: 0)) { (_) throws(Failure) in
    KioskObject.listRequest(from: 0)
  }
}

/// `tappet_kiosk_add_person`.
@_cdecl("tappet_kiosk_add_person") @implementation
public func tappet_kiosk_add_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, "person-add", name, completion, context)
}

/// `tappet_kiosk_rename_person`.
@_cdecl("tappet_kiosk_rename_person") @implementation
public func tappet_kiosk_rename_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ new_name: UnsafePointer<CChar>?,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .object([
      "request": .string("person-rename"), "name": .string(try KioskObject.name(name)),
      "new_name": .string(try KioskObject.name(new_name)),
    ])
  }
}

/// `tappet_kiosk_suspend_person`.
@_cdecl("tappet_kiosk_suspend_person") @implementation
public func tappet_kiosk_suspend_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, "person-suspend", name, completion, context)
}

/// `tappet_kiosk_resume_person`.
@_cdecl("tappet_kiosk_resume_person") @implementation
public func tappet_kiosk_resume_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, "person-resume", name, completion, context)
}

/// `tappet_kiosk_remove_person`.
@_cdecl("tappet_kiosk_remove_person") @implementation
public func tappet_kiosk_remove_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ forgets_taps: Bool,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .object([
      "request": .string("person-remove"), "name": .string(try KioskObject.name(name)), "forget": .bool(forgets_taps),
    ])
  }
}

/// `tappet_kiosk_assign_tag`.
@_cdecl("tappet_kiosk_assign_tag") @implementation
public func tappet_kiosk_assign_tag(
  _ kiosk: OpaquePointer?, _ secret_id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    guard let id = shortText(secret_id, sizeMax: Limits.secretLabelSizeMax) else {
      throw Failure(.argument, "the secret's id is NULL, empty or too long")
    }
    return .object([
      "request": .string("person-assign"), "id": .string(id),
      "name": .string(name == nil ? "" : try KioskObject.name(name)),
    ])
  }
}

/// `tappet_kiosk_learn_tag`.
@_cdecl("tappet_kiosk_learn_tag") @implementation
public func tappet_kiosk_learn_tag(
  _ kiosk: OpaquePointer?, _ uid: UnsafePointer<UInt8>?, _ uid_size: Int, _ action: UnsafePointer<CChar>?,
  _ label: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (object) throws(Failure) in
    let label = label.map { shortText($0, sizeMax: Limits.secretLabelSizeMax) }
    if case .some(nil) = label { throw Failure(.argument, KioskObject.labelSizes) }
    guard let name = object.knownAction(action) else { throw Failure(.argument, KioskObject.noSuchAction) }
    return .object([
      "request": .string("tag-learn"), "uid": .string(try KioskObject.uid(uid, uid_size)), "action": .string(name),
      "label": .optional(label ?? nil),
    ])
  }
}

/// `tappet_kiosk_forget_tag`.
@_cdecl("tappet_kiosk_forget_tag") @implementation
public func tappet_kiosk_forget_tag(
  _ kiosk: OpaquePointer?, _ uid: UnsafePointer<UInt8>?, _ uid_size: Int, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .object(["request": .string("tag-forget"), "tag": .string(try KioskObject.uid(uid, uid_size))])
  }
}

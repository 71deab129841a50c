// People and their tags for C (tappet.h, "kiosk"): the requests of `tappet person` and `tappet tag learn`, with a
// completion callback in place of a client.

import CPlatform
import CTappet
import TappetCore
import TappetKiosk
import TappetMessages

/// A request about people or learned tags, with its completion callback.
///
/// Unchecked because of the caller's pointers, which are only passed back to the caller, on the dispatching thread.
struct PeopleRequest: @unchecked Sendable {
  /// The kind of request, with its parameters.
  enum Kind {
    case change(SecretRequest)
    case list(tappet_kiosk_person_callback?)
  }
  var kind: Kind
  var completion: tappet_kiosk_completion?
  var context: UnsafeMutableRawPointer?
}

/// Requests in the order in which they were made.
///
/// The first request is being handled by the store's thread.
struct PeopleRequests {
  private var queue: [PeopleRequest] = []
  /// Distinguishes responses to the first request from those to requests of an earlier run.
  private(set) var number: UInt64 = 0

  /// The request that the store's thread is handling or will handle next.
  var first: PeopleRequest? { queue.first }

  /// Appends a request; returns false if the queue is full.
  mutating func append(_ request: PeopleRequest) -> Bool {
    guard queue.count < Limits.mailboxCapacity else { return false }
    queue.append(request)
    return true
  }

  /// Removes and returns the first request.
  mutating func takeFirst() -> PeopleRequest {
    number += 1
    return queue.removeFirst()
  }

  /// Removes and returns all requests.
  mutating func takeAll() -> [PeopleRequest] {
    number += 1
    defer { queue = [] }
    return queue
  }
}

extension KioskObject {
  /// Queues a request for the store's thread, which handles one request at a time.
  func ask(_ request: PeopleRequest) {
    let isAlone = people.first == nil
    guard people.append(request) else { return complete(request, ErrorCode.limit.rawValue, Self.tooMuch) }
    if isAlone { askFirst() }
  }

  private func askFirst() {
    while let request = people.first, let runtime, !isFreed {
      let hasRoom =
        switch request.kind {
        case .change(let change): runtime.ask(change, number: people.number)
        case .list: runtime.listPeople(number: people.number)
        }
      if hasRoom { return }
      complete(people.takeFirst(), ErrorCode.limit.rawValue, Self.tooMuch)
    }
  }

  /// Reports that a change has taken effect, or why it failed.
  func tell(_ number: UInt64, _ failure: SecretFailure?) {
    guard number == people.number, people.first != nil else { return }
    finishFirst(failure.map { .failure($0) } ?? .success(0))
  }

  /// Reports all people to the callback, and the number of people to the completion callback.
  func tell(_ number: UInt64, _ result: Result<[ListedPerson], SecretFailure>) {
    guard number == people.number, let request = people.first, case .list(let callback) = request.kind else { return }
    if case .success(let listed) = result {
      for person in listed where !isFreed { tell(person, callback, request.context) }
    }
    finishFirst(result.map { $0.count })
  }

  private func finishFirst(_ result: Result<Int, SecretFailure>) {
    switch result {
    case .success(let count): complete(people.takeFirst(), Int32(clamping: count), nil)
    case .failure(let failure):
      complete(people.takeFirst(), (failure.isRefusal ? ErrorCode.argument : .store).rawValue, failure.sentence)
    }
    askFirst()
  }

  private func tell(
    _ listed: ListedPerson, _ callback: tappet_kiosk_person_callback?, _ context: UnsafeMutableRawPointer?
  ) {
    guard let callback else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var facts = tappet_kiosk_person()
    facts.size = MemoryLayout<tappet_kiosk_person>.size
    facts.name = pinned.text(listed.person.name)
    facts.tag_count = Int(clamping: listed.tagCount)
    facts.created_unix_seconds = listed.person.createdUnixSeconds
    facts.is_suspended = listed.person.isSuspended
    callback(context, &facts)
  }

  /// Completes the remaining requests with an error, because the kiosk has ended.
  func completeRest(_ requests: [PeopleRequest]) {
    for request in requests { complete(request, ErrorCode.state.rawValue, "the kiosk stopped before a result arrived") }
  }

  private func complete(_ request: PeopleRequest, _ result: Int32, _ sentence: String?) {
    guard let completion = request.completion, !isFreed else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    completion(request.context, result, sentence.flatMap { pinned.text($0) })
  }

  private static let tooMuch = SharedSentence.tooManyRequests

  // MARK: Arguments

  /// Reads a person's name from the caller; throws if it is NULL, empty or too long.
  fileprivate static func name(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> String {
    guard let name = shortText(pointer, sizeMax: Limits.secretLabelSizeMax) else {
      throw Failure(.argument, "a person's name must be 1 to \(Limits.secretLabelSizeMax) bytes on one line")
    }
    return name
  }

  fileprivate static func uid(_ pointer: UnsafePointer<UInt8>?, _ size: Int) throws(Failure) -> TagUID {
    let uid = withInput(pointer, size, sizeMax: 10) { TagUID(Array($0)) }
    guard let uid = uid ?? nil, [4, 7, 10].contains(size) else {
      throw Failure(.argument, "a UID must be 4, 7 or 10 bytes long")
    }
    return uid
  }
}

/// Creates a request from the caller's arguments and queues it for the next dispatch.
private func ask(
  _ kiosk: OpaquePointer?, _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?,
  _ kind: (KioskObject) throws(Failure) -> PeopleRequest.Kind
) -> Int32 {
  switch Objects.find(kiosk, as: .kiosk) {
  case .failure(let failure): return failure.code.rawValue
  case .success(let found):
    let object = unsafeDowncast(found, to: KioskObject.self)
    do throws(Failure) {
      let kind = try kind(object)
      return object.post(.people(PeopleRequest(kind: kind, completion: completion, context: context)))
    } catch { return object.fail(error) }
  }
}

/// Lists the people in the database, sorted by name.
@_cdecl("tappet_kiosk_list_people") @implementation
public func tappet_kiosk_list_people(
  _ kiosk: OpaquePointer?, _ callback: tappet_kiosk_person_callback?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in .list(callback) }
}

/// Adds a person without tags.
@_cdecl("tappet_kiosk_add_person") @implementation
public func tappet_kiosk_add_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in .change(.addPerson(try KioskObject.name(name))) }
}

/// Changes the name of a person.
@_cdecl("tappet_kiosk_rename_person") @implementation
public func tappet_kiosk_rename_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ new_name: UnsafePointer<CChar>?,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .change(.renamePerson(try KioskObject.name(name), to: try KioskObject.name(new_name)))
  }
}

/// Refuses all tags of a person until `tappet_kiosk_resume_person` is called.
@_cdecl("tappet_kiosk_suspend_person") @implementation
public func tappet_kiosk_suspend_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in .change(.suspendPerson(try KioskObject.name(name))) }
}

/// Accepts the tags of a suspended person again.
@_cdecl("tappet_kiosk_resume_person") @implementation
public func tappet_kiosk_resume_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in .change(.resumePerson(try KioskObject.name(name))) }
}

/// Removes a person and the secrets of their tags, which are refused from then on.
@_cdecl("tappet_kiosk_remove_person") @implementation
public func tappet_kiosk_remove_person(
  _ kiosk: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ forgets_taps: Bool,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .change(.removePerson(try KioskObject.name(name), forgetsTaps: forgets_taps))
  }
}

/// Assigns a tag to a person, or removes its assignment.
@_cdecl("tappet_kiosk_assign_tag") @implementation
public func tappet_kiosk_assign_tag(
  _ kiosk: OpaquePointer?, _ secret_id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    guard let id = shortText(secret_id, sizeMax: Limits.secretLabelSizeMax) else {
      throw Failure(.argument, "the secret's id is NULL, empty or too long")
    }
    return .change(.assignSecret(id: id, person: name == nil ? "" : try KioskObject.name(name)))
  }
}

/// Allows an external tag, identified by its UID, to trigger an action.
@_cdecl("tappet_kiosk_learn_tag") @implementation
public func tappet_kiosk_learn_tag(
  _ kiosk: OpaquePointer?, _ uid: UnsafePointer<UInt8>?, _ uid_size: Int, _ action: UnsafePointer<CChar>?,
  _ label: UnsafePointer<CChar>?, _ completion: tappet_kiosk_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (object) throws(Failure) in
    let label = label.map { shortText($0, sizeMax: Limits.secretLabelSizeMax) }
    if case .some(nil) = label { throw Failure(.argument, KioskObject.labelSizes) }
    guard let name = object.knownAction(action) else { throw Failure(.argument, KioskObject.noSuchAction) }
    return .change(.learnTag(.uid(try KioskObject.uid(uid, uid_size)), action: name, label: label ?? nil))
  }
}

/// Forgets a learned tag, identified by its UID.
@_cdecl("tappet_kiosk_forget_tag") @implementation
public func tappet_kiosk_forget_tag(
  _ kiosk: OpaquePointer?, _ uid: UnsafePointer<UInt8>?, _ uid_size: Int, _ completion: tappet_kiosk_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  ask(kiosk, completion, context) { (_) throws(Failure) in
    .change(.forgetTag(Hex.encode(try KioskObject.uid(uid, uid_size).bytes)))
  }
}

// The objects behind C's opaque pointers. A pointer is a handle, called a ticket here, and not an address: it encodes
// the number of a slot and the number of its earlier uses. A freed pointer is therefore always detected, and no pointer
// from the caller can make the library access memory that it does not own.
//
//     bits 4 … 13     slot + 1           below bit 4: 0, as C programs expect of pointers
//     bits 14 …       number of earlier uses of the slot (18 bits on a 32-bit machine, 50 on others)

import CPlatform
import CTappet
import TappetConfig

/// The kind of an object.
enum ObjectKind: UInt8 {
  case tokenReceiver
  case broker
  case reader
  case kiosk
  case panel
  case inventory
}

/// An object that C refers to by a ticket.
class LibraryObject {
  let kind: ObjectKind
  fileprivate let process = getpid()
  /// Number of calls currently using the object, and their thread; protected by the library's mutex.
  fileprivate var depth = 0
  fileprivate var thread = pthread_t()
  /// Whether the object was freed while in use by a call; protected by the library's mutex.
  fileprivate var isDoomed = false
  private var lastFailure: Failure?
  private var pinned = PinnedBuffers()

  init(kind: ObjectKind) { self.kind = kind }

  deinit { pinned.clear() }

  /// The failure of the last failed call, on any thread.
  var failure: Failure? {
    get {
      tp_library_lock()
      defer { tp_library_unlock() }
      return lastFailure
    }
    set {
      tp_library_lock()
      defer { tp_library_unlock() }
      lastFailure = newValue
    }
  }

  /// Whether the object was freed while in use by a call, most likely in a callback.
  var isFreed: Bool {
    tp_library_lock()
    defer { tp_library_unlock() }
    return isDoomed
  }

  /// Called when the object has been freed, possibly on a different thread from the one that is using the object.
  func recordFreed() {}

  /// Records a failure and returns its code.
  func fail(_ failure: Failure) -> Int32 {
    self.failure = failure
    return failure.code.rawValue
  }

  /// Records a failure and returns its code.
  func fail(_ code: ErrorCode, _ sentence: String) -> Int32 { fail(Failure(code, sentence)) }

  /// Returns 1 if the descriptor is readable, 0 after the timeout or a signal.
  func wait(_ descriptor: Int32, _ milliseconds: Int32) -> Int32 {
    guard milliseconds >= -1 else { return fail(.argument, "a timeout must be -1 or a number of milliseconds") }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1 ? 1 : 0
  }

  /// Implements `tappet_…_last_error` for this object.
  func report(to result: UnsafeMutablePointer<tappet_failure>) {
    pinned.clear()
    let failure = failure
    result.pointee.code = failure?.code.rawValue ?? 0
    result.pointee.system_code = failure?.systemCode ?? 0
    result.pointee.file_line = Int32(clamping: failure?.position?.line ?? 0)
    result.pointee.file_column = Int32(clamping: failure?.position?.column ?? 0)
    result.pointee.sentence = pinned.text(failure?.sentence ?? "nothing has failed") ?? staticText("")
  }
}

/// The table of all objects.
enum Objects {
  private struct Slot {
    var object: LibraryObject?
    var uses: UInt = 0
  }

  private static let countMax = 1023
  // Accessed only between tp_library_lock and tp_library_unlock.
  nonisolated(unsafe) private static var slots: [Slot] = []
  /// Objects of a parent process that were freed in a forked child.
  nonisolated(unsafe) private static var abandoned: [LibraryObject] = []

  /// Stores an object and writes its ticket to `result`.
  static func issue(_ object: LibraryObject, to result: UnsafeMutablePointer<OpaquePointer?>) -> Int32 {
    tp_library_lock()
    defer { tp_library_unlock() }
    var index = slots.firstIndex { $0.object == nil }
    if index == nil, slots.count < countMax {
      slots.append(Slot())
      index = slots.count - 1
    }
    guard let index else { return ErrorCode.limit.rawValue }
    slots[index].object = object
    slots[index].uses &+= 1
    result.pointee = OpaquePointer(bitPattern: (slots[index].uses << 10 | UInt(index + 1)) << 4)
    return 0
  }

  /// Calls `body` with the object; fails if the object does not exist, is of a different kind, belongs to a different
  /// process, or is in use by another thread.
  static func use(_ ticket: OpaquePointer?, as kind: ObjectKind, _ body: (LibraryObject) -> Int32) -> Int32 {
    guard let ticket else { return ErrorCode.argument.rawValue }
    let entered = enter(UInt(bitPattern: ticket), kind)
    switch entered {
    case .failure(let failure): return failure.code.rawValue
    case .success(let object):
      let result = body(object)
      tp_library_lock()
      object.depth -= 1
      tp_library_unlock()
      return result
    }
  }

  /// Returns the object even if it is in use by another thread; for calls that are allowed on any thread.
  static func find(_ ticket: OpaquePointer?, as kind: ObjectKind) -> Result<LibraryObject, Failure> {
    guard let ticket else { return .failure(Failure(.argument)) }
    tp_library_lock()
    defer { tp_library_unlock() }
    return locate(UInt(bitPattern: ticket), kind)
  }

  /// Invalidates the ticket; the object is released as soon as no call is using it.
  static func free(_ ticket: OpaquePointer?, as kind: ObjectKind) {
    guard let ticket else { return }
    tp_library_lock()
    let number = UInt(bitPattern: ticket)
    let found = locate(number, kind)
    let index = Int(number >> 4 & 1023) - 1
    switch found {
    case .success(let object):
      object.isDoomed = true
      slots[index].object = nil
      tp_library_unlock()
      // The object is released afterwards, outside the mutex, unless a call is using it.
      object.recordFreed()
    case .failure(let failure):
      // Belongs to the parent process, whose threads and children must not be ended here, so it is kept until exit.
      if failure.code == .fork, let object = slots[index].object {
        abandoned.append(object)
        slots[index].object = nil
      }
      tp_library_unlock()
    }
  }

  private static func enter(_ number: UInt, _ kind: ObjectKind) -> Result<LibraryObject, Failure> {
    tp_library_lock()
    defer { tp_library_unlock() }
    let found = locate(number, kind)
    guard case .success(let object) = found else { return found }
    let current = pthread_self()
    guard object.depth == 0 || pthread_equal(object.thread, current) != 0 else { return .failure(Failure(.thread)) }
    object.depth += 1
    object.thread = current
    return found
  }

  private static func locate(_ number: UInt, _ kind: ObjectKind) -> Result<LibraryObject, Failure> {
    let index = Int(number >> 4 & 1023) - 1
    guard number & 15 == 0, slots.indices.contains(index), let object = slots[index].object,
      (slots[index].uses << 10 | UInt(index + 1)) << 4 == number, object.kind == kind
    else { return .failure(Failure(.object)) }
    return object.process == getpid() ? .success(object) : .failure(Failure(.fork))
  }
}

/// Implements `tappet_…_wait` for an object whose descriptor does not change.
///
/// The wait does not count as using the object: other calls remain possible, and the object is retained until the wait
/// ends.
func wait(
  _ ticket: OpaquePointer?, _ kind: ObjectKind, _ milliseconds: Int32, for descriptor: (LibraryObject) -> Int32
) -> Int32 {
  switch Objects.find(ticket, as: kind) {
  case .failure(let failure): failure.code.rawValue
  case .success(let object): object.wait(descriptor(object), milliseconds)
  }
}

/// Implements `tappet_…_last_error` for all kinds of objects.
func lastError(_ object: OpaquePointer?, _ kind: ObjectKind, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32 {
  guard let result, result.pointee.size >= MemoryLayout<tappet_failure>.size else { return ErrorCode.argument.rawValue }
  return Objects.use(object, as: kind) {
    $0.report(to: result)
    return 0
  }
}

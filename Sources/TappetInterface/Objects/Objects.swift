// The objects for C's opaque pointers. A pointer is a ticket, not an address: the number of a slot and of its use. So a
// freed pointer is always known as such, and nothing of the caller's can make us look at foreign memory.
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

/// Something that C holds a ticket for.
class LibraryObject {
  let kind: ObjectKind
  fileprivate let process = getpid()
  /// Number of calls that are inside it now, and their thread; under the library's mutex.
  fileprivate var depth = 0
  fileprivate var thread = pthread_t()
  /// Freed while a call is inside it; under the library's mutex.
  fileprivate var isDoomed = false
  private var lastFailure: Failure?
  private var pinned = PinnedBuffers()

  init(kind: ObjectKind) { self.kind = kind }

  deinit { pinned.clear() }

  /// The failure of the last call that failed, whichever thread made it.
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

  /// Whether it was freed while a call is inside it, by a callback most likely.
  var isFreed: Bool {
    tp_library_lock()
    defer { tp_library_unlock() }
    return isDoomed
  }

  /// Called when it was freed, perhaps by another thread than the one inside it.
  func noteFreed() {}

  /// Records why a call fails.
  func fail(_ failure: Failure) -> Int32 {
    self.failure = failure
    return failure.code.rawValue
  }

  /// Records why a call fails.
  func fail(_ code: ErrorCode, _ sentence: String) -> Int32 { fail(Failure(code, sentence)) }

  /// 1 when the descriptor is readable, 0 when the time is up or a signal was handled.
  func wait(_ descriptor: Int32, _ milliseconds: Int32) -> Int32 {
    guard milliseconds >= -1 else { return fail(.argument, "a timeout is -1 or more milliseconds") }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1 ? 1 : 0
  }

  /// `tappet_…_last_error`.
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
  // Touched between tp_library_lock and tp_library_unlock only.
  nonisolated(unsafe) private static var slots: [Slot] = []
  /// Objects of a parent that its child freed.
  nonisolated(unsafe) private static var abandoned: [LibraryObject] = []

  /// Writes a ticket for a new object.
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

  /// Calls `body` with the object, unless it does not exist, has another kind, belongs to another process, or is in use
  /// by another thread.
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

  /// The object, whichever thread is inside it; for calls that any thread may make.
  static func find(_ ticket: OpaquePointer?, as kind: ObjectKind) -> Result<LibraryObject, Failure> {
    guard let ticket else { return .failure(Failure(.argument)) }
    tp_library_lock()
    defer { tp_library_unlock() }
    return locate(UInt(bitPattern: ticket), kind)
  }

  /// Takes the ticket back; the object is released when the last call has left it.
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
      // It is released after this, outside the mutex, unless a call is inside it.
      object.noteFreed()
    case .failure(let failure):
      // Our parent's: its threads and children are not ours to end, so it is kept until the process ends.
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

/// `tappet_…_wait` of an object that keeps its descriptor.
///
/// Not a call inside the object: others may go on, and the object is kept until the end.
func wait(
  _ ticket: OpaquePointer?, _ kind: ObjectKind, _ milliseconds: Int32, for descriptor: (LibraryObject) -> Int32
) -> Int32 {
  switch Objects.find(ticket, as: kind) {
  case .failure(let failure): failure.code.rawValue
  case .success(let object): object.wait(descriptor(object), milliseconds)
  }
}

/// `tappet_…_last_error`.
func lastError(_ object: OpaquePointer?, _ kind: ObjectKind, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32 {
  guard let result, result.pointee.size >= MemoryLayout<tappet_failure>.size else { return ErrorCode.argument.rawValue }
  return Objects.use(object, as: kind) {
    $0.report(to: result)
    return 0
  }
}

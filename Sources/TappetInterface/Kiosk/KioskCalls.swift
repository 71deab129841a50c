// The life cycle of a kiosk for C (tappet.h, "kiosk"), from creation to release; see KioskSetupCalls.swift for its
// setup.

import CPlatform
import CTappet
import TappetCore
import TappetKiosk

private func use(_ kiosk: OpaquePointer?, _ body: (KioskObject) -> Int32) -> Int32 {
  Objects.use(kiosk, as: .kiosk) { body(unsafeDowncast($0, to: KioskObject.self)) }
}

/// Finds the object for calls that are allowed on any thread, even while another thread is using it.
private func find(_ kiosk: OpaquePointer?, _ body: (KioskObject) -> Int32) -> Int32 {
  switch Objects.find(kiosk, as: .kiosk) {
  case .failure(let failure): failure.code.rawValue
  case .success(let object): body(unsafeDowncast(object, to: KioskObject.self))
  }
}

/// Creates a kiosk that is not set up yet.
@_cdecl("tappet_kiosk_new") @implementation
public func tappet_kiosk_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? KioskObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// Ends the kiosk immediately and frees it.
@_cdecl("tappet_kiosk_free") @implementation
public func tappet_kiosk_free(_ kiosk: OpaquePointer?) { Objects.free(kiosk, as: .kiosk) }

/// Sets the callback for events, replacing the previous one.
@_cdecl("tappet_kiosk_set_event_callback") @implementation
public func tappet_kiosk_set_event_callback(
  _ kiosk: OpaquePointer?, _ callback: tappet_kiosk_event_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(kiosk) {
    $0.eventCallback = callback
    $0.eventContext = context
    return 0
  }
}

/// Sets the callback for log records, replacing the previous one.
@_cdecl("tappet_kiosk_set_log_callback") @implementation
public func tappet_kiosk_set_log_callback(
  _ kiosk: OpaquePointer?, _ callback: tappet_log_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(kiosk) {
    $0.logCallback = callback
    $0.logContext = context
    return 0
  }
}

/// Opens the database and starts the kiosk.
@_cdecl("tappet_kiosk_start") @implementation
public func tappet_kiosk_start(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.start() } }

/// Returns a descriptor for poll, epoll and event loops.
@_cdecl("tappet_kiosk_fd") @implementation
public func tappet_kiosk_fd(_ kiosk: OpaquePointer?) -> Int32 {
  use(kiosk) { $0.runtime?.fileDescriptor ?? $0.fail(.state, "the kiosk is not running") }
}

/// Waits until `tappet_kiosk_dispatch` has work to do.
@_cdecl("tappet_kiosk_wait") @implementation
public func tappet_kiosk_wait(_ kiosk: OpaquePointer?, _ timeout: Int32) -> Int32 {
  use(kiosk) { object in
    guard let runtime = object.runtime else { return object.fail(.state, "the kiosk is not running") }
    return object.wait(runtime.fileDescriptor, timeout)
  }
}

/// Performs all work that is currently due.
@_cdecl("tappet_kiosk_dispatch") @implementation
public func tappet_kiosk_dispatch(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.dispatch(timeout: .zero) } }

/// Starts the kiosk if it is not running, and dispatches until the kiosk has ended.
@_cdecl("tappet_kiosk_run") @implementation
public func tappet_kiosk_run(_ kiosk: OpaquePointer?) -> Int32 { use(kiosk) { $0.run() } }

/// Triggers an action in the same way as a button press.
@_cdecl("tappet_kiosk_press") @implementation
public func tappet_kiosk_press(_ kiosk: OpaquePointer?, _ action: UnsafePointer<CChar>?) -> Int32 {
  find(kiosk) { $0.press(action) }
}

/// Requests a change of an output of the kiosk's panel.
@_cdecl("tappet_kiosk_request_output") @implementation
public func tappet_kiosk_request_output(
  _ kiosk: OpaquePointer?, _ output: UnsafePointer<CChar>?, _ request: tappet_kiosk_request
) -> Int32 {
  find(kiosk) { $0.requestOutput(output, request) }
}

/// Retrieves the state of an output as of the last call of `tappet_kiosk_dispatch`.
@_cdecl("tappet_kiosk_get_output") @implementation
public func tappet_kiosk_get_output(
  _ kiosk: OpaquePointer?, _ position: Int, _ result: UnsafeMutablePointer<tappet_kiosk_output>?
) -> Int32 {
  find(kiosk) { $0.getOutput(position, result) }
}

/// Requests writing the next tag for an action, or cancels such a request.
@_cdecl("tappet_kiosk_write_tag") @implementation
public func tappet_kiosk_write_tag(
  _ kiosk: OpaquePointer?, _ action: UnsafePointer<CChar>?, _ label: UnsafePointer<CChar>?
) -> Int32 {
  find(kiosk) { $0.writeTag(action, label) }
}

/// Requests the kiosk to stop.
@_cdecl("tappet_kiosk_stop") @implementation
public func tappet_kiosk_stop(_ kiosk: OpaquePointer?) -> Int32 {
  find(kiosk) {
    $0.stop()
    return 0
  }
}

/// Retrieves the numbers of taps and presses by outcome.
@_cdecl("tappet_kiosk_get_counters") @implementation
public func tappet_kiosk_get_counters(_ kiosk: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_kiosk_counters>?)
  -> Int32
{
  find(kiosk) {
    guard let result, result.pointee.size >= MemoryLayout<tappet_kiosk_counters>.size else {
      return $0.fail(
        .argument, "the counters are NULL, or their size is not set to sizeof(struct tappet_kiosk_counters)")
    }
    let (counters, waiting) = $0.facts.counts
    result.pointee.accepted = UInt64(counters.accepted)
    result.pointee.delivered = UInt64(counters.delivered)
    result.pointee.refused = UInt64(counters.refused)
    result.pointee.ignored = UInt64(counters.ignored)
    result.pointee.expired = UInt64(counters.expired)
    result.pointee.undeliverable = UInt64(counters.undeliverable)
    result.pointee.waiting = UInt64(waiting)
    return 0
  }
}

/// Retrieves the failure of the last failed call.
@_cdecl("tappet_kiosk_last_error") @implementation
public func tappet_kiosk_last_error(_ kiosk: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32 {
  lastError(kiosk, .kiosk, result)
}

/// Sets the outputs and lights that a kiosk recorded in its state folder to their safe levels.
@_cdecl("tappet_kiosk_make_safe") @implementation
public func tappet_kiosk_make_safe(_ folder: UnsafePointer<CChar>?) -> Int32 {
  guard let folder = text(folder, sizeMax: Int(PATH_MAX) - 64), !folder.isEmpty else {
    return ErrorCode.argument.rawValue
  }
  switch SafeOutputs.restore(stateFolder: folder) {
  case .nothingRecorded: return 0
  case .kioskRuns: return ErrorCode.state.rawValue
  case .done(let count, let faults): return faults.isEmpty ? Int32(clamping: count) : ErrorCode.system.rawValue
  }
}

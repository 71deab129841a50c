// The outputs of a kiosk that was killed: the next process sets their safe levels.

import TappetCore
import TappetMessages
import TappetPanel
import TappetPlatform
import TappetSQLite
import TappetStore

/// Sets the recorded safe levels of a kiosk that has ended.
package enum SafeOutputs {
  /// The result of `restore`.
  package enum Outcome {
    /// No levels have been recorded since the machine started.
    case nothingRecorded
    /// A kiosk is using the folder, and keeps its outputs.
    case kioskRuns
    /// This number of levels were set; these faults left others as they are.
    case done(count: Int, faults: [Fault])
  }

  /// A fault that left outputs or lights at their level.
  package enum Fault {
    case cannotRead(path: String, SystemError)
    /// The record at this path has lines that cannot be decoded.
    case damaged(path: String)
    case cannotSet(name: String, SystemError)

    /// Human-readable description of the fault.
    package var sentence: String {
      @export(interface) get {
        switch self {
        case .cannotRead(let path, let error): "the record of safe levels \(path) cannot be read: \(error.adviceText())"
        case .damaged(let path):
          "the record of safe levels \(path) is damaged, so an output may still be on; check them all, then remove it"
        case .cannotSet(let name, let error): "\(name) cannot be set to its safe level: \(error.adviceText())"
        }
      }
    }
  }

  /// Sets the levels recorded in the state folder, unless a kiosk is running with this folder.
  @export(interface)
  package static func restore(stateFolder folder: String) -> Outcome {
    let path = folder + "/" + SafeLevels.fileName
    let levels: SafeLevels
    var faults: [Fault] = []
    do throws(SystemError) {
      switch try SafeLevels.recorded(in: folder) {
      case .absent: return .nothingRecorded
      case .whole(let recorded): levels = recorded
      case .damaged(let rest): (levels, faults) = (rest, [.damaged(path: path)])
      }
    } catch { return .done(count: 0, faults: [.cannotRead(path: path, error)]) }
    // If the lock cannot be examined, a running kiosk still keeps its lines from others.
    let lock: KioskLock?
    do throws(DatabaseError) {
      lock = try KioskLock.acquire(folder: folder)
      if lock == nil { return .kioskRuns }
    } catch { lock = nil }
    defer { withExtendedLifetime(lock) {} }
    let failures = levels.set()
    for failure in failures { faults.append(.cannotSet(name: failure.entry.name, failure.error)) }
    if faults.isEmpty { SafeLevels.removeRecord(in: folder) }
    return .done(count: levels.entries.count - failures.count, faults: faults)
  }
}

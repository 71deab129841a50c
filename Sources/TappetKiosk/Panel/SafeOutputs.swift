// The outputs of a kiosk that was killed: the next process sets their safe levels.

import TappetCore
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
    /// This number of levels were set; these outputs and lights failed.
    case done(count: Int, failures: [(name: String, SystemError)])
  }

  /// Sets the levels recorded in the state folder, unless a kiosk is running with this folder.
  @export(interface)
  package static func restore(stateFolder folder: String) -> Outcome {
    let recorded: SafeLevels?
    do throws(SystemError) { recorded = try SafeLevels.recorded(in: folder) } catch {
      return .done(count: 0, failures: [("the record " + folder + "/" + SafeLevels.fileName, error)])
    }
    guard let levels = recorded else { return .nothingRecorded }
    // If the lock cannot be examined, a running kiosk still keeps its lines from others.
    let lock: KioskLock?
    do throws(DatabaseError) {
      lock = try KioskLock.acquire(folder: folder)
      if lock == nil { return .kioskRuns }
    } catch { lock = nil }
    defer { withExtendedLifetime(lock) {} }
    let failures = levels.set()
    if failures.isEmpty { SafeLevels.removeRecord(in: folder) }
    return .done(count: levels.entries.count - failures.count, failures: failures.map { ($0.entry.name, $0.error) })
  }
}

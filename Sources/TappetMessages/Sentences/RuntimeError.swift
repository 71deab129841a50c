// Reasons why a kiosk could not start, with sentences but no codes, because they are reported only to people.

import TappetPlatform
import TappetStore

/// A reason why a kiosk could not start or keep running.
package indirect enum RuntimeError: Error {
  case system(SystemError)
  case secretStore(SecretStoreError)
  /// Another kiosk is already using this state folder.
  case stateInUse(folder: String)
  case control(path: String, SystemError)
  /// Another user's program or file is in the place of the control socket.
  case controlTaken(path: String, user: UInt32)
  case lightTrace(path: String, SystemError)
  case noRandomness
}

extension RuntimeError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .system(let error): "\(error.call) failed: \(error.text)"
      case .secretStore(let error): error.sentence
      case .stateInUse(let folder):
        "another kiosk is using the state folder \(folder); stop that kiosk, or set a separate 'state' for this one"
      case .control(let path, let error):
        error.isAddressInUse
          ? "another kiosk is running with this configuration (it listens at \(path)); stop "
            + "that kiosk, or set a separate 'state' for this one"
          : "the control socket \(path) cannot be created: \(error.text)"
      case .controlTaken(let path, let user):
        "another user (\(user)) has taken the path of the control socket, \(path); check which program this is and "
          + "remove it, or set 'control' to a path in a folder that only this kiosk's user can write to"
      case .lightTrace(let path, let error): "the light trace \(path) cannot be written: \(error.text)"
      case .noRandomness: SharedSentence.noRandomness
      }
    }
  }
}

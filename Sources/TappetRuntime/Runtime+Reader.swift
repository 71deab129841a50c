// The reader's process: begun and ended as the core orders, heard when it speaks.

import CPlatform
import TappetCore
import TappetDevices

extension Runtime {
  func startReader() {
    readerSignAt = now().instant
    do throws(SystemError) {
      let process = try ReaderProcess(
        executable: ReaderProcess.locateExecutable(), device: configuration.readerDevice)
      try reactor.watch(process.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.readerSpoke() }
      reader = process
    } catch { waiting.append(.readerNotStarted(code: error.code)) }
  }

  /// False when there is no reader that takes it.
  func order(_ order: ReaderOrder) -> Bool { reader?.send(order) ?? false }

  private func readerSpoke() {
    guard let process = reader else { return }
    readerSignAt = now().instant
    while true {
      switch process.receive() {
      case .message(let message):
        feed(.reader(message))
        tagHeard(message)
      case .malformed(let error): waiting.append(.readerMalformed(error))
      case .nothing: return handleWaiting()
      case .closed:
        reactor.unwatch(process.fileDescriptor)
        reader = nil
        feed(.readerEnded(process.finish()))
        return tagReaderLost()
      }
    }
  }
}

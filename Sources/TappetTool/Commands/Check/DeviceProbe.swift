// Devices, used as the kiosk would use them: for 'tappet check' and 'tappet init'.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// Uses a device as the kiosk would, and releases it.
///
/// The wait ends when the descriptor `end` is readable.
enum DeviceProbe {
  static func reader(_ configuration: KioskConfiguration, endedBy end: Int32 = -1) -> (isGood: Bool, text: String) {
    let device = configuration.readerDevice
    do throws(SystemError) {
      let reader = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device)
      let limit = SystemClock().now().instant + Limits.readerStartMax
      while true {
        switch reader.receive() {
        case .message(.ready(let name)): return (true, name)
        case .message(.lost(let fault, let code)):
          return (false, ReaderLoss.fault(fault, code: code).sentence(device: device))
        case .message(let other): _ = other
        case .malformed(let error): return (false, ReaderLoss.malformed(error).sentence(device: device))
        case .closed: return (false, ReaderLoss.ended(reader.finish()).sentence(device: device))
        case .nothing:
          guard waitReadable(reader.fileDescriptor, until: limit, endedBy: end) else {
            return (false, ReaderLoss.silent.sentence(device: device))
          }
        }
      }
    } catch { return (false, ReaderLoss.notStarted(code: error.code).sentence(device: device)) }
  }

  static func broker(
    _ configuration: KioskConfiguration, endpoint: Int, endedBy end: Int32 = -1
  ) -> (isGood: Bool, text: String) {
    let name = configuration.broker.endpoints[endpoint].text
    do throws(SystemError) {
      let mailbox = try Mailbox<LinkEvent>()
      let link = try BrokerLink(settings: configuration.broker) { mailbox.post($0) }
      defer { link.shutdown() }
      link.connect(endpoint: endpoint)
      let limit = SystemClock().now().instant + Limits.connectTimeout + .seconds(2)
      while waitReadable(mailbox.fileDescriptor, until: limit, endedBy: end) {
        for event in mailbox.drain() {
          switch event {
          case .connected: return (true, "connected to \(name)")
          case .failed(let failure), .lost(let failure): return (false, "\(name): \(failure.sentence)")
          case .acknowledged, .publishRefused, .disconnected: break
          }
        }
      }
      return (false, "\(name) did not answer in \(Limits.connectTimeout.wholeMilliseconds / 1000) s")
    } catch { return (false, "the link to \(name) cannot be set up: \(error.call): \(error.text)") }
  }

  private static func waitReadable(_ fd: Int32, until limit: Instant, endedBy end: Int32) -> Bool {
    let remaining = limit - SystemClock().now().instant
    guard remaining > .zero else { return false }
    let ready = Poll.wait([(fd, .readable), (end, .readable)], for: remaining)
    return !ready[0].isEmpty && ready[1].isEmpty
  }
}

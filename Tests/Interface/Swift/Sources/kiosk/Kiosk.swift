// A kiosk in Swift: the package's own layers, without C between.
// Usage: kiosk CONFIG KEY (64 digits).  Ends after a tap that was refused.

import Foundation
import TappetCore
import TappetDevices
import TappetRuntime

@main struct Kiosk {
  static func main() throws {
    let words = CommandLine.arguments
    setvbuf(stdout, nil, _IOLBF, 0)
    guard words.count == 3, let key = SecretKey(hex: words[2]) else { exit(2) }
    guard case .loaded(let configuration) = ConfigFile.load(path: words[1]) else { exit(3) }
    let secret = TagSecret(
      id: UUID().uuidString, action: "garage", index: 0, key: key,
      createdUnixSeconds: Int64(Date().timeIntervalSince1970), label: nil)

    let runtime = try Runtime(configuration, ownSecrets: [secret])
    runtime.onLine = { _ in }
    runtime.onLight = { print("light \($0.name)") }
    runtime.onReport = { [unowned runtime] report, line in
      switch report {
      case .delivered(let entry, _): print("delivered \(entry.action)")
      case .refused:
        print("refused: \(line.sentence)")
        runtime.stop()
      default: break
      }
    }
    try runtime.start()
    runtime.begin()
    while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
    runtime.close()
    let counters = runtime.counts.counters
    print("counters accepted=\(counters.accepted) delivered=\(counters.delivered) refused=\(counters.refused)")
  }
}

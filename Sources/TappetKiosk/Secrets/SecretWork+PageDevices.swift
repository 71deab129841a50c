// Requests about the devices that may use the page. Each commits its change together with the audit entry that names
// its author, and takes effect before the response is sent.

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension SecretWork {
  /// Lists all devices.
  func listPageDevices() throws(SecretStoreError) -> SecretAnswer {
    let days = try secretStore.pageDeviceDays()
    let devices = try secretStore.pageDevices().map { device in
      let day = days[device.id].flatMap { WallTime.utc(unixMilliseconds: $0 &* 86_400_000) }?.prefix(10)
      return JSON.object(device.json.members + [.init(name: "last_used_on", value: .optional(day.map { String($0) }))])
    }
    return SecretAnswer(.object(["devices": .array(devices)]))
  }

  /// Removes a device: its token is refused from now on, and its connections end.
  func removePageDevice(_ name: String) throws(SecretStoreError) -> SecretAnswer {
    guard let device = try secretStore.pageDevices().first(where: { $0.name == name.trimmedLabel }) else {
      return .refused("no device named \(name.quoted) is paired; use 'tappet web list' to list the devices")
    }
    _ = try secretStore.remove(
      pageDevice: device.id, noting: auditEntry("device-removed", device.id, detail: device.name))
    var answer = SecretAnswer(device.json)
    answer.logRecord = logRecord(
      .notice, "page-device-removed", "\(device.name) can no longer use the page", [("device", device.name)])
    answer.pageDevices = try secretStore.pageDevices()
    return answer
  }

  /// Sets the page's password.
  func keep(pagePassword bytes: SecretBytes) throws(SecretStoreError) -> SecretAnswer {
    let made: PagePassword?
    do throws(CryptoError) { made = try PagePassword(bytes) } catch { return .failed(SharedSentence.noRandomness) }
    guard let made else {
      return .refused(
        "the page's password must be \(Limits.pagePasswordSizeMin) to \(Limits.pagePasswordSizeMax) bytes long")
    }
    let name = SecretStore.pagePasswordName
    var stored = made.stored
    try secretStore.seal(SecretBytes(taking: &stored), as: name, noting: auditEntry("page-password-kept", name))
    var answer = SecretAnswer(.object([:]))
    answer.logRecord = logRecord(.notice, "page-password-kept", "the page's password was replaced")
    answer.replacesPagePassword = true
    return answer
  }

  fileprivate func pair(
    _ device: PageDevice, _ token: SecretBytes, at address: String
  ) throws(SecretStoreError) -> SecretAnswer {
    try secretStore.add(
      device, noting: auditEntry("device-paired", device.id, detail: "\(device.name); \(device.level.name)"))
    var answer = SecretAnswer(device.json)
    answer.secretPayload = token
    answer.logRecord = LogRecord(
      .notice, "page-device-paired", "\(device.name) can use the page from now on, at level \(device.level.name)",
      [("device", device.name), ("level", device.level.name), ("from", address.escaped)])
    answer.pageDevices = try secretStore.pageDevices()
    return answer
  }
}

extension SecretService {
  /// Stores a new device; the answer encloses its token.
  func pair(
    _ device: PageDevice, _ token: SecretBytes, at address: String, by peer: LocalPeer, in secrets: StoreThread.Secrets
  ) -> SecretAnswer {
    do throws(SecretStoreError) {
      return try SecretWork(self, try secrets.get(), peer).pair(device, token, at: address)
    } catch { return SecretAnswer(result: .failure(SecretFailure(error))) }
  }
}

extension SecretService {
  /// Adds an entry to the audit; returns the reason if that fails.
  func note(_ operation: String, _ subject: String, by peer: LocalPeer, in secrets: StoreThread.Secrets)
    -> SecretFailure?
  {
    do throws(SecretStoreError) {
      let store = try secrets.get()
      try store.note(SecretWork(self, store, peer).auditEntry(operation, subject))
      return nil
    } catch { return SecretFailure(error) }
  }
}

extension PageDevice {
  fileprivate var json: JSON {
    .object(["device": .string(name), "level": .string(level.name), "paired": .number(pairedUnixSeconds)])
  }
}

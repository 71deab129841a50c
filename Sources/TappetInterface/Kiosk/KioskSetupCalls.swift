// The setup of a kiosk for C (tappet.h, "kiosk"): each call changes the `KioskSetup` of a kiosk that is not running.

import CPlatform
import CTappet
import TappetConfig
import TappetCore

private func change(_ kiosk: OpaquePointer?, _ body: (inout KioskSetup) throws(Failure) -> Void) -> Int32 {
  Objects.use(kiosk, as: .kiosk) { unsafeDowncast($0, to: KioskObject.self).change(body) }
}

/// Loads the complete configuration from a file, replacing all previous settings.
@_cdecl("tappet_kiosk_load") @implementation
public func tappet_kiosk_load(_ kiosk: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in
    guard let path = text(path, sizeMax: Int(PATH_MAX)), !path.isEmpty else {
      throw Failure(.argument, "the path is NULL, empty or too long")
    }
    switch ConfigurationParser.load(path: path) {
    case .loaded(let configuration): setup.configuration = configuration
    case .refused(let problems): throw Failure(problems)
    }
  }
}

/// Loads the complete configuration from memory, replacing all previous settings.
@_cdecl("tappet_kiosk_load_text") @implementation
public func tappet_kiosk_load_text(
  _ kiosk: OpaquePointer?, _ yaml: UnsafePointer<CChar>?, _ size: Int, _ folder: UnsafePointer<CChar>?
) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in
    guard yaml != nil, let folder = text(folder, sizeMax: Int(PATH_MAX)), folder.utf8.first == UInt8(ascii: "/") else {
      throw Failure(.argument, "the text is NULL, or the folder is not an absolute path")
    }
    // One byte more than the limit is enough to have the text refused as too large.
    let outcome = withInput(yaml, min(size, Limits.configurationSizeMax + 1), sizeMax: .max) {
      ConfigurationParser.parse(Array($0), name: "the text", folder: folder)
    }
    switch outcome {
    case .loaded(let configuration): setup.configuration = configuration
    case .refused(let problems): throw Failure(problems)
    case nil: throw Failure(.argument, "the size of the text is invalid")
    }
  }
}

/// Sets the broker to connect to.
@_cdecl("tappet_kiosk_set_broker") @implementation
public func tappet_kiosk_set_broker(_ kiosk: OpaquePointer?, _ options: UnsafePointer<tappet_broker_options>?) -> Int32
{
  change(kiosk) { (setup) throws(Failure) in
    guard var settings = BrokerSettings(options) else {
      throw Failure(.argument, BrokerSettings.optionsSentence)
    }
    guard settings.will == nil else {
      throw Failure(.argument, "a kiosk sets its own will: will_topic must be NULL")
    }
    settings.announcesStatus = true
    settings.needsQoS1 = true
    setup.configuration.broker = settings
  }
}

/// Sets the folder of the database; the default is /var/lib/tappet.
@_cdecl("tappet_kiosk_set_state_folder") @implementation
public func tappet_kiosk_set_state_folder(_ kiosk: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in
    guard let path = shortText(path, sizeMax: Limits.socketPathSizeMax - 8) else {
      throw Failure(.argument, "the state folder must be 1 to \(Limits.socketPathSizeMax - 8) bytes long")
    }
    setup.configuration.stateFolder = path
    setup.configuration.controlSocket = path + "/control"
  }
}

/// Sets the key that seals timestamp tokens (`%T`).
@_cdecl("tappet_kiosk_set_timestamp_key") @implementation
public func tappet_kiosk_set_timestamp_key(_ kiosk: OpaquePointer?, _ key: UnsafePointer<UInt8>?, _ keySize: Int)
  -> Int32
{
  change(kiosk) { (setup) throws(Failure) in
    guard let key = timestampKey(key, keySize) else {
      throw Failure(.argument, "the timestamp key must be 16, 24 or 32 bytes long")
    }
    setup.configuration.timestampKey = key
  }
}

/// Sets the NFC reader to use.
@_cdecl("tappet_kiosk_set_reader_device") @implementation
public func tappet_kiosk_set_reader_device(_ kiosk: OpaquePointer?, _ device: UnsafePointer<CChar>?) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in
    let name = shortText(device, sizeMax: Limits.readerDeviceSizeMax)
    guard device == nil || name != nil else {
      throw Failure(.argument, "the device must be 1 to 1023 bytes on one line")
    }
    setup.configuration.reader = name == "none" ? nil : ReaderSettings(device: name)
  }
}

/// Sets whether timestamps are sealed even while the kernel reports the clock as unsynchronized.
@_cdecl("tappet_kiosk_set_clock_trusted") @implementation
public func tappet_kiosk_set_clock_trusted(_ kiosk: OpaquePointer?, _ isTrusted: Bool) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in setup.configuration.checksClock = !isTrusted }
}

/// Adds an action to the kiosk.
@_cdecl("tappet_kiosk_add_action") @implementation
public func tappet_kiosk_add_action(_ kiosk: OpaquePointer?, _ action: UnsafePointer<tappet_kiosk_action>?) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in
    guard let action else { throw Failure(.argument) }
    try setup.add(action)
  }
}

/// Adds a secret for an action, in addition to those in the database.
@_cdecl("tappet_kiosk_add_secret") @implementation
public func tappet_kiosk_add_secret(
  _ kiosk: OpaquePointer?, _ action: UnsafePointer<CChar>?, _ key: UnsafePointer<UInt8>?
) -> Int32 {
  change(kiosk) { (setup) throws(Failure) in try setup.addSecret(action, key) }
}

// Converts the caller's broker options and credentials (tappet.h, "broker").

import CPlatform
import CTappet
import TappetConfig
import TappetCore

extension BrokerSettings {
  /// Error message with the fields to check when the options are refused.
  static let optionsSentence =
    "the broker options do not meet the requirements of tappet.h: check size, reserved, url, client_id, the "
    + "files and the will; the files, a password and MQTT 5 require mqtts://, and a password requires a username"

  /// Converts the caller's options to settings; `nil` if any option is invalid.
  init?(_ options: UnsafePointer<tappet_broker_options>?) {
    guard let options, options.pointee.size >= MemoryLayout<tappet_broker_options>.size else { return nil }
    let given = options.pointee
    guard let url = text(given.url, sizeMax: 300), let endpoint = BrokerEndpoint(url: url),
      let clientID = text(given.client_id, sizeMax: Limits.clientIDSizeMax), BrokerSettings.isClientID(clientID),
      let ca = path(given.ca_file), let crl = path(given.crl_file), let certificate = path(given.certificate_file),
      let key = path(given.private_key_file), certificate.isEmpty == key.isEmpty,
      given.keepalive_seconds == 0 || (5...65535).contains(given.keepalive_seconds), given.reserved.0 == 0,
      given.reserved.1 == 0
    else { return nil }
    // The files are for TLS.
    guard endpoint.usesTLS || (ca + crl + certificate + key).isEmpty else { return nil }
    guard let login = Login(given, usesTLS: endpoint.usesTLS), let will = Will(given) else { return nil }
    let version: MQTTVersion?
    switch given.protocol {
    case TAPPET_BROKER_PROTOCOL_DEFAULT: version = nil
    case TAPPET_BROKER_PROTOCOL_MQTT_311: version = .v311
    // libmosquitto 2.0.11 aborts the process when a broker sends an unknown MQTT 5 property.
    case TAPPET_BROKER_PROTOCOL_MQTT_5 where endpoint.usesTLS: version = .v5
    default: return nil
    }
    self.init(
      endpoints: [endpoint], clientID: clientID, caFile: ca.isEmpty ? nil : ca,
      certificateFile: certificate.isEmpty ? nil : certificate, privateKeyFile: key.isEmpty ? nil : key,
      version: version,
      keepaliveSeconds: given.keepalive_seconds == 0 ? 60 : UInt16(clamping: given.keepalive_seconds),
      announcesStatus: given.announces_status, username: login.name)
    password = login.password
    crlFile = crl.isEmpty ? nil : crl
    self.will = will.will
  }
}

/// The user name and the password in the caller's options.
private struct Login {
  var name: String?
  var password: BrokerPassword?

  /// Reads the user name and the password from the options; `nil` if they are invalid.
  init?(_ options: tappet_broker_options, usesTLS: Bool) {
    guard options.username != nil || options.password == nil else { return nil }
    guard options.username != nil else { return }
    guard let name = shortText(options.username, sizeMax: Limits.usernameSizeMax) else { return nil }
    self.name = name
    guard let bytes = options.password else { return }
    let size = strnlen(bytes, Limits.brokerPasswordSizeMax + 1)
    guard usesTLS, size <= Limits.brokerPasswordSizeMax,
      let password = BrokerPassword(SecretBytes(copying: UnsafeRawBufferPointer(start: bytes, count: size)))
    else { return nil }
    self.password = password
  }
}

/// The will message in the caller's options.
private struct Will {
  /// The configured will; `nil` if no will is set.
  var will: BrokerWill?

  /// Reads the will from the options; `nil` if it is invalid.
  init?(_ options: tappet_broker_options) {
    guard options.will_topic != nil else {
      let isEmpty = options.will_payload_size == 0 && options.will_qos == 0 && !options.will_is_retained
      if isEmpty { return }
      return nil
    }
    guard !options.announces_status, (0...2).contains(options.will_qos),
      let topic = topicToPublish(options.will_topic),
      let payload = withInput(
        options.will_payload, options.will_payload_size, sizeMax: Limits.willSizeMax, { [UInt8]($0) })
    else { return nil }
    will = BrokerWill(topic: topic, payload: payload, qos: options.will_qos, isRetained: options.will_is_retained)
  }
}

/// Reads a path from the caller; returns an empty string for NULL, and `nil` for an invalid path.
private func path(_ pointer: UnsafePointer<CChar>?) -> String? {
  guard pointer != nil else { return "" }
  guard let path = text(pointer, sizeMax: Int(PATH_MAX)), !path.isEmpty else { return nil }
  return path
}

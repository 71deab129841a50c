// The broker and the credentials that a caller gives (tappet.h, "broker").

import CPlatform
import CTappet
import TappetConfig
import TappetCore

extension BrokerSettings {
  /// Settings from the caller's options; `nil` when one of them is invalid.
  init?(_ options: UnsafePointer<tappet_broker_options>?) {
    guard let options, options.pointee.size >= MemoryLayout<tappet_broker_options>.size else { return nil }
    let given = options.pointee
    guard let url = text(given.url, sizeMax: 300), let endpoint = BrokerEndpoint(url: url),
      let clientID = text(given.client_id, sizeMax: Limits.clientIDSizeMax), BrokerSettings.isClientID(clientID),
      let ca = path(given.ca_file), let certificate = path(given.certificate_file),
      let key = path(given.private_key_file), certificate.isEmpty == key.isEmpty,
      given.keepalive_seconds == 0 || (5...65535).contains(given.keepalive_seconds), isZero(given.reserved)
    else { return nil }
    let version: MQTTVersion?
    switch given.protocol {
    case TAPPET_BROKER_PROTOCOL_DEFAULT: version = nil
    case TAPPET_BROKER_PROTOCOL_MQTT_311: version = .v311
    // libmosquitto 2.0.11 ends the process when a broker sends an MQTT 5 property that it does not know.
    case TAPPET_BROKER_PROTOCOL_MQTT_5 where endpoint.usesTLS: version = .v5
    default: return nil
    }
    self.init(
      endpoints: [endpoint], clientID: clientID, caFile: ca.isEmpty ? nil : ca,
      certificateFile: certificate.isEmpty ? nil : certificate, privateKeyFile: key.isEmpty ? nil : key,
      version: version,
      keepaliveSeconds: given.keepalive_seconds == 0 ? 60 : UInt16(clamping: given.keepalive_seconds),
      announcesStatus: given.announces_status)
  }
}

/// A path of the caller's, empty for NULL; `nil` when it is not a path.
private func path(_ pointer: UnsafePointer<CChar>?) -> String? {
  guard pointer != nil else { return "" }
  guard let path = text(pointer, sizeMax: Int(PATH_MAX)), !path.isEmpty else { return nil }
  return path
}

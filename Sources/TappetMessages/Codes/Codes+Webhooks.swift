// Machine-readable codes for webhooks; see Codes.swift.

import TappetCore

extension WebhookFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .status(let status): status == 429 ? "webhook-too-many" : "webhook-server-error"
      case .trouble(.nameUnknown, _): "webhook-name-unknown"
      case .trouble(.unreachable, _): "webhook-unreachable"
      case .trouble(.timedOut, _): "webhook-timeout"
      case .trouble(.closed, _): "webhook-closed"
      case .trouble(.certificateRefused, _): "webhook-certificate"
      case .trouble(.handshakeFailed, _): "webhook-tls"
      case .trouble(.fileUnusable, _): "webhook-file"
      case .trouble(.redirectForbidden, _): "webhook-redirect"
      case .trouble(.tokenRefused, _): "room-token-refused"
      case .trouble(.notAHomeserver, _): "room-server-unusable"
      case .trouble(.roomEncrypted, _): "room-encrypted"
      case .trouble(.roomClosed, _): "room-closed"
      case .trouble(.roomUnknown, _): "room-unknown"
      case .trouble(.messageRefused, _): "room-message-refused"
      case .trouble(.roomPlain, _): "room-plain"
      case .trouble(.headersTooLarge, _): "webhook-headers"
      case .trouble(.notHTTP, _): "webhook-not-http"
      case .trouble(.other, _): "webhook-failed"
      }
    }
  }
}

extension WebhookRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .status: "webhook-refused"
      case .redirectForbidden: "webhook-redirect"
      case .notConfigured: "webhook-unconfigured"
      case .unfillable: "webhook-unfillable"
      case .roomEncrypted: "room-encrypted"
      case .roomClosed: "room-closed"
      case .roomUnknown: "room-unknown"
      case .messageRefused: "room-message-refused"
      case .roomPlain: "room-plain"
      }
    }
  }
}

extension DeliveryRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .webhook(let refusal): refusal.code
      case .broker: "undeliverable"
      }
    }
  }

  /// Returns a human-readable reason why an entry of the action was given up.
  @export(interface)
  package func sentence(of action: String) -> String {
    switch self {
    case .webhook(let refusal): refusal.sentence()
    case .broker(let code): LinkFailure.undeliverable(action, code: code)
    }
  }
}

extension HelperLoss {
  /// Returns the machine-readable reason code.
  @export(interface)
  package func code(of helper: Helper) -> String {
    switch (helper, self) {
    case (.reader, .ended): "reader-ended"
    case (.reader, .silent): "reader-hung"
    case (.reader, .malformed): "reader-malformed"
    case (.reader, .notStarted): "reader-not-started"
    case (.webhooks, .ended): "webhooks-ended"
    case (.webhooks, .silent): "webhooks-silent"
    case (.webhooks, .malformed): "webhooks-malformed"
    case (.webhooks, .notStarted): "webhooks-not-started"
    case (.inventory, .ended): "inventory-ended"
    case (.inventory, .silent): "inventory-silent"
    case (.inventory, .malformed): "inventory-malformed"
    case (.inventory, .notStarted): "inventory-not-started"
    case (.rooms, .ended): "rooms-ended"
    case (.rooms, .silent): "rooms-silent"
    case (.rooms, .malformed): "rooms-malformed"
    case (.rooms, .notStarted): "rooms-not-started"
    }
  }
}

extension KioskStatus.Rooms {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .good: "good"
      case .withoutWill(let state): state.code
      case .withoutUnread(let unread): unread.code
      case .failing(let fault): fault.code
      case .lost(let loss): loss.code(of: .rooms)
      }
    }
  }
}

extension RoomWillState {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .scheduled, .posted, .cancelled: "good"
      case .unsupported: "last-will-unsupported"
      case .tooLong: "last-will-too-long"
      case .failed(let fault): fault.code
      }
    }
  }
}

extension RoomUnread {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .counted: "good"
      case .closed: RoomAccess.closed.code
      case .unknown: RoomAccess.unknown.code
      case .tooLarge: "rooms-too-many"
      }
    }
  }
}

extension UnreadableReason {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .keyMissing: "room-key-missing"
      case .devicesUnknown: "room-devices-unknown"
      case .deviceRefused: "room-device-refused"
      case .damaged: "room-message-damaged"
      }
    }
  }
}

extension RoomAccess {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .open: "good"
      case .closed: WebhookRefusal.roomClosed.code
      case .encrypted: WebhookRefusal.roomEncrypted.code
      case .unknown: WebhookRefusal.roomUnknown.code
      case .replaced: "room-replaced"
      case .plain: WebhookRefusal.roomPlain.code
      }
    }
  }
}

extension KioskStatus.Webhooks {
  /// Machine-readable status code.
  package var code: String {
    switch self {
    case .good: "good"
    case .failing(_, let fault): fault.code
    case .lost(let loss): loss.code(of: .webhooks)
    }
  }
}

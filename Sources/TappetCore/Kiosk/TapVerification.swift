// Decides whether a tag may do what it asks for; remembers nothing.

/// A tap of a tag that proved itself.
struct VerifiedTap {
  var action: Action
  var secret: TagSecret
}

extension KioskSettings {
  /// Returns the action for which a tag with this memory would be accepted; changes nothing.
  package func judge(_ reading: TagReading, secrets: [TagSecret]) -> Result<Action, TapRefusal> {
    verify(reading, secrets: SecretTable(secrets)).map { $0.action }
  }

  /// Makes the checks in the order of the phone app (docs/formats.md, "Tag URL").
  func verify(_ reading: TagReading, secrets: SecretTable) -> Result<VerifiedTap, TapRefusal> {
    let url: TagURL
    do throws(TagReadingError) { url = try reading.tagURL() } catch {
      switch error {
      case .content(let error): return .failure(.content(error))
      case .url(let error): return .failure(.malformedURL(error))
      }
    }
    guard let action = action(index: url.index) else {
      return .failure(.noSuchAction(index: url.index))
    }
    let candidates = secrets.secrets(of: action)
    guard !candidates.isEmpty else { return .failure(.noTagConfigured(action: action.name)) }
    guard let secret = url.verify(with: candidates) else {
      return .failure(.invalidSignature(action: action.name))
    }
    return .success(VerifiedTap(action: action, secret: secret))
  }
}
